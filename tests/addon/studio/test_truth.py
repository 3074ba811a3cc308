# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a sample shows is what its labels say: dots on joints, no black pictures, no skin for another."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
import pytest
from anymove.addon.studio import cameras, dataset, looks, paint, render, skin, stage, textures
from anymove.mocap import poses
from anymove.mocap.dataset import samples
from anymove.mocap.errors import BadInput

pytestmark = [pytest.mark.bpy, pytest.mark.rigs]
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


def smaller(info, size: int):
    """The same cameras with fewer pixels."""
    views = tuple(
        replace(v, focal=v.focal * size / v.size[0], size=(size, size), corner=(i * size, 0))
        for i, v in enumerate(info.layout.views)
    )
    return replace(info, layout=replace(info.layout, views=views))


def ball_at(opened, joint: int):
    """A small ball that rides on the joint's bone, bound as skin is, in place of the creature's meshes."""
    skeleton = opened.info.skeleton
    for mesh in opened.meshes:
        mesh.hide_render = True
    bpy.ops.mesh.primitive_uv_sphere_add(
        segments=24, ring_count=12, radius=0.02 * skeleton.height, location=skeleton.joint_points[joint]
    )
    ball = bpy.context.object
    ball.data.transform(ball.matrix_world)
    ball.matrix_world.identity()
    group = ball.vertex_groups.new(name=skeleton.bone_names[skeleton.joint_bones[joint]])
    group.add(range(len(ball.data.vertices)), 1.0, "REPLACE")
    ball.modifiers.new("Armature", "ARMATURE").object = opened.rig
    return opened._replace(meshes=[ball])


def kinds_of_poses(skeleton) -> dict[str, poses.RandomPose]:
    """The first pose of each kind that the generator gives: calm, blurred, widely turned, in the air."""
    found = {}
    for index in range(200):
        drawn = poses.draw(skeleton, poses.sample_rng(11, index))
        turned = skeleton.pose(drawn.pose.root[None], drawn.pose.quats[None]).turns[0, 0]
        turn = np.degrees(np.arccos(np.clip((np.trace(turned) - 1) / 2, -1, 1)))
        if not drawn.pose.blurred:
            found.setdefault("calm", drawn.pose)
            if turn > 45:
                found.setdefault("turned", drawn.pose)
        else:
            found.setdefault("blurred", drawn.pose)
            if drawn.airborne:
                found.setdefault("blurred in the air", drawn.pose)
        if len(found) == 4:
            break
    return found


@pytest.mark.parametrize("engine", ["workbench", "cycles"])
def test_dots_sit_on_joints(adopt, tmp_path, engine):
    """In every kind of pose; with blur the label is the middle of the exposure."""
    rig = adopt("KhronosFox")
    info = smaller(rig.info, 160) if engine == "cycles" else rig.info
    for joint in (0, 9, 20):
        with stage.opened(rig.blend, info) as opened:
            studio = dataset.DatasetStudio(ball_at(opened, joint), engine, 3, tmp_path)
            for kind, pose in kinds_of_poses(info.skeleton).items():
                pictures = studio._pictures(pose, looks.Looks(True, False))
                studio._pose(pose, 0.0)
                for view in info.layout.views:
                    alpha = pictures[view.name][..., 3].astype(float)
                    rows, columns = np.indices(alpha.shape) + 0.5
                    found = np.array([(columns * alpha).sum(), (rows * alpha).sum()]) / alpha.sum()
                    told = studio._labels(view).positions[joint]
                    # A smear that bends has its centre a little beside its middle.
                    near = 1.0 if pose.blurred else 0.35
                    assert np.linalg.norm(found - told) < near, (kind, joint, view.name)


@pytest.mark.parametrize("engine", ["workbench", "cycles"])
def test_a_window_shows_what_the_whole_panel_shows(adopt, tmp_path, monkeypatch, engine):
    rig = adopt("KhronosFox")
    info = smaller(rig.info, 128)
    with stage.opened(rig.blend, info) as opened:
        studio = dataset.DatasetStudio(opened, engine, 3, tmp_path)
        pose = poses.random_pose(info.skeleton, poses.sample_rng(3, 1))
        cut = studio._pictures(pose, looks.Looks(True, False))
        monkeypatch.setattr(studio, "_window", lambda view, points, looks_like: cameras.whole(view))
        whole = studio._pictures(pose, looks.Looks(True, False))
    for name, picture in cut.items():
        assert picture.shape == whole[name].shape
        differing = np.abs(picture[..., 3].astype(int) - whole[name][..., 3]) > 64
        assert differing.sum() <= 0.02 * (whole[name][..., 3] > 0).sum()


