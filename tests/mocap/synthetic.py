# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A small stick creature and pictures of it with exact labels, for tests that need no Blender."""

from __future__ import annotations

import itertools
from pathlib import Path

import cv2
import numpy as np

from mocap import files, layout, poses
from mocap.dataset import samples
from mocap.raster.studio import Studio
from mocap.rig_info import CreaturePaths, RigInfo
from mocap.skeleton import Bone, Joint, Limb, Skeleton
from mocap.skin import Skin

TRAIN = (
    "8",
    "--pairs",
    "24",
    "--stream",
    "0",
    "--precision",
    "float32",
    "--threads",
    "1",
    "--backbone",
    "compact",
)
"""Arguments after EPOCHS that make a training short and the same everywhere."""
_RADIUS = 0.035
_EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_COLOURS = {"spine": (0.8, 0.8, 0.8), "L": (0.9, 0.2, 0.2), "R": (0.2, 0.4, 0.9)}


def skeleton() -> Skeleton:
    """A four-legged creature 1 m high that faces -Y: a spine of three bones, legs of two, three markers."""
    bones: list[Bone] = []
    joints: list[Joint] = []
    limbs: list[Limb] = []

    def chain(name: str, parent: int, points: list, side: str, swing: float) -> tuple[int, ...]:
        first = len(bones)
        limit = np.radians(swing)
        for index, (head, tail) in enumerate(itertools.pairwise(points)):
            above = parent if index == 0 else len(bones) - 1
            limits = ((-limit, limit), (-limit / 4, limit / 4), (-limit / 4, limit / 4))
            bones.append(Bone(f"{name}{index}", above, head, tail, _EYE, limits, "default", _RADIUS))
            joints.append(Joint(f"{name}{index}", len(bones) - 1, head, "head"))
        joints.append(Joint(f"{name}_tip", len(bones) - 1, points[-1], "tip"))
        members = tuple(range(first, len(bones)))
        limbs.append(Limb(name, side, members, _COLOURS[side or "spine"]))
        return members

    spine = chain("spine", -1, [(0, 0.5, 0.6), (0, 0, 0.65), (0, -0.5, 0.7), (0, -0.75, 0.95)], "", 15)
    for side, x in (("L", 0.2), ("R", -0.2)):
        for name, y, parent in (("hind", 0.45, spine[0]), ("fore", -0.45, spine[1])):
            chain(f"{name}.{side}", parent, [(x, y, 0.6), (x, y + 0.08, 0.3), (x, y, 0.0)], side, 30)
    for limb in ("spine", "hind.L", "hind.R"):
        bone = next(i for i, b in enumerate(bones) if b.name == f"{limb}0")
        middle = (np.array(bones[bone].head) + bones[bone].tail) / 2
        place = tuple((middle + np.array([0, 0.03, 0.02])).tolist())
        joints.append(Joint(f"{limb}0_m1", bone, place, "marker"))
    names = [joint.name for joint in joints]
    swap = str.maketrans("LR", "RL")
    paired = [
        Joint(
            j.name,
            j.bone,
            j.point,
            j.kind,
            names.index(j.name.translate(swap)) if j.name != j.name.translate(swap) else -1,
        )
        for j in joints
    ]
    return Skeleton("stick", 1.0, tuple(bones), tuple(paired), tuple(limbs))


def rig_info(size: int = 128) -> RigInfo:
    bones = skeleton()
    drawn = [poses.random_pose(bones, poses.sample_rng(99, index)) for index in range(60)]
    points = bones.pose(np.array([p.root for p in drawn]), np.array([p.quats for p in drawn])).joints
    return RigInfo(bones, layout.fit(points, bones.height, size=size), 80.0)


def segments(bones: Skeleton) -> list[tuple[int, int, tuple[float, float, float]]]:
    """Pairs of joints to draw a capsule between, with the limb's colour."""
    out = []
    for limb in bones.limbs:
        members = [
            i for i, joint in enumerate(bones.joints) if joint.bone in limb.bones and joint.kind != "marker"
        ]
        out += [(a, b, limb.colour) for a, b in itertools.pairwise(members)]
    return out


