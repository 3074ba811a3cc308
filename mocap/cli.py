# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What every command shares: one-line errors with exit codes, progress, tables and --json."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from . import files
from .errors import AnymoveError, BadInput

T = TypeVar("T")
INTERRUPTED = "stopped; what was finished is kept, run the same command again to go on"


class Parser(argparse.ArgumentParser):
    """argparse with the house's wording: one line and exit code 2 for bad arguments."""

    def error(self, message: str) -> None:
        self.exit(2, f"{self.prog}: {message} (--help shows the arguments)\n")

    def parse_known_args(self, args=None, namespace=None):
        """Axes are values: ``--facing -X`` means ``--facing=-X``, though -X looks like an option."""
        joined: list[str] = []
        for argument in sys.argv[1:] if args is None else args:
            if joined and joined[-1].startswith("--") and re.fullmatch("-[XYZ]", argument):
                joined[-1] += f"={argument}"
            else:
                joined.append(argument)
        return super().parse_known_args(joined, namespace)


def run(main: Callable[[Sequence[str]], None], argv: Sequence[str] | None = None) -> int:
    """Run a command's ``main`` and return its exit code: 0 success, 1 failure, 2 bad input."""
    try:
        main(sys.argv[1:] if argv is None else argv)
    except AnymoveError as error:
        return fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        return interrupted()
    except OSError as error:
        return fail(str(files.write_error(error.filename or "output", error)), 1)
    return 0


def fail(message: str, code: int) -> int:
    """Say why, in one line on stderr (and as JSON where a program listens), and return ``code``."""
    sys.stdout.flush()
    print(f"anymove: {' '.join(message.split())}", file=sys.stderr, flush=True)
    if listening():
        emit({"error": message, "code": code})
    return code


def interrupted() -> int:
    """Say that Ctrl-C ended the command; a child of tools/anymove.py leaves that to its parent."""
    return 1 if os.environ.get("ANYMOVE_CHILD") else fail(INTERRUPTED, 1)


def listening() -> bool:
    """True where the add-on or another program reads our progress as JSON lines."""
    return os.environ.get("ANYMOVE_PROGRESS") == "json"


def emit(event: dict[str, Any]) -> None:
    print("JOB " + json.dumps(event), flush=True)


def stage(what: str, start: float, end: float) -> None:
    """Tell a program that listens which part of the whole work, as shares from 0 to 1, the next progress is of."""
    if listening():
        emit({"stage": what, "from": start, "to": end})


def say(message: str) -> None:
    """One line for people: which path was taken, what was written."""
    print(message, flush=True)


def track(
    items: Iterable[T],
    what: str,
    total: int | None = None,
    note: Callable[[], str] | None = None,
    logged: bool = True,
) -> Iterator[T]:
    """Yield ``items`` and show progress: a bar on a terminal, JSON lines for a program, else tenths.

    ``logged=False`` leaves the tenths out: for steps whose own lines tell a log file enough. Inside
    Blender's own Python, which has no tqdm, a terminal gets the tenths, too.
    """
    count = total if total is not None else len(items)  # type: ignore[arg-type]
    if sys.stderr.isatty() and not listening() and importlib.util.find_spec("tqdm"):
        yield from _bar(items, what, count, note)
        return
    parts = 100 if listening() else 10
    shown = -1
    for done, item in enumerate(items, 1):
        yield item
        step = int(parts * done / max(count, 1))
        if step != shown:
            shown = step
            message = f"{what}: {done}/{count}" + (f" {note()}" if note else "")
            if listening():
                emit({"progress": done / max(count, 1), "message": message})
            elif logged:
                print(message, file=sys.stderr, flush=True)


def _bar(items: Iterable[T], what: str, count: int, note: Callable[[], str] | None) -> Iterator[T]:
    from tqdm import tqdm

    bar = tqdm(items, desc=what, total=count, dynamic_ncols=True, leave=False)
    for item in bar:
        yield item
        if note:
            bar.set_postfix_str(note(), refresh=False)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    view = Table(title=title, title_justify="left")
    for index, column in enumerate(columns):
        view.add_column(column, justify="left" if index == 0 else "right")
    for row in rows:
        view.add_row(*[f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row])
    Console(width=None if sys.stdout.isatty() else 110).print(view)


def add_json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", metavar="PATH", help="write the figures to PATH as JSON, too")


def write_figures(path: str | None, figures: dict[str, Any]) -> None:
    if path:
        files.write_json(path, figures, indent=1)


def ranges(numbers: Sequence[int]) -> str:
    """[3, 4, 5, 9] -> "3-5, 9"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def positive_int(text: str) -> int:
    return _whole_number(text, 1)


def seed_number(text: str) -> int:
    return _whole_number(text, 0)


def share(text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def _whole_number(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from error
    if value < least:
        raise argparse.ArgumentTypeError(f"{value} is less than {least}")
    return value


def need(condition: bool, message: str) -> None:
    if not condition:
        raise BadInput(message)
