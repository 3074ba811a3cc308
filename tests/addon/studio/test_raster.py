# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rasteriser against Blender: the same skin, silhouettes, joints, and joints seen."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np
import pytest
from anymove.addon.motion.pose import joints as posed_joints
from anymove.addon.motion.pose import set_pose
from anymove.addon.studio import cameras, engines, lights, paint, render, stage, visibility
from anymove.mocap import poses, skin
from anymove.mocap.raster import draw
from anymove.mocap.raster import lights as raster_lights
from anymove.mocap.raster.studio import Studio
from anymove.mocap.rig_info import RigInfo

pytestmark = [pytest.mark.bpy, pytest.mark.rigs]
SEED = 11
ROOT = Path(__file__).resolve().parents[3]


class Built(NamedTuple):
    home: Path
    blend: Path
    info: RigInfo


def drawn(rig, count: int):
    """For each view of ``count`` poses: pixels by Workbench, shot by the rasteriser, and both kinds of labels."""
    info = rig.info
    studio = Studio(info, skin.load(rig.home / "rigged" / "skin.npz", info.skeleton))
    with stage.opened(rig.blend, info) as opened:
        seen = cameras.add(opened.scene, info.layout)
        paint.apply(opened.meshes, info.skeleton)
        lights.add(opened.scene)
        rays = visibility.Visibility(opened)
        for index in range(count):
            pose = poses.random_pose(info.skeleton, poses.sample_rng(SEED, index))
            set_pose(opened.rig, info.skeleton, pose.root, pose.quats)
            opened.update()
            posed = info.skeleton.pose(pose.root[None], pose.quats[None])
            graph = opened.scene.view_layers[0].depsgraph
            vertices = np.concatenate([_evaluated(mesh, graph) for mesh in opened.meshes])
            for view in info.layout.views:
                engines.prepare(opened.scene, "workbench", view.size, painted=True)
                pixels = render.shoot(opened.scene, seen[view.name])
                points = posed_joints(opened.rig, info.skeleton)
                places = view.project(points)[0]
                shown = rays.visible(view, points, places)
                shot = studio.shot(posed, view, raster_lights.studio())
                yield pixels, shot, places, shown, np.abs(studio.points(posed) - vertices).max()


def _evaluated(mesh: bpy.types.Object, graph) -> np.ndarray:
    made = mesh.evaluated_get(graph)
    flat = np.empty(len(made.data.vertices) * 3)
    made.data.vertices.foreach_get("co", flat)
    matrix = np.array(made.matrix_world)
    return flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def whole(shot, size) -> np.ndarray:
    """The shot's alpha in its panel."""
    out = np.zeros((size[1] + 1, size[0] + 1))
    x, y = shot.corner.astype(int)
    height, width = shot.rgba.shape[:2]
    out[y : y + height, x : x + width] = shot.rgba[..., 3]
    return out[: size[1], : size[0]]


@pytest.mark.parametrize("name", ["Wolf", "Spider", "Trex"])
def test_as_workbench_draws_it(adopt, name):
    rig = adopt(name)
    meet = union = 0
    agree, colours = [], []
    for pixels, shot, places, shown, off in drawn(rig, 6):
        assert off < 2e-5 * rig.info.skeleton.height
        assert np.abs(shot.labels.positions - places).max() < 0.3
        one, other = whole(shot, pixels.shape[1::-1]), pixels[..., 3].astype(float)
        # Half-covered pixels are decided by four samples here and by eight there: a tie belongs to both.
        meet += ((one > 120) & (other > 120)).sum()
        union += ((one > 128) | (other > 135)).sum()
        agree.append((shot.labels.visible == shown).mean())
        x, y = shot.corner.astype(int)
        height, width = shot.rgba.shape[:2]
        window = pixels[y : y + height, x : x + width]
        part = shot.rgba[: window.shape[0], : window.shape[1]]
        full = (part[..., 3] == 255) & (window[..., 3] == 255)
        colours.append(np.abs(part[full].astype(float) - window[full])[:, :3].mean())
    assert meet / union >= 0.99
    assert np.mean(agree) > 0.97
    assert np.mean(colours) < 22


def test_the_skin_keeps_what_the_file_says(adopt):
    rig = adopt("Wolf")
    kept = skin.load(rig.home / "rigged" / "skin.npz", rig.info.skeleton)
    assert len(kept.points) > 1000
    assert not kept.smooth.all()  # the file's normals make it faceted
    assert np.ptp(kept.albedo.astype(int), axis=0).max() > 20


def test_a_vertex_of_many_bones_follows_all_of_them(tmp_path):
    """Automatic weights of the shipped creatures hang on more than four bones."""
    home = tmp_path / "assets" / "dragon"
    home.mkdir(parents=True)
    shutil.copy(ROOT / "assets" / "dragon" / "creature.json", home)
    bpy.ops.anymove.build_creature(creature=str(home))
    rig = Built(home, home / "rigged" / "rigged.blend", RigInfo.load(home / "rigged" / "rig_info.json"))
    kept = skin.load(home / "rigged" / "skin.npz", rig.info.skeleton)
    assert kept.bones.shape[1] > 4
    for _, shot, places, _, off in drawn(rig, 3):
        assert off < 2e-5 * rig.info.skeleton.height
        assert np.abs(shot.labels.positions - places).max() < 0.3


def test_the_add_on_leaves_no_compiled_loops_for_the_toolkit():
    from mocap.raster import draw as toolkits

    # Kept ones name the package that they were made by; the toolkit's processes have no anymove to import.
    assert draw.blended.stats.cache_path is None
    assert toolkits.blended.stats.cache_path is not None
