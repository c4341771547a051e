"""What a run of many batches says while it works."""

from __future__ import annotations

from collections.abc import Callable


class BatchListener:
    """Passes on what a run says: a warning once, and progress as a share of all batches."""

    def __init__(self, tell: Callable[[str, str, float | None], None]) -> None:
        self._tell = tell
        #: Where the progress of this batch begins and ends.
        self.share = (0.0, 0.0)
        self._said: set[str] = set()

    def __call__(self, kind: str, text: str, done: float | None) -> None:
        if kind != "progress":
            if text in self._said:
                return
            self._said.add(text)
        elif done is not None:
            first, end = self.share
            done = first + (end - first) * done
        self._tell(kind, text, done)
