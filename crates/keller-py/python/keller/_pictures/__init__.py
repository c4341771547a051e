"""Pictures with matplotlib: scenes, paths, power-delay profiles and coverages.

Functions take plain values, check them before they open a figure, and give the axes in which they drew.
"""

from .coverages import draw_cells, draw_tiles
from .devices import Devices
from .paths import draw_paths
from .profiles import class_of, draw_profile
from .scenes import draw_scene

__all__ = ["Devices", "class_of", "draw_cells", "draw_paths", "draw_profile", "draw_scene", "draw_tiles"]
