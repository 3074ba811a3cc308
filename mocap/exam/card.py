# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A score in words, for people. ``card`` is always the contents of a score.json."""

from __future__ import annotations

from typing import Any

from .. import cli

Row = tuple[str, Any]


def certificate(card: dict[str, Any]) -> str:
    """One line that says what was examined and how well it went."""
    motion = card["motion"] or {}
    source = motion.get("source") or "motion unknown"
    held_out = {True: ", held out", False: "", None: ""}[motion.get("held_out")]
    seed = "unknown" if card["seed"] is None else card["seed"]
    hard = "hard" if card["hardships"] else "easy"
    read = ", ".join(
        f"{name} {found['mean_pct']:.1f}%" for name, found in (card["stages"]["read"] or {}).items() if found
    )
    return (
        f"Certificate: {card['creature']}, {source}{held_out}, {hard}, seed {seed}, {card['frames']} frames: "
        f"mean {card['mean_cm']:.1f} cm ({card['mean_pct']:.1f}% of height), median {card['median_cm']:.1f} cm, "
        f"95% within {card['p95_cm']:.1f} cm" + (f"; read {read}" if read else "")
    )


def rows(card: dict[str, Any]) -> list[Row]:
    """The score card's lines; what was not measured says so."""
    lines = [
        ("mean error", f"{card['mean_cm']:.2f} cm ({card['mean_pct']:.2f}% of height)"),
        ("median error", f"{card['median_cm']:.2f} cm ({card['median_pct']:.2f}%)"),
        ("95% of errors within", f"{card['p95_cm']:.2f} cm ({card['p95_pct']:.2f}%)"),
        ("bone rotation error", shown(card["rotation_deg"], "{:.2f} deg")),
        ("jitter (1 = like the truth)", shown(card["jitter_ratio"])),
        ("slide of truly planted tips", shown(card["slide_cm_s"], "{:.2f} cm/s")),
        ("slide of contacts found, before and after", _slide(card["contact_slide_cm_s"])),
    ]
    if card["comparing"]:
        lines.append(("gain of comparing pictures", shown(card["comparing"]["gain_cm"], "{:+.2f} cm")))
    motion = card["motion"] or {}
    held_out = {True: "yes", False: "no: the joint limits know this clip", None: "not asked"}
    lines += [
        ("motion", motion.get("source") or "unknown"),
        ("held out of the joint limits", held_out[motion.get("held_out")]),
        ("frames", card["frames"]),
        ("height", f"{card['height_cm']:g} cm"),
        ("seed", "unknown" if card["seed"] is None else card["seed"]),
        ("hardships", "none" if not card["hardships"] else f"by seed {card['hardships']['seed']}"),
    ]
    return lines


def stage_rows(card: dict[str, Any]) -> list[tuple]:
    """Stage, unit, mean, median, 95%, mean in % of the height, what else there is."""
    out = []
    for name, found in (card["stages"]["read"] or {}).items():
        if found is None:
            out.append((f"read, {name}", "px", *["-"] * 4, "never read"))
            continue
        near = f"PCK@2% {found['pck2']:.0%}, PCK@5% {found['pck5']:.0%}, unread {found['unread']:.0%}"
        out.append((f"read, {name}", "px", *_four(found, "px"), near))
    names = {"plain": "solved without pictures", "solve": "solved", "rig": "on the rig"}
    for stage, name in names.items():
        found = card["stages"][stage]
        if found is not None:
            moved = found.get("from_solve_cm")
            note = "" if moved is None else f"at most {moved:.3f} cm from the solve"
            out.append((name, "cm", *_four(found, "cm"), note))
    return out


def view_rows(card: dict[str, Any]) -> list[tuple[str, ...]]:
    """View, then scale, height and yaw: what the clip really got wrong and what the solver found."""
    kinds = (("scale", "{:.3f}"), ("offset_px", "{:+.1f} px"), ("yaw_deg", "{:+.1f} deg"))
    return [
        (
            view,
            *(
                f"{form.format(found[kind]['true'])}; {form.format(found[kind]['found'])}"
                for kind, form in kinds
            ),
        )
        for view, found in (card["views"] or {}).items()
    ]


def trust_rows(card: dict[str, Any]) -> list[tuple[str, ...]]:
    """Grade, its share, mean true and stated error, shares within one and two stated deviations."""
    if card["trust"] is None:
        return []
    out = []
    for name, found in card["trust"].items():
        if name == "expected":
            out.append(("a true Gaussian", "", "", "", *(f"{share:.0%}" for share in found.values())))
            continue
        cells = [
            f"{found['share']:.0%}",
            shown(found["mean_cm"], none="-"),
            shown(found["stated_cm"], none="-"),
        ]
        shares = (found["within_1_sigma"], found["within_2_sigma"])
        out.append((name, *cells, *(shown(share, "{:.0%}", "-") for share in shares)))
    return [*out[1:], out[0]]


def limb_rows(card: dict[str, Any]) -> list[tuple]:
    """Limb, mean cm, 95% cm, mean %, rotation in degrees."""
    return [
        (name, s["mean_cm"], s["p95_cm"], s["mean_pct"], shown(s["rotation_deg"], none="-"))
        for name, s in card["per_limb"].items()
    ]


def joint_rows(card: dict[str, Any]) -> list[tuple[str, ...]]:
    """Joint, reading error of each view in px, mean cm after the solve, mean and 95% cm and mean % on the rig;
    the worst first."""
    views = list(card["read_px"] or {})
    out = []
    for name, s in sorted(card["per_joint"].items(), key=lambda item: -item[1]["mean_cm"]):
        read = [shown((s["read_px"] or {}).get(view), none="-") for view in views]
        solve = shown(s["solve_mean_cm"], none="-")
        out.append((name, *read, solve, *(shown(s[key]) for key in ("mean_cm", "p95_cm", "mean_pct"))))
    return out


def read_columns(views: list[str]) -> list[str]:
    """Headings of ``joint_rows``' reading errors."""
    return [f"{view} px" for view in views]


def swap_rows(card: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """Who says so, limb, view, frames: where left and right were exchanged."""
    who = (("read", "truth: the reader mistook them"), ("solved", "solver: exchanged back"))
    return [
        (told, swap["limb"], swap["view"], cli.ranges(swap["frames"]))
        for key, told in who
        for swap in card["swaps"][key] or ()
    ]


def worst_rows(card: dict[str, Any]) -> list[tuple]:
    """Frame, mean cm, its worst joint and that joint's cm."""
    return [(w["frame"], w["mean_cm"], w["worst_joint"], w["worst_cm"]) for w in card["worst_frames"]]


def shown(value: float | None, form: str = "{:.2f}", none: str = "not measured") -> str:
    return none if value is None else form.format(value)


def _four(found: dict[str, float], unit: str) -> tuple[str, ...]:
    keys = (f"mean_{unit}", f"median_{unit}", f"p95_{unit}", "mean_pct")
    return tuple(shown(found[key]) for key in keys)


def _slide(found: dict[str, float] | None) -> str:
    return "not measured" if found is None else f"{found['before']:.1f}; {found['after']:.1f} cm/s"
