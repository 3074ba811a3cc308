# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What holding contacts does: feet that slide, and errors, without it and with it.

python bench/contacts.py [--rig RIG_INFO] [--clips Walk,Gallop] [--frames 48] [--quick] [--json PATH]

Each clip, one step cycle repeated, is solved without holding contacts and with it: in place (its feet slide under it,
so there is little to hold) and with root motion (the creature is moved so that the foot it is on stands). Feet count
where and while the truth's stand.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.ndimage import binary_opening

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.solving import rigs, troubles
from bench.solving.figures import accuracy
from bench.solving.tables import shown
from bench.solving.troubles import Case, readings
from mocap import cli
from mocap import rotations as rot
from mocap.exam.figures import GROUND, PLANTED_SPEED
from mocap.motion import Motion
from mocap.rig_info import RigInfo, creature_paths
from mocap.skeleton import Skeleton
from mocap.solve import Settings, contacts, solve

CASES = (troubles.NOISE_4, troubles.MIXED_4, troubles.LASTING)
KINDS = ("in place", "root motion")


def feet(skeleton: Skeleton) -> np.ndarray:
    """(N,) joints at the ends of legs. BadInput for a creature that has none."""
    kinds = [limb.kind for limb in skeleton.limbs]
    limb_of = skeleton.bone_limb[skeleton.joint_bones]
    found = [
        joint
        for joint in np.flatnonzero(contacts.candidates(skeleton))
        if limb_of[joint] >= 0 and kinds[limb_of[joint]] in ("leg", "toe")
    ]
    cli.need(bool(found), f"{skeleton.name}: has no legs to stand on")
    return np.array(found)


def cycled(motion: Motion, frames: int) -> Motion:
    """A clip of one step cycle, repeated from its last frame straight to its first."""
    order = np.arange(frames) % motion.frames
    return replace(motion, root=motion.root[order], quats=rot.quat_continuous(motion.quats[order]))


def walking(skeleton: Skeleton, motion: Motion) -> Motion:
    """The same steps with root motion: the creature goes on one foot until that lifts, then on the lowest other, and
    flies on as it was where none is down. It passes the middle of its way in the middle of the clip."""
    places = motion.joints(skeleton)[:, feet(skeleton)]
    height, low = _low(skeleton, places)
    steps = np.diff(places[..., :2], axis=0)
    push, foot = np.zeros((len(steps), 2)), int(height[0].argmin())
    for frame, down in enumerate(low[1:] & low[:-1]):
        if not down[foot] and down.any():
            foot = int(np.where(down, height[frame + 1], np.inf).argmin())
        push[frame] = -steps[frame, foot] if down.any() else push[frame - 1] if frame else 0
    way = np.concatenate([np.zeros((1, 2)), np.cumsum(push, 0)])
    root = motion.root.copy()
    root[:, :2] += way - way[len(way) // 2]
    return replace(motion, root=root)


def _low(skeleton: Skeleton, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(T, N) metres of feet (T, N, 3) above the lowest that each comes, and bool: on the ground."""
    height = places[..., 2] - places[..., 2].min(0)
    return height, height < GROUND * skeleton.height


def standing(skeleton: Skeleton, joints: np.ndarray, fps: float) -> np.ndarray:
    """(T - 1, N) bool: the true foot is low and hardly moves along the ground, for three steps or longer."""
    places = joints[:, feet(skeleton)]
    _, low = _low(skeleton, places)
    slow = along_ground(places, fps) < PLANTED_SPEED * skeleton.height
    return binary_opening(low[1:] & low[:-1] & slow, np.ones((3, 1)))


def along_ground(joints: np.ndarray, fps: float) -> np.ndarray:
    """(T, J, 3) -> (T - 1, J) metres a second."""
    return np.linalg.norm(np.diff(joints[..., :2], axis=0), axis=-1) * fps


def measure(info: RigInfo, motion: Motion, case: Case, kind: str) -> dict[str, Any]:
    skeleton = info.skeleton
    truth = motion.joints(skeleton)
    cli.need(
        bool((info.layout.project(truth)[1] > 0).all()),
        f"{motion.provenance['source']}: walks into a camera; take fewer --frames",
    )
    stands = standing(skeleton, truth, motion.fps)
    read = readings(info, motion, case)
    row = {
        "motion": motion.provenance["source"],
        "kind": kind,
        "case": case.name,
        "standing_pct": 100 * float(stands.any(1).mean()),
        "true_slide_cm_s": _slide(info, truth, stands, motion.fps),
    }
    for name, held in (("before", False), ("after", True)):
        solved = solve(read, info, Settings(find_contacts=held))
        joints = solved.motion.joints(skeleton)
        row[name] = {
            "slide_cm_s": _slide(info, joints, stands, motion.fps),
            "contacts": len(solved.contacts),
            **accuracy(info, motion, solved.motion),
        }
    return row


def _slide(info: RigInfo, joints: np.ndarray, stands: np.ndarray, fps: float) -> float | None:
    """Mean speed along the ground, in the creature's own centimetres, of standing feet; None where none stands."""
    if not stands.any():
        return None
    speed = along_ground(joints[:, feet(info.skeleton)], fps)
    return float(speed[stands].mean() * info.cm_per_metre)


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser("python bench/contacts.py", description=__doc__.splitlines()[0])
    parser.add_argument("--rig", metavar="RIG_INFO", type=Path, help="default: the creature's")
    parser.add_argument("--creature", metavar="DIR", help="assets/<name>; default MOCAP_CREATURE")
    parser.add_argument("--clips", metavar="A,B", default="Walk,Gallop")
    parser.add_argument("--frames", type=cli.positive_int, default=48)
    parser.add_argument("--quick", action="store_true", help="one clip, one kind of trouble, 36 frames")
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    path = options.rig or creature_paths(options.creature).rig_info
    info = RigInfo.load(path)
    names = options.clips.split(",")[: 1 if options.quick else None]
    frames = min(options.frames, 36) if options.quick else options.frames
    work = []
    for name in names:
        motion = cycled(rigs.clip(info, path, name), frames)
        kinds = dict(zip(KINDS, (motion, walking(info.skeleton, motion))))
        cases = CASES[:1] if options.quick else CASES
        work += [(moving, case, kind) for kind, moving in kinds.items() for case in cases]
    rows = [measure(info, *job) for job in cli.track(work, "solving")]
    show(f"Contacts on {info.skeleton.name}, {frames} frames: without holding and with it", rows)
    cli.write_figures(options.json, {"rig_digest": info.digest, "frames": frames, "rows": rows})


def show(title: str, rows: Sequence[dict[str, Any]]) -> None:
    heads = ("motion", "", "trouble", "standing %", "slide, truth", "without", "with")
    heads += ("mean %", "with", "95% %", "with", "contacts")
    lines = [
        (
            *(row[key] for key in ("motion", "kind", "case", "standing_pct")),
            *map(shown, (row["true_slide_cm_s"], row["before"]["slide_cm_s"], row["after"]["slide_cm_s"])),
            *(row[when][key] for key in ("mean_pct", "p95_pct") for when in ("before", "after")),
            row["after"]["contacts"],
        )
        for row in rows
    ]
    cli.table(title, heads, lines)


if __name__ == "__main__":
    sys.exit(cli.run(main))
