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
from . import cameras, engines, lights, looks, paint, render, skin
from .stage import Stage
from .visibility import Visibility

MARGIN = 3
"""Pixels around the creature that are rendered, too: edges are smoothed over one and a half."""
SUPERSAMPLING = 2
"""Sharp Workbench pictures are rendered this many times as fine: its own smoothing costs five times as much."""
FLOOR = 4.0
"""Half the width of the floor that catches shadows, in heights of the creature."""


class DatasetStudio:
    """A stage made ready for samples of one engine; ``sample`` renders and writes one of them.

    ``paint_choice`` is one of looks.PAINTS; ``shifted``: other looks than any training sample has.
    """

    def __init__(
        self,
        stage: Stage,
        engine: str,
        seed: int,
        folder: Path,
        paint_choice: str = "painted",
        shifted: bool = False,
    ):
        self.stage, self.engine, self.seed, self.folder = stage, engine, seed, folder
        self.paint_choice, self.shifted = paint_choice, shifted
        self.skin_digest = skin.digest(stage)
        self.cameras = cameras.add(stage.scene, stage.info.layout)
        paint.apply(stage.meshes, stage.info.skeleton, shining=shifted)
        self.lights = lights.add(stage.scene)
        self.floor = lights.Floor(stage.scene, FLOOR * stage.info.skeleton.height)
        self.visibility = Visibility(stage)

    def missing(self, indices: Iterable[int]) -> list[int]:
        """Those of ``indices`` that are absent or torn. Raises BadInput where one is of another rig or skin: it
        is somebody's work, and not replaced without being asked."""
        faults = {i: samples.fault(self.folder, i, self.stage.info.digest, self.skin_digest) for i in indices}
        for why, of_what in (("stale", "rig or layout"), ("reskinned", "mesh or paint")):
            bad = [i for i, fault in faults.items() if fault == why]
            if bad:
                raise BadInput(
                    f"{self.folder}: {len(bad)} samples (the first is {bad[0]:05d}) were rendered from another "
                    f"{of_what}; move the folder away and run the command again"
                )
        self._same_skin_as_the_folder()
        return [i for i, why in faults.items() if why]

    def _same_skin_as_the_folder(self) -> None:
        there = samples.any_meta(self.folder)
        if there is not None and there.skin_digest != self.skin_digest:
            raise BadInput(
                f"{self.folder}: its samples (such as {there.index:05d}) were rendered from another mesh or "
                "paint; move the folder away and run the command again"
            )

    def sample(self, index: int) -> None:
        rng = poses.sample_rng(self.seed, index)
        pose = poses.random_pose(self.stage.info.skeleton, rng)
        looks_like = looks.of_sample(
            self.seed, index, self.engine, self.paint_choice, self.shifted, pose.blurred
        )
        lights.randomise(self.stage.scene, self.lights, rng)
        if self.shifted:
            lights.tint(self.stage.scene, self.lights, rng, self.engine)
        self._dress(looks_like)
        digests = {}
        for name, picture in self._pictures(pose, looks_like).items():
            path = samples.picture_path(self.folder, index, name)
            render.write_png(path, picture)
            digests[name] = files.digest_file(path)
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
                looks_like.painted,
                looks_like.shadows,
                self.skin_digest,
            ),
        )

    def _dress(self, looks_like: looks.Looks) -> None:
        paint.show(self.stage.meshes, looks_like.painted)
        self.floor.show(looks_like.shadows and self.engine == "cycles")
        self.stage.scene.display.shading.show_shadows = looks_like.shadows

    def _pictures(self, pose: RandomPose, looks_like: looks.Looks) -> dict[str, np.ndarray]:
        """Every view's panel, (H, W, 4) uint8 by name: the mean over the exposure."""
        views = self.stage.info.layout.views
        whens = self._exposure(pose)
        several = len(whens) > 2
        scale = 1 if several or self.engine == "cycles" else SUPERSAMPLING
        offsets = render.jitter(len(whens)) if several and self.engine == "workbench" else None
        panels = {view.name: render.Exposure(view.size) for view in views}
        for moment, when in enumerate(whens):
            self._pose(pose, float(when))
            points = skin.points(self.stage)
            for view in views:
                window = self._window(view, points, looks_like)
                engines.prepare(self.stage.scene, self.engine, view.size, looks_like.painted, blurred=True)
                if self.engine == "cycles":
                    engines.share_samples(self.stage.scene, moment, len(whens))
                offset = (0.0, 0.0) if offsets is None else tuple(offsets[moment])
                cameras.aim(self.stage.scene, self.cameras[view.name], view, window, scale, offset)
                panels[view.name].add(render.shoot(self.stage.scene, self.cameras[view.name]), window.slices)
        return {name: panel.picture() for name, panel in panels.items()}

    def _window(self, view: View, points: np.ndarray, looks_like: looks.Looks) -> cameras.Window:
        """What must be rendered. A shadow on the floor may lie anywhere."""
        if looks_like.shadows and self.engine == "cycles":
            return cameras.whole(view)
        return cameras.around(view, points, MARGIN)

    def _pose(self, pose: RandomPose, when: float) -> None:
        root, quats = pose.at(when)
        set_pose(self.stage.rig, self.stage.info.skeleton, root, quats)
        self.stage.update()

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
