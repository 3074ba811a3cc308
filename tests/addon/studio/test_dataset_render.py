# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels are true, and a sample is decided by its index alone."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from anymove.addon.motion import pose
from anymove.addon.studio import cameras, dataset, engines, lights, render, stage, visibility
from anymove.mocap import poses
from anymove.mocap.dataset import samples
from anymove.mocap.errors import BadInput

pytestmark = [pytest.mark.bpy, pytest.mark.rigs]
ROOT = Path(__file__).resolve().parents[3]


def files_of(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


def sample(rig, folder: Path, indices, engine="workbench", seed=3):
    with stage.opened(rig.blend, rig.info) as opened:
        studio = dataset.DatasetStudio(opened, engine, seed, folder)
        missing = studio.missing(indices)
        for index in missing:
            studio.sample(index)
    return missing


@pytest.mark.parametrize("engine", ["workbench", "cycles"])
def test_projection_meets_rendered_markers(adopt, engine):
    """Small balls at the joints, rendered alone, against the projected pixels."""
    info = adopt("Wolf").info
    scene = bpy.data.scenes.new("markers")
    bpy.context.window.scene = scene
    seen = cameras.add(scene, info.layout)
    lights.add(scene)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=0.02 * info.skeleton.height)
    ball = bpy.context.object
    for index in range(0, len(info.skeleton.joints), 11):
        point = info.skeleton.joint_points[index]
        ball.location = point
        scene.view_layers[0].update()
        for view in info.layout.views:
            engines.prepare(scene, engine, view.size, painted=False)
            alpha = render.shoot(scene, seen[view.name])[..., 3].astype(float)
            rows, columns = np.indices(alpha.shape) + 0.5
            found = np.array([(columns * alpha).sum(), (rows * alpha).sum()]) / alpha.sum()
            expected = view.project(point)[0]
            assert np.linalg.norm(found - expected) < 0.5, (index, view.name)


