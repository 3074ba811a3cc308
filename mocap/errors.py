# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The two ways in which a command can end badly; each carries the exit code that callers rely on."""


class AnymoveError(Exception):
    """Something failed although the input was fine (no space left, a step that did not converge)."""

    exit_code = 1


class BadInput(AnymoveError):
    """What the user gave cannot be used. The message is one line: what, where, and what to do."""

    exit_code = 2
