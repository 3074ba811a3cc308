# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A real encoder and decoder in memory: pictures in, what is left of them out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import av
import cv2
import numpy as np

_DECODERS = {"libx264": "h264", "mpeg4": "mpeg4"}


def recoded(frames: Sequence[np.ndarray], codec: str, options: dict[str, str]) -> list[np.ndarray]:
    """RGB frames (h, w, 3) of one size, encoded as one clip by ``codec`` (yuv420p) and decoded again."""
    height, width = frames[0].shape[:2]
    encoder, decoder = av.CodecContext.create(codec, "w"), av.CodecContext.create(_DECODERS[codec], "r")
    # yuv420p needs even sides.
    encoder.width, encoder.height, encoder.pix_fmt = width + width % 2, height + height % 2, "yuv420p"
    encoder.time_base, encoder.options = Fraction(1, 24), options
    # Small pictures: threads would cost more than they bring.
    encoder.thread_count = decoder.thread_count = 1
    packets = []
    for index, image in enumerate(frames):
        even = cv2.copyMakeBorder(image, 0, height % 2, 0, width % 2, cv2.BORDER_REPLICATE)
        frame = av.VideoFrame.from_ndarray(even, format="rgb24")
        frame.pts = index
        packets += encoder.encode(frame)
    packets += encoder.encode(None)
    decoded = [frame for packet in (*packets, None) for frame in decoder.decode(packet)]
    return [frame.to_ndarray(format="rgb24")[:height, :width] for frame in decoded]