def test_same_index_same_files_across_processes_order_and_resume(adopt, tmp_path):
    rig = adopt("KhronosFox")
    straight = tmp_path / "straight"
    sample(rig, straight, [0, 1, 2])
    resumed = tmp_path / "resumed"
    sample(rig, resumed, [2])
    assert sample(rig, resumed, [0, 1, 2]) == [0, 1]
    assert files_of(resumed) == files_of(straight)

    home = tmp_path / "assets" / rig.home.name
    shutil.copytree(rig.home, home)
    command = [
        sys.executable, str(ROOT / "tools/kit/play_blender.py"), "-b", "-P",
        str(ROOT / "blender_scripts/render_dataset.py"), "--", str(home),
        "--first", "1", "--count", "1", "--seed", "3", "--engine", "workbench",
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    elsewhere = files_of(tmp_path / "runs" / rig.home.name / "dataset")
    assert set(elsewhere) == {"00001_front.png", "00001_side.png", "00001_meta.json"}
    for name, data in elsewhere.items():
        assert data == (straight / name).read_bytes(), name


def test_torn_samples_are_redone_and_stale_ones_refused(adopt, tmp_path):
    rig = adopt("KhronosFox")
    sample(rig, tmp_path, [0, 1])
    whole = files_of(tmp_path)
    picture = samples.picture_path(tmp_path, 0, "side")
    picture.write_bytes(picture.read_bytes()[:-40])
    meta = samples.meta_path(tmp_path, 1)
    meta.write_text(meta.read_text()[:100])
    digest = rig.info.digest
    assert [samples.fault(tmp_path, i, digest) for i in (0, 1, 2)] == ["torn", "torn", "missing"]
    assert sample(rig, tmp_path, [0, 1]) == [0, 1]
    assert files_of(tmp_path) == whole
    other = adopt("Wolf")
    assert samples.fault(tmp_path, 0, other.info.digest) == "stale"
    with pytest.raises(BadInput, match=r"2 samples .* rendered from another rig"):
        sample(other, tmp_path, [0, 1, 2])
    assert files_of(tmp_path) == whole


def test_engines_share_labels(adopt, tmp_path):
    rig = adopt("KhronosFox")
    sample(rig, tmp_path / "w", [0, 5], "workbench")
    sample(rig, tmp_path / "c", [0, 5], "cycles")
    for index in (0, 5):
        one = samples.read_meta(samples.meta_path(tmp_path / "w", index))
        two = samples.read_meta(samples.meta_path(tmp_path / "c", index))
        for view in one.views:
            assert np.array_equal(one.views[view].positions, two.views[view].positions)
            assert np.array_equal(one.views[view].depth, two.views[view].depth)
            assert np.array_equal(one.views[view].visible, two.views[view].visible)
            pictures = [
                render.read_png(samples.picture_path(tmp_path / engine, index, view)) for engine in ("w", "c")
            ]
            # A shadow on the floor is black and in the alpha, too.
            masks = [(p[..., 3] > 127) & (p[..., :3].max(-1) > 12) for p in pictures]
            overlap = (masks[0] & masks[1]).sum() / (masks[0] | masks[1]).sum()
            assert overlap > 0.9


def test_labels_lie_on_the_creature(adopt, tmp_path):
    """Visible joints lie on painted pixels (skin shared between bones may lag by a few); some are hidden."""
    rig = adopt("Wolf")
    sample(rig, tmp_path, range(6))
    seen, on_paint = [], []
    for index in range(6):
        meta = samples.read_meta(samples.meta_path(tmp_path, index))
        for view, labels in meta.views.items():
            alpha = render.read_png(samples.picture_path(tmp_path, index, view))[..., 3]
            seen.append(labels.visible)
            for x, y in labels.positions[labels.visible]:
                patch = alpha[max(0, int(y) - 3) : int(y) + 4, max(0, int(x) - 3) : int(x) + 4]
                on_paint.append(patch.max() > 0)
    assert np.mean(on_paint) > 0.98
    assert 0.2 < np.mean(seen) < 0.95


def test_blur_averages_the_exposure():
    shots = {-0.5: (255, 255), 0.5: (0, 0)}
    picture = render.blurred(lambda when: np.full((2, 2, 4), shots[when][0], np.uint8), np.array([-0.5, 0.5]))
    assert picture[0, 0].tolist() == [255, 255, 255, 128]
    whens = render.exposure(14.0)
    assert len(whens) == 4
    assert whens.sum() == pytest.approx(0)
    assert render.exposure(1000)[-1] < 0.5


def test_png_round_trip_is_exact_and_reproducible(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (17, 23, 4)).astype(np.uint8)
    for name in ("a.png", "b.png"):
        render.write_png(tmp_path / name, pixels)
    assert np.array_equal(render.read_png(tmp_path / "a.png"), pixels)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_markers_visibility_agrees_with_a_render(adopt):
    """A white ball half sunk into black skin at the marker: it shows where the label says so."""
    rig = adopt("Wolf")
    skeleton = rig.info.skeleton
    agreed = []
    with stage.opened(rig.blend, rig.info) as opened:
        seen = cameras.add(opened.scene, rig.info.layout)
        looks = visibility.Visibility(opened)
        radius = 0.012 * skeleton.height
        bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8, radius=radius)
        ball = bpy.context.object
        for mesh in opened.meshes:
            mesh.color = (0, 0, 0, 1)
        for index in range(3):
            drawn = poses.random_pose(skeleton, poses.sample_rng(5, index))
            pose.set_pose(opened.rig, skeleton, drawn.root, drawn.quats)
            ball.location = (0, 0, -100)
            opened.update()
            joints = pose.joints(opened.rig, skeleton)
            for view in rig.info.layout.views:
                pixels, depth = view.project(joints)
                told = looks.visible(view, joints, pixels)
                engines.prepare(opened.scene, "workbench", view.size, painted=False, blurred=True)
                opened.scene.display.shading.light = "FLAT"
                opened.scene.display.shading.color_type = "OBJECT"
                for marker in np.flatnonzero(skeleton.is_marker)[index::6]:
                    ball.location = joints[marker]
                    opened.update()
                    shown = (render.shoot(opened.scene, seen[view.name])[..., :3] > 200).all(-1).sum()
                    whole = np.pi * (radius * view.focal / depth[marker]) ** 2
                    agreed.append((shown > 0.3 * whole) == told[marker])
                ball.location = (0, 0, -100)
                opened.update()
    assert len(agreed) > 50
    assert np.mean(agreed) > 0.9
