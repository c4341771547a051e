"""Files and folders that get their name once they are whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def written_beside(target: Path) -> Iterator[Path]:
    """A place in a temporary folder beside ``target``. What is written there replaces ``target`` in the end.

    After an exception ``target`` is as it was, and the temporary folder is gone.
    """
    with TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent, ignore_cleanup_errors=True) as folder:
        new, old = Path(folder, "new"), Path(folder, "old")
        yield new
        try:
            # A folder does not replace another by itself.
            if target.is_dir():
                target.rename(old)
            new.replace(target)
        except BaseException:
            if old.exists() and not target.exists():
                old.rename(target)
            raise
