"""Scenarios in files: what the program runs."""

from __future__ import annotations

from os import PathLike, fspath

from ._coverage import Coverage
from ._keller import Job
from ._paths import Paths
from ._progress import listener


def run(scenario: str | PathLike[str], *, progress: bool = False) -> Paths | Coverage:
    """Runs the scenario in a file as the program does: its coverage if it has a ``[coverage]``, else its paths."""
    with listener(progress) as tell:
        job = Job.open(fspath(scenario), tell)
        if job.has_coverage:
            return Coverage._filled(job, tell)
        return Paths(job, job.paths(False, None, tell))
