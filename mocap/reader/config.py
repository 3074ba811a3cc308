# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What a reader and its training are made of, validated; stored in every checkpoint."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from ..errors import BadInput

DINOV2_SIZES = {size: f"facebook/dinov2-with-registers-{size}" for size in ("small", "base", "large")}
"""Names on the Hugging Face hub; base is the default."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CompactConfig(_Model):
    """A small convolutional network that trains from scratch on two CPU cores."""

    kind: Literal["compact"] = "compact"
    input_size: int = Field(192, ge=64, multiple_of=32)
    widths: tuple[int, int, int, int] = (32, 64, 96, 128)
    """Channels at strides 4, 8, 16 and 32."""
    blocks: tuple[int, int, int] = (1, 1, 2)
    """Residual blocks at strides 4, 8 and 16; one more at stride 32."""
    neck: int = Field(64, ge=8)
    heads: int = Field(4, ge=1)

    @model_validator(mode="after")
    def _heads_divide(self) -> CompactConfig:
        if self.widths[-1] % self.heads:
            raise ValueError(f"{self.heads} attention heads do not divide {self.widths[-1]} channels")
        return self


class Dinov2Config(_Model):
    """A pretrained vision transformer (DINOv2 with registers) under a heatmap head."""

    kind: Literal["dinov2"] = "dinov2"
    input_size: int = Field(252, ge=28)
    weights: str = DINOV2_SIZES["base"]
    """Where the pretrained weights came from: a name on the Hugging Face hub or a local folder."""
    architecture: dict[str, Any] = {}
    """The transformer's own configuration, so that a checkpoint needs no download to be rebuilt."""
    taps: Annotated[int, Field(ge=1)] = 4
    """How many layers, evenly spaced up to the last, the head reads."""
    neck: int = Field(192, ge=8)
    heads: int = Field(8, ge=1)
    checkpointing: bool = True
    """Keep each layer's input only while training, and run the layer again for its gradient."""


BackboneConfig = Annotated[CompactConfig | Dinov2Config, Field(discriminator="kind")]
_BACKBONE = TypeAdapter(BackboneConfig)


def backbone_config(data: dict[str, Any], where: str) -> CompactConfig | Dinov2Config:
    """Validate a stored backbone configuration; ``where`` names the file in the error line."""
    return _validated(lambda: _BACKBONE.validate_python(data), where)


class TrainConfig(_Model):
    """How a reader is trained. ``batch`` counts samples (pairs of views) in one optimiser step."""

    batch: int = Field(ge=1)
    seed: int = Field(0, ge=0)
    pairs: int = Field(ge=1)
    """Samples (pairs of views) shown in an epoch, each time framed and degraded anew."""
    stream: float = Field(0.0, ge=0, le=1)
    """Share of them that is drawn fresh by the rasteriser; the others are rendered samples."""
    reuse: int = Field(3, ge=1)
    """How often a drawn sample is shown."""
    mask_share: float = Field(0.25, ge=0, le=1)
    """Share of a batch whose masks are learned: they are large, and few teach nearly as much."""
    marker_share: float = Field(0.5, gt=0, le=1)
    """Share of the markers whose heatmaps are learned in a step, others each time."""
    muon_lr: float = Field(gt=0)
    adamw_lr: float = Field(gt=0)
    backbone_lr: float = Field(gt=0)
    """Of the last pretrained layer; pretrained weights move less."""
    layer_decay: float = Field(0.8, gt=0, le=1)
    """Each pretrained layer's rate is this share of the next layer's."""
    frozen_epochs: int = Field(0, ge=0)
    """Epochs at the beginning in which pretrained weights do not move: the new head must not shake them."""
    weight_decay: float = Field(2e-2, ge=0)
    warm_up: float = Field(0.06, ge=0, lt=1)
    """Share of the schedule in which the learning rate rises."""
    ema: float = Field(0.995, gt=0, lt=1)
    clip: float = Field(5.0, gt=0)
    """Largest norm of the gradient."""
    whole_share: float = Field(0.1, ge=0, le=1)
    """Share of the training pictures that show the whole panel, as the first pass of reading does."""
    sigma_cells: float = Field(1.5, gt=0)
    """Standard deviation of the target heatmaps, in cells."""
    start: str | None = None
    """What a compact reader began with: "shipped", or a start.pt's path; None: noise."""
    processes: int = Field(1, ge=1)
    """Processes that share each batch."""
    precision: Literal["float32", "bfloat16"] = "float32"
    channels_last: bool = True
    photographs: str | None = None


def train_config(data: dict[str, Any], where: str) -> TrainConfig:
    return _validated(lambda: TrainConfig.model_validate(data), where)


def _validated(build, where: str):
    try:
        return build()
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"{where}: {field}: {first['msg']} (found {first['input']!r})") from error
