# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import json

import cv2

from mocap import cli
from mocap.dataset import check, samples, sheet
from mocap.rig_info import RigInfo


def test_counts_by_state(stick):
    folder, digest = stick.dataset, RigInfo.load(stick.rig_info).digest
    samples.meta_path(folder, 3).unlink()
    samples.picture_path(folder, 4, "front").unlink()
    samples.meta_path(folder, 5).write_text("{half")
    stale = json.loads(samples.meta_path(folder, 6).read_text()) | {"rig_digest": "other"}
    samples.meta_path(folder, 6).write_text(json.dumps(stale))
    found = check.faults(folder, digest, expected=29)
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
    plain = sheet.sheet(stick.dataset, rig, 4, degraded=False)
    degraded = sheet.sheet(stick.dataset, rig, 4, degraded=True)
    # A plain sheet is grey in its corners, a degraded one has backdrops.
    assert (plain[100:126, 2:20] == 96).all()
    assert (degraded[100:126, 2:20] != 96).any()
