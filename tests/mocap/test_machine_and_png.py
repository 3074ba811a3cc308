# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import cv2
import numpy as np

from mocap import machine, png


def test_png_reads_back_exactly():
    for shape in ((1, 1, 4), (17, 23, 4), (64, 3, 4)):
        pixels = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
        read = cv2.imdecode(np.frombuffer(png.encode(pixels), np.uint8), cv2.IMREAD_UNCHANGED)
        assert np.array_equal(read[..., [2, 1, 0, 3]], pixels)
        flipped = pixels[::-1]
        read = cv2.imdecode(np.frombuffer(png.encode(flipped), np.uint8), cv2.IMREAD_UNCHANGED)
        assert np.array_equal(read[..., [2, 1, 0, 3]], flipped)


def test_the_machine_tells_plausible_figures():
    assert machine.cores() >= 1
    free, peak = machine.free_memory_mb(), machine.peak_memory_mb()
    assert free is None or 10 < free < 1e8
    assert peak is None or 10 < peak < 1e6


def test_wsl_is_told_by_the_kernel(tmp_path):
    version = tmp_path / "version"
    version.write_text("Linux version 5.15.153.1-microsoft-standard-WSL2")
    assert machine.is_wsl(version)
    version.write_text("Linux version 6.8.0-45-generic (buildd@lcy02)")
    assert not machine.is_wsl(version)
    assert not machine.is_wsl(tmp_path / "none")
