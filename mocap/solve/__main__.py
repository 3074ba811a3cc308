# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m mocap.solve det.npz rig_info.json solved.json``: solve a clip's motion."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .. import cli, files, skin
from ..detections import Detections
from ..errors import BadInput
from ..rig_info import RigInfo
from . import AsRead, Settings, Solved, solve
from .result import result_path


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser("python -m mocap.solve", description="Solve the motion behind a clip's readings.")
    parser.add_argument("detections", metavar="det.npz", help="what mocap.detect wrote")
    parser.add_argument("rig_info", metavar="rig_info.json")
    parser.add_argument(
        "motion", metavar="solved.json", help="where the motion goes; its grades go beside it"
    )
    parser.add_argument("--no-calib", action="store_true", help="the views are exactly the layout's")
    parser.add_argument("--no-contacts", action="store_true", help="let feet slide")
    parser.add_argument("--no-swaps", action="store_true", help="never exchange left and right")
    parser.add_argument(
        "--as-read",
        metavar="LIMB[/VIEW][/FIRST-LAST]",
        type=_as_read,
        action="append",
        default=[],
        help="do not exchange this limb with its mirror (in this view, in these frames); may be repeated",
    )
    parser.add_argument(
        "--evidence",
        metavar="PATH",
        help="compare the rig's skin with what mocap.detect --evidence kept; needs skin.npz beside rig_info.json",
    )
    cli.add_json_option(parser)
    args = parser.parse_args(argv)
    info = RigInfo.load(args.rig_info)
    detections = Detections.load(args.detections)
    origin = {"detections_digest": files.digest_file(args.detections)}
    settings = Settings(
        calibrate=not args.no_calib, find_contacts=not args.no_contacts, correct_swaps=not args.no_swaps
    )
    pictures = None
    if args.evidence:
        pictures = pictures_of(args.evidence, args.rig_info, info, detections)
        origin["evidence_digest"] = files.digest_file(args.evidence)
    solved = solve(detections, info, settings, origin, args.detections, cli.track, args.as_read, pictures)
    result = result_path(args.motion)
    solved.save(result)
    solved.motion.save(args.motion)
    report(solved, info.cm_per_metre)
    cli.write_figures(args.json, solved.summary())
    cli.say(f"wrote {args.motion} and {result}")


def pictures_of(evidence: str, rig_info: str, info: RigInfo, detections: Detections):
    """What the solve is compared with. BadInput where evidence, detections and rig do not belong together."""
    from ..refine import Evidence, Looker

    kept = Evidence(evidence, info.digest)
    if kept.frames != detections.frames:
        raise BadInput(
            f"{evidence}: {kept.frames} frames, the detections have {detections.frames}; detect again"
        )
    worn = skin.load(Path(rig_info).parent / "skin.npz", info.skeleton)
    return Looker(kept, info.skeleton, worn)


def _as_read(text: str) -> AsRead:
    """leg1.L, leg1.L/side, leg1.L/12-30 or leg1.L/side/12-30; the last frame is included."""
    limb, *rest = text.split("/")
    frames = re.fullmatch(r"(\d+)-(\d+)", rest[-1]) if rest else None
    views = rest[:-1] if frames else rest
    if not limb or len(views) > 1 or (frames and int(frames[1]) > int(frames[2])):
        raise argparse.ArgumentTypeError(f"{text!r} is not LIMB[/VIEW][/FIRST-LAST]")
    start, stop = (int(frames[1]), int(frames[2]) + 1) if frames else (0, None)
    return AsRead(limb, views[0] if views else None, start, stop)


def report(solved: Solved, cm_per_metre: float) -> None:
    told = solved.summary()
    unread = len(solved.motion.provenance["unread_frames"])
    rows = [
        (f"residual, {view} (px rms, stray readings included)", value)
        for view, value in solved.residual_px.items()
    ]
    rows += [(f"{view} view found", _calibrated(found)) for view, found in told["calibration"].items()]
    rows += [(f"{name} (% of joints and frames)", 100 * share) for name, share in told["graded"].items()]
    error = solved.error * cm_per_metre
    rows += [
        ("estimated error (cm), median; worst joint and frame", f"{np.median(error):.2f}; {error.max():.2f}"),
        ("frames", solved.motion.frames),
        ("frames without any reading, bridged", unread),
        ("contacts", len(solved.contacts)),
    ]
    if solved.slide_m_s is not None:
        before, after = (speed * cm_per_metre for speed in solved.slide_m_s)
        rows.append(("foot slide (cm/s) before and after holding contacts", f"{before:.1f}; {after:.1f}"))
    if solved.compared is not None:
        before, after = solved.compared
        rows.append(
            (
                "pictures explained (log probability of a pixel) before and after comparing",
                f"{before:.3f}; {after:.3f}",
            )
        )
    rows += [
        ("iterations", solved.iterations),
        ("converged", "yes" if solved.converged else "no: stopped at the iteration limit"),
        ("left and right exchanged (limb-frames)", sum(len(s.frames) for s in solved.swaps)),
        ("seconds", solved.seconds),
    ]
    cli.table("Solved", ("", "value"), rows)
    for swap in solved.swaps:
        cli.say(
            f"  {swap.limb} and its mirror exchanged in the {swap.view} view: frames {cli.ranges(swap.frames)} "
            f"(undo: --as-read {swap.limb}/{swap.view}/{swap.frames[0]}-{swap.frames[-1]})"
        )


def _calibrated(found: dict) -> str:
    scale, down, yaw = found["drift"]
    return (
        f"scale {found['scale']:.3f} (drift {scale:.3f}), {found['offset_px']:+.1f} px down ({down:.1f}), "
        f"yaw {found['yaw_deg']:+.1f} deg ({yaw:.1f})"
    )


if __name__ == "__main__":
    sys.exit(cli.run(main))
