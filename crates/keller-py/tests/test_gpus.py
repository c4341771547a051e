"""Graphics cards that trace rays: the same results as on the processor, and clear errors."""

from __future__ import annotations

import os
import warnings
from typing import Any

import keller
import numpy as np
import pytest


def software() -> str:
    """The graphics card that ``KELLER_TEST_GPU`` names, else one that software imitates."""
    wanted = os.environ.get("KELLER_TEST_GPU")
    if wanted is not None:
        return wanted
    for gpu in keller.gpus():
        if gpu["kind"] == "software":
            return gpu["name"]
    pytest.skip("no software imitates a graphics card here")


def test_a_card_gives_the_same_paths(room: keller.Scene) -> None:
    tx, rx = keller.Tx([1, 1, 2]), np.random.default_rng(1).uniform([0.5, 0.5, 0.5], [4, 3, 2], (20, 3))
    here = keller.World(room, frequency=3.5e9, default_material="concrete")
    there = here.with_(gpu=software())
    options: dict[str, Any] = {"max_reflections": 2, "max_diffractions": 1, "search": "launch"}
    expected, found = (world.paths(tx, rx, **options) for world in (here, there))
    assert len(expected) > 0
    for a, b in zip(expected.cir(), found.cir(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("gpu", [None, 3, "", " "])
def test_a_gpu_is_a_name(room: keller.Scene, gpu: Any) -> None:
    with pytest.raises(keller.ScenarioError, match=r"gpu: found .*; accepted: \"cpu\""):
        keller.World(room, frequency=3.5e9, gpu=gpu)


def test_a_card_that_is_not_there_is_told(room: keller.Scene) -> None:
    world = keller.World(room, frequency=3.5e9, default_material="concrete", gpu="no such card")
    with pytest.raises(keller.ScenarioError, match="no graphics card is called `no such card`"):
        world.paths(keller.Tx([1, 1, 2]), [[2, 2, 1]])


def test_without_a_card_auto_is_the_processor(room: keller.Scene) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world = keller.World(room, frequency=3.5e9, default_material="concrete", gpu="auto")
        assert len(world.paths(keller.Tx([1, 1, 2]), [[2, 2, 1]])) > 0


def test_old_names_say_the_new_ones(room: keller.Scene) -> None:
    with pytest.raises(
        keller.ScenarioError, match=r"^device: there is no such keyword, it is called gpu now; accepted"
    ):
        keller.World(room, frequency=3.5e9, device="auto")  # type: ignore[call-arg]
    world = keller.World(room, frequency=3.5e9)
    with pytest.raises(keller.ScenarioError, match=r"device: .* it is called gpu now"):
        world.with_(device="auto")  # type: ignore[call-arg]
    with pytest.raises(keller.ScenarioError, match=r"device: .* it is called gpu now"):
        keller.run("scenario.toml", device="auto")  # type: ignore[call-arg]
    with pytest.raises(AttributeError, match="it is called gpus now"):
        keller.devices()  # type: ignore[attr-defined]
