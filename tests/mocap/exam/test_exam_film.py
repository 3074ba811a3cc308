# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The exam's clip, clean."""

import numpy as np
import pytest

from mocap import cli
from mocap.errors import BadInput
from mocap.exam import film
from mocap.exam.__main__ import main
from tests.mocap.exam.sitting import FRAMES, decode


def test_video_shows_the_panels_side_by_side_frame_by_frame(rendered, tmp_path):
    clip = tmp_path / "clip.mp4"
    assert cli.run(main, ["video", str(rendered), str(clip), "24"]) == 0
    frames, rate = decode(clip)
    assert frames.shape == (FRAMES, 200, 400, 3)
    assert rate == 24
    level = frames[:, 60:140, 60:140, 1].mean((1, 2))
    np.testing.assert_allclose(level, 10 * np.arange(FRAMES), atol=8)
    assert frames[5, 100, 100, 0] < 100 < frames[5, 100, 300, 0], "front first, then side (red)"
    np.testing.assert_allclose(frames[5, 10, 10], 128, atol=4)


def test_procedural_backdrop_is_decided_by_its_seed(rendered, tmp_path):
    same, again, other = (film.background("procedural", (64, 96), s) for s in (3, 3, 4))
    np.testing.assert_array_equal(same, again)
    assert np.abs(same.astype(int) - other).mean() > 3
    assert 3 < same.std() < 60
    clip = tmp_path / "clip.mp4"
    film.film(rendered, clip, 12.0, "procedural", 3)
    frames, _ = decode(clip)
    np.testing.assert_allclose(frames[0, 100, 100], [0, 0, 0], atol=12)


def test_a_missing_or_spoilt_picture_is_named_and_no_video_is_left(rendered, tmp_path):
    clip = tmp_path / "clip.mp4"
    (rendered / "side" / "00007.png").rename(tmp_path / "away.png")
    with pytest.raises(BadInput, match=r"side: 00007\.png is missing"):
        film.film(rendered, clip, 24.0, "plain", 0)
    (rendered / "side" / "00007.png").write_bytes(b"broken")
    with pytest.raises(BadInput, match=r"00007\.png: not an 8-bit RGBA"):
        film.film(rendered, clip, 24.0, "plain", 0)
    assert not clip.exists()
