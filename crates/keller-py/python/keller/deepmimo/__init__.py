"""Paths as a scenario of DeepMIMO 4 (https://deepmimo.net), which makes channels and data sets of them.

``keller.deepmimo.save(paths, "deepmimo_scenarios/room")`` writes what ``deepmimo.load("room")`` reads. Writing needs no
DeepMIMO.
"""

from ._save import save

__all__ = ["save"]
