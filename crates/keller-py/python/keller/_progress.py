"""What a run says while it works: a bar through tqdm, warnings, and notes to the logger `keller`."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_log = logging.getLogger("keller")

#: The folder of the package.
_PACKAGE = os.path.dirname(__file__) + os.sep


class KellerWarning(UserWarning):
    """Something about a scenario looks wrong but does not keep it from being run."""


def warn(text: str) -> None:
    """Warns, at the line that called keller."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_PACKAGE, contextlib.__file__)):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, KellerWarning, stacklevel=level)


@contextmanager
def listener(progress: bool = False) -> Iterator[Callable[[str, str, float | None], None]]:
    """A function that the compiled half calls with what happens. ``progress`` shows a bar if tqdm is installed."""
    bar: Any = None
    if progress:
        try:
            from tqdm.auto import tqdm
        except ModuleNotFoundError:
            _log.info("no progress bar: tqdm is not installed")
        else:
            bar = tqdm(total=1.0, bar_format="{desc}: {percentage:3.0f} %|{bar}| {elapsed}")

    def tell(kind: str, text: str, done: float | None) -> None:
        if kind == "warning":
            warn(text)
        elif kind == "note":
            _log.info(text)
        elif bar is not None and done is not None:
            bar.set_description(text, refresh=False)
            bar.n = done
            bar.refresh()

    try:
        yield tell
    finally:
        if bar is not None:
            bar.close()
