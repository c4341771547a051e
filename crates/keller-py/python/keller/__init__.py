"""Exact radio multipath and coverage in real places.

A first run::

    import keller

    scene = keller.load_scene("room.obj")
    world = keller.World(scene, frequency=3.5e9, default_material="concrete")
    paths = world.paths(keller.Tx([1, 1, 2]), [[4, 3, 1.5]], max_reflections=2)
    a, tau = paths.cir()

Lengths are metres, angles of results radians, frequencies Hz. x is east, y north, z up. Keyword arguments are the keys
of a scenario of the program ``keller``: ``help(keller.World.paths)`` lists them.
"""

from . import dataset, deepmimo, program, sionna
from ._coverage import Coverage
from ._devices import Antenna, Rx, Tx
from ._keller import ImportError, KellerError, ScenarioError, __version__
from ._materials import Material
from ._paths import Channels, Paths
from ._progress import KellerWarning
from ._run import run
from ._scene import Picture, Scene, import_place, load_scene, scene_from_triangles
from ._world import World

__all__ = [
    "Antenna",
    "Channels",
    "Coverage",
    "ImportError",
    "KellerError",
    "KellerWarning",
    "Material",
    "Paths",
    "Picture",
    "Rx",
    "ScenarioError",
    "Scene",
    "Tx",
    "World",
    "__version__",
    "dataset",
    "deepmimo",
    "import_place",
    "load_scene",
    "program",
    "run",
    "scene_from_triangles",
    "sionna",
]
