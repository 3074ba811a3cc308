# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled inner loops: z-buffer, shading, averaging. They hold no GIL, so threads run side by side.

Pixels are those of a window of SUPER x SUPER finer samples; (x, y) of a vertex is in fine pixels, the centre of
the first at (0.5, 0.5).
"""

from __future__ import annotations

import numba
import numpy as np

SUPER = 2
"""Samples a pixel, along each axis."""
_SHININESS = 128.0
"""Workbench's highlight for a surface of roughness 0.4."""
_DIELECTRIC = 0.05
KEPT = __name__ == "mocap.raster.draw"
"""Whether compiled loops are kept on disk. Their files know the module by its name: those that the add-on's package
left (anymove.mocap...) would not load in the toolkit's own processes, so it leaves none."""


@numba.njit(cache=KEPT, nogil=True)
def blended(points, bones, weights, turns, moves):
    """(V, 3) vertices moved by the weighted mean of their bones' motions x -> turns x + moves (linear blend
    skinning)."""
    out = np.empty_like(points)
    for v in range(len(points)):
        x, y, z = points[v]
        a, b, c = 0.0, 0.0, 0.0
        for k in range(bones.shape[1]):
            w = weights[v, k]
            if w == 0.0:
                break  # the strongest come first
            i = bones[v, k]
            a += w * (turns[i, 0, 0] * x + turns[i, 0, 1] * y + turns[i, 0, 2] * z + moves[i, 0])
            b += w * (turns[i, 1, 0] * x + turns[i, 1, 1] * y + turns[i, 1, 2] * z + moves[i, 1])
            c += w * (turns[i, 2, 0] * x + turns[i, 2, 1] * y + turns[i, 2, 2] * z + moves[i, 2])
        out[v, 0], out[v, 1], out[v, 2] = a, b, c
    return out


@numba.njit(cache=KEPT, nogil=True)
def depth_buffer(fine, depth, triangles, height, width):
    """Nearest surface of each fine pixel: (H, W) depth (inf: none), (H, W) triangle (-1), (H, W, 2) barycentric
    coordinates of the triangle's second and third corner.

    fine (V, 2) fine pixels, depth (V,) along the view. Depth is interpolated in its inverse, as perspective
    wants it. Triangles that reach behind the camera are left out.
    """
    near = np.zeros((height, width))
    owner = np.full((height, width), -1, np.int32)
    place = np.zeros((height, width, 2), np.float32)
    for t in range(len(triangles)):
        i, j, k = triangles[t]
        if depth[i] <= 1e-6 or depth[j] <= 1e-6 or depth[k] <= 1e-6:
            continue
        ax, ay = fine[i]
        bx, by = fine[j]
        cx, cy = fine[k]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if abs(area) < 1e-9:
            continue
        inverse = 1.0 / area
        x0 = max(0, int(np.ceil(min(ax, bx, cx) - 0.5)))
        x1 = min(width - 1, int(np.floor(max(ax, bx, cx) - 0.5)))
        y0 = max(0, int(np.ceil(min(ay, by, cy) - 0.5)))
        y1 = min(height - 1, int(np.floor(max(ay, by, cy) - 0.5)))
        za, zb, zc = 1.0 / depth[i], 1.0 / depth[j], 1.0 / depth[k]
        # Barycentric coordinates and inverse depth are linear in the picture: one step a pixel.
        right1, down1 = (cy - ay) * inverse, (ax - cx) * inverse
        right2, down2 = (ay - by) * inverse, (bx - ax) * inverse
        start1 = (x0 + 0.5 - ax) * right1 - ay * down1
        start2 = (x0 + 0.5 - ax) * right2 - ay * down2
        for y in range(y0, y1 + 1):
            first1, first2 = start1 + (y + 0.5) * down1, start2 + (y + 0.5) * down2
            entered = False
            for x in range(x0, x1 + 1):
                w1, w2 = first1 + (x - x0) * right1, first2 + (x - x0) * right2
                if w1 < 0.0 or w2 < 0.0 or w1 + w2 > 1.0:
                    if entered:
                        break  # a triangle is convex: the rest of the row lies outside
                    continue
                entered = True
                z = za + w1 * (zb - za) + w2 * (zc - za)
                if z > near[y, x]:
                    near[y, x] = z
                    owner[y, x] = t
                    place[y, x, 0], place[y, x, 1] = w1 * zb / z, w2 * zc / z
    for y in range(height):
        for x in range(width):
            near[y, x] = 1.0 / near[y, x] if near[y, x] > 0.0 else np.inf
    return near, owner, place


@numba.njit(cache=KEPT, nogil=True)
def normals(points, triangles, welded, places):
    """(F, 3) unit normals of the triangles, (P, 3) unit normals of the places, weighted by area."""
    flat = np.zeros((len(triangles), 3))
    smooth = np.zeros((places, 3))
    for t in range(len(triangles)):
        i, j, k = triangles[t]
        ux, uy, uz = points[j] - points[i]
        vx, vy, vz = points[k] - points[i]
        n = np.array([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx])
        for corner in triangles[t]:
            smooth[welded[corner]] += n
        flat[t] = n / (np.sqrt((n * n).sum()) + 1e-30)
    for p in range(places):
        smooth[p] /= np.sqrt((smooth[p] * smooth[p]).sum()) + 1e-30
    return flat, smooth