def test_a_window_is_never_empty_nor_outside(adopt):
    view = adopt("KhronosFox").info.layout.views[0]
    far = np.array(view.position) + 5 * view.R[2] + 40 * view.R[0]
    window = cameras.around(view, far[None], 3)
    assert window.right == view.size[0]
    assert min(window.size) >= cameras.LEAST_WINDOW


@pytest.mark.parametrize("blurred", [False, True])
def test_workbench_edges_are_smooth(adopt, tmp_path, blurred):
    """Also where nothing moves: the pictures of one exposure are moved by parts of a pixel."""
    rig = adopt("KhronosFox")
    with stage.opened(rig.blend, rig.info) as opened:
        studio = dataset.DatasetStudio(opened, "workbench", 3, tmp_path)
        if blurred:
            studio._exposure = lambda pose: np.zeros(5)
        still = poses.RandomPose(
            opened.info.skeleton.heads[0], _rest(opened.info.skeleton), *_no_motion(opened)
        )
        alpha = studio._pictures(still, looks.Looks(True, False))["side"][..., 3]
    partly = ((alpha > 20) & (alpha < 235)).sum()
    edge = ((alpha > 127)[1:] != (alpha > 127)[:-1]).sum()
    assert partly > 0.5 * edge


def _rest(skeleton):
    return np.tile([1.0, 0, 0, 0], (len(skeleton.bones), 1))


def _no_motion(opened):
    return np.zeros((len(opened.info.skeleton.bones), 3)), np.zeros(3)


def test_jitter_has_no_mean():
    for count in range(1, 8):
        offsets = render.jitter(count)
        assert np.abs(offsets.mean(0)).max() < 1e-12
        assert np.abs(offsets).max() < 1


@pytest.mark.parametrize("engine", ["workbench", "cycles"])
def test_no_sample_is_black(adopt, tmp_path, engine):
    rig = adopt("Wolf")
    info = smaller(rig.info, 96)
    with stage.opened(rig.blend, info) as opened:
        studio = dataset.DatasetStudio(opened, engine, 0, tmp_path)
        for index in range(20):
            studio.sample(index)
    seen = []
    for index in range(20):
        for view in info.layout.views:
            picture = render.read_png(samples.picture_path(tmp_path, index, view.name))
            own = picture[picture[..., 3] > 250][:, :3]
            seen.append((own @ LUMINANCE).mean())
    assert min(seen) > 30, seen


def test_another_skin_has_another_digest_and_is_refused(adopt, tmp_path):
    rig = adopt("KhronosFox")

    def opened_with(change):
        with stage.opened(rig.blend, rig.info) as opened:
            change(opened.meshes[0])
            studio = dataset.DatasetStudio(opened, "workbench", 3, tmp_path)
            studio.missing([0, 1])
            if not samples.indices(tmp_path):
                studio.sample(0)
            return studio.skin_digest

    def moved(distance):
        def change(mesh):
            vertex = mesh.data.vertices[7]
            vertex.co.x = round(vertex.co.x, 6) + distance

        return change

    def reweighted(mesh):
        mesh.vertex_groups[0].add([7], 0.5, "REPLACE")

    first = opened_with(moved(0.0))
    assert opened_with(moved(1e-8)) == first
    assert samples.read_meta(samples.meta_path(tmp_path, 0)).skin_digest == first
    for change in (moved(1e-3), reweighted):
        with pytest.raises(BadInput, match=r"1 samples .* rendered from another mesh or paint"):
            opened_with(change)


def test_a_sample_elsewhere_in_the_folder_counts_too(adopt, tmp_path):
    """Machine 2 may not add to what machine 1 rendered from another skin."""
    rig = adopt("KhronosFox")
    with stage.opened(rig.blend, rig.info) as opened:
        dataset.DatasetStudio(opened, "workbench", 3, tmp_path).sample(4)
    with stage.opened(rig.blend, rig.info) as opened:
        opened.meshes[0].data.vertices[0].co.z += 0.1
        with pytest.raises(BadInput, match="such as 00004"):
            dataset.DatasetStudio(opened, "workbench", 3, tmp_path).missing([0, 1])


