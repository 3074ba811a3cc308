# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import shutil

import pytest
import torch

from mocap import cli
from mocap.dataset import samples
from mocap.reader import checkpoint, pictures, train
from mocap.rig_info import RigInfo
from tests.mocap import synthetic
from tests.mocap.synthetic import TRAIN


def run(paths, epochs: int, *more: str) -> int:
    return cli.run(train.main, [str(epochs), *TRAIN, "--creature", str(paths.home), *more])


def same(one, two) -> bool:
    """Whether two nested states are equal, tensors bit for bit."""
    if isinstance(one, torch.Tensor):
        return torch.equal(one, two)
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(two) and all(same(a, b) for a, b in zip(one, two))
    return one == two


def test_a_stopped_training_goes_on_to_the_same_bits(stick, monkeypatch, capsys):
    assert run(stick, 2) == 0
    whole = checkpoint.load(stick.reader)
    stick.reader.unlink()

    draw = pictures.save_curve
    monkeypatch.setattr(pictures, "save_curve", lambda *a: (_ for _ in ()).throw(KeyboardInterrupt))
    assert run(stick, 2) == 1
    assert "run the same command again" in capsys.readouterr().err
    assert checkpoint.load(stick.reader).state["epoch"] == 1

    monkeypatch.setattr(pictures, "save_curve", draw)
    assert run(stick, 2) == 0
    assert "going on after epoch 1" in capsys.readouterr().out
    resumed = checkpoint.load(stick.reader)
    assert same(whole.weights, resumed.weights)
    assert same(whole.state, resumed.state)
    assert whole.card == resumed.card
    assert whole.figures["views"] == resumed.figures["views"]
    for entry in (*whole.figures["history"], *resumed.figures["history"]):
        entry.pop("seconds")
    assert whole.figures["history"] == resumed.figures["history"]


def test_what_is_left_after_a_training(trained, capsys):
    loaded = checkpoint.load(trained.reader)
    rig = RigInfo.load(trained.rig_info)
    assert loaded.card.rig_digest == rig.digest
    assert loaded.card.joint_names == rig.skeleton.joint_names
    assert loaded.card.joint_kinds == tuple(joint.kind for joint in rig.skeleton.joints)
    assert list(loaded.figures["per_joint_px"]) == list(rig.skeleton.bare.joint_names)
    assert list(loaded.figures["per_marker_px"]) == ["spine0_m1", "hind.L0_m1", "hind.R0_m1"]
    assert set(loaded.figures["views"]) == set(loaded.figures["markers"]) == {"front", "side"}
    assert loaded.figures["mean_pose"]["side"]["mean_px"] > 0
    assert loaded.why == "asked for"
    assert (trained.runs / "reader_curve.png").stat().st_size > 5000
    assert (trained.runs / "reader_worst.jpg").stat().st_size > 5000


def test_a_finished_training_says_so(trained, capsys):
    before = trained.reader.read_bytes()
    assert run(trained, 1) == 0
    assert "trained for 1 epochs already" in capsys.readouterr().out
    assert trained.reader.read_bytes() == before


def test_more_epochs_go_on_with_a_new_warm_up(trained, capsys):
    assert run(trained, 2) == 0
    out = capsys.readouterr().out
    assert "planned for 1 epochs: a new warm-up and cosine from 0.50" in out
    state = checkpoint.load(trained.reader).state
    assert state["epoch"] == 2
    assert state["schedule"] == {"start": 1, "end": 2, "peak": 0.5}


def test_new_samples_are_noticed(trained, capsys):
    synthetic.write_sample(trained.dataset, RigInfo.load(trained.rig_info), 1, 27)
    assert run(trained, 2) == 0
    assert "the samples are not the same as before" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--seed", "3"], "was begun with --seed 0, not 3"),
        (["--photos", "pictures"], "was begun with --photos none, not pictures"),
        (["--weights", "here"], "was begun with --weights none, not here"),
        (["--backbone", "dinov2"], "was begun with --backbone compact, not dinov2"),
    ],
)
def test_other_settings_are_refused(trained, capsys, more, told):
    assert run(trained, 2, *more) == 2
    assert told in capsys.readouterr().err


def test_a_reader_of_another_rig_is_refused_and_restart_replaces_it(trained, capsys):
    other = synthetic.rig_info(96)
    other.save(trained.rig_info)
    assert run(trained, 2) == 2
    assert "trained on another rig or layout" in capsys.readouterr().err
    shutil.rmtree(trained.dataset)
    for index in range(26):
        synthetic.write_sample(trained.dataset, RigInfo.load(trained.rig_info), 1, index)
    assert run(trained, 1, "--restart") == 0
    assert checkpoint.load(trained.reader).card.rig_digest == other.digest


def test_bad_arguments_are_one_line(stick, capsys):
    with pytest.raises(SystemExit) as stopped:
        train.main(["0", "8", "--creature", str(stick.home)])
    assert stopped.value.code == 2
    assert "0 is less than 1" in capsys.readouterr().err
    for index in samples.indices(stick.dataset):
        samples.meta_path(stick.dataset, index).unlink()
    assert run(stick, 1) == 2
    assert "no samples here; render some with tools/dataset.sh" in capsys.readouterr().err


def test_learns(stick):
    """A few passes over 25 samples beat nothing much, but the loss must fall clearly."""
    assert run(stick, 3) == 0
    history = checkpoint.load(stick.reader).figures["history"]
    assert history[2]["loss"] < history[0]["loss"] - 0.6
