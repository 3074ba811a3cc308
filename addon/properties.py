# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of each step, kept with the scene. Few: whatever the toolkit finds out by itself is no setting."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from . import preferences
from .operators.build_rig import TEMPLATES
from .operators.rig_options import AXIS_ITEMS
from .studio import engines, looks

SOURCES = [
    ("FILE", "File", "A rig or a bare mesh from a glb, gltf, fbx or blend file"),
    ("SCENE", "Selected", "The active armature, or the selected meshes, of the open scene"),
    ("SHIPPED", "Example", "One of the creatures that come with Anymove"),
]
SHIPPED = [(name, name.title(), "") for name in ("wolf", "spider", "dragon", "demon")]
BACKBONES = [
    ("auto", "Auto", "DINOv2 where a GPU computes and its weights can be had, else Compact"),
    ("compact", "Compact", "A small network that learns from scratch, on a CPU, too"),
    ("dinov2", "DINOv2", "A large pretrained network; wants a GPU"),
]


_TURN = 2 * math.pi


def _clip_names(settings, context, typed):
    from . import session

    road = session.road(context)
    return [name for name in (road.clips if road else ()) if typed.lower() in name.lower()]


def _creatures(settings, context, typed):
    home = settings.home
    if home is None:
        return []
    found = home.parent.glob("*/rigged/rig_info.json")
    names = (path.parents[1].name for path in found if path.parents[1] != home)
    return sorted(name for name in names if typed.lower() in name.lower())


