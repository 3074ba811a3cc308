# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The add-on's tests with every Blender that is supported: the bpy module of the toolkit, that of 4.5, a real one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import environment
from .children import StepFailed
from .environment import ROOT

OLDER = "4.5.15"
_TESTS = "tests/addon"


def run(arguments: list[str]) -> None:
    """Prints one line a Blender at the end. Raises StepFailed where tests fail in any."""
    main = environment.ensure("requirements-dev.txt")
    told = [_pytest("bpy of the toolkit", main, arguments, "--ignore", f"{_TESTS}/gui")]
    older, why = older_bpy(main)
    told.append(
        _pytest(f"bpy {OLDER}", older, arguments, "--ignore", f"{_TESTS}/gui")
        if older
        else (f"bpy {OLDER}", why)
    )
    blender = os.environ.get("BLENDER") or shutil.which("blender")
    told.append(
        _pytest(f"Blender ({blender})", main, arguments, only=f"{_TESTS}/gui")
        if blender
        else ("a real Blender", "skipped: none here, set BLENDER to one")
    )
    print("\n".join(f"{name:<40} {outcome}" for name, outcome in told))
    if any(outcome == "FAILED" for _, outcome in told):
        raise StepFailed(1)


def _pytest(
    name: str, python: Path, arguments: list[str], *extra: str, only: str = _TESTS
) -> tuple[str, str]:
    print(f"\n=== {name} ===", flush=True)
    code = subprocess.run(
        [str(python), "-m", "pytest", "-q", only, *extra, *arguments], cwd=ROOT, check=False
    ).returncode
    return name, "FAILED" if code else "passed"


def older_bpy(main: Path) -> tuple[Path | None, str]:
    """The Python of an environment with bpy 4.5 before everything else of the toolkit's; or None, and why."""
    version = subprocess.run(
        [str(main), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    if version != "3.11":
        return None, f"skipped: bpy {OLDER} needs Python 3.11, the toolkit's is {version}"
    home = Path(os.environ.get("ANYMOVE_VENV_OLDER", ROOT / ".venv-4.5"))
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        try:
            _make_older(main, home, python)
        except subprocess.CalledProcessError as error:
            shutil.rmtree(home, ignore_errors=True)
            return None, f"skipped: {' '.join(map(str, error.cmd[-2:]))} ended with {error.returncode}"
    return python, ""


def _make_older(main: Path, home: Path, python: Path) -> None:
    print(f"making {home} with bpy {OLDER}", file=sys.stderr, flush=True)
    subprocess.run([str(main), "-m", "venv", str(home)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, f"bpy=={OLDER}"], check=True)
    # Everything else comes from the toolkit's own environment, which is looked into after this one.
    own, common = (_packages(one) for one in (python, main))
    (own / "zz_toolkit.pth").write_text(f"{common}\n", encoding="utf-8")


def _packages(python: Path) -> Path:
    ask = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    done = subprocess.run([str(python), "-c", ask], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())
