# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The DINOv2 backbone: pretrained features of several layers under an upsampling heatmap head.

Oquab et al. 2023 (DINOv2), Darcet et al. 2023 (registers); several layers as in Ranftl et al. 2021 (DPT).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from transformers import Dinov2WithRegistersConfig, Dinov2WithRegistersModel

from ..errors import BadInput
from .blocks import ConvNorm, CrossViewBlock, doubled
from .config import DINOV2_SIZES, Dinov2Config

# The transformer was trained on pictures normalised by ImageNet's mean and deviation; the reader's own
# normalisation, (value - 127) / 64, is undone for it.
_MEAN = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
_DEVIATION = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)


class Dinov2Trunk(nn.Module):
    """Tokens of ``taps`` layers, each brought to the neck's width, summed, mixed across views, upsampled
    four times: one heatmap cell per patch / 4 input pixels."""

    def __init__(self, config: Dinov2Config, views: int) -> None:
        super().__init__()
        architecture = Dinov2WithRegistersConfig.from_dict(dict(config.architecture))
        self.patch = architecture.patch_size
        if config.input_size % self.patch:
            raise BadInput(f"input size {config.input_size} is not a multiple of the patch size {self.patch}")
        depth = architecture.num_hidden_layers
        self.layers = [round(depth * (tap + 1) / config.taps) for tap in range(config.taps)]
        self.skip = 1 + architecture.num_register_tokens
        self.transformer = Dinov2WithRegistersModel(architecture)
        if config.checkpointing:
            # Layers keep their inputs only and are run again on the way back: about a third more time for a
            # fraction of the memory.
            self.transformer.activation_checkpointing_enable({"use_reentrant": False})
        self.width = config.neck
        width = architecture.hidden_size
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in self.layers])
        self.taps = nn.ModuleList([nn.Linear(width, config.neck) for _ in self.layers])
        self.cross = CrossViewBlock(config.neck, config.heads, views)
        self.smooth = nn.ModuleList([ConvNorm(config.neck, config.neck) for _ in range(2)])
        self.register_buffer("mean", _MEAN * 255, persistent=False)
        self.register_buffer("deviation", _DEVIATION * 255, persistent=False)

    @property
    def stride(self) -> float:
        return self.patch / 4

    def forward(self, pictures: Tensor, views: int, framings: Tensor) -> Tensor:
        """(B * views, 3, S, S) normalised pictures; framings (B * views, 2, 3): from their pixels to
        the panels -> (B * views, neck, 4 S / patch, 4 S / patch) features."""
        pixels = (pictures * 64 + 127 - self.mean) / self.deviation
        hidden = self.transformer(pixel_values=pixels, output_hidden_states=True).hidden_states
        side = pictures.shape[-1] // self.patch
        tokens = sum(
            tap(norm(hidden[layer][:, self.skip :]))
            for tap, norm, layer in zip(self.taps, self.norms, self.layers)
        )
        maps = tokens.transpose(1, 2).reshape(pictures.shape[0], -1, side, side)
        maps = self.cross(maps, views, framings, self.patch)
        for smooth in self.smooth:
            maps = smooth(doubled(maps))
        return maps

    def groups(self) -> tuple[list[nn.Parameter], list[nn.Parameter], list[list[nn.Parameter]]]:
        """Weights for Muon (none), for AdamW, and pretrained ones by layer, the embeddings first."""
        own, layers = [], [[] for _ in range(len(self.transformer.encoder.layer) + 1)]
        for name, weight in self.named_parameters():
            if not name.startswith("transformer."):
                own.append(weight)
            elif name.startswith("transformer.encoder.layer."):
                layers[int(name.split(".")[3]) + 1].append(weight)
            else:
                layers[0 if "embeddings" in name else -1].append(weight)
        return [], own, layers


def load_pretrained(config: Dinov2Config, offline: bool) -> tuple[Dinov2Config, dict[str, Tensor]]:
    """The transformer's weights, and ``config`` completed with its architecture.

    ``config.weights`` is a hub name (looked up in the local cache; downloaded unless ``offline``) or a
    folder with config.json and model.safetensors.
    """
    try:
        model = Dinov2WithRegistersModel.from_pretrained(config.weights, local_files_only=offline)
    except (OSError, ValueError) as error:
        raise BadInput(missing_weights(config.weights)) from error
    architecture = {key: value for key, value in model.config.to_diff_dict().items() if _plain(value)}
    return config.model_copy(update={"architecture": architecture}), model.state_dict()


def missing_weights(weights: str) -> str:
    return (
        f"{weights}: the pretrained weights are not here; fetch them once with `hf download "
        f"{weights if weights.count('/') == 1 else DINOV2_SIZES['base']}`, or pass --weights FOLDER, "
        "or use --backbone compact, which needs none"
    )


def _plain(value: object) -> bool:
    return isinstance(value, (str, int, float, bool, list, dict)) or value is None
