# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The road for panels, which are drawn many times a second and may not wait for a disk."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from .road import Road, look

FRESH_S = 1.0


class Watcher:
    """Answers with what was known last, at once; looks again in a thread where that is older than FRESH_S."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[float, Road]] = {}
        self._looking: threading.Thread | None = None
        self.news = threading.Event()
        """Set when something changed since the answer before; whoever redraws clears it."""

    def road(self, home: Path) -> Road | None:
        """None until the first look is over."""
        when, known = self._known.get(home, (0.0, None))
        if time.monotonic() - when > FRESH_S and not self.busy:
            self._looking = threading.Thread(target=self._look, args=(home,), daemon=True)
            self._looking.start()
        return known

    @property
    def busy(self) -> bool:
        return self._looking is not None and self._looking.is_alive()

    def wait(self) -> None:
        """Until the look under way is over."""
        if self._looking is not None:
            self._looking.join()

    def forget(self) -> None:
        """Look again at the next question: a job has ended."""
        self._known = {home: (0.0, road) for home, (_, road) in self._known.items()}

    def _look(self, home: Path) -> None:
        before = self._known.get(home, (0.0, None))[1]
        found = look(home)
        self._known[home] = (time.monotonic(), found)
        if before is None or found != before:
            self.news.set()
