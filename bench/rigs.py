# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adopt many rigs and print one line each: what came in, what was understood, how exact it is, how long.

python bench/rigs.py [rig files] [--rigify] [--shipped] [--quick] [--sheet PATH] [--json PATH]

Without files: every rig of ../shared/creatures. ``fk %`` is the largest distance between our forward
kinematics and Blender's evaluated pose over all clips, in % of the height, of the bones that no clip
stretches; ``stretch`` counts the others. ``found``: the doctor's warnings and notes.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import bpy  # the other imports need the paths that bpy adds  # isort: split
import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "blender_scripts"), str(ROOT / "tests" / "addon" / "rig")]

import anymove_package  # noqa: E402
import skeleton_picture  # noqa: E402

from mocap import cli  # noqa: E402
from mocap.errors import AnymoveError  # noqa: E402
from mocap.findings import Finding, count  # noqa: E402
from mocap.motion import Motion  # noqa: E402
from mocap.rig_info import RigInfo  # noqa: E402

anymove = anymove_package.load()
CREATURES = ROOT.parent / "shared" / "creatures"
COLUMNS = (
    *("rig", "bones in", "out", "joints", "limbs", "pairs", "face", "cm", "clips", "fk %", "stretch"),
    *("found", "s"),
)


def main(argv: list[str]) -> None:
    parser = cli.Parser(prog="rigs.py", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", help="rigs; all of ../shared/creatures where none is given")
    parser.add_argument(
        "--rigify", action="store_true", help="also Rigify's human, wolf, horse, bird, cat, shark"
    )
    parser.add_argument("--shipped", action="store_true", help="also the creatures of assets/")
    parser.add_argument("--quick", action="store_true", help="three rigs only")
    parser.add_argument("--sheet", metavar="PATH", help="draw every skeleton over its mesh into one picture")
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="anymove-rigs-") as folder:
        sources = _sources(options, Path(folder))
        cli.need(bool(sources), f"no rig given, and there are none in {CREATURES}")
        bpy.ops.wm.read_factory_settings(use_empty=True)
        anymove.register()
        rows = [_measure(path, Path(folder) / "assets" / name) for name, path in sources.items()]
        cli.table("Adopted rigs", COLUMNS, [[row.get(c, "") for c in COLUMNS] for row in rows])
        for row in rows:
            cli.say(f"{row['rig']}: {row.get('understood') or row['refused']}")
        if options.sheet:
            homes = [Path(folder) / "assets" / name for name in sources]
            _draw(options.sheet, [home for home in homes if (home / "rigged").exists()])
    cli.write_figures(options.json, {"rigs": rows})
    refused = [row["rig"] for row in rows if "refused" in row]
    if refused:
        raise AnymoveError(f"refused: {', '.join(refused)}")


def _sources(options, folder: Path) -> dict[str, Path | None]:
    """Name -> file; None for a shipped creature, which is built."""
    files = [Path(f) for f in options.files] or sorted(CREATURES.glob("*.glb"))
    sources: dict[str, Path | None] = {path.stem: path for path in files}
    if options.quick:
        return dict(list(sources.items())[:3])
    if options.rigify:
        import rigify_rigs

        for name in rigify_rigs.METARIGS:
            sources[f"rigify-{name}"] = rigify_rigs.generate(name, folder / f"{name}.blend")
    if options.shipped:
        for path in sorted(ROOT.glob("assets/*/creature.json")):
            home = folder / "assets" / f"own-{path.parent.name}"
            home.mkdir(parents=True)
            (home / "creature.json").write_bytes(path.read_bytes())
            sources[home.name] = None
    return sources


