# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import cv2
import numpy as np
import pytest
from matplotlib.figure import Figure

from mocap.reader import pictures

BASE = {"front": {"mean_pct": 25.0}, "side": {"mean_pct": 20.0}}
LABELS = pictures.Labels(
    np.array([0, 25, 50]), ("front", "side"), ("hip", "knee", "paw", "nose"), np.array([100.0, 200.0])
)


def history(hard_from: int) -> list[dict]:
    out = []
    for epoch in range(1, 6):
        views = {name: {"mean_pct": 20.0 / epoch} for name in BASE}
        hard = {name: {"mean_pct": 30.0 / epoch} for name in BASE}
        out.append(
            {"epoch": epoch, "loss": 6.0 / epoch, "views": views}
            | ({"hard": hard} if epoch >= hard_from else {})
        )
    return out


@pytest.fixture
def drawn(monkeypatch):
    """The figure that was saved."""
    kept = []
    save = Figure.savefig

    def keep(self, *rest, **more):
        kept.append(self)
        save(self, *rest, **more)

    monkeypatch.setattr(Figure, "savefig", keep)
    return kept


@pytest.mark.parametrize("hard_from", [1, 3, 9])
def test_curves_of_loss_and_errors(tmp_path, drawn, hard_from):
    path = tmp_path / "curve.png"
    pictures.save_curve(path, history(hard_from), BASE)
    assert cv2.imread(str(path)).shape == (400, 1100, 3)
    left, right = drawn[0].axes
    assert left.lines[0].get_ydata() == pytest.approx([6, 3, 2, 1.5, 1.2])
    lines = {line.get_label(): line for line in right.lines}
    names = {"front", "side", "front, mean pose", "side, mean pose"}
    assert set(lines) == names | ({"front, hard", "side, hard"} if hard_from < 9 else set())
    assert lines["side, mean pose"].get_linestyle() == "--"
    if hard_from == 3:
        assert list(lines["side, hard"].get_xdata()) == [3, 4, 5]
        assert lines["side, hard"].get_ydata() == pytest.approx([10, 7.5, 6])


def test_a_tile_tells_whose_it_is_and_its_worst_joints():
    error = np.array([1.0, 20.0, 40.0, 5.0])
    assert pictures.tile_text(error, 1, 1, LABELS) == [
        "00025 side: 16.5 px, 8.2%",
        "paw 20%, knee 10%, nose 2%",
    ]
    assert pictures.tile_text(error, 1, 1, None) == ["16.5 px"]


def test_the_worst_panels_come_first(tmp_path, monkeypatch):
    truth = np.full((3, 2, 4, 2), 30.0)
    read = truth.copy()
    read[2, 0] += 9
    read[0, 1] += 6
    asked = []
    tell = pictures.tile_text
    monkeypatch.setattr(pictures, "tile_text", lambda *a: (asked.append(a[1:3]), tell(*a))[1])
    panels = [[np.zeros((64, 64, 3), np.uint8)] * 2] * 3
    seen, colours = np.ones((3, 2, 4), bool), np.full((4, 3), 200, np.uint8)
    path = tmp_path / "worst.png"
    pictures.save_worst(path, panels, truth, read, seen, colours, np.full(4, 3), LABELS)
    assert asked[:2] == [(2, 0), (0, 1)]
    assert len(asked) == 6
    picture = cv2.imread(str(path))
    assert picture.shape == (2 * 96, 4 * 96, 3)
    # Yellow ink of the label.
    assert ((picture[:40, :96] == (0, 255, 255)).all(-1)).any()
