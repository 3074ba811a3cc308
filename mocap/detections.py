# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""det.npz: what the reader saw in a clip; the hand-off from reading to solving."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import __version__, files
from .errors import BadInput
from .layout import Layout

SCHEMA = 2


@dataclass(frozen=True)
class Detections:
    """T frames, V views, J joints.

    positions (T, V, J, 2) in panel pixels of ``layout``; confidence (T, V, J) in [0, 1], 0 = not read;
    sigma (T, V, J) panel pixels, the expected standard deviation along one axis; visible (T, V, J) in [0, 1]: the
    joint is seen, not hidden behind the body; depth (T, V, J): along the view behind the root bone's head, in the
    creature's heights; times (T,) seconds. Detections that no reader made may lack visible and depth (None).
    """

    fps: float
    times: np.ndarray
    joint_names: tuple[str, ...]
    positions: np.ndarray
    confidence: np.ndarray
    sigma: np.ndarray
    layout: Layout
    rig_digest: str
    provenance: dict[str, Any] = field(default_factory=dict)
    visible: np.ndarray | None = None
    depth: np.ndarray | None = None

    def __post_init__(self) -> None:
        shape = (len(self.times), len(self.layout.views), len(self.joint_names))
        if shape[0] == 0:
            raise ValueError("the detections have no frames")
        if self.positions.shape != (*shape, 2):
            raise ValueError(f"positions have shape {self.positions.shape}, {(*shape, 2)} expected")
        for name in ("confidence", "sigma"):
            array = getattr(self, name)
            if array.shape != shape or not np.isfinite(array).all():
                raise ValueError(f"{name} must be finite with shape {shape}, it has {array.shape}")
        for name in ("visible", "depth"):
            array = getattr(self, name)
            if array is not None and (array.shape != shape or not np.isfinite(array).all()):
                raise ValueError(f"{name} must be finite with shape {shape}, it has {array.shape}")
        if not np.isfinite(self.positions).all():
            frame = int(np.argwhere(~np.isfinite(self.positions))[0][0])
            raise ValueError(f"frame {frame}: a position is not finite")
        if (self.sigma <= 0).any() or (self.confidence < 0).any() or (self.confidence > 1).any():
            raise ValueError("sigma must be positive and confidence within 0 and 1")
        if not self.fps > 0:
            raise ValueError(f"fps is {self.fps}, it must be positive")

    @property
    def frames(self) -> int:
        return len(self.times)

    def joints(self, which: np.ndarray) -> Detections:
        """Of some joints only, (J,) bool."""
        return replace(
            self,
            joint_names=tuple(name for name, kept in zip(self.joint_names, which) if kept),
            positions=self.positions[:, :, which],
            confidence=self.confidence[:, :, which],
            sigma=self.sigma[:, :, which],
            visible=None if self.visible is None else self.visible[:, :, which],
            depth=None if self.depth is None else self.depth[:, :, which],
        )

    def through(self, view: str) -> Detections:
        """As one view alone read them. BadInput where there is no such view."""
        if view not in self.layout.names:
            raise BadInput(f"there is no view {view!r}; there are {', '.join(self.layout.names)}")
        at = self.layout.names.index(view)
        return replace(
            self,
            layout=Layout((self.layout.views[at],)),
            positions=self.positions[:, [at]],
            confidence=self.confidence[:, [at]],
            sigma=self.sigma[:, [at]],
            visible=None if self.visible is None else self.visible[:, [at]],
            depth=None if self.depth is None else self.depth[:, [at]],
        )

    def save(self, path: str | os.PathLike) -> None:
        header = {
            "schema": SCHEMA,
            "kind": "anymove.detections",
            "tool_version": __version__,
            "fps": self.fps,
            "joints": list(self.joint_names),
            "layout": self.layout.to_json(),
            "rig_digest": self.rig_digest,
            "provenance": self.provenance,
        }
        with files.atomic_path(path) as temporary, open(temporary, "wb") as handle:
            np.savez_compressed(
                handle,
                header=np.array(json.dumps(header)),
                times=self.times,
                positions=self.positions.astype(np.float32),
                confidence=self.confidence.astype(np.float32),
                sigma=self.sigma.astype(np.float32),
                **{
                    name: array.astype(np.float32)
                    for name, array in (("visible", self.visible), ("depth", self.depth))
                    if array is not None
                },
            )

    @classmethod
    def load(cls, path: str | os.PathLike) -> Detections:
        files.existing_file(path, "detections")
        try:
            with np.load(path, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            header = json.loads(str(arrays["header"]))
        except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError) as error:
            raise BadInput(f"{path}: not a detections file ({error})") from error
        files.check_schema(header, SCHEMA, "detections", path)
        return files.parse(
            path,
            "detections",
            lambda: cls(
                float(header["fps"]),
                arrays["times"].astype(float),
                tuple(header["joints"]),
                arrays["positions"].astype(float),
                arrays["confidence"].astype(float),
                arrays["sigma"].astype(float),
                Layout.from_json(header["layout"]),
                header["rig_digest"],
                header["provenance"],
                *(arrays[name].astype(float) if name in arrays else None for name in ("visible", "depth")),
            ),
        )
