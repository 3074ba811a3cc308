# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Take the armature away from a rig of ours, for measuring: blender -b -P mesh_arrays.py -- rigged.blend out.npz

out.npz holds points (V, 3), triangles (F, 3), weights (V, B) and bones (B,) of all its meshes; --bare writes the
meshes alone to a .blend."""

import argparse
import sys
from pathlib import Path

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import anymove_package


def main(options: argparse.Namespace) -> None:
    with bpy.data.libraries.load(options.rigged, link=False) as (stored, wanted):
        wanted.objects = stored.objects
    meshes = [item for item in wanted.objects if item.type == "MESH"]
    bones = [bone.name for item in wanted.objects if item.type == "ARMATURE" for bone in item.data.bones]
    points, triangles, weights, start = [], [], [], 0
    for item in meshes:
        mesh = item.data
        mesh.calc_loop_triangles()
        points += [vertex.co[:] for vertex in mesh.vertices]
        triangles += [[start + corner for corner in face.vertices] for face in mesh.loop_triangles]
        table = np.zeros((len(mesh.vertices), len(bones)))
        columns = [bones.index(group.name) for group in item.vertex_groups]
        for vertex in mesh.vertices:
            for element in vertex.groups:
                table[vertex.index, columns[element.group]] += element.weight
        weights.append(table)
        start += len(mesh.vertices)
        item.modifiers.clear()
        item.vertex_groups.clear()
        item.parent = None
    np.savez(
        options.out,
        points=points,
        triangles=triangles,
        weights=np.concatenate(weights),
        bones=np.array(bones),
    )
    if options.bare:
        bpy.data.libraries.write(options.bare, set(meshes), fake_user=True)


parser = anymove_package.cli.Parser(prog="mesh_arrays.py", description=__doc__)
parser.add_argument("rigged")
parser.add_argument("out")
parser.add_argument("--bare", metavar="BLEND")
main(parser.parse_args(sys.argv[sys.argv.index("--") + 1 :]))
