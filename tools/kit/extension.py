# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Validate the extension and build its zip, with Blender's own tool: a Blender's, else the bpy module's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from . import environment
from .children import StepFailed
from .environment import ROOT

LARGEST_MB = 5.0


def build(out: Path) -> Path:
    """The zip of this checkout in ``out``. Raises StepFailed where it is not valid or too large."""
    out.mkdir(parents=True, exist_ok=True)
    tool = command()
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    target = out / f"{manifest['id']}-{manifest['version']}.zip"
    _run([*tool, "validate", str(ROOT)])
    _run([*tool, "build", "--source-dir", str(ROOT), "--output-filepath", str(target)])
    _run([*tool, "validate", str(target)])
    size = target.stat().st_size / 2**20
    if size > LARGEST_MB:
        print(
            f"anymove: {target}: {size:.1f} MB, more than {LARGEST_MB:g}; leave files out in blender_manifest.toml",
            file=sys.stderr,
        )
        raise StepFailed(1)
    print(f"{target}: {size:.1f} MB")
    return target


def command() -> list[str]:
    """The start of a command line of Blender's extension tool."""
    blender = os.environ.get("BLENDER") or shutil.which("blender")
    if blender:
        return [blender, "--factory-startup", "--command", "extension"]
    found = sorted(environment.folder().rglob("bl_pkg/cli/blender_ext.py"))
    if not found:
        print("anymove: no Blender and no bpy module here: run tools/setup.sh first", file=sys.stderr)
        raise StepFailed(1)
    return [str(environment.python()), str(found[0])]


def _run(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        print(f"anymove: {words[-1]}: {said[-1] if said else 'the tool said nothing'}", file=sys.stderr)
        raise StepFailed(1)
