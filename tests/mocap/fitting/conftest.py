# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Coarser solids: these bodies are simple."""

from __future__ import annotations

import pytest

from mocap.fitting import voxels


@pytest.fixture(autouse=True, scope="package")
def coarse():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(voxels, "RESOLUTION", 100)
        patch.setattr(voxels, "MOST", 60_000)
        yield
