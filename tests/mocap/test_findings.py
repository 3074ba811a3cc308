# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Findings: told gravest first, once for all bones that share them."""

from __future__ import annotations

import pytest

from mocap import findings
from mocap.findings import Finding

FOUND = [
    Finding("note", "no-skin", "toe_end", "a leaf without skin"),
    Finding("warning", "scale", "Body", "its scale is uneven", "apply it"),
    *[Finding("note", "no-skin", f"end{i}", "a leaf without skin") for i in range(8)],
]


def test_lines_are_ranked_and_grouped():
    assert findings.lines(FOUND) == [
        "warning Body: its scale is uneven; apply it",
        "note    toe_end, end0, end1, end2, end3, end4 and 3 more: a leaf without skin",
    ]
    assert findings.summary(FOUND) == "1 warning, 9 notes"
    assert findings.summary([]) == "nothing to report"


def test_round_trip_and_unknown_severity():
    assert [Finding.from_json(f.to_json()) for f in FOUND] == FOUND
    with pytest.raises(ValueError, match="severity is 'bad'"):
        Finding("bad", "x", "y", "z")
