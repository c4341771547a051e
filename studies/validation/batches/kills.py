#!/usr/bin/env python3
"""200 units under Dask with two workers, of which one is killed three times, and the client once.

    kills.py SCRATCH [SEED]

The interpreter needs keller[dask]; SCRATCH is a new folder. The moments are drawn by lot, with a seed that is printed.
At the end the result must have the bytes of a run in one process.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import keller
from distributed import Client, LocalCluster

CLIENT = """
import sys, keller
from distributed import Client
if __name__ == "__main__":
    with Client(sys.argv[2]) as client:
        keller.dask.run(sys.argv[1], client, retries=9)
"""


def main() -> None:
    scratch = Path(sys.argv[1])
    scratch.mkdir(parents=True)
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    lot = random.Random(seed)
    print(f"seed {seed}, keller {keller.__version__}")
    (scratch / "walls.obj").write_text(walls())
    (scratch / "s.toml").write_text(scenario())
    batch = keller.Batch.plan(scratch / "s.toml", scratch / "undisturbed", unit_size=500)
    print(f"{len(batch)} units")
    start = time.monotonic()
    batch.run()
    print(f"one process: {time.monotonic() - start:.1f} s")
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, worker_dashboard_address=None
    ) as cluster:
        with Client(cluster) as client:
            workers = keller.Batch.plan(scratch / "s.toml", scratch / "quiet", unit_size=500)
            start = time.monotonic()
            keller.dask.run(workers.store, client)
            print(f"two workers: {time.monotonic() - start:.1f} s")
            disturbed = keller.Batch.plan(scratch / "s.toml", scratch / "disturbed", unit_size=500)
            start = time.monotonic()
            running = ask(disturbed.store, client)
            # A client, then three workers, after a share of the units drawn by lot.
            shares = sorted(lot.uniform(0.05, 0.9) for _ in range(4))
            victims = ["worker", "worker", "worker"]
            victims.insert(lot.randrange(4), "client")
            for share, victim in zip(shares, victims, strict=True):
                while (done := len(disturbed) - len(disturbed.missing())) < share * len(disturbed):
                    assert running.poll() is None, "the client has ended"
                    time.sleep(0.01)
                if victim == "client":
                    running.send_signal(signal.SIGKILL)
                    running.wait()
                    running = ask(disturbed.store, client)
                else:
                    processes = sorted(client.run(os.getpid).values())
                    os.kill(processes[lot.randrange(len(processes))], signal.SIGKILL)
                print(f"after {done} units: kill -9 of a {victim}")
                while len(client.scheduler_info()["workers"]) < 2:
                    time.sleep(0.05)
            assert running.wait() == 0
            print(f"two workers, disturbed: {time.monotonic() - start:.1f} s")
    assert disturbed.missing() == []
    folders = [next(Path(s.store).glob("units-*")) for s in (batch, workers, disturbed)]
    names = sorted(file.name for file in folders[0].glob("*.unit"))
    for folder in folders[1:]:
        assert sorted(file.name for file in folder.glob("*.unit")) == names
        assert all((folder / name).read_bytes() == (folders[0] / name).read_bytes() for name in names)
    keller.program.paths(scratch / "s.toml", out=scratch / "whole.parquet", threads=1)
    keller.program.paths(scratch / "s.toml", out=scratch / "batched.parquet", batch=disturbed.store)
    assert (scratch / "whole.parquet").read_bytes() == (scratch / "batched.parquet").read_bytes()
    print("PASSED: units and result have the bytes of an undisturbed run in one process")


def ask(store: str, client: Client) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", CLIENT, store, client.scheduler.address], stderr=subprocess.DEVNULL)


def walls() -> str:
    """Houses on a plain."""
    lines = ["usemtl concrete", "v -10 -10 0", "v 300 -10 0", "v 300 300 0", "v -10 300 0", "f 1 2 3 4"]
    for k in range(36):
        x, y, high = 48 * (k % 6) + 7, 48 * (k // 6) + 7, 8 + k % 7
        first = 5 + 8 * k
        for z in (0, high):
            lines += [f"v {x + dx} {y + dy} {z}" for dx, dy in ((0, 0), (30, 4), (26, 34), (-4, 30))]
        for a, b, c, d in ((4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)):
            lines.append(f"f {first + a} {first + b} {first + c} {first + d}")
    return "\n".join(lines) + "\n"


def scenario() -> str:
    masts = "".join(f"[[tx]]\nposition = [{12 * k + 3.3}, {13.1 * k + 1.7}, 22]\n" for k in range(20))
    return f"""frequency_hz = 3.5e9
[scene]
file = "walls.obj"
{masts}[[rx]]
grid = {{ min = [0.37, 0.21], max = [289, 289], spacing = 4.1, height = 21 }}
[paths]
max_interactions = 2
max_reflections = 2
max_diffractions = 1
"""


if __name__ == "__main__":
    main()
