"""The Tx and Rx that a picture shows, chosen by index or by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._keller import ScenarioError
from .shapes import Points

#: Messages list up to this many names, and pictures write up to this many beside markers.
MAX_NAMES = 10


@dataclass
class Devices:
    """The Tx or the Rx of a result."""

    #: "Tx" or "Rx".
    kind: str
    #: Names; the index where there is none.
    names: Sequence[str]
    #: ``(n, 3)``, metres.
    positions: Points

    def chosen(self, wanted: int | str | None) -> list[int]:
        """Those that an index or a name stands for, all of them for None."""
        if wanted is None:
            return list(range(len(self.names)))
        if isinstance(wanted, str):
            found = [index for index, name in enumerate(self.names) if name == wanted]
            if found:
                return found
        elif isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool) and 0 <= wanted < len(self.names):
            return [int(wanted)]
        given = [repr(name) for name in dict.fromkeys(self.names) if not name.isdecimal()]
        more = ["..."] if len(given) > MAX_NAMES else []
        accepted = ", ".join([f"0 to {len(self.names) - 1}", *given[:MAX_NAMES], *more])
        raise ScenarioError(f"{self.kind.lower()}: found {wanted!r}; accepted: {accepted}")

    def one(self, wanted: int | str) -> int:
        """The one that an index or a name stands for."""
        found = self.chosen(wanted)
        # None stands for every device, even if there is only one.
        if wanted is not None and len(found) == 1:
            return found[0]
        what = f"{wanted!r}, which stands for {len(found)} {self.kind}"
        raise ScenarioError(f"{self.kind.lower()}: found {what}; accepted: 0 to {len(self.names) - 1}")

    def label(self, index: int) -> str:
        """What a picture calls one: its name, or such as ``Tx 0``."""
        name = self.names[index]
        return f"{self.kind} {name}" if name.isdecimal() else name