class ANYMOVE_Settings(bpy.types.PropertyGroup):
    # Creature
    name: StringProperty(
        name="Name", description="What the creature is called: its folders are assets/<name> and runs/<name>"
    )
    project: StringProperty(
        name="Folder",
        description="Folder that holds assets/ and runs/; empty: as in the preferences",
        subtype="DIR_PATH",
    )
    source: EnumProperty(name="From", description="Where the creature comes from", items=SOURCES)
    rig_file: StringProperty(name="File", description="The rig: glb, gltf, fbx or blend", subtype="FILE_PATH")
    shipped: EnumProperty(name="Example", description="Which of the shipped creatures", items=SHIPPED)
    facing: EnumProperty(
        name="Facing", description="Which way the creature looks in its file", items=AXIS_ITEMS
    )
    height: FloatProperty(
        name="Height (cm)",
        description="Real height of the creature in centimetres; 0: as the file has it",
        min=0,
        max=100_000,
        precision=1,
    )
    template: EnumProperty(
        name="Body", description="What kind of body a mesh without armature has", items=TEMPLATES
    )
    hold_out: StringProperty(
        name="Hold Out",
        description="Clips, a comma between, that the joint limits must not learn from, for fair exams",
    )
    replace: BoolProperty(
        name="Replace", description="Put aside the rig that is there, and this one in its place"
    )
    # Studio
    pose_count: IntProperty(
        name="Poses", description="How many random poses the sheet shows", default=24, min=1, max=200
    )
    # Dataset
    samples: IntProperty(
        name="Samples",
        description="How many poses to render, each from both views",
        default=600,
        min=8,
        max=1_000_000,
    )
    processes: IntProperty(
        name="Processes",
        description="How many Blenders render side by side; fewer are used where memory is short",
        default=2,
        min=1,
        max=64,
    )
    engine: EnumProperty(
        name="Engine",
        description="Auto: Cycles where a GPU renders, else Workbench",
        items=[(name, name.title(), "") for name in engines.ENGINES],
    )
    paint: EnumProperty(
        name="Paint",
        description="Limbs in colours of their own, which makes them easier to tell apart",
        items=[(name, name.title(), "") for name in looks.PAINTS],
    )
    # Reader
    epochs: IntProperty(
        name="Epochs", description="Passes over the samples, in total", default=16, min=1, max=10_000
    )
    backbone: EnumProperty(name="Network", description="What reads the pictures", items=BACKBONES)
    restart: BoolProperty(
        name="Begin Anew", description="Forget what was trained before, instead of going on from there"
    )
    # Capture
    clip: StringProperty(
        name="Clip",
        description="A film of the creature, or a folder of pictures, framed like the reference sheet",
        subtype="FILE_PATH",
    )
    calibrate: BoolProperty(
        name="Calibrate",
        description="Find out how far the clip's framing is off the reference sheet's; off: it is exact",
        default=True,
    )
    pictures: BoolProperty(
        name="Compare Pictures",
        description="Compare the solve with the pictures: better, but takes several times as long",
        default=True,
    )
    # Exam
    exam_clip: StringProperty(
        name="Motion",
        description="One of the rig's own clips; empty: a made-up motion",
        search=_clip_names,
        search_options={"SUGGESTION"},
    )
    exam_frames: IntProperty(name="Frames", description="Length of the exam", default=72, min=4, max=10_000)
    exam_seed: IntProperty(name="Seed", description="Decides the made-up motion", default=1, min=0)
    exam_hard: BoolProperty(
        name="Hard", description="Spoil the film by known amounts: compression, drift, lost frames"
    )
    # Motion
    motion_file: StringProperty(
        name="Motion",
        description="A solved motion; empty: the last capture's, else the last exam's",
        subtype="FILE_PATH",
    )
    start_frame: IntProperty(
        name="Start Frame", description="Frame of the scene at which the motion begins", default=1
    )
    in_place: BoolProperty(
        name="In Place", description="Without travel: the root stays where it stands at rest"
    )
    controls: BoolProperty(
        name="Drive Controls",
        description="Key the rig's controls (IK handles and poles), not its deform bones",
    )
    copy_to: StringProperty(
        name="Copy To",
        description="Another creature of the same folder, whose rig is to get the motion",
        search=_creatures,
    )
    export_file: StringProperty(
        name="Export To",
        description="File for other programs: .glb, .fbx, .usd, .bvh or .npz",
        subtype="FILE_PATH",
    )
    nla: BoolProperty(name="NLA Strip", description="Leave the motion as a strip on an NLA track of its own")
    # What the view shows
    show_limits: BoolProperty(name="Joint Limits", description="Show how far the selected bones may turn")
    show_joints: BoolProperty(name="Joints", description="Show the points that are read, in their colours")
    show_ghost: BoolProperty(
        name="Solved Ghost", description="Show the solved motion's skeleton at the current frame"
    )
    show_facing: BoolProperty(name="Facing", description="Show which way the creature looks")

    @property
    def home(self) -> Path | None:
        """The creature's folder; None while it has no name."""
        name = self.name.strip()
        if not name:
            return None
        root = Path(bpy.path.abspath(self.project)) if self.project else preferences.project_folder()
        return root.absolute() / "assets" / name


class ANYMOVE_BoneLimits(bpy.types.PropertyGroup):
    """How far a bone may turn about its own axes; the rest pose is always allowed."""

    low: FloatVectorProperty(
        name="From",
        description="Least angle about each of the bone's axes",
        subtype="EULER",
        min=-_TURN,
        max=0,
    )
    high: FloatVectorProperty(
        name="To",
        description="Largest angle about each of the bone's axes",
        subtype="EULER",
        min=0,
        max=_TURN,
    )


class ANYMOVE_Limb(bpy.types.PropertyGroup):
    colour: FloatVectorProperty(
        name="Colour", description="Colour in which the limb is painted", subtype="COLOR_GAMMA", min=0, max=1
    )


CLASSES = (ANYMOVE_Settings, ANYMOVE_BoneLimits, ANYMOVE_Limb)


def register() -> None:
    bpy.types.Scene.anymove = PointerProperty(type=ANYMOVE_Settings)
    bpy.types.PoseBone.anymove = PointerProperty(type=ANYMOVE_BoneLimits)
    bpy.types.Object.anymove_limbs = CollectionProperty(type=ANYMOVE_Limb)


def unregister() -> None:
    del bpy.types.Object.anymove_limbs
    del bpy.types.PoseBone.anymove
    del bpy.types.Scene.anymove