def draw(
    rig: RigInfo, joints: np.ndarray, view: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Draw joints (J, 3) in one view: RGBA (H, W, 4), positions (J, 2), depth (J,), visible (J,)."""
    camera = rig.layout.views[view]
    width, height = camera.size
    pixels, depth = camera.project(joints)
    thickness = max(3, round(0.07 * camera.focal * rig.skeleton.height / float(depth.mean())))
    canvas = np.zeros((height, width, 4), np.uint8)
    owner = np.full((height, width), -1)
    pairs = sorted(segments(rig.skeleton), key=lambda s: -(depth[s[0]] + depth[s[1]]))
    for rank, (a, b, colour) in enumerate(pairs):
        shade = 0.6 + 0.4 * ((a * 7) % 5) / 4
        ends = [tuple(int(v) for v in np.round((pixels[j] - 0.5) * 16)) for j in (a, b)]
        mask = np.zeros((height, width), np.uint8)
        cv2.line(mask, *ends, 255, thickness, cv2.LINE_AA, 4)
        ink = np.array([*(np.array(colour) * shade * 255), 255])
        weight = mask[..., None] / 255
        canvas[:] = np.round(canvas * (1 - weight) + ink * weight)
        owner[mask > 127] = rank
    bone = rig.skeleton.joint_bones
    mine = {
        j: {
            r for r, pair in enumerate(pairs) if j in pair[:2] or (marker and bone[j] in bone[list(pair[:2])])
        }
        for j, marker in enumerate(rig.skeleton.is_marker)
    }
    cells = np.floor(pixels).astype(int)
    inside = ((cells >= 0) & (cells < (width, height))).all(1)
    visible = np.array(
        [bool(ok and owner[y, x] in mine[j]) for j, ((x, y), ok) in enumerate(zip(cells, inside))]
    )
    return canvas, pixels, depth, visible


def skin(rig: RigInfo) -> Skin:
    """A square rod about each bone, as thick as ``draw`` paints it; ends of a chain lie on its joints."""
    skeleton = rig.skeleton
    half = _RADIUS * skeleton.height
    points, triangles, owners = [], [], []
    for first, second, _ in segments(skeleton):
        ends = skeleton.joint_points[[first, second]]
        along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
        across = np.cross(along, [1.0, 0.2, 0.1])
        across *= half / np.linalg.norm(across)
        corners = [across, np.cross(along, across), -across, -np.cross(along, across)]
        base = len(points)
        points += [end + corner for end in ends for corner in corners]
        for k in range(4):
            a, b = base + k, base + (k + 1) % 4
            triangles += [(a, b, a + 4), (b, b + 4, a + 4)]
        for low in (base, base + 4):
            triangles += [(low, low + 1, low + 2), (low, low + 2, low + 3)]
        owners += [skeleton.joint_bones[first]] * 8
    table = np.eye(len(skeleton.bones))[owners]
    return Skin.build(np.array(points), np.array(triangles), table, np.zeros(len(triangles), bool))


def studio(rig: RigInfo) -> Studio:
    return Studio(rig, skin(rig))


def write_sample(folder: Path, rig: RigInfo, seed: int, index: int) -> None:
    pose = poses.random_pose(rig.skeleton, poses.sample_rng(seed, index))
    joints = rig.skeleton.pose(pose.root[None], pose.quats[None]).joints[0]
    folder.mkdir(parents=True, exist_ok=True)
    views, digests = {}, {}
    for at, view in enumerate(rig.layout.views):
        image, pixels, depth, visible = draw(rig, joints, at)
        path = samples.picture_path(folder, index, view.name)
        cv2.imwrite(str(path), cv2.cvtColor(image, cv2.COLOR_RGBA2BGRA))
        views[view.name] = samples.ViewLabels(pixels, depth, visible)
        digests[view.name] = files.digest_file(path)
    meta = samples.SampleMeta(
        index,
        seed,
        "synthetic",
        rig.digest,
        False,
        pose.root,
        pose.quats,
        views,
        digests,
        skin_digest=studio(rig).digest,
    )
    samples.write_meta(folder, meta)


def creature(home: Path, count: int, size: int = 128, seed: int = 1) -> CreaturePaths:
    """A creature folder ``home``/assets/stick with ``count`` samples in ``home``/runs/stick/dataset."""
    paths = CreaturePaths(home / "assets" / "stick")
    paths.rig_info.parent.mkdir(parents=True)
    rig = rig_info(size)
    rig.save(paths.rig_info)
    rig = RigInfo.load(paths.rig_info)
    skin(rig).save(paths.skin)
    for index in range(count):
        write_sample(paths.dataset, rig, seed, index)
    return paths