def test_paint_comes_and_goes(adopt, tmp_path):
    """Unpainted samples show the rig's own materials, with either engine, at the same labels."""
    rig = adopt("KhronosFox")
    info = smaller(rig.info, 96)
    pose = poses.random_pose(info.skeleton, poses.sample_rng(3, 0))
    for engine in ("workbench", "cycles"):
        with stage.opened(rig.blend, info) as opened:
            studio = dataset.DatasetStudio(opened, engine, 3, tmp_path)
            told = []
            for painted in (True, False, True):
                look = looks.Looks(painted, False)
                studio._dress(look)
                told.append(studio._pictures(pose, look)["side"].astype(int))
        own = told[0][..., 3] > 250
        assert np.abs(told[0] - told[1])[own].mean() > 10, engine
        assert np.array_equal(told[0], told[2]), engine


def test_looks_are_decided_by_the_index():
    kinds = [looks.of_sample(0, i, "cycles", "mixed", False, False) for i in range(1000)]
    assert 0.2 < np.mean([not look.painted for look in kinds]) < 0.3
    assert 0.45 < np.mean([look.shadows for look in kinds]) < 0.55
    again = [looks.of_sample(0, i, "cycles", "mixed", False, False) for i in range(1000)]
    assert kinds == again
    assert all(looks.of_sample(0, i, "workbench", "painted", False, False).painted for i in range(100))
    assert not any(looks.of_sample(0, i, "workbench", "unpainted", False, True).shadows for i in range(100))
    assert all(looks.of_sample(0, i, "workbench", "painted", True, True).shadows for i in range(100))


def test_the_floor_catches_a_shadow(adopt, tmp_path):
    rig = adopt("KhronosFox")
    info = smaller(rig.info, 96)
    pose = poses.random_pose(info.skeleton, poses.sample_rng(3, 0))
    with stage.opened(rig.blend, info) as opened:
        studio = dataset.DatasetStudio(opened, "cycles", 3, tmp_path)
        told = []
        for shadows in (False, True):
            look = looks.Looks(True, shadows)
            studio._dress(look)
            told.append(studio._pictures(pose, look)["side"])
    outside = told[0][..., 3] == 0
    cast = told[1][outside & (told[1][..., 3] > 40)]
    assert len(cast) > 20
    # Shadow is black; what is not are pixels of the creature's edge, which noise decides.
    assert (cast[:, :3].max(1) < 30).mean() > 0.7


def test_textures_shine_through_shifted_paint(adopt):
    rig = adopt("KhronosFox")
    with stage.opened(rig.blend, rig.info) as opened:
        relative = textures.brightness(opened.meshes[0])
        assert relative.std() > 0.1
        assert abs(relative.mean() - 1) < 0.15
        paint.apply(opened.meshes, opened.info.skeleton, shining=True)
        attribute = opened.meshes[0].data.color_attributes[paint.ATTRIBUTE]
        assert attribute.domain == "CORNER"
    with stage.opened(rig.blend, rig.info) as opened:
        for material in opened.meshes[0].data.materials:
            material.node_tree.nodes.clear()
        assert np.ptp(textures.brightness(opened.meshes[0])) == 0
        before = skin.digest(opened)
        paint.apply(opened.meshes, opened.info.skeleton, shining=True)
        assert skin.digest(opened) == before


@pytest.mark.parametrize("engine", ["workbench", "cycles"])
@pytest.mark.parametrize("shifted", [False, True])
def test_order_does_not_matter_to_any_look(adopt, tmp_path, engine, shifted):
    """Paint, shadows and coloured light leave nothing behind for the next sample."""
    rig = adopt("KhronosFox")
    info = smaller(rig.info, 64)
    orders = {"one": [0, 1, 2, 3, 4, 5], "other": [5, 3, 1, 4, 0, 2]}
    for name, order in orders.items():
        with stage.opened(rig.blend, info) as opened:
            studio = dataset.DatasetStudio(opened, engine, 3, tmp_path / name, "mixed", shifted)
            for index in order:
                studio.sample(index)
    metas = [samples.read_meta(samples.meta_path(tmp_path / "one", index)) for index in range(6)]
    assert len({(meta.painted, meta.shadows) for meta in metas}) > 1 or shifted
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes(), path.name
