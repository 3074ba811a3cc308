# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How operators end: one line in the info bar, and an exit code for the scripts that call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import bpy

from ..mocap.cli import INTERRUPTED
from ..mocap.errors import AnymoveError
from ..mocap.findings import Finding


class Outcome(NamedTuple):
    """How the operator that ran last ended."""

    code: int
    """Exit code: 0 success, 1 failure, 2 bad input."""
    message: str
    """One line."""
    findings: tuple[Finding, ...] = ()
    """What the doctor found, where the operator looked."""


last = Outcome(0, "")


class Operator(bpy.types.Operator):
    """Base of every act of the user: runs ``act`` and turns what it raises into one reported line."""

    bl_options = {"REGISTER"}

    def act(self, context: bpy.types.Context) -> str | Outcome:
        """Do the work; return the line that tells what was done. Raises AnymoveError."""
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> set[str]:
        return self.told(self.act, context)

    def told(self, act: Callable[[bpy.types.Context], str | Outcome], context: bpy.types.Context) -> set[str]:
        """Do ``act``, and report how it ended."""
        global last
        try:
            done = act(context)
            last = done if isinstance(done, Outcome) else Outcome(0, done)
        except AnymoveError as error:
            last = Outcome(error.exit_code, " ".join(str(error).split()))
            self.report({"ERROR"}, last.message)
            return {"CANCELLED"}
        except KeyboardInterrupt:
            last = Outcome(1, INTERRUPTED)
            self.report({"ERROR"}, last.message)
            return {"CANCELLED"}
        self.report({"ERROR"} if last.code else {"INFO"}, last.message)
        return {"CANCELLED"} if last.code else {"FINISHED"}
