"""Scenarios in files: what the program runs."""

from __future__ import annotations

from os import PathLike

from ._checks import file_name, gpu_name
from ._coverage import Coverage
from ._keller import Job
from ._paths import Paths
from ._progress import listener
from ._text import renamed


@renamed
def run(
    scenario: str | PathLike[str], *, gpu: str = "cpu", progress: bool = False
) -> Paths | Coverage | dict[str, Coverage]:
    """Runs the scenario in a file as the program does: its coverage if it has a ``[coverage]``, else its paths.

    Of several regions, ``[[coverage]]``, it gives a dict of their coverages by name.

    ``gpu`` traces large batches of rays and finds which tiles see each other: "cpu", "gpu", "auto" (a graphics card
    if there is one), or part of a name of :func:`gpus`. Results do not depend on it.

    ``progress`` shows a bar if tqdm is installed. Raises :class:`ScenarioError` for a scenario that cannot be run.
    """
    with listener(progress) as tell:
        job = Job.open(file_name("scenario", scenario), gpu_name(gpu), tell)
        regions = job.regions
        if len(regions) > 1:
            return {name or "": Coverage._filled(job, tell, number) for number, name in enumerate(regions)}
        if regions:
            return Coverage._filled(job, tell)
        return Paths(job, job.paths(False, None, tell))
