# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""evidence.zip: what the reader saw of a clip besides joints, for render-and-compare.

Of every frame and view the square that the reader looked at last and the limbs that it saw there. Stored in chunks, so
that neither writing nor reading holds a whole clip.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import __version__, files
from ..errors import BadInput

SCHEMA = 1
CHUNK = 32
"""Frames in a chunk."""
_HEADER = "header.json"


class Seen(NamedTuple):
    """T frames, V views, G limbs; squares of S x S pixels, masks of m x m cells over the same square."""

    framings: np.ndarray
    """(T, V, 2, 3): from the layout's panel pixels to the square's pixels."""
    pictures: np.ndarray
    """(T, V, S, S, 3) uint8 RGB."""
    masks: np.ndarray
    """(T, V, m, m, G + 1) uint8: 255 times the probability of each limb and, last, the backdrop."""


class Evidence:
    """An evidence file, read chunk by chunk. BadInput where it is none, or of another rig."""

    def __init__(self, path: str | os.PathLike, rig_digest: str) -> None:
        self.path = files.existing_file(path, "evidence")
        try:
            with zipfile.ZipFile(self.path) as archive:
                header = json.loads(archive.read(_HEADER))
        except (zipfile.BadZipFile, KeyError, ValueError, EOFError, OSError) as error:
            raise BadInput(f"{path}: not an evidence file ({error})") from error
        files.check_schema(header, SCHEMA, "evidence", self.path)
        if header["rig_digest"] != rig_digest:
            raise BadInput(
                f"{path}: read for another rig ({header['rig_digest'][:8]}, not {rig_digest[:8]}); detect again"
            )
        self.frames = int(header["frames"])
        self.limbs = tuple(int(limb) for limb in header["limbs"])
        self.provenance: dict[str, Any] = header["provenance"]

    def window(self, start: int, stop: int) -> Seen:
        """Frames ``start`` up to ``stop``, not included."""
        first, last = start // CHUNK, (stop - 1) // CHUNK
        try:
            with zipfile.ZipFile(self.path) as archive:
                chunks = [_chunk(archive.read(f"{index:06d}.npz")) for index in range(first, last + 1)]
        except (zipfile.BadZipFile, KeyError, ValueError, EOFError, OSError) as error:
            raise BadInput(f"{self.path}: broken ({error}); detect again") from error
        whole = Seen(*(np.concatenate(arrays) for arrays in zip(*chunks)))
        return Seen(*(array[start - first * CHUNK : stop - first * CHUNK] for array in whole))


def _chunk(data: bytes) -> Seen:
    with np.load(io.BytesIO(data), allow_pickle=False) as held:
        return Seen(*(held[name] for name in Seen._fields))


class Writer:
    """Takes frames in any portions; made by ``writer``."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive, self._waiting, self._chunks = archive, [], 0
        self.frames = 0

    def add(self, seen: Seen) -> None:
        self.frames += len(seen.framings)
        self._waiting.append(seen)
        held = Seen(*(np.concatenate(arrays) for arrays in zip(*self._waiting)))
        whole = len(held.framings) // CHUNK * CHUNK
        for at in range(0, whole, CHUNK):
            self._store(Seen(*(array[at : at + CHUNK] for array in held)))
        self._waiting = [Seen(*(array[whole:] for array in held))]

    def finish(self, header: dict[str, Any]) -> None:
        if self._waiting and len(self._waiting[0].framings):
            self._store(self._waiting[0])
        told = header | {"schema": SCHEMA, "kind": "anymove.evidence", "tool_version": __version__}
        self._archive.writestr(_HEADER, json.dumps(told | {"frames": self.frames}))

    def _store(self, seen: Seen) -> None:
        stream = io.BytesIO()
        np.savez_compressed(stream, **seen._asdict())
        self._archive.writestr(f"{self._chunks:06d}.npz", stream.getvalue())
        self._chunks += 1


@contextlib.contextmanager
def writer(
    path: str | os.PathLike, rig_digest: str, limbs: tuple[int, ...], provenance: dict
) -> Iterator[Writer]:
    """``with writer(...) as out: out.add(seen)``. The file appears once it is whole."""
    with files.atomic_path(Path(path)) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as archive:
        out = Writer(archive)
        yield out
        out.finish({"rig_digest": rig_digest, "limbs": list(limbs), "provenance": provenance})
