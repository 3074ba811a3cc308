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
from kit import children, dataset, environment  # noqa: E402


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


def test_playing_blender_leaves_no_temporary_folders(script, tmp_path, monkeypatch):
    pytest.importorskip("bpy")
    path = script("import bpy; print('TEMPORARY', bpy.app.tempdir)")
    own = tmp_path / "temporary"
    own.mkdir()
    monkeypatch.setenv("TMPDIR", str(own))
    monkeypatch.delenv("BLENDER_USER_RESOURCES", raising=False)
    assert f"TEMPORARY {own}" in play("-b", "-P", path).stdout
    assert list(own.iterdir()) == []


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
        ("export_motion", ["/no.blend", "/no.json", "/no.json", "/tmp/out.abc"], "is no format of ours"),
        ("retarget_motion", ["/no.json", "/no.json", "/no.json", "/tmp/out.json"], "/no.json: no such file"),
        ("apply_to_rig", ["/no.json", "/no.json", "/tmp/out.blend"], "/no.json: no such file"),
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
    children.together([quick, quick])
    bad = [sys.executable, "-c", "import sys; print('why', file=sys.stderr); sys.exit(2)"]
    with pytest.raises(children.StepFailed) as failed:
        children.together([quick, bad])
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


def test_machines_and_processes_share_the_indices_without_gap_or_overlap():
    count, machines = 103, 3
    taken = [
        index
        for number in range(1, machines + 1)
        for first, step in dataset.starts(dataset.Share(number, machines), 2)
        for index in range(first, count, step)
    ]
    assert sorted(taken) == list(range(count))
    one = dataset.starts(dataset.Share(2, 4), 3)
    assert all(index % 4 == 1 for first, step in one for index in range(first, count, step))


@pytest.mark.parametrize("text", ["0/4", "5/4", "2", "2/", "a/b", "-1/4", "2/4/1"])
def test_a_wrong_share_is_one_line(text, capsys):
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools/anymove.py"), "dataset", "wolf", f"--machine={text}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "write 2/4 for the second of four" in done.stderr


def test_processes_are_limited_by_what_the_machine_has(monkeypatch):
    def has(cores, free):
        monkeypatch.setattr(dataset.machine, "cores", lambda: cores)
        monkeypatch.setattr(dataset.machine, "free_memory_mb", lambda: free)

    has(8, 64_000.0)
    assert dataset.fitting(6, "workbench", gpu=False) == (6, "")
    assert dataset.fitting(12, "workbench", gpu=False) == (
        8,
        "12 processes are too many for 8 cores: using 8",
    )
    assert dataset.fitting(6, "cycles", gpu=True) == (2, "6 processes are too many for one GPU: using 2")
    has(8, 2_000.0)
    count, why = dataset.fitting(6, "workbench", gpu=False)
    assert (count, why) == (2, "6 processes are too many for 2.0 GB of free memory: using 2")
    has(8, 100.0)
    assert dataset.fitting(6, "workbench", gpu=False)[0] == 1
    has(8, None)
    assert dataset.fitting(6, "workbench", gpu=False) == (6, "")


def test_figures_of_all_processes_make_one_line():
    one = {"samples": 10, "views": 20, "seconds": 1.0, "cpu_seconds": 0.8, "peak_mb": 400.0, "disk_mb": 1.5}
    line = dataset.summary([one, one | {"peak_mb": 500.0}], 2.0)
    assert line == (
        "20 samples, 40 views in 2 s: 10.0 samples/s, 100 ms a view and process (40 ms of a core), "
        "peak memory 900 MB (2 processes), 3 MB on disk"
    )
    assert "unknown" in dataset.summary([one | {"peak_mb": None}], 2.0)
    assert dataset.summary([one | {"samples": 0, "views": 0}], 2.0) == "nothing was missing"


def test_children_hand_over_what_is_no_progress():
    telling = 'print(\'JOB {"progress": 0.5}\'); print(\'JOB {"figures": {"samples": 3}}\')'
    events = children.together([[sys.executable, "-c", telling]])
    assert events == [{"figures": {"samples": 3}}]


def test_a_machine_without_a_share_starts_nothing(monkeypatch, capsys):
    monkeypatch.setattr(dataset.children, "together", lambda commands: pytest.fail("started"))
    order = dataset.Order(Path("assets/x"), 1, 1, dataset.Share(2, 2))
    assert dataset.render(order) is False
    assert "machine 2/2 has no share of 1 samples" in capsys.readouterr().out


def test_a_program_that_listens_gets_the_progress_of_all_children(capfd, monkeypatch):
    monkeypatch.setenv("ANYMOVE_PROGRESS", "json")
    telling = "print('JOB {\"progress\": 0.5}'); print('JOB {\"progress\": 1.0}')"
    children.together([[sys.executable, "-c", telling]])
    lines = [line for line in capfd.readouterr().out.splitlines() if line.startswith("JOB ")]
    assert '"progress": 0.5' in lines[0]
    assert '"rendering 100%"' in lines[-1]


def test_set_up_tells_a_program_how_far_it_is(monkeypatch, tmp_path, capfd):
    """pip's own lines become progress; what it says when it fails stays above the one line."""
    pip = tmp_path / "pip.py"
    pip.write_text(
        "print('Collecting torch==2\\n  Collecting numpy\\nInstalling collected packages: numpy, torch')"
    )
    monkeypatch.setenv("ANYMOVE_PROGRESS", "json")
    monkeypatch.setattr(environment, "python", lambda: Path(sys.executable))
    popen = subprocess.Popen
    monkeypatch.setattr(
        environment.subprocess, "Popen", lambda words, **more: popen([sys.executable, str(pip)], **more)
    )
    environment._install("requirements.txt")
    told = [line for line in capfd.readouterr().out.splitlines() if line.startswith("JOB ")]
    assert len(told) == 3
    assert '"fetch torch==2"' in told[0]
    pip.write_text("print('ERROR: no disk'); raise SystemExit(1)")
    with pytest.raises(environment.SetupError, match="reason stands above"):
        environment._install("requirements.txt")
    assert "no disk" in capfd.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="signals end processes on POSIX only")
def test_a_crash_is_told_for_the_child(capfd):
    crash = "import os, signal; os.kill(os.getpid(), signal.SIGBUS)"
    with pytest.raises(children.StepFailed):
        children.together([[sys.executable, "-c", crash]])
    assert "anymove: a process crashed (Bus error)" in capfd.readouterr().err
