# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Clips in and out: PyAV for films, OpenCV for folders of pictures. RGB uint8 throughout."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import av
import cv2
import numpy as np

from . import files
from .errors import BadInput

PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")
FOLDER_FPS = 24.0


class Frame(NamedTuple):
    """``seconds`` is the frame's own presentation time, not its number over the frame rate."""

    seconds: float
    image: np.ndarray
    """(H, W, 3) uint8 RGB."""


class Clip:
    """A film, or a folder of pictures in the order of their names, read frame by frame.

    size (width, height); fps is the average rate (``folder_fps`` for a folder, which has no times);
    count is the number of frames as announced, or as the duration tells; 0 where neither is known.
    Raises BadInput with one line where the clip is missing, cannot be read, or has no frames.
    """

    def __init__(self, path: str | os.PathLike, folder_fps: float = FOLDER_FPS) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise BadInput(f"{path}: no such file (clip)")
        if self.path.is_dir():
            self.pictures = _pictures(self.path)
            self.fps, self.count = float(folder_fps), len(self.pictures)
            first = _read_picture(self.pictures[0])
            self.size = first.shape[1], first.shape[0]
        else:
            self.pictures = []
            with _opened(self.path) as container:
                stream = _video_stream(container, self.path)
                rate = stream.average_rate or stream.guessed_rate
                if not rate:
                    raise BadInput(f"{path}: does not say its frame rate")
                self.fps = float(rate)
                self.count = stream.frames or _expected(container, self.fps)
                self.size = stream.codec_context.width, stream.codec_context.height

    @property
    def digest(self) -> str:
        """Of the file, or of all pictures."""
        if self.pictures:
            return files.digest_json([files.digest_file(path) for path in self.pictures])
        return files.digest_file(self.path)

    def __iter__(self) -> Iterator[Frame]:
        found = False
        for frame in self._from_folder() if self.pictures else self._from_film():
            found = True
            yield frame
        if not found:
            raise BadInput(f"{self.path}: has no frames")

    def _from_folder(self) -> Iterator[Frame]:
        for index, path in enumerate(self.pictures):
            image = _read_picture(path)
            if (image.shape[1], image.shape[0]) != self.size:
                raise BadInput(f"{path}: is {image.shape[1]}x{image.shape[0]}, the first picture {self.size}")
            yield Frame(index / self.fps, image)

    def _from_film(self) -> Iterator[Frame]:
        with _opened(self.path) as container:
            stream = _video_stream(container, self.path)
            stream.thread_type = "AUTO"
            try:
                for index, frame in enumerate(container.decode(stream)):
                    seconds = (
                        float(frame.pts * frame.time_base) if frame.pts is not None else index / self.fps
                    )
                    yield Frame(seconds, frame.to_ndarray(format="rgb24"))
            except av.FFmpegError as error:
                raise BadInput(f"{self.path}: breaks off: {error.strerror}") from error


def _opened(path: Path) -> av.container.InputContainer:
    try:
        return av.open(str(path))
    except av.FFmpegError as error:
        raise BadInput(f"{path}: not a clip that can be read ({error.strerror})") from error


def _video_stream(container: av.container.InputContainer, path: Path) -> av.VideoStream:
    if not container.streams.video:
        raise BadInput(f"{path}: has no video stream")
    return container.streams.video[0]


def _expected(container: av.container.InputContainer, fps: float) -> int:
    return round(container.duration / av.time_base * fps) if container.duration else 0


def _pictures(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURES)
    if not found:
        raise BadInput(f"{folder}: a folder without pictures ({', '.join(PICTURES)})")
    return found


def _read_picture(path: Path) -> np.ndarray:
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise BadInput(f"{path}: cannot be read as a picture")
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB)


def read_image(path: str | os.PathLike, what: str) -> np.ndarray:
    """A single picture (H, W, 3) RGB uint8; ``what`` names its role in the error line."""
    return _read_picture(files.existing_file(path, what))


class Film:
    """An H.264 film (yuv420p) being written; made by ``writer``."""

    def __init__(self, container: av.container.OutputContainer, fps: float, crf: float) -> None:
        self.container, self.crf = container, crf
        self.rate = Fraction(fps).limit_denominator(60000)
        self.frames = 0
        self.stream: av.VideoStream | None = None

    def write(self, image: np.ndarray) -> None:
        """Append an (H, W, 3) uint8 RGB frame. An odd last row or column is repeated: yuv420p needs even
        sizes."""
        odd = image.shape[0] % 2, image.shape[1] % 2
        if any(odd):
            image = cv2.copyMakeBorder(image, 0, odd[0], 0, odd[1], cv2.BORDER_REPLICATE)
        if self.stream is None:
            self.stream = self._open_stream(image.shape[1], image.shape[0])
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
        frame.pts, frame.time_base = self.frames, 1 / self.rate
        self.container.mux(self.stream.encode(frame))
        self.frames += 1

    def _open_stream(self, width: int, height: int) -> av.VideoStream:
        stream = self.container.add_stream("libx264", rate=self.rate)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.options = {"crf": str(self.crf), "preset": "veryfast"}
        return stream


@contextlib.contextmanager
def writer(path: str | os.PathLike, fps: float, crf: float = 18) -> Iterator[Film]:
    """Write a film: ``with writer(path, fps) as film: film.write(image)``.

    ``crf``: 0 lossless, 18 visually so, 28 small. The film appears at ``path`` only once it is whole.
    """
    with files.atomic_path(path) as temporary, av.open(str(temporary), "w", format="mp4") as container:
        film = Film(container, fps, crf)
        yield film
        if film.stream is None:
            raise BadInput(f"{path}: no frames to write")
        container.mux(film.stream.encode())
