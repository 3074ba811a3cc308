# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The toolkit's own Python: make .venv, install what is missing, prove that it imports. Stdlib only."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ((3, 11), (3, 13))
_PACKAGES = 80
"""About so many packages come with the requirements: for the progress bar."""
IMPORTS = ("bpy", "cv2", "torch")

# A missing system library, and the package that brings it: Debian/Ubuntu, Fedora, Arch, openSUSE.
LIBRARIES = {
    "libX11.so.6": ("libx11-6", "libX11", "libx11", "libX11-6"),
    "libXi.so.6": ("libxi6", "libXi", "libxi", "libXi6"),
    "libXrender.so.1": ("libxrender1", "libXrender", "libxrender", "libXrender1"),
    "libXfixes.so.3": ("libxfixes3", "libXfixes", "libxfixes", "libXfixes3"),
    "libXxf86vm.so.1": ("libxxf86vm1", "libXxf86vm", "libxxf86vm", "libXxf86vm1"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon", "libxkbcommon", "libxkbcommon0"),
    "libSM.so.6": ("libsm6", "libSM", "libsm", "libSM6"),
    "libICE.so.6": ("libice6", "libICE", "libice", "libICE6"),
    "libvulkan.so.1": ("libvulkan1", "vulkan-loader", "vulkan-icd-loader", "libvulkan1"),
    "libEGL.so.1": ("libegl1", "libglvnd-egl", "libglvnd", "libEGL1"),
    "libGL.so.1": ("libgl1", "libglvnd-glx", "libglvnd", "libGL1"),
    "libgomp.so.1": ("libgomp1", "libgomp", "gcc-libs", "libgomp1"),
    "libgthread-2.0.so.0": ("libglib2.0-0", "glib2", "glib2", "libgthread-2_0-0"),
}
MANAGERS = (
    ("apt-get", "sudo apt-get install -y"),
    ("dnf", "sudo dnf install -y"),
    ("pacman", "sudo pacman -S --needed"),
    ("zypper", "sudo zypper install -y"),
)


class SetupError(Exception):
    """The set-up cannot go on; the message is one line for the user."""


def folder() -> Path:
    return Path(os.environ.get("ANYMOVE_VENV", ROOT / ".venv"))


def python() -> Path:
    return folder() / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def ready(where: Path, requirements: str = "requirements.txt") -> bool:
    """Whether ``where`` was set up with these requirements. Only looks at files: quick enough for a window."""
    try:
        found = (where / f".ready-{requirements}").read_text()
        return found == _digest(requirements, where)
    except OSError:
        return False


def ensure(requirements: str = "requirements.txt") -> Path:
    """The environment's Python, set up with ``requirements`` and proven; quick when nothing changed.

    Safe to interrupt: the mark that says "ready" is written last. Raises SetupError.
    """
    wanted = _digest(requirements, folder())
    mark = folder() / f".ready-{requirements}"
    if python().exists() and ready(folder(), requirements):
        return python()
    if not python().exists() or not _works():
        _make()
    print(f"installing {requirements} into {folder()} (some minutes the first time)", flush=True)
    _install(requirements)
    _progress(0.97, "try what was installed")
    prove()
    mark.write_text(wanted)
    return python()


def _digest(requirements: str, where: Path) -> str:
    """Changes when the requirements, those they include, or the Python change."""
    names = (
        ("requirements.txt",) if requirements == "requirements.txt" else ("requirements.txt", requirements)
    )
    text = b"".join((ROOT / name).read_bytes() for name in names)
    return hashlib.sha256(text + str(where).encode()).hexdigest()


def _works() -> bool:
    return subprocess.run([str(python()), "-c", ""], capture_output=True, check=False).returncode == 0


def _make() -> None:
    base = _base_python()
    print(f"making {folder()} with {base}", flush=True)
    _progress(0.0, "make the toolkit's Python")
    _run([base, "-m", "venv", "--clear", str(folder())])


def _base_python() -> str:
    """This Python where it fits, else the newest fitting one on the PATH."""
    if sys.version_info[:2] in VERSIONS:
        return sys.executable
    for major, minor in reversed(VERSIONS):
        found = shutil.which(f"python{major}.{minor}")
        if found:
            return found
    raise SetupError(
        f"Python 3.11 or 3.13 is needed (bpy has builds for these), this is {sys.version.split()[0]}; "
        "install one of them, or set PYTHON to it"
    )


def _install(requirements: str) -> None:
    command = [str(python()), "-m", "pip", "install", "--disable-pip-version-check", "-r", requirements]
    if not _listening():
        _run([*command, "--quiet"])
        return
    child = subprocess.Popen(
        [*command, "--progress-bar", "off"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace",
    )  # fmt: skip
    seen = 0
    for line in child.stdout:
        print(line.rstrip(), flush=True)
        if line.lstrip().startswith("Collecting "):
            seen += 1
            _progress(0.05 + 0.75 * min(1.0, seen / _PACKAGES), f"fetch {line.split()[1]}")
        elif line.startswith("Installing "):
            _progress(0.8, "install what was fetched")
    if child.wait():
        raise SetupError("set-up stopped: pip could not install the packages; its reason stands above")


def _listening() -> bool:
    """As mocap.cli.listening, which this file may not import: it runs before anything is installed."""
    return os.environ.get("ANYMOVE_PROGRESS") == "json"


def _progress(share: float, message: str) -> None:
    if _listening():
        print("JOB " + json.dumps({"progress": share, "message": message}), flush=True)


def _run(command: list[str]) -> None:
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code:
        raise SetupError(
            f"set-up stopped: {' '.join(command[:4])} ... ended with {code}; its reason stands above"
        )


def prove() -> None:
    """Import what matters for real. Raises SetupError naming a missing system library's package."""
    for module in IMPORTS:
        tried = subprocess.run(
            [str(python()), "-c", f"import {module}"], capture_output=True, text=True, check=False
        )
        if tried.returncode:
            raise SetupError(explain_import(module, tried.stderr))


def explain_import(module: str, trace: str) -> str:
    """One line from an import's traceback: the missing library and the command that brings it."""
    lines = [line for line in trace.strip().splitlines() if line.strip()]
    last = lines[-1].strip() if lines else "it ended without a word"
    missing = next((name for name in LIBRARIES if name in last), None)
    if missing is None:
        return f"{module} does not import: {last}"
    for column, (manager, command) in enumerate(MANAGERS):
        if shutil.which(manager):
            return f"{module} needs the system library {missing}: {command} {LIBRARIES[missing][column]}"
    return f"{module} needs the system library {missing} (package {LIBRARIES[missing][0]} on Debian)"
