#!/usr/bin/env python3
"""100 Tx over COST 231 Munich as a batch: what one and two workers take, and the map that xarray opens.

    munich.py KELLER BUILDINGS SCRATCH

KELLER is the program, BUILDINGS the file Munich_buildings.res of COST 231, and SCRATCH a new folder. The interpreter
needs xarray and zarr. Every worker has one thread.
"""

import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import xarray as xr


def main() -> None:
    keller, buildings, scratch = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3])
    scratch.mkdir(parents=True)

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        command = [str(word) for word in (keller, *words)]
        return subprocess.run(command, cwd=scratch, check=True, capture_output=True, text=True)

    run("import", buildings, "-o", "munich.glb")
    (scratch / "munich.toml").write_text(scenario())
    start = time.monotonic()
    run("batch", "plan", "munich.toml", "-o", "one")
    print(f"plan: {time.monotonic() - start:.2f} s")
    run("batch", "plan", "munich.toml", "-o", "two")

    start = time.monotonic()
    told = json.loads(run("batch", "run", "one", "--threads", 1, "--json").stdout)
    one = time.monotonic() - start
    units = told["unit_seconds"]
    print(
        f"one worker: {one:.1f} s; {len(units)} units of {statistics.median(units):.2f} s (median), "
        f"{max(units):.2f} s at most; {told['peak_memory_bytes'] / 1e6:.0f} MB; "
        f"beside the units {1000 * (one - sum(units)) / len(units):.1f} ms a unit"
    )

    start = time.monotonic()
    workers = [
        subprocess.Popen(
            [keller, "batch", "run", "two", "--shard", f"{k}/2", "--threads", "1"],
            cwd=scratch,
            stderr=subprocess.DEVNULL,
        )
        for k in range(2)
    ]
    ends = []
    for worker in workers:
        assert worker.wait() == 0
        ends.append(time.monotonic() - start)
    two = max(ends)
    print(f"two workers: {two:.1f} s, {one / two:.2f} times as fast; the first waits {two - min(ends):.1f} s for the last")
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"processor seconds of all so far: {seconds.ru_utime + seconds.ru_stime:.0f}")

    starts = []
    for _ in range(9):
        start = time.monotonic()
        run("batch", "run", "two", "--only", 0, "--threads", 1)
        starts.append(time.monotonic() - start)
    print(f"a worker that finds its unit done: {1000 * statistics.median(starts):.0f} ms")

    for store in ("one", "two"):
        start = time.monotonic()
        run("batch", "collect", store, "-o", f"{store}.zarr")
        print(f"collect {store}: {time.monotonic() - start:.1f} s")
    start = time.monotonic()
    run("coverage", "munich.toml", "-o", "whole.zarr", "--threads", 2)
    print(f"one process with two threads: {time.monotonic() - start:.1f} s")
    for store in ("one", "two"):
        same = subprocess.run(["diff", "-r", f"{store}.zarr", "whole.zarr"], cwd=scratch, check=False).returncode
        assert same == 0, f"{store}.zarr has other bytes"
    size = sum(file.stat().st_size for file in (scratch / "two").rglob("*") if file.is_file())
    print(f"bytes of the store: {size / 1e6:.1f} MB in {sum(1 for _ in (scratch / 'two').rglob('*.unit'))} units")

    map_ = xr.open_zarr(scratch / "two.zarr")
    print(map_)
    gains = map_["path_gain_db"]
    assert gains.sizes["tx"] == 100
    best = gains.max("tx", skipna=True)
    served = np.isfinite(best)
    print(f"cells with a server: {int(served.sum())}; servers: {len(np.unique(map_['best_server'].values))}")
    print(f"SINR, median: {float(map_['sinr_db'].where(served).median()):.1f} dB")


def scenario() -> str:
    """A hundred masts, 60 m high, over the whole city."""
    masts = "".join(
        f'[[tx]]\nname = "{i}-{j}"\nposition = [{200 + 230 * i}, {300 + 320 * j}]\nheight_above_ground = 60\npower_dbm = 43\n'
        for i in range(10)
        for j in range(10)
    )
    return f"""frequency_hz = 947e6
[scene]
file = "munich.glb"
itu_below_range = "allow"
{masts}[paths]
max_reflections = 4
[coverage]
engine = "tubes"
accuracy = "quick"
min = [0, 0]
max = [2400, 3400]
resolution = 10
heights = [1.5]
height_above = "ground"
noise_dbm = -100
"""


if __name__ == "__main__":
    main()
