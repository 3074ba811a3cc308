# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A small synthetic creature with samples, and a reader trained on it for one epoch, for many tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from mocap.reader import train
from mocap.rig_info import CreaturePaths
from tests.mocap import synthetic

TRAIN = ("8", "--precision", "float32", "--threads", "1", "--backbone", "compact")
"""Arguments after EPOCHS that make a training short and the same everywhere."""


@pytest.fixture(scope="session")
def samples_once(tmp_path_factory) -> CreaturePaths:
    return synthetic.creature(tmp_path_factory.mktemp("stick"), count=27)


@pytest.fixture(scope="session")
def trained_once(samples_once) -> CreaturePaths:
    torch.set_num_threads(1)
    train.main(["1", *TRAIN, "--creature", str(samples_once.home)])
    return samples_once


def _copy(paths: CreaturePaths, target: Path) -> CreaturePaths:
    shutil.copytree(paths.home.parent.parent, target, dirs_exist_ok=True)
    return CreaturePaths(target / "assets" / paths.name)


@pytest.fixture
def stick(samples_once, tmp_path) -> CreaturePaths:
    """A creature with 27 samples (2 held out) that a test may change; it may have a reader already."""
    paths = _copy(samples_once, tmp_path)
    paths.reader.unlink(missing_ok=True)
    return paths


@pytest.fixture
def trained(trained_once, tmp_path) -> CreaturePaths:
    """The same with a reader trained for one epoch."""
    return _copy(trained_once, tmp_path)
