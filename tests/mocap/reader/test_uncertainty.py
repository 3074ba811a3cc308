# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocap.reader import uncertainty


def readings(count: int = 20000):
    """Errors whose true deviation is three times the spread, capped; one in 50 is gross."""
    rng = np.random.default_rng(0)
    spread = np.exp(rng.uniform(np.log(0.003), np.log(0.1), count))
    error = np.linalg.norm(rng.normal(size=(count, 2)), axis=1) * 3 * spread
    error[rng.random(count) < 0.02] = 0.5
    return spread, error


def test_recovers_the_deviation_and_the_share_of_good_readings():
    fitted = uncertainty.fit(*readings())
    sigma, confidence = fitted.read(np.array([0.005, 0.02, 0.08]))
    assert sigma == pytest.approx([0.015, 0.06, 0.24], rel=0.1)
    assert confidence[0] == pytest.approx(0.98 * (1 - np.exp(-(0.05**2) / (2 * 0.015**2))), abs=0.03)
    assert confidence[2] < 0.1


def test_order_is_forced_where_the_data_breaks_it():
    rng = np.random.default_rng(1)
    fitted = uncertainty.fit(rng.uniform(0.01, 0.1, 300), rng.uniform(0, 0.2, 300))
    sigma, confidence = fitted.read(np.geomspace(1e-4, 1, 50))
    assert (np.diff(sigma) >= 0).all()
    assert (np.diff(confidence) <= 0).all()
    assert ((confidence >= 0) & (confidence <= 1)).all()


def test_survives_json_and_rejects_disorder():
    fitted = uncertainty.fit(*readings(500))
    assert uncertainty.Uncertainty.from_json(fitted.to_json()) == fitted
    with pytest.raises(ValueError, match="not monotone"):
        uncertainty.Uncertainty((0.1, 0.2), (0.2, 0.1), (0.9, 0.8))
    with pytest.raises(ValueError, match="different length"):
        uncertainty.Uncertainty((0.1,), (0.2, 0.3), (0.9, 0.8))


def test_one_value_of_spread_is_enough():
    fitted = uncertainty.fit(np.full(10, 0.02), np.linspace(0, 0.02, 10))
    assert fitted.read(np.array([0.02]))[1] == pytest.approx(1.0)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=12))
def test_pool_adjacent_is_sorted_and_keeps_the_mean(values):
    out = uncertainty.pool_adjacent(np.array(values), np.ones(len(values)))
    assert (np.diff(out) >= -1e-12).all()
    assert out.mean() == pytest.approx(np.mean(values), abs=1e-9)
    if values == sorted(values):
        assert out == pytest.approx(values)
