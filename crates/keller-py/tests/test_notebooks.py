"""The notebooks of the examples run from the first cell to the last, and print what is stored in them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
# Of Jupyter, on its own behalf.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_notebook_runs(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Jupyter's own, which puts pictures into the notebook.
    monkeypatch.delenv("MPLBACKEND", raising=False)
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    notebook = nbformat.read(file, as_version=4)
    stored = what_is_printed(notebook)
    nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(tmp_path / "examples/notebooks")}}
    ).execute()
    printed = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in printed if output.get("name") == "stderr"], "no warnings"
    assert any("image/png" in output.get("data", {}) for output in printed)
    assert what_is_printed(notebook) == stored, "renew what is stored by ci/notebooks"


def what_is_printed(notebook: Any) -> list[str]:
    """What each cell prints, and how many results and pictures it has."""
    cells = [cell.get("outputs", []) for cell in notebook.cells]
    return [f"{len(cell)}: {''.join(output.get('text', '') for output in cell)}" for cell in cells]


def test_there_are_notebooks() -> None:
    assert [file.stem for file in NOTEBOOKS] == ["city_coverage", "first_paths", "learning"]
