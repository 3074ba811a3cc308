# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render training samples: random poses from every view with true labels, each decided by its index."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ...mocap import files, poses
from ...mocap.dataset import samples
from ...mocap.errors import BadInput
from ...mocap.layout import View
from ...mocap.poses import RandomPose
from ..motion.pose import joints as posed_joints
from ..motion.pose import set_pose
from . import cameras, engines, lights, paint, render
from .stage import Stage
from .visibility import Visibility


class DatasetStudio:
    """A stage made ready for samples of one engine; ``sample`` renders and writes one of them."""

    def __init__(self, stage: Stage, engine: str, seed: int, folder: Path):
        self.stage, self.engine, self.seed, self.folder = stage, engine, seed, folder
        self.cameras = cameras.add(stage.scene, stage.info.layout)
        paint.apply(stage.meshes, stage.info.skeleton)
        self.lights = lights.add(stage.scene)
        self.visibility = Visibility(stage)

    def missing(self, indices: Iterable[int]) -> list[int]:
        """Those of ``indices`` that are absent or torn. Raises BadInput where one is of another rig: it is
        somebody's work, and not replaced without being asked."""
        faults = {i: samples.fault(self.folder, i, self.stage.info.digest) for i in indices}
        stale = [i for i, why in faults.items() if why == "stale"]
        if stale:
            raise BadInput(
                f"{self.folder}: {len(stale)} samples (the first is {stale[0]:05d}) were rendered from another "
                "rig or layout; move the folder away and run the command again"
            )
        return [i for i, why in faults.items() if why]

    def sample(self, index: int) -> None:
        rng = poses.sample_rng(self.seed, index)
        pose = poses.random_pose(self.stage.info.skeleton, rng)
        lights.randomise(self.stage.scene, self.lights, rng)
        whens = self._exposure(pose)
        digests = {}
        for view in self.stage.info.layout.views:
            engines.prepare(self.stage.scene, self.engine, view.size, True, blurred=len(whens) > 2)
            picture = render.blurred(lambda when, v=view: self._shot(pose, v, when), whens)
            path = samples.picture_path(self.folder, index, view.name)
            render.write_png(path, picture)
            digests[view.name] = files.digest_file(path)
        self._pose(pose, 0.0)
        samples.write_meta(
            self.folder,
            samples.SampleMeta(
                index,
                self.seed,
                self.engine,
                self.stage.info.digest,
                pose.blurred,
                pose.root,
                pose.quats,
                {view.name: self._labels(view) for view in self.stage.info.layout.views},
                digests,
            ),
        )

    def _pose(self, pose: RandomPose, when: float) -> None:
        root, quats = pose.at(when)
        set_pose(self.stage.rig, self.stage.info.skeleton, root, quats)
        self.stage.update()

    def _shot(self, pose: RandomPose, view: View, when: float) -> np.ndarray:
        self._pose(pose, when)
        return render.shoot(self.stage.scene, self.cameras[view.name])

    def _exposure(self, pose: RandomPose) -> np.ndarray:
        if not pose.blurred:
            return np.zeros(1)
        ends = [
            self.stage.info.skeleton.pose(r[None], q[None]).joints[0]
            for r, q in (pose.at(-0.5), pose.at(0.5))
        ]
        pixels = self.stage.info.layout.project(np.array(ends))[0]
        return render.exposure(float(np.linalg.norm(pixels[1] - pixels[0], axis=-1).max()))

    def _labels(self, view: View) -> samples.ViewLabels:
        joints = posed_joints(self.stage.rig, self.stage.info.skeleton)
        pixels, depth = view.project(joints)
        return samples.ViewLabels(pixels, depth, self.visibility.visible(view, joints, pixels))
