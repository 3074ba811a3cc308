# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What a training step of the DINOv2 reader needs: memory by its parts, and on a GPU its speed.

python bench/backbone.py [--size base] [--batch 20] [--joints 100] [--parts 32] [--quick] [--json PATH]

The network has its real shape and random weights, so no download is needed. Activations are counted on the CPU as the
bytes that autograd keeps for the way back, in bfloat16 as on a GPU, for one sample, and scaled to the batch. Where a
GPU runs kernels, real steps give pictures a second and the peak memory, too.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mocap import cli, devices
from mocap.reader import backbones, losses
from mocap.reader.config import Dinov2Config, TrainConfig
from mocap.reader.heads import ReaderNet
from mocap.reader.optimise import Average, Optimisers
from mocap.reader.predict import autocast
from mocap.reader.train import RECIPES

SHAPES = {
    "tiny": {"hidden_size": 48, "num_hidden_layers": 4, "num_attention_heads": 2},
    "small": {"hidden_size": 384, "num_hidden_layers": 12, "num_attention_heads": 6},
    "base": {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12},
    "large": {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16},
}
"""As the published models have them; "tiny" is for trying the command out."""
VIEWS = 2
EPOCHS, POSES = 20, 2200
_GIB = 2**30
_STEPS = 12


class Memory(NamedTuple):
    """GiB. fixed: weights, gradients, AdamW's two moments and the average, all float32."""

    fixed: float
    activations: float
    layer: float
    """One transformer layer's own activations, made again on the way back where layers are checkpointed."""

    @property
    def peak(self) -> float:
        return self.fixed + self.activations + self.layer


def build(options, checkpointing: bool) -> ReaderNet:
    architecture = {**SHAPES[options.size], "patch_size": 14, "image_size": 518, "num_register_tokens": 4}
    config = Dinov2Config(architecture=architecture, checkpointing=checkpointing)
    torch.manual_seed(0)
    return backbones.build(config, options.joints, options.parts, VIEWS).train()


def step(net: ReaderNet, batch: int, options, device: torch.device, precision: str) -> Tensor:
    """The loss of one step over ``batch`` samples of noise."""
    count, size = batch * VIEWS, Dinov2Config().input_size
    truth = losses.Truth(
        torch.rand(count, options.joints, 2, device=device) * size,
        torch.ones(count, options.joints, dtype=torch.bool, device=device),
        torch.ones(count, options.joints, dtype=torch.bool, device=device),
        torch.zeros(count, options.joints, device=device),
        torch.zeros(count // 2, size // 2, size // 2, dtype=torch.long, device=device),
    )
    pictures = torch.randn(count, 3, size, size, device=device)
    with autocast(device, precision):
        maps = net(pictures, VIEWS, masked=count // 2)
    return losses.total(losses.compute(net, maps, truth, VIEWS, 1.5))


def kept(net: ReaderNet, options) -> int:
    """Bytes that autograd keeps in a step of one sample, each storage counted once; the weights are not counted."""
    own = {weight.untyped_storage().data_ptr() for weight in net.parameters()}
    seen: dict[int, int] = {}
    alive = []

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            seen[storage.data_ptr()] = storage.nbytes()
            alive.append(tensor)  # or its address could be used again
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        step(net, 1, options, torch.device("cpu"), "bfloat16")
    return sum(seen.values())


def memory(options) -> dict[str, Memory]:
    """For layers checkpointed or not."""
    plain, saving = (kept(build(options, checkpointing), options) for checkpointing in (False, True))
    net = build(options, True)
    weights = sum(weight.numel() for weight in net.parameters())
    fixed = weights * 4 * 5 / _GIB
    layers = SHAPES[options.size]["num_hidden_layers"]
    layer = (plain - saving) / layers * options.batch / _GIB
    return {
        "kept": Memory(fixed, plain * options.batch / _GIB, 0.0),
        "checkpointed": Memory(fixed, saving * options.batch / _GIB, layer),
    }


def speed(options, device: torch.device, precision: str) -> dict[str, float]:
    """Pictures a second, peak GiB, and minutes of a training, on a GPU."""
    net = build(options, True).to(device)
    config = TrainConfig(batch=options.batch, pairs=POSES, precision=precision, **RECIPES["dinov2"])
    optimisers, average = Optimisers(net, config), Average(net, config.ema)
    torch.cuda.reset_peak_memory_stats()
    for turn in range(_STEPS):
        if turn == 2:
            torch.cuda.synchronize()
            start = time.perf_counter()
        net.zero_grad(set_to_none=True)
        step(net, options.batch, options, device, precision).backward()
        optimisers.step(1.0)
        average.update(net, turn + 1)
    torch.cuda.synchronize()
    rate = (_STEPS - 2) * options.batch * VIEWS / (time.perf_counter() - start)
    return {
        "pictures_s": rate,
        "peak_gib": torch.cuda.max_memory_allocated() / _GIB,
        "minutes": EPOCHS * POSES * VIEWS / rate / 60,
    }


def main(argv: list[str]) -> None:
    parser = cli.Parser(prog="backbone.py", description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=tuple(SHAPES), default="base")
    parser.add_argument("--batch", type=cli.positive_int, default=20, help="samples (pairs of views) a step")
    parser.add_argument("--joints", type=cli.positive_int, default=100, help="joints and markers")
    parser.add_argument("--parts", type=cli.positive_int, default=32)
    parser.add_argument("--quick", action="store_true", help="the tiny shape: only whether it runs")
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    if options.quick:
        options.size = "tiny"
    found: dict[str, Any] = {"size": options.size, "batch": options.batch}
    rows = []
    for name, parts in memory(options).items():
        found[name] = {**parts._asdict(), "peak": parts.peak}
        rows.append((name, *(f"{value:.1f}" for value in (*parts, parts.peak))))
    heads = ("layers", "weights and optimiser", "activations", "one layer again", "peak, GiB")
    cli.table(f"dinov2 {options.size}, batch {options.batch}, bfloat16", heads, rows)
    device = devices.best()
    if device.kind == "cuda":
        precision = "bfloat16" if device.bfloat16_pays else "float32"
        found["measured"] = speed(options, torch.device("cuda"), precision)
        told = found["measured"]
        cli.say(
            f"{device.name}, {precision}: {told['pictures_s']:.0f} pictures/s, peak {told['peak_gib']:.1f} GiB; "
            f"{EPOCHS} epochs of {POSES} poses take {told['minutes']:.1f} minutes"
        )
    else:
        cli.say(f"no speed: {device.kind} only; run this where a GPU is")
    cli.write_figures(options.json, found)


if __name__ == "__main__":
    sys.exit(cli.run(main))
