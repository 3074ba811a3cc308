# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Is a file a rig to adopt, or a mesh that needs one?"""

from __future__ import annotations

from pathlib import Path

from ....mocap.errors import BadInput
from .. import importing


def operator_for(path: Path) -> str:
    """ "build_rig" where there are meshes but no armature, else "adopt_rig", which also says what is wrong
    with a file that cannot be read."""
    try:
        with importing.opened(path) as imported:
            kinds = {item.type for item in imported.scene.objects}
    except BadInput:
        return "adopt_rig"
    return "build_rig" if "MESH" in kinds and "ARMATURE" not in kinds else "adopt_rig"
