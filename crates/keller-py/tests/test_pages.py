"""The Python programs of the pages run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT


def programs() -> list[tuple[str, str]]:
    """The programs of every page that import keller."""
    pages = [ROOT / "README.md", ROOT / "crates/keller-py/README.md", *sorted((ROOT / "docs/src").rglob("*.md"))]
    found = []
    for page in pages:
        blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
        found += [(str(page.relative_to(ROOT)), code) for code in blocks if "import keller" in code]
    return found


@pytest.mark.parametrize(("page", "code"), programs())
def test_a_program_of_a_page_runs(page: str, code: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # As in the repository, but what a program writes goes elsewhere.
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, page, "exec"), {})


def test_there_are_programs() -> None:
    assert {"README.md", "crates/keller-py/README.md", "docs/src/guide/python.md"} <= {page for page, _ in programs()}
