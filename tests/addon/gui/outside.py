# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Blender with the extension installed from its zip, and a screen to show it on, for tests.

Which Blender: $BLENDER, else blender on the PATH. Which screen: $ANYMOVE_XVFB (a program that takes a folder for
its memory, and leaves its display's number in ``display`` there), ``xvfb`` beside that Blender, else Xvfb.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
from kit import extension  # noqa: E402


def blender() -> str:
    """Skips where there is none."""
    found = os.environ.get("BLENDER") or shutil.which("blender")
    if not found:
        pytest.skip("no Blender here: set BLENDER to one (4.5 or later)")
    return found


class Installed:
    """Blender with user resources of its own, the extension installed and enabled in a repository."""

    def __init__(self, folder: Path, repository: str = "user_default"):
        self.program, self.folder, self.repository = blender(), folder, repository
        # Mesa's shader cache is one mapped file for all processes; with several Blenders at once it may crash them.
        self.environment = {
            **os.environ,
            "BLENDER_USER_RESOURCES": str(folder / "user"),
            "MESA_SHADER_CACHE_DISABLE": "true",
        }
        (folder / "user").mkdir()
        self.archive = extension.build(folder / "dist")

    @property
    def module(self) -> str:
        return f"bl_ext.{self.repository}.anymove"

    def extension(self, *words: str) -> str:
        return self.run("--command", "extension", *words)

    def install(self) -> None:
        self.extension("install-file", "-r", self.repository, "--enable", str(self.archive))

    def python(self, program: str) -> str:
        """Run ``program`` in the background; its output. It fails the test where it raises."""
        return self.run("-b", "--python-exit-code", "3", "--python-expr", program)

    def run(self, *words: str) -> str:
        done = subprocess.run(
            [self.program, *words],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def show(self, steps: Path, out: Path, limit: float, **environment: str) -> str:
        """Play the steps in a window; what was printed. They fail the test where they fail."""
        log = out / "blender.log"
        with screen(self.program) as (display, memory), log.open("w") as told:
            done = subprocess.run(
                [
                    self.program, "--enable-event-simulate", "--gpu-backend", "opengl", "--no-window-focus",
                    "--window-geometry", "0", "0", "1280", "800", "-P", str(steps), "--", str(out),
                ],
                env={**self.environment, "DISPLAY": display, "ANYMOVE_SCREEN": str(memory), **environment},
                stdout=told,
                stderr=subprocess.STDOUT,
                check=False,
                timeout=limit,
            )  # fmt: skip
        said = log.read_text(errors="replace")
        assert done.returncode == 0, said[-6000:]
        return said


@contextlib.contextmanager
def screen(program: str) -> Iterator[tuple[str, Path]]:
    """The display's name and the file that holds what it shows. Skips where there is no X server for tests."""
    beside = Path(program).with_name("xvfb")
    wrapper = os.environ.get("ANYMOVE_XVFB") or (str(beside) if beside.exists() else "")
    plain = shutil.which("Xvfb")
    if not wrapper and not plain:
        pytest.skip("no Xvfb here, so there is no screen to show a window on")
    import tempfile

    with tempfile.TemporaryDirectory(prefix="anymove-screen-") as folder:
        number = Path(folder) / "display"
        if wrapper:
            server = subprocess.Popen([wrapper, folder], stderr=subprocess.DEVNULL)
        else:
            with number.open("wb") as told:
                server = subprocess.Popen(
                    [
                        plain,
                        "-displayfd",
                        str(told.fileno()),
                        "-screen",
                        "0",
                        "1280x800x24",
                        "-fbdir",
                        folder,
                    ],
                    pass_fds=[told.fileno()],
                    stderr=subprocess.DEVNULL,
                )
        try:
            end = time.monotonic() + 15
            while not (number.exists() and number.read_text().strip()):
                assert time.monotonic() < end, "the X server does not start"
                time.sleep(0.1)
            yield f":{number.read_text().strip()}", Path(folder) / "Xvfb_screen0"
        finally:
            server.terminate()
            server.wait(10)
