# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Atomic writes, JSON with one-line errors, and content digests."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .errors import AnymoveError, BadInput


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike, keep_suffix: bool = True) -> Iterator[Path]:
    """Yield a temporary path in ``path``'s folder; it replaces ``path`` only if the block succeeds.

    The suffix is kept, because many writers choose their format by it.
    Raises AnymoveError with one line where the disk is full or the folder cannot be written.
    """
    target = Path(path)
    temporary: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        suffix = target.suffix if keep_suffix else ".tmp"
        handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix=suffix, dir=target.parent)
        os.close(handle)
        temporary = Path(name)
        yield temporary
        # mkstemp makes files private; a written result has the permissions any other file would have.
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except OSError as error:
        raise write_error(target, error) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_error(path: str | os.PathLike, error: OSError) -> AnymoveError:
    """The one line that an operating-system error while writing ``path`` becomes."""
    if error.errno == errno.ENOSPC:
        return AnymoveError(f"{path}: no space left on the disk; free some and run the same command again")
    return AnymoveError(f"{path}: cannot be written: {error.strerror or error}")


def write_bytes(path: str | os.PathLike, data: bytes) -> None:
    with atomic_path(path) as temporary:
        temporary.write_bytes(data)


def write_text(path: str | os.PathLike, text: str) -> None:
    write_bytes(path, text.encode("utf-8"))


def write_json(path: str | os.PathLike, data: Any, indent: int | None = None) -> None:
    write_text(path, json.dumps(data, indent=indent, allow_nan=False) + "\n")


def read_json(path: str | os.PathLike, what: str) -> dict[str, Any]:
    """Read a JSON object. ``what`` names the file's role in the error line ("rig_info", "motion")."""
    target = existing_file(path, what)
    try:
        data = json.loads(target.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise BadInput(f"{target}: not a {what} file (invalid JSON: {error})") from error
    if not isinstance(data, dict):
        raise BadInput(f"{target}: not a {what} file (a JSON object was expected)")
    return data


def existing_file(path: str | os.PathLike, what: str) -> Path:
    target = Path(path)
    if not target.exists():
        raise BadInput(f"{target}: no such file ({what})")
    if not target.is_file():
        raise BadInput(f"{target}: is a folder, a {what} file was expected")
    return target


def check_schema(data: dict[str, Any], expected: int, what: str, path: str | os.PathLike) -> None:
    found = data.get("schema")
    if found != expected:
        raise BadInput(f"{path}: {what} has schema {found!r}, this version reads {expected}; make it anew")


def parse(path: str | os.PathLike, what: str, build: Callable[[], Any]) -> Any:
    """Run ``build`` and turn what a malformed file raises into one line naming ``path``."""
    try:
        return build()
    except KeyError as error:
        raise BadInput(f"{path}: {what} lacks the field {error.args[0]!r}") from error
    except (TypeError, ValueError, IndexError) as error:
        raise BadInput(f"{path}: {what} is malformed: {error}") from error


def digest_bytes(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def digest_file(path: str | os.PathLike) -> str:
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def digest_json(data: Any) -> str:
    """Digest of a JSON value, independent of key order and formatting."""
    return digest_bytes(json.dumps(data, sort_keys=True, separators=(",", ":")).encode())
