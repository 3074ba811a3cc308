# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The bpy module in the part of Blender: python play_blender.py -b [file.blend] -P script.py -- args

Takes the few options that the scripts need; anything else is refused, not ignored.
"""

from __future__ import annotations

import os
import runpy
import shutil
import sys
import tempfile
from pathlib import Path


def main(arguments: list[str]) -> int:
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    blend, scripts, code = None, [], 0
    queue = list(own)
    while queue:
        word = queue.pop(0)
        if word in ("-b", "--background", "--factory-startup"):
            continue
        if word in ("-P", "--python") and queue:
            scripts.append(queue.pop(0))
        elif word == "--python-exit-code" and queue and queue[0].isdigit():
            code = int(queue.pop(0))
        elif not word.startswith("-") and blend is None:
            blend = word
        else:
            return _refuse(
                f"{word}: not an option that the bpy module can play; set BLENDER to a real Blender"
            )
    for path in [*([blend] if blend else []), *scripts]:
        if not Path(path).is_file():
            return _refuse(f"{path}: no such file")
    return _play(blend, scripts, code, arguments)


def _play(blend: str | None, scripts: list[str], code: int, arguments: list[str]) -> int:
    # Nothing of the user's Blender settings may change what a batch does.
    with tempfile.TemporaryDirectory(prefix="anymove-bpy-", ignore_cleanup_errors=True) as own:
        os.environ.setdefault("BLENDER_USER_RESOURCES", own)
        import bpy

        try:
            return _run(blend, scripts, code, arguments)
        finally:
            # The process ends without Blender's own clean-up.
            shutil.rmtree(bpy.app.tempdir, ignore_errors=True)


def _run(blend: str | None, scripts: list[str], code: int, arguments: list[str]) -> int:
    import bpy

    if blend:
        try:
            bpy.ops.wm.open_mainfile(filepath=blend)
        except RuntimeError as error:
            return _refuse(str(error).strip().splitlines()[-1].removeprefix("Error: "))
    else:
        bpy.ops.wm.read_factory_settings(use_empty=True)
    sys.argv = ["blender", *arguments]
    for script in scripts:
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as stop:
            if stop.code:
                return stop.code if isinstance(stop.code, int) else 1
        except Exception:
            import traceback

            traceback.print_exc()
            if code:
                return code
    return 0


def _refuse(line: str) -> int:
    print(f"anymove: {line}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    outcome = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # bpy's own clean-up at interpreter exit may crash after all work is done; the work's code counts.
    os._exit(outcome)
