"""Data sets for learning: the channels of many receivers in one file, a row for every receiver.

A first data set::

    import keller
    import keller.dataset

    world = keller.World(keller.load_scene("room.obj"), frequency=3.5e9, default_material="concrete")
    rx = keller.Rx(grid={"min": [0.5, 0.5], "max": [4.5, 3.5], "spacing": 0.1, "height": 1.5})
    keller.dataset.save("room.zarr", world, keller.Tx([1, 1, 2]), rx, max_reflections=3)

Receivers are traced in batches, so that memory does not grow with their number.
"""

from ._save import save

__all__ = ["save"]
