# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the add-on's operators available to a script: the installed extension's, else this checkout's."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parent.parent


def load():
    """This checkout as the package ``anymove`` (its relative imports need one)."""
    if "anymove" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "anymove", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
        )
        module = importlib.util.module_from_spec(spec)
        sys.modules["anymove"] = module
        spec.loader.exec_module(module)
    return sys.modules["anymove"]


cli = importlib.import_module(f"{load().__name__}.mocap.cli")
"""The house's command-line conventions: Parser, positive_int, seed_number."""
findings = importlib.import_module(f"{load().__name__}.mocap.findings")


def run(operator: str | Callable[[dict], str], parser: argparse.ArgumentParser) -> None:
    """Parse what follows ``--``, call bpy.ops.anymove.<operator> with it, and exit: 0, 1 or 2.

    ``operator`` may be a function that takes the parsed values, may change them, and tells which.
    """
    arguments = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    values = vars(parser.parse_args(arguments))
    if not hasattr(bpy.types, "ANYMOVE_OT_adopt_rig"):
        load().register()
    _silence_blender()
    if callable(operator):
        operator = operator(values)
    code, line, found = _call(operator, {key: value for key, value in values.items() if value is not None})
    if not (os.environ.get("ANYMOVE_CHILD") and "stopped;" in line):
        print(line, file=sys.stderr if code else sys.stdout, flush=True)
        for told in findings.lines(found):
            print(f"  {told}", flush=True)
    sys.exit(code)


def _silence_blender() -> None:
    """Keep our own lines and turn Blender's away: "Saved: ..." comes from C through the descriptors, and
    it echoes each report ("Info: ...") to sys.stdout. ANYMOVE_DEBUG=1 lets everything through."""
    if os.environ.get("ANYMOVE_DEBUG"):
        return
    sink = os.open(os.devnull, os.O_WRONLY)
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        getattr(sys, name).flush()
        kept = os.fdopen(os.dup(descriptor), "w", encoding="utf-8", errors="replace")
        setattr(sys, name, _WithoutReports(kept))
        os.dup2(sink, descriptor)
    os.close(sink)


class _WithoutReports:
    """A text stream that leaves out the lines with which Blender echoes reports; we print them once."""

    def __init__(self, stream):
        self._stream = stream

    def write(self, text: str) -> int:
        if text.startswith(("Info: ", "Error: ", "Warning: ")):
            return len(text)
        return self._stream.write(text)

    def __getattr__(self, name: str):
        return getattr(self._stream, name)


def _call(operator: str, values: dict) -> tuple[int, str, tuple]:
    """Exit code, the line that says why, and the doctor's findings."""
    try:
        getattr(bpy.ops.anymove, operator)(**values)
    except RuntimeError as error:
        last = _last_outcome(operator)
        if last.code:
            return last.code, f"anymove: {last.message}", last.findings
        # Not reported by the operator itself: it broke, and the traceback in the message says where.
        return 1, f"{str(error).strip()}\nanymove: this is a fault of {operator}, please report it", ()
    except TypeError as error:
        return 2, f"anymove: {str(error).strip().splitlines()[-1]}", ()
    last = _last_outcome(operator)
    return 0, last.message, last.findings


def _last_outcome(operator: str):
    module = sys.modules[getattr(bpy.types, f"ANYMOVE_OT_{operator}").__module__]
    return sys.modules[f"{module.__package__.rsplit('.', 1)[0]}.report"].last
