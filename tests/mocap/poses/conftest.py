# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The skeleton that poses are drawn for."""

import pytest

from tests.mocap import rigs


@pytest.fixture(scope="module")
def skeleton():
    return rigs.quadruped()
