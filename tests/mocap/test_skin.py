# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from mocap import skin
from mocap.errors import BadInput
from tests.mocap import synthetic

RIG = synthetic.rig_info(96)


def test_round_trip(tmp_path):
    made = synthetic.skin(RIG)
    made.save(tmp_path / "skin.npz")
    again = skin.load(tmp_path / "skin.npz", RIG.skeleton)
    assert again.digest == made.digest
    assert np.allclose(again.points, made.points, atol=1e-6)


def test_every_weight_is_kept_strongest_first_and_sums_to_one():
    table = np.array([[0.4, 0.3, 0.2, 0.04, 0.06], [0, 0, 0, 0, 0], [0, 0, 2, 0, 0]])
    made = skin.Skin.build(np.eye(3), [[0, 1, 2]], table)
    assert made.bones[0].tolist() == [0, 1, 2, 4, 3]
    assert np.allclose(made.weights[0], [0.4, 0.3, 0.2, 0.06, 0.04])
    assert np.allclose(made.weights.sum(1), 1)


def test_a_vertex_belongs_to_the_bone_that_is_as_strong_there_as_anywhere():
    # body, an ear that shares all of its skin with it, a bone that hardly moves anything
    table = np.array([[1, 0, 0], [0.55, 0.45, 0], [0.7, 0.3, 0], [0.85, 0, 0.15]])
    assert skin.owners(table).tolist() == [0, 1, 0, 0]
    made = skin.Skin.build(np.eye(4, 3), [[0, 1, 2]], table)
    assert made.owner.tolist() == [0, 1, 0, 0]


def test_vertices_in_one_place_are_welded():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1e-9, 0, 0], [0, 1, 1]])
    made = skin.Skin.build(points, [[0, 1, 2], [3, 2, 4]], np.ones((5, 1)))
    assert made.welded[0] == made.welded[3]
    assert len(set(made.welded)) == 4


def test_what_is_no_skin_is_one_line(tmp_path):
    with pytest.raises(BadInput, match=r"skin\.npz: no such file \(the rig's skin\); adopt the rig again"):
        skin.load(tmp_path / "skin.npz", RIG.skeleton)
    (tmp_path / "text.npz").write_bytes(b"hello")
    with pytest.raises(BadInput, match=r"text\.npz: not a skin file"):
        skin.load(tmp_path / "text.npz", RIG.skeleton)
    np.savez(tmp_path / "other.npz", schema=np.int64(1), points=np.zeros((3, 3)))
    with pytest.raises(BadInput, match=r"other\.npz: skin lacks the field"):
        skin.load(tmp_path / "other.npz", RIG.skeleton)
    made = skin.Skin.build(np.eye(3), [[0, 1, 2]], np.eye(3, 99)[:, ::-1])
    made.save(tmp_path / "else.npz")
    with pytest.raises(BadInput, match="belongs to another rig"):
        skin.load(tmp_path / "else.npz", RIG.skeleton)


def test_impossible_skins_are_refused():
    with pytest.raises(ValueError, match="vertex that does not exist"):
        skin.Skin.build(np.eye(3), [[0, 1, 3]], np.ones((3, 1)))
    with pytest.raises(ValueError, match="finite"):
        skin.Skin.build(np.full((3, 3), np.nan), [[0, 1, 2]], np.ones((3, 1)))
