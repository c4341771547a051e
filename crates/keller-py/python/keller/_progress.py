"""What a run says while it works: a bar through tqdm, warnings, and notes to the logger `keller`."""

from __future__ import annotations

import logging
import warnings
from contextlib import contextmanager
from typing import Any, Callable, Iterator

_log = logging.getLogger("keller")


class KellerWarning(UserWarning):
    """Something about a scenario looks wrong but does not keep it from being run."""


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
            warnings.warn(text, KellerWarning, stacklevel=6)
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
