# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import wave
from fractions import Fraction

import av
import cv2
import numpy as np
import pytest

from mocap import video
from mocap.errors import BadInput


def frame(number: int, width: int = 64, height: int = 48) -> np.ndarray:
    """Smooth, so that compression keeps it; its brightness tells which one it is."""
    image = np.zeros((height, width, 3), np.uint8)
    image[..., 0] = np.linspace(0, 120, width)
    image[..., 1] = 20 * number
    return image


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "a.mp4"
    with video.writer(path, 24000 / 1001, crf=10) as film:
        for number in range(7):
            film.write(frame(number))
    clip = video.Clip(path)
    assert clip.size == (64, 48)
    assert clip.count == 7
    assert clip.fps == pytest.approx(24000 / 1001)
    frames = list(clip)
    assert [f.seconds for f in frames] == pytest.approx([n * 1001 / 24000 for n in range(7)], abs=1e-4)
    for number, found in enumerate(frames):
        assert np.abs(found.image.astype(int) - frame(number)).mean() < 6


def test_times_are_the_frames_own(tmp_path):
    """A film with uneven times: number over rate would be wrong."""
    path = tmp_path / "uneven.mp4"
    ticks = [0, 100, 150, 400, 1000]
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        for number, tick in enumerate(ticks):
            picture = av.VideoFrame.from_ndarray(frame(number), format="rgb24")
            picture.pts, picture.time_base = tick, Fraction(1, 1000)
            container.mux(stream.encode(picture))
        container.mux(stream.encode())
    assert [f.seconds for f in video.Clip(path)] == pytest.approx([t / 1000 for t in ticks], abs=1e-3)


def test_odd_sizes_are_made_even(tmp_path):
    path = tmp_path / "odd.mp4"
    with video.writer(path, 10) as film:
        film.write(frame(1, 63, 47))
    assert video.Clip(path).size == (64, 48)


def test_nothing_is_left_of_a_film_that_failed(tmp_path):
    path = tmp_path / "a.mp4"

    def write_half() -> None:
        with video.writer(path, 10) as film:
            film.write(frame(0))
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        write_half()
    assert list(tmp_path.iterdir()) == []


def test_a_film_without_frames_is_refused(tmp_path):
    with pytest.raises(BadInput, match="no frames to write"), video.writer(tmp_path / "a.mp4", 10):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_pictures(tmp_path):
    for number in (2, 0, 1):
        cv2.imwrite(str(tmp_path / f"{number:03d}.png"), frame(number)[..., ::-1])
    (tmp_path / "notes.txt").write_text("not a picture")
    clip = video.Clip(tmp_path, folder_fps=10)
    frames = list(clip)
    assert clip.count == 3
    assert [f.seconds for f in frames] == pytest.approx([0, 0.1, 0.2])
    assert all((f.image == frame(number)).all() for number, f in enumerate(frames))


def test_pictures_of_different_size_are_refused(tmp_path):
    cv2.imwrite(str(tmp_path / "0.png"), frame(0))
    cv2.imwrite(str(tmp_path / "1.png"), frame(0, 32, 32))
    with pytest.raises(BadInput, match=r"1\.png: is 32x32"):
        list(video.Clip(tmp_path))


def test_clear_lines_for_bad_clips(tmp_path):
    with pytest.raises(BadInput, match="no such file"):
        video.Clip(tmp_path / "none.mp4")
    (tmp_path / "text.mp4").write_text("this is not a film")
    with pytest.raises(BadInput, match=r"text\.mp4: not a clip that can be read"):
        video.Clip(tmp_path / "text.mp4")
    with wave.open(str(tmp_path / "sound.wav"), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(b"\0\0" * 800)
    with pytest.raises(BadInput, match="has no video stream"):
        video.Clip(tmp_path / "sound.wav")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="a folder without pictures"):
        video.Clip(tmp_path / "empty")


def test_a_film_cut_short_says_so(tmp_path):
    path = tmp_path / "a.mp4"
    with video.writer(path, 10) as film:
        for number in range(30):
            film.write(np.random.default_rng(number).integers(0, 255, (48, 64, 3), np.uint8))
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(BadInput, match=r"a\.mp4"):
        list(video.Clip(path))
