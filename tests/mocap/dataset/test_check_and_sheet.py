# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import json

import cv2
import pytest

from mocap import cli
from mocap.dataset import check, samples, sheet
from mocap.errors import BadInput
from mocap.rig_info import RigInfo
from tests.mocap import synthetic


def test_counts_by_state(stick):
    folder, rig = stick.dataset, RigInfo.load(stick.rig_info)
    samples.meta_path(folder, 3).unlink()
    samples.picture_path(folder, 4, "front").unlink()
    samples.meta_path(folder, 5).write_text("{half")
    stale = json.loads(samples.meta_path(folder, 6).read_text()) | {"rig_digest": "other"}
    samples.meta_path(folder, 6).write_text(json.dumps(stale))
    found = check.faults(folder, rig.digest, synthetic.studio(rig).digest, expected=29)
    assert found["missing"] == [3, 27, 28]
    assert found["torn"] == [4, 5]
    assert found["stale"] == [6]
    assert len(found["whole"]) == 23


def test_command(stick, tmp_path, capsys):
    figures = tmp_path / "check.json"
    arguments = ["--creature", str(stick.home), "--json", str(figures)]
    assert cli.run(check.main, arguments) == 0
    assert json.loads(figures.read_text())["whole"]["count"] == 27
    samples.picture_path(stick.dataset, 9, "side").write_bytes(b"")
    assert cli.run(check.main, arguments) == 1
    assert json.loads(figures.read_text())["torn"]["indices"] == [9]
    assert "1 torn; 26 whole" in capsys.readouterr().err


def test_an_empty_folder_is_not_whole(stick, capsys):
    for path in stick.dataset.iterdir():
        path.unlink()
    assert cli.run(check.main, ["--creature", str(stick.home)]) == 1
    assert "none there; 0 whole" in capsys.readouterr().err


def test_the_sheet_shows_samples_with_their_joints(stick):
    assert cli.run(sheet.main, ["--creature", str(stick.home), "--count", "4"]) == 0
    picture = cv2.imread(str(stick.runs / "dataset_samples.jpg"))
    assert picture.shape == (2 * 128, 3 * 256, 3)
    rig = RigInfo.load(stick.rig_info)
    studio = synthetic.studio(rig)
    plain = sheet.sheet(stick.dataset, studio, 4, degraded=False)
    degraded = sheet.sheet(stick.dataset, studio, 4, degraded=True)
    # A plain sheet is grey in its corners, a degraded one has backdrops.
    assert (plain[100:126, 2:20] == 96).all()
    assert (degraded[100:126, 2:20] != 96).any()


def _change(folder, index, **fields):
    path = samples.meta_path(folder, index)
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_another_skin_than_the_rigs_is_told(stick, capsys):
    folder, rig = stick.dataset, RigInfo.load(stick.rig_info)
    digest = synthetic.studio(rig).digest
    assert check.faults(folder, rig.digest, digest)["reskinned"] == []
    for index in (2, 3):
        _change(folder, index, skin_digest="other")
    assert check.faults(folder, rig.digest, digest)["reskinned"] == [2, 3]
    assert cli.run(check.main, ["--creature", str(stick.home)]) == 1
    assert "2 reskinned; 25 whole" in capsys.readouterr().err


def test_samples_of_two_skins_are_not_trained_on(stick):
    rig = RigInfo.load(stick.rig_info)
    digests = rig.digest, synthetic.studio(rig).digest
    assert len(samples.load_all(stick.dataset, *digests)) == 27
    _change(stick.dataset, 4, skin_digest="other")
    with pytest.raises(BadInput, match="rendered from another mesh or paint"):
        samples.load_all(stick.dataset, *digests)


def test_an_older_format_is_rendered_again(stick):
    _change(stick.dataset, 5, schema=samples.SCHEMA - 1)
    assert samples.fault(stick.dataset, 5) == "torn"


def test_black_pictures_are_found(stick):
    folder, rig = stick.dataset, RigInfo.load(stick.rig_info)
    whole = range(6)
    assert check.look(folder, rig, whole).dark == []
    path = samples.picture_path(folder, 4, "side")
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    picture[..., :3] //= 16
    cv2.imwrite(str(path), picture)
    picture[...] = 0
    cv2.imwrite(str(samples.picture_path(folder, 2, "front")), picture)
    assert check.look(folder, rig, whole).dark == [2, 4]


def test_labels_far_out_and_mixtures_are_told(stick, capsys):
    folder, rig = stick.dataset, RigInfo.load(stick.rig_info)
    meta = json.loads(samples.meta_path(folder, 7).read_text())
    joints = meta["views"]["front"]["positions_px"]
    meta["views"]["front"]["positions_px"] = [[-1.0, y] for _, y in joints]
    samples.meta_path(folder, 7).write_text(json.dumps(meta))
    _change(folder, 8, engine="cycles")
    _change(folder, 9, seed=5)
    looked = check.look(folder, rig, range(27))
    assert looked.far_out == [7]
    assert looked.outside_share > 0.5 / 27
    assert looked.mixtures == {"seed": {"1": 26, "5": 1}, "engine": {"synthetic": 26, "cycles": 1}}
    assert cli.run(check.main, ["--creature", str(stick.home)]) == 0
    said = capsys.readouterr().out
    assert "more than one engine lie together: 1 x cycles, 26 x synthetic" in said


def test_left_over_files_are_named(stick):
    folder = stick.dataset
    assert check.left_over(folder, ("front", "side")) == []
    samples.meta_path(folder, 3).unlink()
    (folder / ".00001_front-abc.png").write_bytes(b"")
    (folder / "00001_top.png").write_bytes(b"")
    expected = [".00001_front-abc.png", "00001_top.png", "00003_front.png", "00003_side.png"]
    assert check.left_over(folder, ("front", "side")) == expected


def test_the_shifted_set_is_checked_and_shown(stick, capsys):
    assert cli.run(check.main, ["--creature", str(stick.home), "--set", "shifted"]) == 1
    assert "none there" in capsys.readouterr().err
    stick.dataset.rename(stick.shifted)
    assert cli.run(check.main, ["--creature", str(stick.home), "--set", "shifted"]) == 0
    assert cli.run(sheet.main, ["--creature", str(stick.home), "--set", "shifted", "--count", "2"]) == 0
    assert (stick.runs / "shifted_samples.jpg").exists()
