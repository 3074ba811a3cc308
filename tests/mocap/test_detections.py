# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""det.npz: validation and files."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mocap import poses
from mocap.detections import Detections
from mocap.errors import BadInput
from tests.mocap import rigs


@pytest.fixture(scope="module")
def detections() -> Detections:
    info = rigs.rig_info()
    motion = poses.random_motion(info.skeleton, 1, 10, 24.0, info.digest)
    return rigs.detections(info, motion.joints(info.skeleton), noise=2.0, missing=0.2)


def test_file_round_trip(detections, tmp_path):
    detections.save(tmp_path / "det.npz")
    back = Detections.load(tmp_path / "det.npz")
    np.testing.assert_allclose(back.positions, detections.positions, atol=1e-3)
    np.testing.assert_array_equal(back.confidence, detections.confidence)
    assert back.layout == detections.layout
    assert back.joint_names == detections.joint_names
    assert back.rig_digest == detections.rig_digest


def nan_at(array, index):
    out = np.array(array, float)
    out[index] = np.nan
    return out


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: {"positions": nan_at(d.positions, (3, 0, 0, 1))}, "frame 3"),
        (lambda d: {"sigma": np.zeros_like(d.sigma)}, "sigma must be positive"),
        (lambda d: {"confidence": d.confidence * 2}, "confidence"),
        (lambda d: {"confidence": nan_at(d.confidence, (0, 0, 0))}, "confidence must be finite"),
        (lambda d: {"positions": d.positions[:, :1]}, "shape"),
        (lambda d: {"times": d.times[:0]}, "no frames"),
        (lambda d: {"fps": 0.0}, "fps"),
    ],
)
def test_impossible_detections_are_refused(detections, change, told):
    with pytest.raises(ValueError, match=told):
        replace(detections, **change(detections))


def test_files_that_are_no_detections_are_named(detections, tmp_path):
    path = tmp_path / "det.npz"
    for content in (b"", b"not a zip", b"PK\x03\x04 broken"):
        path.write_bytes(content)
        with pytest.raises(BadInput, match=r"det\.npz: not a detections file"):
            Detections.load(path)
    with pytest.raises(BadInput, match="no such file"):
        Detections.load(tmp_path / "absent.npz")


def test_a_lacking_array_and_a_wrong_schema_are_named(detections, tmp_path):
    path = tmp_path / "det.npz"
    detections.save(path)
    with np.load(path) as stored:
        arrays = dict(stored)
    np.savez(path, **{k: v for k, v in arrays.items() if k != "sigma"})
    with pytest.raises(BadInput, match="sigma"):
        Detections.load(path)
    header = json.loads(str(arrays["header"])) | {"schema": 7}
    np.savez(path, **(arrays | {"header": np.array(json.dumps(header))}))
    with pytest.raises(BadInput, match="schema 7"):
        Detections.load(path)


def test_pickled_objects_are_never_loaded(detections, tmp_path):
    path = tmp_path / "det.npz"
    np.savez(path, header=np.array({"kind": "object"}, dtype=object), allow_pickle=True)
    with pytest.raises(BadInput, match="not a detections file"):
        Detections.load(path)
