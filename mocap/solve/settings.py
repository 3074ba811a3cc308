# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What the solver believes before it has seen a clip, and how it goes about its search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Stage(NamedTuple):
    """One stage of graduated robustness: ``widen`` multiplies the scale of the robust loss."""

    widen: float
    iterations: int
    limit_softness_deg: float
    """Standard deviation by which a joint limit may be overstepped."""


@dataclass(frozen=True)
class Settings:
    """Angles in degrees, lengths in shares of the creature's height, per frame at 24 fps."""

    stages: tuple[Stage, ...] = (
        Stage(8, 3, 2.0),
        Stage(4, 3, 2.0),
        Stage(2, 1, 2.0),
        Stage(2, 1, 2.0),
        *(Stage(1, 1, 2.0),) * 5,
        Stage(1, 12, 0.5),
    )
    """Smoothness is learned anew before each but the first; it settles more slowly than the motion does,
    hence the many short ones."""
    robust_scale: float = 1.25
    """Where the robust loss bends, in standard deviations of a typical reading."""
    robust_shape: float = 0.5
    """Between 1 (Huber: best on a reader's correlated errors) and 0 (Cauchy: best on stray readings)."""
    weight_floor: float = 0.15
    """A reading's weight relative to a typical one is never less: the views share only the height, so a
    weightless reading of a hidden foot would leave its depth to the prior."""
    marker_worth: float = 0.4
    """A marker's weight relative to a joint's of the same sigma. A reader's errors go along with the whole
    limb and last for many frames; through a marker's short lever they would turn the bone."""
    sigma_floor_px: float = 0.25
    """No reading is trusted beyond this, whatever it says of itself."""
    unread_below: float = 0.05
    """A confidence under this means that the joint was not read."""
    rest_swing_deg: float = 60.0
    rest_twist_deg: float = 15.0
    habit_spread_deg: float = 10.0
    """By so much more than the rig's own clips show a bone may turn from its mean; for single views."""
    depth_error: float = 0.06
    """Standard deviation of a joint's depth as guessed from a single view, in heights."""
    distance_error: float = 0.05
    """By so many heights the root of a creature seen in a single view may be nearer or farther than at rest."""
    guess_error: float = 0.09
    """What a place seen in a single view is wrong by on top of what the equations tell, in heights: depth is misjudged
    alike for many frames. Measured in exams."""
    bone_acceleration_deg: float = 4.0
    root_acceleration_deg: float = 2.0
    translation_acceleration: float = 0.03
    learn_smoothness: bool = True
    calibrate: bool = True
    scale_fault: float = 0.05
    offset_fault: float = 0.05
    yaw_fault_deg: float = 5.0
    """How far a view may be off: the logarithm of its scale, its height in shares of the creature's, its turn."""
    fault_shares: tuple[float, ...] = (1.0, 0.4, 0.15)
    """Of that, what is expected of the constant, the slope and the bend over the clip."""
    fault_believed: float = 3.5
    """A view that is off by less than so many standard deviations of a typical reading, in shares of the creature's
    height, is taken to be right: a reader that shrinks what it is unsure of looks just like it."""
    lasting_error: float = 1.0
    """A reader errs at a joint much alike through a whole clip, and no residual shows it: by so much of the standard
    deviation that it states. Measured in exams; 0 for readings whose errors are independent."""
    find_contacts: bool = True
    contact_seconds: float = 0.12
    contact_lift: float = 0.025
    contact_reach: float = 0.08
    contact_speed: float = 0.12
    contact_drift: float = 0.015
    contact_hold: float = 0.004
    """A contact lasts this long, within this height above the joint's own lowest and that above the ground, slower
    than this a second, never farther than this from its middle; it is held to its middle with this deviation."""
    looks: int = 2
    """How often, at most, the pose is drawn and compared with the pictures, where there are any."""
    look_stages: tuple[Stage, ...] = (Stage(1, 2, 0.5), Stage(1, 1, 0.5))
    """What follows each look."""
    tolerance: float = 1e-4
    """A stage ends where one iteration lowers the cost by a smaller share."""
    correct_swaps: bool = True
    median_frames: int = 5
    window_frames: int = 360
    """Longer clips are solved in windows of this many frames: time stays linear, memory bounded."""
    overlap_frames: int = 48
    """By this much neighbouring windows overlap; across it one fades into the other."""
    least_read: float = 0.3
    """Share of joints and frames that two views must show; with less the clip counts as unreadable."""
    agreeing_weight: float = 0.4
    """A reading whose robust weight is below this disagrees with the solve."""
    lost_above: float = 0.08
    most_lost: float = 0.5
    """A joint is lost where its estimated error is above this share of the height; a clip where more than this share
    of its joints is."""
    lost_above_alone: float = 0.25
    """The same for a single view, of which nobody expects more."""
    worst_residual: float = 0.1
    """A median distance (share of height) between solved and read joints above this is a refusal."""
