"""Runs the program that came with the package."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from functools import cache
from os import PathLike, fspath
from pathlib import Path

from ._keller import KellerError, ScenarioError, __version__
from ._progress import warn

_log = logging.getLogger("keller")

#: Bad usage or bad input: the exit code of the program.
_BAD_INPUT = 2
#: Stopped by Ctrl-C.
_STOPPED = 128 + signal.SIGINT

_Value = str | PathLike[str] | float


def value(option: str | None, given: _Value | None) -> list[str]:
    """The arguments for an option with one value, or for a positional argument."""
    return [] if given is None else [_argument(option, given)]


def _argument(option: str | None, given: object) -> str:
    text = None
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        text = repr(given)
    elif isinstance(given, (str, PathLike)):
        text = str(fspath(given))
    if text is None or "\0" in text:
        name = (option or "argument").lstrip("-").replace("-", "_")
        raise ScenarioError(
            f"{name}: found {given!r} of type {type(given).__name__}; accepted: a text, a path or a number"
        )
    return text if option is None else f"{option}={text}"


def flag(option: str, given: bool) -> list[str]:
    """The argument for an option that is there or not."""
    return [option] if given else []


def repeated(option: str | None, given: _Value | Sequence[_Value] | None) -> list[str]:
    """The arguments for an option that may be given several times."""
    if given is None or isinstance(given, (str, PathLike, float, int)):
        return value(option, given)
    return [_argument(option, one) for one in given]


def joined(option: str, given: float | Sequence[float] | str | Sequence[str] | None) -> list[str]:
    """The argument for an option whose values stand between commas."""
    if given is None or isinstance(given, (str, float, int)):
        return value(option, given)
    return [f"{option}=" + ",".join(_argument(None, one) for one in given)]


def run(command: str, positional: Sequence[str], *options: Sequence[str]) -> str:
    """Runs a command and gives what it prints."""
    arguments = [argument for option in options for argument in option]
    with tempfile.TemporaryFile() as output:
        running = subprocess.Popen(
            [find_program(), *command.split(), *arguments, "--", *positional],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )
        failure = "\n".join(_listen(running))
        code = running.returncode
        if code in (_STOPPED, -signal.SIGINT):
            raise KeyboardInterrupt(failure or "stopped")
        if code < 0:
            raise KellerError(failure or f"{command}: the program was ended by signal {-code}")
        if code:
            kind = ScenarioError if code == _BAD_INPUT else KellerError
            raise kind(failure or f"{command}: the program ended with exit code {code}")
        output.seek(0)
        return output.read().decode("utf-8", "replace")


def _listen(running: subprocess.Popen[str]) -> list[str]:
    """Passes warnings and notes on until the program ends, and gives the lines of its error."""
    error: list[str] = []
    assert running.stderr is not None, "it is a pipe"
    with running, running.stderr as lines:
        while True:
            try:
                for line in lines:
                    _hear(line.rstrip("\n"), error)
                running.wait()
                return error
            except KeyboardInterrupt:
                # It ends by itself, and says what it has kept.
                running.send_signal(signal.SIGINT)
            except BaseException:
                # Such as a warning that Python makes an error of: nobody listens any more.
                running.terminate()
                raise


def _hear(line: str, error: list[str]) -> None:
    kind, _, text = line.partition(": ")
    if kind == "warning":
        warn(text)
    elif kind in ("keller", "error") or error:
        error.append(line if error else text)
    elif line:
        _log.info(text if kind == "note" else line)


@cache
def find_program() -> str:
    """The program that came with the package, else the one of the same version on the path."""
    name = "keller.exe" if os.name == "nt" else "keller"
    folders = [sysconfig.get_path("scripts"), str(Path(sys.executable).parent)]
    schemes = sysconfig.get_scheme_names()
    user = sysconfig.get_preferred_scheme("user")
    if user in schemes:
        folders.append(sysconfig.get_path("scripts", scheme=user))
    # `pip install --target` puts it beside the packages.
    folders.append(str(Path(__file__).resolve().parents[1] / "bin"))
    for folder in folders:
        found = shutil.which(name, path=folder)
        if found:
            return found
    found = shutil.which(name)
    if found and _version(found) == __version__:
        return found
    raise KellerError(f"the program {name} is not there; accepted: one in {', '.join(folders)}, where pip puts it")


def _version(program: str) -> str:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    return said.split()[-1] if said.split() else ""
