"""The Python programs of the pages run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT

PAGES = ["README.md", "docs/src/guide/python.md", "crates/keller-py/README.md"]


def programs() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        text = (ROOT / page).read_text()
        found += [(page, code) for code in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)]
    return found


@pytest.mark.parametrize(("page", "code"), programs())
def test_a_program_of_a_page_runs(page: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(code, page, "exec"), {})  # noqa: S102


def test_there_are_programs() -> None:
    assert {page for page, _ in programs()} == set(PAGES), Path.cwd()
