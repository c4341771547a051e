"""Batches on any cluster that Dask reaches: one machine, SSH, Slurm and others by dask-jobqueue, Kubernetes.

::

    from distributed import Client, LocalCluster
    import keller

    if __name__ == "__main__":
        keller.Batch.plan("scenario.toml", "store")
        with LocalCluster(n_workers=4, threads_per_worker=1) as cluster, Client(cluster) as client:
            keller.dask.run("store", client, progress=True)
        keller.program.coverage("scenario.toml", out="map.zarr", batch="store")

keller must be installed where the scheduler and the workers run, in the same version, and all must reach the store.
Results are files in the store, so a worker that is lost costs only the unit that it computed, and a client that is lost
costs nothing: ``run`` again computes what is missing. A worker uses as many threads as Dask gives it.
"""

from __future__ import annotations

import os
import threading
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from ._batch import Batch
from ._checks import file_name, gpu_name, whole_number
from ._keller import KellerError, batch_status
from ._progress import listener
from ._text import renamed

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["run"]

_File = str | PathLike[str]

#: What this process has prepared: one batch, because a scene may be large.
_prepared: dict[tuple[str, str | None, str], Batch] = {}
_lock = threading.Lock()


@renamed
def run(
    store: _File,
    client: Client,
    *,
    scenario: _File | None = None,
    retries: int = 3,
    gpu: str = "cpu",
    progress: bool = False,
) -> list[int]:
    """Computes the units that are missing in a store on the workers of a Dask client. Returns their numbers.

    store: the store, as workers reach it
    client: of ``distributed``
    scenario: the scenario, where it has another name than on the machine that planned
    retries: how often a unit is tried again if a worker fails
    gpu: what does the work of a graphics card on each worker, as of :class:`World`
    progress: show a bar if tqdm is installed

    Raises :class:`KellerError` if units have failed more often than that, after all others are done. Ctrl-C stops the
    workers after their units.
    """
    folder = file_name("store", store)
    if "://" not in folder:
        folder = os.path.abspath(folder)
    named = None if scenario is None else os.path.abspath(fspath(scenario))
    tries = whole_number("retries", retries, 0)
    used = gpu_name(gpu)
    count, missing = batch_status(folder)
    # Not pure: a later call computes again what was removed since.
    futures = client.map(_compute, missing, store=folder, scenario=named, gpu=used, retries=tries, pure=False)
    numbers = dict(zip((future.key for future in futures), missing, strict=True))
    failures: dict[int, BaseException] = {}
    with listener(progress) as tell:
        done = count - len(missing)
        try:
            for future in _completed(futures):
                if future.status != "finished":
                    failures[numbers[future.key]] = _why(future)
                future.release()
                done += 1
                tell("progress", "batch", done / max(count, 1))
        except BaseException:
            client.cancel(futures)  # type: ignore[no-untyped-call]
            raise
    if failures:
        unit, reason = min(failures.items(), key=lambda failure: failure[0])
        raise KellerError(
            f"{folder}: {len(failures)} of {len(missing)} units have failed, the first of them unit {unit}: {reason}; "
            "the others are kept, and the same call computes what is missing"
        ) from reason
    return missing


def _completed(futures: list[Any]) -> Any:
    from distributed import as_completed

    return as_completed(futures)  # type: ignore[no-untyped-call]


def _why(future: Any) -> BaseException:
    if future.status == "cancelled":
        return RuntimeError("it was cancelled")
    reason = future.exception()
    return reason if isinstance(reason, BaseException) else RuntimeError("no reason is known")


def _compute(unit: int, store: str, scenario: str | None, gpu: str) -> bool:
    """On a worker: computes a unit, unless it is there."""
    with _lock:
        batch = _prepared.get((store, scenario, gpu))
        if batch is None:
            _use_threads_of_worker()
            _prepared.clear()
            batch = _prepared[store, scenario, gpu] = Batch(store, scenario=scenario, gpu=gpu)
        return bool(batch.run([unit]))


def _use_threads_of_worker() -> None:
    """From the first use of keller in this process on, it uses the threads that Dask gives the worker."""
    from distributed import get_worker

    os.environ.setdefault("RAYON_NUM_THREADS", str(get_worker().state.nthreads))
