# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A small synthetic creature with samples, and a reader trained on it for one epoch, for many tests."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest
import torch

from mocap.reader import backbones, train
from mocap.reader.config import CompactConfig, Dinov2Config
from mocap.rig_info import CreaturePaths
from tests.mocap import synthetic


@pytest.fixture(scope="session")
def small_networks():
    """Small inputs, so that the command trains in seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backbones, "CompactConfig", partial(CompactConfig, input_size=96))
        patch.setattr(backbones, "Dinov2Config", partial(Dinov2Config, input_size=56, neck=16, heads=2))
        yield


@pytest.fixture(scope="session")
def samples_once(tmp_path_factory) -> CreaturePaths:
    return synthetic.creature(tmp_path_factory.mktemp("stick"), count=27)


@pytest.fixture(scope="session")
def trained_once(samples_once, small_networks) -> CreaturePaths:
    torch.set_num_threads(1)
    train.main(["1", *synthetic.TRAIN, "--creature", str(samples_once.home)])
    return samples_once


def _copy(paths: CreaturePaths, target: Path) -> CreaturePaths:
    shutil.copytree(paths.home.parent.parent, target, dirs_exist_ok=True)
    return CreaturePaths(target / "assets" / paths.name)


@pytest.fixture
def stick(samples_once, small_networks, tmp_path) -> CreaturePaths:
    """A creature with 27 samples (2 held out) that a test may change; it may have a reader already."""
    paths = _copy(samples_once, tmp_path)
    paths.reader.unlink(missing_ok=True)
    return paths


@pytest.fixture
def trained(trained_once, tmp_path) -> CreaturePaths:
    """The same with a reader trained for one epoch."""
    return _copy(trained_once, tmp_path)
