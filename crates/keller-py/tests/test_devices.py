"""Devices that trace rays: the same results as on the processor, and clear errors."""

from __future__ import annotations

import os
import warnings
from typing import Any

import keller
import numpy as np
import pytest


def software() -> str:
    """The device that ``KELLER_TEST_DEVICE`` names, else one that software imitates."""
    wanted = os.environ.get("KELLER_TEST_DEVICE")
    if wanted is not None:
        return wanted
    for device in keller.devices():
        if device["kind"] == "software":
            return device["name"]
    pytest.skip("no software imitates a graphics card here")


def test_a_device_gives_the_same_paths(room: keller.Scene) -> None:
    tx, rx = keller.Tx([1, 1, 2]), np.random.default_rng(1).uniform([0.5, 0.5, 0.5], [4, 3, 2], (20, 3))
    here = keller.World(room, frequency=3.5e9, default_material="concrete")
    there = here.with_(device=software())
    options: dict[str, Any] = {"max_reflections": 2, "max_diffractions": 1, "search": "launch"}
    expected, found = (world.paths(tx, rx, **options) for world in (here, there))
    assert len(expected) > 0
    for a, b in zip(expected.cir(), found.cir(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("device", [None, 3, "", " "])
def test_a_device_is_a_name(room: keller.Scene, device: Any) -> None:
    with pytest.raises(keller.ScenarioError, match=r"device: found .*; accepted: \"cpu\""):
        keller.World(room, frequency=3.5e9, device=device)


def test_a_device_that_is_not_there_is_told(room: keller.Scene) -> None:
    world = keller.World(room, frequency=3.5e9, default_material="concrete", device="no such card")
    with pytest.raises(keller.ScenarioError, match="no device is called `no such card`"):
        world.paths(keller.Tx([1, 1, 2]), [[2, 2, 1]])


def test_without_a_card_auto_is_the_processor(room: keller.Scene) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world = keller.World(room, frequency=3.5e9, default_material="concrete", device="auto")
        assert len(world.paths(keller.Tx([1, 1, 2]), [[2, 2, 1]])) > 0
