"""Scenarios as text: what Python hands over becomes the TOML that the program reads, so that both run the same."""

from __future__ import annotations

import functools
import inspect
import math
import re
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ._keller import KEYS, RENAMED, ScenarioError
from .options import AntennaKeywords

P = ParamSpec("P")
T = TypeVar("T")

#: Keywords that are no keys of scenarios and had other names before 0.1.0, each as the old name and the new one.
_RENAMED_KEYWORDS = [
    *(("command", "result"), ("device", "gpu"), ("deviation", "level_std_db"), ("finer", "refine"), ("for_", "result")),
    *(("histories", "trace_cache"), ("items", "unit_size"), ("map", "picture"), ("map_of", "picture_of")),
    *(("model", "glb"), ("offset", "fit_offset"), ("offset", "offset_std_db"), ("plot", "profile")),
    *(("sweep", "batch"), ("unit", "height_unit"), ("units", "only"), ("view", "picture")),
]

#: The name of each key, what it accepts, what holds without it, and what it means, by section.
_SECTIONS: dict[str, dict[str, list[str]]] = {}
for _title, *_of_key in KEYS:
    _SECTIONS.setdefault(_title.replace("`", ""), {})[_of_key[0]] = _of_key

#: Keys of devices that say where they are, or what they are called.
PLACE_KEYS = ("position", "longitude", "latitude", "height_above_ground", "altitude", "file", "grid", "name")

#: The keys that a device has for its antenna, beside ``antenna`` itself.
ANTENNA = "antenna"
_SECTIONS[ANTENNA] = {name: _SECTIONS["[[tx]]"][name] for name in AntennaKeywords.__annotations__}

#: The dicts that some keys take.
ARRAY, GRID, LAYER = "array of [[tx]] and [[rx]]", "grid of [[rx]]", "An entry of layers"
ALTERNATIVE, REFINE = "An entry of alternatives", "An entry of refine"
_HEADINGS = {
    ANTENNA: "Keywords",
    ARRAY: "Keys of ``array``, a dict",
    GRID: "Keys of ``grid``, a dict",
    LAYER: "Keys of each dict of ``layers``",
    ALTERNATIVE: "Keys of each dict of ``alternatives``",
    REFINE: "Keys of each dict of ``refine``",
    "[[building]]": "Keys of each dict of ``buildings``",
    "[[opening]]": "Keys of each dict of ``openings``",
    "[diffuse]": "Keys of ``diffuse``",
    "[background]": "Keys of ``background``",
}


def documented(*sections: str) -> Callable[[T], T]:
    """Adds the keys of sections to the documentation of a class or function."""

    def add(of: T) -> T:
        parts = [inspect.cleandoc(of.__doc__ or "")]
        for section in sections:
            parts.append(_HEADINGS.get(section, f"Keywords, the keys of ``{section}`` of a scenario") + ":")
            parts.append("\n".join(_entry(key) for key in _SECTIONS[section].values()))
        of.__doc__ = "\n\n".join(parts) + "\n"
        return of

    return add


def _entry(key: Sequence[str]) -> str:
    name, accepted, absent, meaning = key
    text = f"{name}: {accepted}. Without it: {absent}. {meaning}"
    return textwrap.fill(text, 100, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def split(options: Mapping[str, Any], *sections: str) -> dict[str, dict[str, Any]]:
    """Sorts keyword arguments into the sections that have them, the first one first. None is no value."""
    sorted_: dict[str, dict[str, Any]] = {section: {} for section in sections}
    for name, value in options.items():
        home = next((section for section in sections if name in _SECTIONS[section]), None)
        if home is None:
            known = [key for section in sections for key in _SECTIONS[section]]
            raise no_keyword(name, known)
        if value is not None:
            sorted_[home][name] = value
    return sorted_


def no_keyword(name: str, known: Collection[str]) -> ScenarioError:
    """The error for a keyword that is none of ``known``."""
    return ScenarioError(f"{name}: there is no such keyword{_new_name(name, known)}; accepted: {', '.join(known)}")


def renamed(function: Callable[P, T]) -> Callable[P, T]:
    """The same function, whose error for a keyword with an old name says the new one."""
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def checked(*args: P.args, **options: P.kwargs) -> T:
        for name in options:
            if name not in known and _new_name(name, known):
                raise no_keyword(name, [name for name in known if name != "self"])
        return function(*args, **options)

    return checked


def _new_name(old: str, known: Collection[str]) -> str:
    """How an error goes on after a keyword with an old name."""
    new = next((new for was, new in (*RENAMED, *_RENAMED_KEYWORDS) if was == old and new in known), None)
    return f", it is called {new} now" if new else ""


def section(title: str, entries: Mapping[str, Any]) -> str:
    """A section with its keys."""
    lines = [title, *(f"{name} = {value(name, entry)}" for name, entry in entries.items())]
    return "\n".join(lines) + "\n\n"


def value(name: str, found: Any) -> str:
    """A value as TOML has it. Numbers keep every bit."""
    if isinstance(found, (bool, np.bool_)):
        return "true" if found else "false"
    if isinstance(found, (int, np.integer)):
        return str(int(found))
    if isinstance(found, (float, np.floating)):
        number = float(found)
        if not math.isfinite(number):
            raise ScenarioError(f"{name}: found {number}; accepted: a finite number")
        return repr(number)
    if isinstance(found, PathLike):
        found = fspath(found)
    if isinstance(found, str):
        return quoted(name, found)
    if isinstance(found, Mapping):
        return "{ " + ", ".join(f"{_key(name, key)} = {value(name, item)}" for key, item in found.items()) + " }"
    if hasattr(found, "__array__"):
        return value(name, np.asarray(found).tolist())
    if isinstance(found, Sequence) and not isinstance(found, (bytes, bytearray, memoryview)):
        return "[" + ", ".join(value(name, item) for item in found) + "]"
    raise ScenarioError(
        f"{name}: found {found!r} of type {type(found).__name__}; accepted: numbers, texts, lists and dicts of them"
    )


def quoted(name: str, text: str) -> str:
    """A text as TOML has it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ScenarioError(f"{name}: found {text!r}; accepted: text that UTF-8 can hold") from None
    escapes = {'"': '\\"', "\\": "\\\\"}
    return '"' + re.sub(r'["\\\x00-\x1f\x7f]', lambda one: escapes.get(one[0], f"\\u{ord(one[0]):04x}"), text) + '"'


def _key(name: str, key: object) -> str:
    if not isinstance(key, str):
        raise ScenarioError(f"{name}: found the key {key!r}; accepted: texts as keys")
    return key if re.fullmatch("[A-Za-z0-9_-]+", key) else quoted(name, key)
