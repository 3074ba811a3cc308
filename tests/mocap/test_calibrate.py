# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import cv2
import numpy as np
import pytest

from mocap import calibrate, poses
from mocap.errors import BadInput
from tests.mocap import synthetic

RIG = synthetic.rig_info(192)


def sheet(seed: int, grey: int = 150) -> np.ndarray:
    """The stick creature in a random pose on grey, both panels."""
    pose = poses.random_pose(RIG.skeleton, poses.sample_rng(seed, 0))
    joints = RIG.skeleton.pose(pose.root[None], pose.quats[None]).joints[0]
    out = []
    for view in range(2):
        rgba = synthetic.draw(RIG, joints, view)[0]
        alpha = rgba[..., 3:] / 255
        out.append((rgba[..., :3] * alpha + grey * (1 - alpha)).astype(np.uint8))
    return np.hstack(out)


def drifted(image: np.ndarray, scale: float, shift: tuple[float, float]) -> np.ndarray:
    """Each panel with clip = scale * layout + shift, pixel centres at 0.5."""
    matrix = np.array([[scale, 0, shift[0]], [0, scale, shift[1]]], float)
    matrix[:, 2] += 0.5 * scale - 0.5
    half = image.shape[1] // 2
    panels = [image[:, :half], image[:, half:]]
    return np.hstack(
        [cv2.warpAffine(p, matrix, (half, half), borderMode=cv2.BORDER_REPLICATE) for p in panels]
    )


@pytest.mark.parametrize(("scale", "shift"), [(1.0, (0.0, 0.0)), (1.06, (-8.0, 3.5)), (0.93, (9.0, 2.0))])
def test_recovers_scale_and_shift(scale, shift):
    reference = sheet(3)
    noise = np.random.default_rng(0).normal(0, 4, reference.shape)
    first = np.clip(drifted(reference, scale, shift) * 0.9 + 8 + noise, 0, 255).astype(np.uint8)
    corners = np.array([[0.0, 0.0], [192.0, 192.0], [60.0, 120.0]])
    for drift in calibrate.estimate(reference, first, RIG.layout):
        assert drift.used
        assert drift.scale == pytest.approx(scale, abs=0.004)
        moved = corners * scale + np.array(shift)
        assert np.abs(drift.to_layout(moved) - corners).max() < 0.6
        assert "not used" not in drift.describe("front")


def test_another_pose_is_reported_and_not_used():
    for drift in calibrate.estimate(sheet(3), sheet(8), RIG.layout):
        assert not drift.used
        assert drift.magnification == 1.0
        assert (drift.to_layout(np.array([5.0, 6.0])) == [5, 6]).all()
        assert "not used, the first frame does not match" in drift.describe("front")


def test_plain_pictures_are_not_used():
    grey = np.full((192, 384, 3), 90, np.uint8)
    assert not any(drift.used for drift in calibrate.estimate(grey, grey, RIG.layout))


def test_frame_size():
    calibrate.check_size((384, 192), RIG.layout, "clip.mp4")
    calibrate.check_size((1536, 768), RIG.layout, "clip.mp4")
    calibrate.check_size((766, 384), RIG.layout, "clip.mp4")
    with pytest.raises(BadInput, match=r"clip\.mp4: wrong frame size 1920x1080, the layout is 384x192"):
        calibrate.check_size((1920, 1080), RIG.layout, "clip.mp4")


def test_panels_are_cut_by_the_layout():
    frame = np.zeros((384, 768, 3), np.uint8)
    frame[:, 384:] = 200
    front, side = calibrate.panels(frame, RIG.layout)
    assert front.shape == side.shape == (192, 192, 3)
    assert front.max() == 0
    assert side.min() == 200
