# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An empty Blender with the add-on registered for each test, and the real rigs adopted once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import pytest

bpy = pytest.importorskip("bpy", reason="the bpy module is not installed")

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "blender_scripts"))
import anymove_package  # noqa: E402

anymove = anymove_package.load()


@pytest.fixture(autouse=True)
def empty_blender():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    anymove.register()
    yield
    anymove.unregister()


class Rig(NamedTuple):
    name: str
    home: Path
    blend: Path
    info_path: Path

    @property
    def info(self):
        from anymove.mocap.rig_info import RigInfo

        return RigInfo.load(self.info_path)


@pytest.fixture(scope="session")
def adopt(creatures, tmp_path_factory):
    """adopt("Wolf") -> Rig, made once per session (in a scene of its own, so that any test may ask)."""
    made: dict[str, Rig] = {}

    def get(name: str) -> Rig:
        if name not in made:
            home = tmp_path_factory.mktemp("assets") / "assets" / name.lower()
            home.mkdir(parents=True)
            bpy.ops.anymove.adopt_rig(filepath=str(creatures / f"{name}.glb"), creature=str(home))
            made[name] = Rig(name, home, home / "rigged" / "rigged.blend", home / "rigged" / "rig_info.json")
        return made[name]

    return get


@pytest.fixture
def outcome():
    """How the last operator ended: (code, message)."""
    from anymove.addon import report

    return lambda: report.last
