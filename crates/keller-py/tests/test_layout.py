"""How the package is laid out: its modules import downwards only, and files are short enough to read.

Every import counts: at the top of a file, inside a function and under ``TYPE_CHECKING``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
#: The longest file there may be, lines.
MAX_LINES = 500
#: Files that the program writes.
GENERATED = ("options.py", "program.py")

#: The modules that each module imports.
Graph = Mapping[str, set[str]]


def test_no_modules_import_each_other_in_a_ring() -> None:
    assert rings(imports(FOLDER / "python")) == []


def test_no_module_imports_from_the_package_itself() -> None:
    graph = imports(FOLDER / "python")
    assert len(graph) > 40
    assert [module for module, imported in graph.items() if "keller" in imported] == []


def test_no_file_is_longer_than_can_be_read_at_once() -> None:
    files = [file for folder in ("python", "tests") for file in sorted((FOLDER / folder).rglob("*.py"))]
    lengths = {file: len(file.read_text("utf-8").splitlines()) for file in files if file.name not in GENERATED}
    assert [f"{file}: {length} lines" for file, length in lengths.items() if length > MAX_LINES] == []


def test_rings_are_found_through_any_number_of_modules() -> None:
    graph = {"a": {"b", "g"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"f"}, "f": {"e"}, "g": set[str](), "h": {"h"}}
    assert rings(graph) == [["a", "b", "c"], ["e", "f"], ["h"]]


def test_all_kinds_of_imports_are_read(tmp_path: Path) -> None:
    sources = {
        "kit/__init__.py": "from . import low, part\nfrom .part import Name",
        "kit/low.py": "import kit.part.deep\nimport numpy\nfrom numpy import kit",
        "kit/part/__init__.py": "from .deep import Name",
        "kit/part/deep.py": "def f():\n    from .. import low, Name",
        "kit/high.py": "if TYPE_CHECKING:\n    from kit.part import deep, Name\nclass A:\n    from .compiled import B",
        "kit/compiled.pyi": "",
    }
    for name, text in sources.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    graph = imports(tmp_path)
    assert graph == {
        "kit": {"kit.low", "kit.part"},
        "kit.low": {"kit.part.deep"},
        "kit.part": {"kit.part.deep"},
        "kit.part.deep": {"kit", "kit.low"},
        "kit.high": {"kit.part", "kit.part.deep", "kit.compiled"},
        "kit.compiled": set(),
    }
    assert rings(graph) == [["kit", "kit.low", "kit.part", "kit.part.deep"]]


def imports(folder: Path) -> Graph:
    """The modules in a folder and below it, and which of them each imports."""
    files = {file.relative_to(folder): file for kind in ("*.py", "*.pyi") for file in sorted(folder.rglob(kind))}
    modules = {".".join(path.with_suffix("").parts).removesuffix(".__init__"): file for path, file in files.items()}
    graph = {}
    for module, file in modules.items():
        # What is no module is a name in one.
        imported = {name if name in modules else name.rpartition(".")[0] for name in imported_names(file, module)}
        graph[module] = imported & modules.keys()
    return graph


def imported_names(file: Path, module: str) -> Iterator[str]:
    """The full names of all that a file imports."""
    package = module.split(".") if file.stem == "__init__" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{source}.{alias.name}" for alias in node.names)


def rings(graph: Graph) -> list[list[str]]:
    """The groups of modules that import each other, directly or through others."""
    below = {module: reachable(graph, module) for module in graph}
    found = {frozenset(other for other in below[module] if module in below[other]) for module in graph}
    return sorted(sorted(ring) for ring in found if ring)


def reachable(graph: Graph, module: str) -> set[str]:
    """The modules that a module imports, directly or through others."""
    found: set[str] = set()
    ahead = [module]
    while ahead:
        new = graph[ahead.pop()] - found
        found |= new
        ahead += new
    return found
