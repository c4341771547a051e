"""Programs of the book's recipes run, and print what the block of text behind them shows."""

from __future__ import annotations

import re
import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Run

PAGES = [page for page in sorted((ROOT / "docs/src/recipes").glob("*.md")) if "```python\n" in page.read_text()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_programs_of_a_recipe_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], program: Run
) -> None:
    if page.stem == "learning":
        pytest.importorskip("h5py")
    for folder in ("examples", "cases"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```(.*)\n((?:.*\n)*?)```$", page.read_text(), re.M)
    codes = "".join(text for language, text in blocks if language == "python")
    printed = ""
    num_shown = 0
    for language, text in blocks:
        if language == "toml":
            Path(text.splitlines()[0].removeprefix("# ")).write_text(text)
        elif language == "console":
            run_what_is_read(text, codes, program)
        elif language == "python":
            names: dict[str, Any] = {}
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                exec(text, names)
            printed = capsys.readouterr().out + "".join(f"{w.category.__name__}: {w.message}\n" for w in told)
        elif language == "text" and printed:
            assert text == printed
            num_shown += 1
    assert num_shown > 0


def run_what_is_read(text: str, codes: str, program: Run) -> None:
    """Runs the commands that write a file which a program of the page reads."""
    for command in re.findall(r"^\$ keller (.* -o (\S+).*)", text, re.M):
        if command[1] in codes:
            program(*command[0].split())
