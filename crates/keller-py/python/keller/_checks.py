"""Checks of arguments, in one form: the name, what was found, and what is accepted."""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Callable
from os import PathLike, fspath
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._keller import ScenarioError

Shape = tuple[int, ...]

#: Kinds of numpy's types for real numbers, objects that may be some among them, and for whole numbers.
_REAL, _WHOLE = "iufO", "iu"
#: What arrays of other kinds hold.
_KINDS = {
    "M": "dates",
    "S": "bytes",
    "U": "texts",
    "V": "records",
    "b": "truth values",
    "c": "complex numbers",
    "m": "time spans",
}


def file_name(name: str, found: Any) -> str:
    """The name of a file or folder."""
    text = fspath(found) if isinstance(found, (str, PathLike)) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise ScenarioError(f"{name}: found {found!r}; accepted: a name, as text or pathlib.Path")
    return text


def gpu_name(found: Any) -> str:
    """What traces rays."""
    if not isinstance(found, str) or not found.strip():
        raise ScenarioError(f'gpu: found {found!r}; accepted: "cpu", "gpu", "auto" or part of a name of keller.gpus()')
    return found


def whole_number(name: str, found: SupportsIndex, low: int, high: int | None = None, also: str = "") -> int:
    """A whole number from ``low`` to ``high``; truth values are none. ``also`` says what else is accepted."""
    accepted = also + (f"a whole number from {low} on" if high is None else f"{low} to {high}")
    try:
        number = operator.index(found)
    except TypeError:
        number = low - 1
    if isinstance(found, (bool, np.bool_)) or number < low or (high is not None and number > high):
        raise ScenarioError(f"{name}: found {reprlib.repr(found)}; accepted: {accepted}")
    return number


def positive_number(name: str, found: ArrayLike, unit: str) -> float:
    """A positive, finite number; whole numbers stay whole."""
    accepted = f"a positive number, {unit}"
    number = float(real_array(name, found, lambda shape: shape == (), accepted))
    if number <= 0:
        raise ScenarioError(f"{name}: found {found!r}; accepted: {accepted}")
    return int(found) if isinstance(found, (int, np.integer)) else number


def real_array(name: str, found: ArrayLike, fits: Callable[[Shape], bool], accepted: str) -> NDArray[np.float64]:
    """Finite real numbers in a new array, in the order of C, whose shape ``fits``."""
    array = _array(name, found, accepted)
    if array.dtype.kind not in _REAL:
        raise _refused(name, found, array, _REAL, accepted)
    if array.dtype.kind == "O":
        # float() takes texts too, and numpy takes None for NaN.
        wrong = [one for one in array.flat if isinstance(one, (str, bytes, bool, type(None)))]
        if wrong:
            where = " in an array" if array.ndim else ""
            raise ScenarioError(f"{name}: found {wrong[0]!r}{where}; accepted: {accepted}")
    try:
        # What is too large for 64 bits becomes infinite.
        with np.errstate(over="ignore"):
            numbers = np.array(array, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise ScenarioError(f"{name}: found {reprlib.repr(found)} ({error}); accepted: {accepted}") from None
    if not fits(numbers.shape):
        raise _refused(name, found, array, _REAL, accepted)
    finite = np.isfinite(numbers)
    if not finite.all():
        if numbers.ndim == 0:
            raise ScenarioError(f"{name}: found {numbers}; accepted: {accepted}")
        row = int(np.argmin(finite.reshape(len(numbers), -1).all(axis=1)))
        raise ScenarioError(f"{name}[{row}]: found {numbers[row].tolist()}; accepted: finite numbers")
    return numbers


def index_array(name: str, found: ArrayLike, fits: Callable[[Shape], bool], shape: str, end: int) -> NDArray[np.uint32]:
    """Whole numbers from 0 to ``end - 1`` in a new array, in the order of C, whose shape ``fits``."""
    accepted = f"whole numbers, an array of shape {shape}"
    array = _array(name, found, accepted)
    if not fits(array.shape) or (array.size and array.dtype.kind not in _WHOLE):
        raise _refused(name, found, array, _WHOLE, accepted)
    if array.size and not 0 <= int(array.min()) <= int(array.max()) < end:
        wrong = int(array.min()) if array.min() < 0 else int(array.max())
        raise ScenarioError(f"{name}: found index {wrong}; accepted: 0 to {end - 1}")
    return np.array(array, dtype=np.uint32, order="C")


def _array(name: str, found: ArrayLike, accepted: str) -> NDArray[Any]:
    if np.ma.is_masked(found):  # type: ignore[no-untyped-call]
        raise ScenarioError(f"{name}: found masked entries; accepted: {accepted}")
    try:
        return np.asarray(found)
    except (TypeError, ValueError, OverflowError) as error:
        raise ScenarioError(f"{name}: found {reprlib.repr(found)} ({error}); accepted: {accepted}") from None


def _refused(name: str, found: ArrayLike, array: NDArray[Any], kinds: str, accepted: str) -> ScenarioError:
    if array.ndim == 0:
        return ScenarioError(f"{name}: found {reprlib.repr(found)}; accepted: {accepted}")
    kind = array.dtype.kind
    of = "" if kind in kinds else f" of {_KINDS.get(kind, str(array.dtype))}"
    return ScenarioError(f"{name}: found an array{of} of shape {array.shape}; accepted: {accepted}")