def _measure(path: Path | None, home: Path) -> dict:
    started = time.perf_counter()
    try:
        if path is None:
            bpy.ops.anymove.build_creature(creature=str(home))
        else:
            bpy.ops.anymove.adopt_rig(filepath=str(path), creature=str(home))
    except RuntimeError as error:
        return {"rig": home.name, "refused": " ".join(str(error).split())}
    seconds = time.perf_counter() - started
    info = RigInfo.load(home / "rigged" / "rig_info.json")
    found = [Finding.from_json(data) for data in info.source["findings"]]
    stretched = {finding.subject for finding in found if finding.code == "stretch"}
    skeleton = info.skeleton
    pairs = sum(limb.mirror > i for i, limb in enumerate(skeleton.limbs))
    return {
        "rig": home.name,
        "bones in": len(skeleton.bones) + len(info.source["left_out"]),
        "out": len(skeleton.bones),
        "joints": sum(joint.kind != "marker" for joint in skeleton.joints),
        "limbs": len(skeleton.limbs),
        "pairs": pairs,
        "face": info.source["facing"],
        "cm": round(info.height_cm),
        "clips": len(info.clips),
        "fk %": f"{_fk_error(path, home, info, stretched):.4f}" if info.clips else "",
        "stretch": len(stretched),
        "found": f"{count(found)['warning']}w {count(found)['note']}n",
        "s": seconds,
        "understood": ", ".join(f"{g.name} ({len(g.bones)})" for g in skeleton.limbs if g.side != "R"),
    }


def _fk_error(path: Path, home: Path, info: RigInfo, stretched: set[str]) -> float:
    """Largest distance of a bone's head from where Blender has it, in % of height, over all frames of all
    clips, of bones with no stretched bone above them."""
    from anymove.addon.rig import importing, sample, source

    with importing.opened(path) as imported:
        found = source.find(imported.scene, path.name, imported.actions)
        tracks = sample.clips(found)
        names = [bone.name for bone in found.armature.data.bones]
    to_clean = np.array(info.source["to_clean"])
    skeleton = info.skeleton
    bad = np.array([bone.name in stretched for bone in skeleton.bones])
    sound = ~(skeleton.ancestors & bad).any(1)
    columns = [names.index(name) for name in skeleton.bone_names]
    worst = 0.0
    for name, track in tracks.items():
        motion = Motion.load(home / "rigged" / "clips" / f"{name}.json")
        ours = skeleton.pose(motion.root, motion.quats).heads
        theirs = track.heads[:, columns] @ to_clean[:3, :3].T + to_clean[:3, 3]
        worst = max(worst, float(np.linalg.norm(ours - theirs, axis=-1)[:, sound].max()))
    return 100 * worst / skeleton.height


def _draw(path: str, homes: list[Path]) -> None:
    pictures = []
    for home in homes:
        info = RigInfo.load(home / "rigged" / "rig_info.json")
        points, triangles = _mesh(home / "rigged" / "rigged.blend")
        title = f"{home.name}: {', '.join(g.name for g in info.skeleton.limbs if g.side != 'R')}"
        pictures.append(
            skeleton_picture.titled(skeleton_picture.draw(info.skeleton, points, triangles), title)
        )
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    # Drawn larger than shown: thin lines come out smooth, and the file small enough for the documentation.
    whole = cv2.resize(skeleton_picture.sheet(pictures), None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA)
    cv2.imwrite(path, whole, [cv2.IMWRITE_JPEG_QUALITY, 70])
    cli.say(f"{path}: {len(pictures)} skeletons")


def _mesh(blend: Path) -> tuple[np.ndarray, np.ndarray]:
    """Points (V, 3) and triangles (F, 3) of a clean rig's meshes."""
    before = set(bpy.data.objects)
    with bpy.data.libraries.load(str(blend)) as (stored, wanted):
        wanted.objects = stored.objects
    points, triangles, start = [], [], 0
    for item in wanted.objects:
        if item.type == "MESH":
            item.data.calc_loop_triangles()
            points.append(np.array([v.co[:] for v in item.data.vertices]))
            triangles.append(np.array([t.vertices[:] for t in item.data.loop_triangles]) + start)
            start += len(points[-1])
    bpy.data.batch_remove([item for item in bpy.data.objects if item not in before])
    return np.concatenate(points), np.concatenate(triangles)


if __name__ == "__main__":
    sys.exit(cli.run(main))
