"""Scenarios as text: what Python hands over becomes the TOML that the program reads, so that both run the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np

from ._keller import KEYS, ScenarioError

_SECTIONS: dict[str, dict[str, list[str]]] = {}
for _title, *_key in KEYS:
    _SECTIONS.setdefault(_title.replace("`", ""), {})[_key[0]] = _key


def keys(section: str) -> dict[str, list[str]]:
    """The keys of a section such as ``[paths]``: name to name, accepted values, default and meaning."""
    return _SECTIONS[section]


def document(*sections: str) -> str:
    """Adds the keys of sections to the documentation of a function, as keyword arguments."""
    lines = []
    for section in sections:
        lines.append(f"\n    Keywords of ``{section}``:\n")
        for name, accepted, absent, meaning in _SECTIONS[section].values():
            lines.append(f"    {name}: {accepted}. Without it: {absent}. {meaning}")
    return "\n".join(lines)


def split(options: Mapping[str, Any], *sections: str) -> dict[str, dict[str, Any]]:
    """Sorts keyword arguments into the sections that have them, the first one first."""
    sorted_: dict[str, dict[str, Any]] = {section: {} for section in sections}
    for name, value in options.items():
        home = next((section for section in sections if name in _SECTIONS[section]), None)
        if home is None:
            known = [key for section in sections for key in _SECTIONS[section]]
            raise ScenarioError(f"{name}: there is no such keyword; accepted: {', '.join(known)}")
        if value is not None:
            sorted_[home][name] = value
    return sorted_


def value(name: str, of: Any) -> str:
    """A value as TOML has it. Numbers keep every bit."""
    if isinstance(of, (bool, np.bool_)):
        return "true" if of else "false"
    if isinstance(of, (int, np.integer)):
        return str(int(of))
    if isinstance(of, (float, np.floating)):
        number = float(of)
        if not math.isfinite(number):
            raise ScenarioError(f"{name}: found {number}; accepted: a finite number")
        return repr(number)
    if isinstance(of, (str, PathLike)):
        return _text(str(fspath(of)))
    if isinstance(of, Mapping):
        return "{ " + ", ".join(f"{key} = {value(name, item)}" for key, item in of.items()) + " }"
    if isinstance(of, np.ndarray):
        of = of.tolist()
        return value(name, of)
    if isinstance(of, Sequence):
        return "[" + ", ".join(value(name, item) for item in of) + "]"
    raise ScenarioError(
        f"{name}: found {of!r} of type {type(of).__name__}; accepted: numbers, texts, lists and dicts of them"
    )


def _text(text: str) -> str:
    out = []
    for letter in text:
        if letter in '"\\':
            out.append("\\" + letter)
        elif ord(letter) < 0x20 or ord(letter) == 0x7F:
            out.append(f"\\u{ord(letter):04x}")
        else:
            out.append(letter)
    return '"' + "".join(out) + '"'


def section(title: str, entries: Mapping[str, Any]) -> str:
    """A section with its keys; nothing for one without keys."""
    if not entries:
        return ""
    lines = [title] + [f"{name} = {value(name, entry)}" for name, entry in entries.items()]
    return "\n".join(lines) + "\n\n"