@numba.njit(cache=KEPT, nogil=True, fastmath=True)
def _radiance(base, n, lights, out):
    """Workbench's studio light of a surface with linear colour ``base`` (3,) and unit normal ``n`` (3,) in the
    view's frame; written to ``out`` (3,)."""
    directions, diffuse, specular, wrap, ambient = lights
    for c in range(3):
        out[c] = ambient[c] * (base[c] + _DIELECTRIC)
    for light in range(len(directions)):
        lx, ly, lz = directions[light]
        w = wrap[light]
        falls = (n[0] * lx + n[1] * ly + n[2] * lz + w) / ((1.0 + w) * (1.0 + w))
        if falls <= 0.0:
            continue
        falls = min(falls, 1.0)
        half = 1.0 / (np.sqrt(lx * lx + ly * ly + (lz + 1.0) * (lz + 1.0)) + 1e-9)
        facing = (n[0] * lx + n[1] * ly + n[2] * (lz + 1.0)) * half
        peak = 0.0
        if facing > 0.8:
            power = _SHININESS ** (1.0 - w)
            peak = _DIELECTRIC * facing**power * falls * (power * 0.125 + 1.0)
        for c in range(3):
            out[c] += base[c] * falls * diffuse[light, c] + peak * specular[light, c]


@numba.njit(cache=KEPT, nogil=True, fastmath=True)
def shaded(owner, place, triangles, colours, flat, smooth, welded, is_smooth, axes, lights, table):
    """(H / 2, W / 2, 4) uint8 premultiplied RGBA: lit, brought to sRGB, averaged over a pixel's fine samples.

    colours (V, 3) linear; axes (3, 3): rows right, up, towards the viewer; lights as Lights; table (N,) uint8
    from linear [0, 1] to sRGB. A face turned away is lit as if it faced the viewer. Samples of one pixel that
    show one triangle are lit once.
    """
    height, width = owner.shape
    out = np.zeros((height // SUPER, width // SUPER, 4), np.uint8)
    top = len(table) - 1
    base, world, n, lit = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    samples = SUPER * SUPER
    for y in range(height // SUPER):
        for x in range(width // SUPER):
            red, green, blue, covered = 0.0, 0.0, 0.0, 0
            for s in range(samples):
                t = owner[SUPER * y + s // SUPER, SUPER * x + s % SUPER]
                if t < 0:
                    continue
                alike, w1, w2, first = 0, 0.0, 0.0, True
                for other in range(samples):
                    fy, fx = SUPER * y + other // SUPER, SUPER * x + other % SUPER
                    if owner[fy, fx] == t:
                        if other < s:
                            first = False
                            break
                        alike += 1
                        w1 += place[fy, fx, 0]
                        w2 += place[fy, fx, 1]
                if not first:
                    continue
                w1, w2 = w1 / alike, w2 / alike
                w0 = 1.0 - w1 - w2
                i, j, k = triangles[t]
                a, b, d = welded[i], welded[j], welded[k]
                for c in range(3):
                    base[c] = w0 * colours[i, c] + w1 * colours[j, c] + w2 * colours[k, c]
                    if is_smooth[t]:
                        world[c] = w0 * smooth[a, c] + w1 * smooth[b, c] + w2 * smooth[d, c]
                    else:
                        world[c] = flat[t, c]
                for c in range(3):
                    n[c] = axes[c, 0] * world[0] + axes[c, 1] * world[1] + axes[c, 2] * world[2]
                long = 1.0 / (np.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) + 1e-12)
                if n[2] < 0.0:
                    long = -long
                for c in range(3):
                    n[c] *= long
                _radiance(base, n, lights, lit)
                red += alike * table[int(min(1.0, lit[0]) * top)]
                green += alike * table[int(min(1.0, lit[1]) * top)]
                blue += alike * table[int(min(1.0, lit[2]) * top)]
                covered += alike
            if covered:
                out[y, x, 0], out[y, x, 1] = int(red / samples + 0.5), int(green / samples + 0.5)
                out[y, x, 2], out[y, x, 3] = int(blue / samples + 0.5), int(255.0 * covered / samples + 0.5)
    return out


@numba.njit(cache=KEPT, nogil=True)
def parts(owner, place, triangles, part_of, backdrop):
    """(H / 2, W / 2) uint8: the part that most fine samples of a pixel show, ``backdrop`` where most show none.

    part_of (V,) uint8. A sample's part is that of its triangle's nearest corner; among equals the sample nearest
    the top left wins.
    """
    height, width = owner.shape
    out = np.empty((height // SUPER, width // SUPER), np.uint8)
    found = np.empty(SUPER * SUPER, np.uint8)
    for y in range(height // SUPER):
        for x in range(width // SUPER):
            for s in range(SUPER * SUPER):
                fy, fx = SUPER * y + s // SUPER, SUPER * x + s % SUPER
                t = owner[fy, fx]
                if t < 0:
                    found[s] = backdrop
                    continue
                w1, w2 = place[fy, fx, 0], place[fy, fx, 1]
                w0 = 1.0 - w1 - w2
                corner = 0
                if w1 > w0 and w1 >= w2:
                    corner = 1
                elif w2 > w0:
                    corner = 2
                found[s] = part_of[triangles[t, corner]]
            best, votes = found[0], 0
            for s in range(SUPER * SUPER):
                count = 0
                for other in found:
                    if other == found[s]:
                        count += 1
                if count > votes:
                    best, votes = found[s], count
            out[y, x] = best
    return out
