"""The notebooks of the examples run from the first cell to the last."""

from __future__ import annotations

import shutil
from pathlib import Path

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
    assert all(not cell.get("outputs") for cell in notebook.cells), "kept without what they print"
    nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(tmp_path / "examples/notebooks")}}
    ).execute()
    printed = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in printed if output.get("name") == "stderr"], "no warnings"
    assert any("image/png" in output.get("data", {}) for output in printed)


def test_there_are_notebooks() -> None:
    assert [file.stem for file in NOTEBOOKS] == ["city_coverage", "first_paths", "learning"]
