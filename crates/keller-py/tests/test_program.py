"""The program from Python: every command, its errors, and what stops it."""

from __future__ import annotations

import inspect
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import keller
import pytest
from conftest import ROOT, Run
from keller import program as commands

#: Without its types.
anything: Any = commands
ROOM = ROOT / "examples/room/scenario.toml"


def test_every_option_that_the_program_tells_has_a_keyword(program: Run) -> None:
    def told(*command: str) -> list[str]:
        return re.findall(r"^  ([a-z]+) +[A-Z]", program(*command, "--help").partition("Arguments:")[0], re.M)

    names = [[name] for name in told() if name != "help"]
    assert ["coverage"] in names and ["import"] in names
    for name in names:
        inner = [[*name, one] for one in told(*name) if one != "help"]
        names += inner
        if inner:
            continue
        function = getattr(commands, "_".join(name) + ("_" if name == ["import"] else ""))
        keywords = {keyword.strip("_").replace("_", "-") for keyword in inspect.signature(function).parameters}
        options = re.findall(r"^ +(?:-\w, )?--([a-z-]+)", program(*name, "--help"), re.M)
        assert set(options) - {"help", "version"} <= keywords, name
    assert ["batch", "plan"] in names


def test_keywords_with_old_names_say_the_new_ones() -> None:
    renamed: list[tuple[Any, str, str]] = [
        (anything.paths, "sweep", "batch"),
        (anything.coverage, "device", "gpu"),
        (anything.fingerprint, "offset", "offset_std_db"),
        (anything.compare, "offset", "fit_offset"),
        (anything.batch_plan, "items", "unit_size"),
        (anything.import_, "unit", "height_unit"),
        (keller.import_place, "unit", "height_unit"),
    ]
    for command, old, new in renamed:
        with pytest.raises(keller.ScenarioError, match=f"^{old}: there is no such keyword, it is called {new} now;"):
            command("x.toml", **{old: 1})


def test_a_command_says_what_the_program_says(program: Run, tmp_path: Path) -> None:
    assert commands.antenna("tr38901", json=True) == program("antenna", "tr38901", "--json")
    assert json.loads(commands.scene(ROOM, json=True)) == json.loads(program("scene", str(ROOM), "--json"))
    commands.paths(
        ROOM, out=tmp_path / "paths.csv", picture=tmp_path / "map.svg", threads=1, memory="1GiB", effort="quick"
    )
    assert (tmp_path / "paths.csv").stat().st_size > 1000 and (tmp_path / "map.svg").exists()
    contours = tmp_path / "contours.geojson"
    with pytest.warns(keller.KellerWarning, match="where on earth"):
        commands.coverage(ROOM, contours=contours, levels=[-40, -60.5], effort="quick")
    found = {feature["properties"]["level"] for feature in json.loads(contours.read_text())["features"]}
    assert found and found <= {-40, -60.5}


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: commands.paths("missing.toml"), keller.ScenarioError, "missing.toml"),
        (lambda: commands.paths("--help"), keller.ScenarioError, "--help"),
        (lambda: anything.scene(7.5), keller.ScenarioError, "7.5"),
        (lambda: anything.scene(None), keller.ScenarioError, "required"),
        (lambda: anything.scene(object()), keller.ScenarioError, "type object"),
        (lambda: anything.import_(["a.geojson", None]), keller.ScenarioError, "accepted: a text"),
        (lambda: commands.import_("a.osm", bounds=[1, 2, 3]), keller.ScenarioError, "four numbers"),
        (lambda: commands.paths(ROOM, out="no_such_folder/a.csv"), keller.KellerError, "no_such_folder"),
        (lambda: anything.paths(ROOM, search="quantum"), keller.ScenarioError, "quantum"),
        (lambda: commands.paths(ROOM, memory="1MB"), keller.KellerError, "memory"),
        (lambda: keller.import_place("missing.geojson"), keller.ScenarioError, "missing.geojson"),
    ],
)
def test_what_goes_wrong_is_an_exception_with_the_program_s_words(
    call: Any, kind: type[Exception], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=message):
        call()
    assert not list(tmp_path.iterdir())


def test_warnings_of_the_program_are_warnings_of_python(tmp_path: Path) -> None:
    (tmp_path / "place.geojson").write_text(
        '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"height": 9}, "geometry": '
        '{"type": "Polygon", "coordinates": [[[11, 48], [11.001, 48], [11.001, 48.001], [11, 48]]]}}, '
        '{"type": "Feature", "properties": {"height": "tall"}, "geometry": '
        '{"type": "Polygon", "coordinates": [[[11.002, 48], [11.003, 48], [11.003, 48.001], [11.002, 48]]]}}]}'
    )
    with pytest.warns(keller.KellerWarning, match="place.geojson") as warned:
        keller.import_place(tmp_path / "place.geojson")
    assert {warning.filename for warning in warned} == {__file__}, "the line that called"


def stand_in(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a script of the shell stand for the program."""
    program = folder / "keller"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr("keller._program.find_program", lambda: str(program))


@pytest.mark.skipif(sys.platform == "win32", reason="a script of the shell")
def test_a_killed_program_is_no_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, "kill -9 $$", monkeypatch)
    with pytest.raises(keller.KellerError, match="demo: the program was ended by signal 9"):
        commands.demo()


@pytest.mark.skipif(sys.platform == "win32", reason="a script of the shell")
def test_a_warning_that_is_an_error_ends_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, 'echo "warning: walls are thin" >&2; exec sleep 60', monkeypatch)
    began = time.monotonic()
    with pytest.raises(keller.KellerWarning, match="walls are thin"):
        commands.demo()
    assert time.monotonic() - began < 30


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a process of its own here")
def test_ctrl_c_stops_the_program_and_the_run_resumes(tmp_path: Path) -> None:
    text = (
        ROOM.read_text()
        .replace('"room.obj"', f'"{ROOM.parent / "room.obj"}"')
        .replace("desks.csv", str(ROOM.parent / "desks.csv"))
    )
    text = text.replace("max_diffractions = 1", "max_diffractions = 0")
    grid = "\n[[rx]]\ngrid = { min = [0.2, 0.2], max = [4.8, 3.8], spacing = 0.06, height = 1.5 }\n"
    (tmp_path / "s.toml").write_text(text + grid)
    code = f"""
import sys
from keller import program
print("ready", flush=True)
try:
    program.paths({str(tmp_path / "s.toml")!r}, out={str(tmp_path / "p.parquet")!r})
except KeyboardInterrupt as stop:
    print(stop, flush=True)
    sys.exit(17)
"""
    running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None and running.stdout.readline() == "ready\n"
    end = time.monotonic() + 60
    # Its head, and then the first block.
    part, sizes = tmp_path / "p.parquet.part", {0}
    while len(sizes) < 3 and time.monotonic() < end:
        time.sleep(0.002)
        sizes |= {part.stat().st_size} if part.exists() else set()
    running.send_signal(signal.SIGINT)
    said = running.stdout.read()
    running.stdout.close()
    assert running.wait(timeout=60) == 17 and "--resume" in said, said
    commands.paths(tmp_path / "s.toml", out=tmp_path / "p.parquet", resume=True)
    commands.paths(tmp_path / "s.toml", out=tmp_path / "q.parquet")
    assert (tmp_path / "p.parquet").read_bytes() == (tmp_path / "q.parquet").read_bytes()
