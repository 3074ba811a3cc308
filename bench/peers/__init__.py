# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Plain readers of about the compact network's cost, to measure it against.

Each is made by (joints, size) and sees one picture at a time: there is nothing between the views. Pictures are
(N, 3, S, S) float, points (N, J, 2) input pixels, inside (N, J) bool, as in training.
"""

from .base import Peer
from .mean_pose import MeanPose
from .simcc import SimCC
from .unet import UNet

PEERS: dict[str, type[Peer]] = {"mean pose": MeanPose, "unet, mse": UNet, "simcc": SimCC}

__all__ = ["PEERS", "MeanPose", "Peer", "SimCC", "UNet"]
