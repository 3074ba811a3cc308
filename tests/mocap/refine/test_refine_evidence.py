# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What a reader saw is kept chunk by chunk and comes back as it was."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

from mocap.errors import BadInput
from mocap.refine.evidence import CHUNK, Evidence, Seen, writer

FRAMES = 2 * CHUNK + 5
LIMBS = (0, 2, -1)


@pytest.fixture
def seen():
    rng = np.random.default_rng(0)
    return Seen(
        rng.normal(size=(FRAMES, 2, 2, 3)),
        rng.integers(0, 256, (FRAMES, 2, 8, 8, 3), dtype=np.uint8),
        rng.integers(0, 256, (FRAMES, 2, 4, 4, len(LIMBS) + 1), dtype=np.uint8),
    )


def cut(seen, start, stop):
    return Seen(*(array[start:stop] for array in seen))


@pytest.fixture
def kept(seen, tmp_path):
    with writer(tmp_path / "evidence.zip", "rig", LIMBS, {"clip": "a.mp4"}) as out:
        for start, stop in ((0, 1), (1, CHUNK + 9), (CHUNK + 9, FRAMES)):
            out.add(cut(seen, start, stop))
    return tmp_path / "evidence.zip"


@pytest.mark.parametrize("window", [(0, FRAMES), (3, 7), (CHUNK - 1, CHUNK + 1), (2 * CHUNK, FRAMES)])
def test_any_window_comes_back_as_written(seen, kept, window):
    evidence = Evidence(kept, "rig")
    assert (evidence.frames, evidence.limbs, evidence.provenance) == (FRAMES, LIMBS, {"clip": "a.mp4"})
    for found, wanted in zip(evidence.window(*window), cut(seen, *window)):
        assert found.dtype == wanted.dtype
        assert (found == wanted).all()


def test_a_whole_number_of_chunks_leaves_none_over(seen, tmp_path):
    with writer(tmp_path / "e.zip", "rig", LIMBS, {}) as out:
        out.add(cut(seen, 0, CHUNK))
    with zipfile.ZipFile(tmp_path / "e.zip") as archive:
        assert sorted(archive.namelist()) == ["000000.npz", "header.json"]


def test_nothing_appears_where_writing_fails(seen, tmp_path):
    def spoilt():
        with writer(tmp_path / "e.zip", "rig", LIMBS, {}) as out:
            out.add(seen)
            raise RuntimeError("the reader stopped")

    with pytest.raises(RuntimeError):
        spoilt()
    assert list(tmp_path.glob("e*")) == []


def test_wrong_files_are_told_in_one_line(kept, tmp_path):
    with pytest.raises(BadInput, match=r"read for another rig .*detect again"):
        Evidence(kept, "other")
    with pytest.raises(BadInput, match="no such"):
        Evidence(tmp_path / "none.zip", "rig")
    (tmp_path / "text.zip").write_text("no zip")
    with pytest.raises(BadInput, match="not an evidence file"):
        Evidence(tmp_path / "text.zip", "rig")
    broken = tmp_path / "broken.zip"
    with zipfile.ZipFile(kept) as whole, zipfile.ZipFile(broken, "w") as out:
        for name in whole.namelist():
            out.writestr(name, b"" if name == "000001.npz" else whole.read(name))
    evidence = Evidence(broken, "rig")
    assert len(evidence.window(0, CHUNK).framings) == CHUNK
    with pytest.raises(BadInput, match=r"broken .*detect again"):
        evidence.window(0, FRAMES)
