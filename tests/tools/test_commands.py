# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The commands people type: exit codes, one line each, no step that pretends."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from kit import environment, steps  # noqa: E402


def play(*arguments):
    command = [sys.executable, str(ROOT / "tools/kit/play_blender.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.fixture
def script(tmp_path):
    def write(text: str) -> Path:
        path = tmp_path / "script.py"
        path.write_text(text)
        return path

    return write


def test_playing_blender_passes_arguments_and_exit_codes(script):
    pytest.importorskip("bpy")
    done = play(
        "-b",
        "-P",
        script("import sys, bpy; print(sys.argv[sys.argv.index('--') + 1:]); sys.exit(7)"),
        "--",
        "x",
    )
    assert (done.returncode, done.stdout.strip().splitlines()[-1]) == (7, "['x']")
    broken = script("raise ValueError('no')")
    assert play("-b", "--python-exit-code", "3", "-P", broken).returncode == 3


def test_playing_blender_refuses_what_it_cannot_do(script, tmp_path):
    done = play("-b", "--render-anim")
    assert done.returncode == 2
    assert "--render-anim" in done.stderr
    done = play("-b", tmp_path / "no.blend", "-P", script(""))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("rig_creature", ["assets/none", "/nowhere/x.glb"], "no such file"),
        ("build_creature", ["/nowhere/creature"], "no such file"),
        ("render_dataset", ["/nowhere/creature"], "no such creature folder"),
        ("render_dataset", ["/nowhere/creature", "--count", "0"], "0 is less than 1"),
        ("apply_motion", ["/no.blend", "/no.json", "/no.json", "/tmp/out"], "/no.json: no such file"),
    ],
)
def test_scripts_end_with_two_and_one_line(name, arguments, words):
    pytest.importorskip("bpy")
    done = play("-b", "-P", ROOT / f"blender_scripts/{name}.py", "--", *arguments)
    assert done.returncode == 2, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == 1
    assert words in lines[0]
    assert "anymove" not in done.stdout


def test_a_missing_system_library_is_named(monkeypatch):
    trace = "Traceback\nImportError: libXi.so.6: cannot open shared object file: No such file or directory"
    monkeypatch.setattr(environment.shutil, "which", lambda name: "/usr/bin/dnf" if name == "dnf" else None)
    assert (
        environment.explain_import("bpy", trace)
        == "bpy needs the system library libXi.so.6: sudo dnf install -y libXi"
    )
    assert "ValueError: odd" in environment.explain_import("torch", "ValueError: odd")


def test_setup_does_nothing_when_nothing_changed(monkeypatch, tmp_path):
    """The mark is written last, so only a finished set-up counts; changed requirements count anew."""
    monkeypatch.setenv("ANYMOVE_VENV", str(tmp_path))
    calls = []
    monkeypatch.setattr(environment, "_run", calls.append)
    monkeypatch.setattr(environment, "prove", lambda: calls.append("prove"))
    monkeypatch.setattr(environment, "_works", lambda: True)
    environment.python().parent.mkdir(parents=True)
    environment.python().write_text("")
    environment.ensure()
    assert calls[-1] == "prove"
    count = len(calls)
    environment.ensure()
    assert len(calls) == count
    (tmp_path / ".ready-requirements.txt").write_text("older")
    environment.ensure()
    assert len(calls) == 2 * count


def test_children_together_report_the_worst_code(capfd):
    quick = [sys.executable, "-c", "print('JOB {\"progress\": 1.0}')"]
    steps._together([quick, quick])
    bad = [sys.executable, "-c", "import sys; print('why', file=sys.stderr); sys.exit(2)"]
    with pytest.raises(steps.StepFailed) as failed:
        steps._together([quick, bad])
    assert failed.value.code == 2
    assert "why" in capfd.readouterr().err


def test_main_knows_its_arguments(capsys):
    # Not by import: in Blender's tests the package of the same name is the add-on.
    spec = importlib.util.spec_from_file_location("commands", ROOT / "tools" / "anymove.py")
    commands = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(commands)
    with pytest.raises(SystemExit) as stop:
        commands.main(["demo", "wolf", "--nonsense"])
    assert stop.value.code == 2
    assert "demo takes no --nonsense" in capsys.readouterr().err
