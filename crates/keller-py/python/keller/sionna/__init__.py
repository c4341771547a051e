"""For those who come from Sionna RT 2: its scenes, scene objects and arrays.

Functions that take objects of Sionna read their attributes; nothing here imports Sionna::

    import keller.sionna

    scene = keller.sionna.load_scene("munich")        # geometry and materials of a scene in the wheel sionna-rt
    world, tx, rx = keller.sionna.from_scene(scene_of_sionna)
    paths = world.paths(tx, rx, max_depth=3, max_reflections=3, max_transmissions=3)
    arrays = keller.sionna.arrays(paths)              # arrays.a, arrays.tau, arrays.interactions, ...
"""

from ._arrays import Arrays, arrays
from ._scenes import Setup, from_scene
from ._wheel import load_scene

__all__ = ["Arrays", "Setup", "arrays", "from_scene", "load_scene"]
