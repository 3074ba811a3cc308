# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Write reader.pt as reader.onnx, which reads without torch, and check that both read the same.

python -m mocap.reader.export reader.pt reader.onnx [--json PATH]
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from .. import cli, files, framing
from ..errors import AnymoveError, BadInput
from . import checkpoint, onnx_file
from .heads import ReaderNet
from .predict import TorchEngine

_FRAMES = 4
_MOST_PX = 0.05
_MOST_SHARE = 2e-3
"""Largest difference of a position in input pixels, and of probabilities and depths, that counts as the same."""


class Parity(NamedTuple):
    """Largest differences between torch and onnxruntime over a few frames of noise and shapes."""

    positions_px: float
    sigma_share: float
    visible: float
    depth: float
    masks: float


class _Whole(nn.Module):
    """From uint8 pictures of frames to what reading.Outputs holds, in one graph."""

    def __init__(self, net: ReaderNet, views: int) -> None:
        super().__init__()
        self.net, self.views = net, views

    def forward(self, pictures: Tensor, framings: Tensor) -> tuple[Tensor, ...]:
        """(B, V, S, S, 3) uint8, (B, V, 2, 3) -> OUTPUTS with B * V first."""
        flat = pictures.flatten(0, 1).permute(0, 3, 1, 2).float().sub(127).div(64)
        maps = self.net(flat, self.views, framings.flatten(0, 1))
        traits = self.net.read(maps, self.views)
        sigma = traits.log_sigma.exp() * self.net.stride
        return traits.positions, sigma, traits.visible.sigmoid(), traits.depth, maps.masks.softmax(1)


def write(loaded: checkpoint.Checkpoint, path: Path) -> None:
    """Raises AnymoveError where onnx is not installed. ``path`` is written as it is: the caller replaces atomically."""
    try:
        import onnx
        import onnxscript  # noqa: F401  torch's exporter needs it
    except ImportError as error:
        raise AnymoveError(f"{path}: the export needs {error.name}; run tools/setup.sh") from error
    views, size = len(loaded.card.layout.views), loaded.card.input_size
    example = torch.zeros(2, views, size, size, 3, dtype=torch.uint8)
    frames = torch.export.Dim("frames", min=1, max=4096)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            _Whole(loaded.net(), views).eval(),
            (example, torch.rand(2, views, 2, 3)),
            input_names=list(onnx_file.INPUTS),
            output_names=list(onnx_file.OUTPUTS),
            dynamic_shapes={name: {0: frames} for name in onnx_file.INPUTS},
            dynamo=True,
            verbose=False,
        )
    model = program.model_proto
    card = {"schema": onnx_file.SCHEMA, "card": loaded.card.to_json()}
    model.metadata_props.append(onnx.StringStringEntryProto(key=onnx_file.CARD_KEY, value=json.dumps(card)))
    path.write_bytes(model.SerializeToString())


def parity(loaded: checkpoint.Checkpoint, path: Path) -> Parity:
    """Both engines on the same pictures, in float32."""
    views, size = len(loaded.card.layout.views), loaded.card.input_size
    rng = np.random.default_rng(0)
    coarse = rng.integers(0, 256, (_FRAMES * views, size // 8 + 1, size // 8 + 1, 3), np.uint8)
    pictures = np.ascontiguousarray(coarse.repeat(8, 1).repeat(8, 2)[:, :size, :size])
    boxes = rng.uniform((40, 40, 100, 100), (80, 80, 200, 200), (len(pictures), 4))
    framings = framing.in_panel(
        np.array([framing.place(box[:2], box[2:], size, 0.05) for box in boxes]),
        np.full((len(boxes), 2), 200),
    )
    one = TorchEngine(loaded.net(), views)(pictures, framings, True)
    two = onnx_file.load(path)[1].engine(pictures, framings, True)
    # On noise a map may have two peaks as high as each other, and rounding chooses: one joint in a hundred may.
    apart = np.linalg.norm(one.positions - two.positions, axis=-1)

    def most(one_of: np.ndarray, other: np.ndarray) -> float:
        return float(np.quantile(np.abs(one_of - other), 0.99))

    return Parity(
        float(np.quantile(apart, 0.99)),
        most(one.sigma / two.sigma, np.ones(1)),
        most(one.visible, two.visible),
        most(one.depth, two.depth),
        float(np.abs(one.masks.astype(float) - two.masks).max()),
    )


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser(
        prog="python -m mocap.reader.export", description="Write a reader for use without torch."
    )
    parser.add_argument("reader", help="reader.pt")
    parser.add_argument("target", help="reader.onnx to write")
    cli.add_json_option(parser)
    arguments = parser.parse_args(argv)
    target = Path(arguments.target)
    if target.suffix != ".onnx":
        raise BadInput(f"{target}: must end in .onnx")
    loaded = checkpoint.load(arguments.reader)
    with files.atomic_path(target) as temporary:
        write(loaded, temporary)
        found = parity(loaded, temporary)
        if found.positions_px > _MOST_PX or max(found[1:]) > _MOST_SHARE:
            told = ", ".join(f"{name} {value:.2g}" for name, value in found._asdict().items())
            raise AnymoveError(f"{target}: not written, onnxruntime reads otherwise than torch: {told}")
    rows = [(name.replace("_", " "), f"{value:.2g}") for name, value in found._asdict().items()]
    cli.table("Largest difference between torch and onnxruntime", ("output", "difference"), rows)
    cli.write_figures(arguments.json, found._asdict())
    cli.say(f"wrote {target} ({target.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    sys.exit(cli.run(main))
