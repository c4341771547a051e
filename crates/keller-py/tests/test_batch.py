"""Batches: units in any order, on workers of Dask that die, give the bytes of one process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import keller
import pytest

WALLS = """usemtl concrete
v 0 0 0\nv 60 0 0\nv 60 40 0\nv 0 40 0\nf 1 2 3 4
v 10 10 0\nv 30 14 0\nv 30 14 9\nv 10 10 9\nf 5 6 7 8
v 40 8 0\nv 44 30 0\nv 44 30 7\nv 40 8 7\nf 9 10 11 12
"""
TX = "".join(f"[[tx]]\nposition = [{5 + 4 * k}, {3 + 0.7 * k}, {3 + 0.3 * k}]\n" for k in range(6))
SCENARIO = f"""frequency_hz = 3.5e9
[scene]
file = "walls.obj"
{TX}
[[rx]]
grid = {{ min = [1.37, 1.21], max = [59, 39], spacing = 1.5, height = 1.5 }}
[paths]
max_interactions = 3
max_reflections = 2
max_diffractions = 1
free_edges = true
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    (tmp_path / "walls.obj").write_text(WALLS)
    file = tmp_path / "s.toml"
    file.write_text(SCENARIO)
    return file


def same_bytes(scenario: Path, store: Path) -> None:
    """The result from the store beside that of one process."""
    whole, batched = scenario.with_name("whole.parquet"), scenario.with_name("batched.parquet")
    keller.program.paths(scenario, out=whole, threads=1)
    keller.program.paths(scenario, out=batched, batch=store)
    assert whole.read_bytes() == batched.read_bytes()


def test_units_in_any_order_give_the_bytes_of_one_process(scenario: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    batch = keller.Batch.plan(scenario, store, unit_size=200)
    assert batch.command == "paths"
    assert len(batch) == 36
    assert batch.missing() == list(range(36))
    assert "receivers 0 to 200" in batch.describe(0)
    odd = list(range(35, 0, -2))
    assert batch.run(odd) == odd
    assert f"{len(odd)} missing" in repr(batch)
    assert keller.Batch(store).run() == list(range(0, 36, 2))
    assert batch.run() == []
    same_bytes(scenario, store)


def test_what_is_wrong_is_said(scenario: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    with pytest.raises(keller.KellerError, match="this is no store of a batch"):
        keller.Batch(store)
    with pytest.raises(keller.ScenarioError, match="accepted: paths, channel, coverage, visibility"):
        keller.Batch.plan(scenario, store, result="scene")  # type: ignore[arg-type]
    with pytest.raises(keller.ScenarioError, match="unit_size: found 0"):
        keller.Batch.plan(scenario, store, unit_size=0)
    batch = keller.Batch.plan(scenario, store)
    with pytest.raises(keller.ScenarioError, match="unit: found 12; accepted: 0 to 5"):
        batch.run([12])
    scenario.write_text(SCENARIO.replace("3.5e9", "3.6e9"))
    with pytest.raises(keller.KellerError, match="another state of"):
        keller.Batch(store)


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, worker_dashboard_address=None
    ) as cluster:
        yield cluster


def test_dask_computes_what_is_missing(scenario: Path, tmp_path: Path, cluster: object) -> None:
    from distributed import Client

    store = tmp_path / "store"
    keller.Batch.plan(scenario, store, unit_size=400).run([3, 4])
    with Client(cluster) as client:  # type: ignore[no-untyped-call]
        computed = keller.dask.run(store, client)
        assert computed == [number for number in range(len(keller.Batch(store))) if number not in (3, 4)]
        assert keller.dask.run(store, client) == []
        scenario.write_text(SCENARIO + "# changed\n")
        (unit,) = store.glob("units-*/000007.unit")
        unit.unlink()
        client.restart()
        with pytest.raises(
            keller.KellerError, match=r"1 of 1 units have failed, the first of them unit 7: .*another state"
        ):
            keller.dask.run(store, client, retries=0)
    scenario.write_text(SCENARIO)
    same_bytes(scenario, store)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_workers_and_clients_may_be_killed(scenario: Path, tmp_path: Path, cluster: object) -> None:
    from distributed import Client

    store = tmp_path / "store"
    batch = keller.Batch.plan(scenario, store, unit_size=40)
    script = "\n".join(
        [
            "import sys, keller",
            "from distributed import Client",
            "with Client(sys.argv[2]) as client:",
            "    keller.dask.run(sys.argv[1], client, retries=9)",
        ]
    )
    with Client(cluster) as client:  # type: ignore[no-untyped-call]
        client.run(lambda: __import__("keller"))
        address = client.scheduler.address
        running = subprocess.Popen([sys.executable, "-c", script, str(store), address])
        # The client dies once, then workers three times while another goes on.
        wait_until(lambda: len(batch.missing()) < len(batch) - 5)
        running.send_signal(signal.SIGKILL)
        running.wait()
        assert batch.missing()
        running = subprocess.Popen([sys.executable, "-c", script, str(store), address])
        killed = 0
        while killed < 3 and running.poll() is None:
            killed += bool(batch.missing())
            workers = list(client.run(os.getpid).values())
            os.kill(workers[0], signal.SIGKILL)
            time.sleep(0.1)
            wait_until(lambda: len(client.scheduler_info()["workers"]) == 2)
        assert running.wait() == 0
    assert killed
    assert batch.missing() == []
    same_bytes(scenario, store)


def wait_until(holds: object, seconds: float = 60.0) -> None:
    assert callable(holds)
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)
