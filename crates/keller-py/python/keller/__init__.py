"""Exact radio multipath and coverage in real places.

A first run::

    import keller

    scene = keller.load_scene("room.obj")
    world = keller.World(scene, frequency=3.5e9, default_material="concrete")
    paths = world.paths(keller.Tx([1, 1, 2]), [[4, 3, 1.5]], max_reflections=2)
    a, tau = paths.cir()

Lengths are metres, angles of results radians, frequencies Hz. x is east, y north, z up. Keyword arguments are the keys
of a scenario of the program ``keller``.

Scenes
    load_scene, import_place, scene_from_triangles: a Scene of mesh files, of maps, of arrays; its preview is a Page, as
    are the views of Paths and of a Coverage; its picture is a Picture
Materials and devices
    World: a scene with materials at a frequency; Material
    Tx, Rx, Antenna: devices, with the keys of ``[[tx]]`` and ``[[rx]]`` as keywords
Results
    World.paths: Paths, with tables, impulse responses, transfer functions, pictures; ``help(keller.World.paths)`` lists
    all keywords of a search
    Paths.channels: Channels, all of that as arrays
    World.coverage: Coverage, maps of gain, power and more; ``help(keller.World.coverage)`` lists all keywords
    World.beams: BeamMaps, a map in milliseconds for each position of a Tx, by a model of streets
The program
    run: the paths or the coverage of a scenario in a file
    program: every command of the program as a function
Graphics cards
    gpus: those there are; World(..., gpu="gpu") lets one trace rays
Many machines
    Batch: a result in units that any worker may compute; dask.run computes them on a cluster of Dask
Types
    options: what every keyword and dict accepts, for type checkers and editors
Files from others
    read_only_from: nothing outside a folder is read from then on
Other packages
    dataset: data sets for learning, Zarr or HDF5
    deepmimo: scenarios of DeepMIMO 4
    sionna: scenes and arrays of Sionna RT 2
Errors
    KellerError: ScenarioError for what is not accepted, ImportError for scene files that cannot be read
    KellerWarning: what looks wrong but does not keep a scenario from being run. Notes go to the logger ``keller``
"""

from typing import TYPE_CHECKING, NoReturn

from . import dask, dataset, deepmimo, options, program, sionna
from ._batch import Batch
from ._beam_maps import BeamMaps
from ._coverage import Coverage
from ._devices import Antenna, Rx, Tx
from ._keller import ImportError, KellerError, ScenarioError, __version__, gpus, read_only_from
from ._materials import Material
from ._page import Page
from ._paths import Channels, Paths
from ._progress import KellerWarning
from ._run import run
from ._scene import Picture, Scene, import_place, load_scene, scene_from_triangles
from ._world import World

#: Names that were others before 0.1.0, each as the old name and the new one.
_RENAMED = {"Sweep": "Batch", "devices": "gpus"}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        hint = f"; it is called {_RENAMED[name]} now" if name in _RENAMED else ""
        raise AttributeError(f"module 'keller' has no attribute '{name}'{hint}")


__all__ = [
    "Antenna",
    "Batch",
    "BeamMaps",
    "Channels",
    "Coverage",
    "ImportError",
    "KellerError",
    "KellerWarning",
    "Material",
    "Page",
    "Paths",
    "Picture",
    "Rx",
    "ScenarioError",
    "Scene",
    "Tx",
    "World",
    "__version__",
    "dask",
    "dataset",
    "deepmimo",
    "gpus",
    "import_place",
    "load_scene",
    "options",
    "program",
    "read_only_from",
    "run",
    "scene_from_triangles",
    "sionna",
]
