# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What the doctor finds in a rig: severity, where, what, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

SEVERITIES = ("error", "warning", "note")
"""error: the rig cannot be used so. warning: usable, but motion or centimetres suffer. note: dealt with."""


@dataclass(frozen=True)
class Finding:
    severity: str
    code: str
    """Short and stable, for programs: "scale", "stretch", "no-partner"."""
    subject: str
    """The bone, mesh, clip or file at fault."""
    message: str
    fix: str = ""
    """What to do; empty where nothing needs to be done."""

    def __post_init__(self) -> None:
        if self.severity not in SEVERITIES:
            raise ValueError(f"severity is {self.severity!r}, one of {SEVERITIES} expected")

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Finding:
        return cls(data["severity"], data["code"], data["subject"], data["message"], data["fix"])


def count(findings: Iterable[Finding]) -> dict[str, int]:
    severities = [finding.severity for finding in findings]
    return {severity: severities.count(severity) for severity in SEVERITIES}


def summary(findings: Iterable[Finding]) -> str:
    """ "2 warnings, 5 notes", or "nothing to report"."""
    told = [
        f"{number} {severity}{'s' if number > 1 else ''}"
        for severity, number in count(findings).items()
        if number
    ]
    return ", ".join(told) or "nothing to report"


def lines(findings: Iterable[Finding]) -> list[str]:
    """One line for each thing found, the gravest first; what several bones share is said once."""
    groups: dict[tuple, list[str]] = {}
    for finding in sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)):
        groups.setdefault((finding.severity, finding.message, finding.fix), []).append(finding.subject)
    return [
        f"{severity:<8}{_listed(subjects)}: {message}" + (f"; {fix}" if fix else "")
        for (severity, message, fix), subjects in groups.items()
    ]


def _listed(names: list[str], shown: int = 6) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more
