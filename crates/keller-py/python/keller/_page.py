"""Pages that show a scene and results: turn it, cut it, click a receiver and see its paths."""

from __future__ import annotations

import tempfile
import webbrowser
from html import escape
from os import PathLike
from pathlib import Path

from ._checks import file_name

#: Height of a page in a notebook, pixels.
_HEIGHT = 560


class Page:
    """A page that shows a scene and results, with everything in it: a notebook shows it, a browser opens it.

    It needs no network, and is what ``keller view`` writes.
    """

    def __init__(self, html: bytes) -> None:
        #: The bytes of the file.
        self.html = html

    def save(self, file: str | PathLike[str]) -> None:
        """Writes the page to a .html."""
        Path(file_name("file", file)).write_bytes(self.html)

    def open(self) -> Path:
        """Opens the page in the default browser; gives the temporary file that it is in."""
        with tempfile.NamedTemporaryFile(prefix="keller-view-", suffix=".html", delete=False) as file:
            file.write(self.html)
        webbrowser.open(Path(file.name).as_uri())
        return Path(file.name)

    def _repr_html_(self) -> str:
        page = escape(self.html.decode(), quote=True)
        style = f"width:100%;height:{_HEIGHT}px;border:0"
        # Scripts of the page reach nothing of the notebook.
        allowed = "allow-scripts allow-downloads"
        return f'<iframe title="keller" sandbox="{allowed}" style="{style}" srcdoc="{page}"></iframe>'

    def __repr__(self) -> str:
        return f"<keller.Page: {len(self.html) / 1e6:.1f} MB; save(file) writes it, open() opens it in a browser>"
