# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Two scores of the same exam side by side."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from .. import files
from ..errors import BadInput
from .score import SCHEMA

FIGURES = (
    ("mean error (cm)", ("mean_cm",)),
    ("median error (cm)", ("median_cm",)),
    ("95% of errors within (cm)", ("p95_cm",)),
    ("mean error (% of height)", ("mean_pct",)),
    ("after the solve, mean (cm)", ("stages", "solve", "mean_cm")),
    ("solved without pictures, mean (cm)", ("stages", "plain", "mean_cm")),
    ("bone rotation error (deg)", ("rotation_deg",)),
    ("jitter (1 = like the truth)", ("jitter_ratio",)),
    ("slide of truly planted tips (cm/s)", ("slide_cm_s",)),
    ("stated errors that hold, 1 sigma (share)", ("trust", "all", "within_1_sigma")),
    ("stated errors that hold, 2 sigma (share)", ("trust", "all", "within_2_sigma")),
)
VIEW_FIGURES = (("mean_px", "mean (px)"), ("mean_pct", "mean (%)"), ("pck2", "PCK@2%"), ("pck5", "PCK@5%"))


class Difference(NamedTuple):
    name: str
    before: float | None
    after: float | None

    @property
    def by(self) -> float | None:
        return None if self.before is None or self.after is None else round(self.after - self.before, 4)


def load(path: str | os.PathLike) -> dict[str, Any]:
    """A score.json; BadInput where it is none, or an older one."""
    card = files.read_json(path, "score")
    files.check_schema(card, SCHEMA, "score", path)
    if card.get("kind") != "anymove.score":
        raise BadInput(f"{path}: not a score (kind {card.get('kind')!r})")
    return card


def check(before: dict[str, Any], after: dict[str, Any], paths: tuple[str, str]) -> None:
    """Raise BadInput where the two are not of the same exam: then no difference means anything."""

    def asked(card: dict[str, Any]) -> list[tuple[str, Any]]:
        motion = card["motion"] or {}
        return [
            ("rigs", card["provenance"]["rig_digest"][:8]),
            ("motions", f"{motion.get('source')}, {motion.get('frames')} frames, {card['fps']:g} fps"),
            ("seeds", card["seed"]),
            ("hardships", card["hardships"]),
        ]

    both = (files.parse(path, "score", lambda c=card: asked(c)) for path, card in zip(paths, (before, after)))
    for (what, one), (_, other) in zip(*both):
        if one != other:
            told = "" if what == "hardships" else f" ({one} and {other})"
            raise BadInput(
                f"{paths[0]} and {paths[1]}: different {what}{told}; compare scores of the same exam"
            )


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[Difference]:
    """Every figure that both or either have."""
    views = sorted(set(before["stages"]["read"] or {}) | set(after["stages"]["read"] or {}))
    wanted = list(FIGURES)
    wanted += [
        (f"read, {view}, {name}", ("stages", "read", view, key))
        for view in views
        for key, name in VIEW_FIGURES
    ]
    wanted += [(f"{limb}, mean (cm)", ("per_limb", limb, "mean_cm")) for limb in before["per_limb"]]
    found = [Difference(name, _at(before, keys), _at(after, keys)) for name, keys in wanted]
    return [d for d in found if d.before is not None or d.after is not None]


def rows(found: list[Difference]) -> list[tuple[str, str, str, str]]:
    def shown(value: float | None, form: str = "{:.3f}") -> str:
        return "not measured" if value is None else form.format(value)

    return [(d.name, shown(d.before), shown(d.after), shown(d.by, "{:+.3f}")) for d in found]


def _at(card: dict[str, Any], keys: tuple[str, ...]) -> float | None:
    """The figure at a path of keys; None where any step is missing."""
    found: Any = card
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found
