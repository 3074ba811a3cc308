# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A solve that is compared with its clip's pictures comes nearer to the truth, and never farther from it."""

from __future__ import annotations

import numpy as np
import pytest

from mocap import poses
from mocap.errors import BadInput
from mocap.exam.readings import Trouble, made_up_readings
from mocap.refine import Looker
from mocap.refine.evidence import Evidence, Seen, writer
from mocap.solve import Settings, solve
from tests.mocap import synthetic
from tests.mocap.refine import clip

FRAMES = 40
SETTINGS = Settings(calibrate=False)
LASTING = Trouble(8, correlation=0.95)
"""A reader that is wrong for many frames alike, which joints alone cannot show."""


@pytest.fixture(scope="module")
def info():
    return synthetic.rig_info(size=256)


@pytest.fixture(scope="module")
def motion(info):
    return poses.random_motion(info.skeleton, 5, FRAMES, 24.0, info.digest)


@pytest.fixture(scope="module")
def skin(info):
    return synthetic.skin(info)


@pytest.fixture(scope="module")
def errors(info, motion, skin, tmp_path_factory):
    """errors(trouble, inflate, painted): mean errors in % of the height, plain and compared, and the solve."""
    truth = motion.joints(info.skeleton)
    which = ~info.skeleton.is_marker

    def error(solved):
        far = np.linalg.norm(solved.motion.joints(info.skeleton) - truth, axis=-1)
        return 100 * float(far[:, which].mean()) / info.skeleton.height

    def measure(trouble, inflate=0.0, painted=True):
        folder = tmp_path_factory.mktemp("film")
        seen = clip.film(folder / "e.zip", info, motion, clip.inflated(skin, inflate), painted)
        read = made_up_readings(info, truth, trouble, seed=3)
        plain = solve(read, info, SETTINGS)
        compared = solve(read, info, SETTINGS, pictures=Looker(seen, info.skeleton, skin))
        assert plain.compared is None
        return error(plain), error(compared), compared

    return measure


def test_comparing_brings_a_lasting_error_down(errors):
    plain, compared, solved = errors(LASTING)
    assert compared < 0.5 * plain
    assert solved.compared[1] > solved.compared[0]


@pytest.mark.parametrize(
    ("inflate", "painted"),
    [(0.02, True), (0.0, False), (0.02, False)],
    ids=["fatter", "grey", "fatter and grey"],
)
def test_a_picture_that_is_a_little_different_still_helps(errors, inflate, painted):
    """Limbs 11% of the height thick where the rig has 7%; other shading, one grey for all limbs."""
    plain, compared, _ = errors(LASTING, inflate, painted)
    assert compared < 0.6 * plain


def test_good_readings_are_not_spoilt(errors):
    for inflate in (0.0, 0.02):
        plain, compared, _ = errors(Trouble(1), inflate)
        assert compared < max(1.1 * plain, 0.3)


def test_evidence_of_other_limbs_is_refused(info, skin, tmp_path):
    with writer(tmp_path / "e.zip", info.digest, (0, 1), {}) as out:
        out.add(
            Seen(
                np.zeros((1, 2, 2, 3)),
                np.zeros((1, 2, 8, 8, 3), np.uint8),
                np.zeros((1, 2, 4, 4, 3), np.uint8),
            )
        )
    with pytest.raises(BadInput, match="its limbs are not the rig's"):
        Looker(Evidence(tmp_path / "e.zip", info.digest), info.skeleton, skin)
