# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
from bench import looks
from mocap import cli, files
from mocap.dataset import augment


def test_it_times_every_degradation(samples_once, tmp_path, monkeypatch):
    monkeypatch.setattr(looks, "SAMPLES", 3)
    monkeypatch.setattr(
        looks, "milliseconds", lambda data, bank, count, timed=looks.milliseconds: timed(data, bank, 4)
    )
    out = tmp_path / "looks.json"
    assert cli.run(looks.main, ["--creature", str(samples_once.home), "--quick", "--json", str(out)]) == 0
    assert set(files.read_json(out, "looks")) == {"all", "none", *augment.CHANCES}
