"""What Python costs: a run through the package beside the same run of the program, and arrays of a million paths.

    python benches/python.py MUNICH.xml        # of the wheel sionna-rt: sionna/rt/scenes/munich/munich.xml

It needs the package, pyarrow and pandas. Both do the same: read the scene, find the paths to 100 receivers, write Parquet. The two files
must have the same bytes. Runs alternate, and medians are compared.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import keller
import numpy as np
from keller._program import find_program

T = TypeVar("T")
RUNS = 15
ROOM = Path(__file__).resolve().parents[1] / "examples/room/room.obj"
SCENARIO = """frequency_hz = 3.5e9
[scene]
file = "{scene}"
default_material = "concrete"
default_thickness = 0.1
[[tx]]
position = [8.5, 21, 27]
[[rx]]
file = "rx.csv"
[paths]
max_depth = 5
max_reflections = 5
max_transmissions = 5
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("munich", type=Path)
    scene = parser.parse_args().munich.resolve()
    with tempfile.TemporaryDirectory() as folder:
        overhead(scene, Path(folder))
    million()


def overhead(scene: Path, folder: Path) -> None:
    """The program, the package in a process that goes on, and the package in a process of its own."""
    random = np.random.default_rng(1)
    points = np.column_stack([random.uniform(-150, 150, (100, 2)), np.full(100, 1.5)])
    (folder / "rx.csv").write_text("x,y,z\n" + "\n".join(",".join(map(repr, map(float, row))) for row in points) + "\n")
    (folder / "s.toml").write_text(SCENARIO.format(scene=scene))
    script = f"import keller; keller.run({str(folder / 's.toml')!r}).save({str(folder / 'c.parquet')!r})"
    program = [find_program(), "paths", str(folder / "s.toml"), "-o", str(folder / "a.parquet")]

    def run_program() -> None:
        subprocess.run(program, check=True, stderr=subprocess.DEVNULL)

    def run_package() -> None:
        paths = keller.run(folder / "s.toml")
        paths.save(folder / "b.parquet")

    def run_process() -> None:
        subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True)

    ways = {"program": run_program, "package": run_package, "process": run_process}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(RUNS + 1):
        for name, run in ways.items():
            began = time.perf_counter()
            run()
            taken[name].append(time.perf_counter() - began)
    assert (folder / "a.parquet").read_bytes() == (folder / "b.parquet").read_bytes() == (folder / "c.parquet").read_bytes()
    # The first run warms the disk.
    ratios = {name: statistics.median(b / a for a, b in zip(taken["program"][1:], times[1:])) for name, times in taken.items()}
    for name, times in taken.items():
        print(f"{name:8} {statistics.median(times[1:]):7.3f} s, {ratios[name]:.3f} of the program")


def million() -> None:
    """Time and memory of what is made of a million paths in a room."""
    world = keller.World(keller.load_scene(ROOM), 3.5e9, default_material="concrete", default_thickness=0.1)
    rx = keller.Rx(grid={"min": [0.3, 0.3], "max": [4.7, 3.7], "spacing": 0.03, "height": 1.5})
    paths = timed("paths", lambda: world.paths(keller.Tx([1, 1, 2]), rx, max_reflections=3))
    print(f"{len(paths)} paths to {len(paths._job.rx_positions)} receivers")
    gains = timed("table", lambda: paths["gain_db"])
    arrow = timed("arrow", paths.to_arrow)
    frame = timed("pandas", paths.to_pandas)
    assert np.shares_memory(gains, arrow["gain_db"].chunk(0).to_numpy()) and np.shares_memory(gains, frame["gain_db"].to_numpy())
    channels = timed("channels", paths.channels)
    sizes = {name: array.nbytes for name, array in channels.arrays.items()}
    print(f"channels of {sum(sizes.values()) / 1e6:.0f} MB, `a` of {sizes['a'] / 1e6:.0f} MB")


def timed(name: str, work: Callable[[], T]) -> T:
    """Runs work, and prints its time and by how much the peak of memory has grown."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    made = work()
    taken = time.perf_counter() - began
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{name:8} {taken:7.3f} s, {grown / 1024:6.0f} MB more at the peak")
    return made


if __name__ == "__main__":
    main()
