"""Small tables that notebooks show of an object: they need nothing from elsewhere and suit dark and light pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

#: Rows of a table before "... and N more".
MAX_ROWS = 10

# Notebooks and web pages drop style sheets, so every cell has its own style. Colours are those of the page, and lines
# are half transparent.
_LINE = "border:0;border-bottom:1px solid rgba(128,128,128,0.35)"
_CELL = f"padding:0.15em 0.9em 0.15em 0;{_LINE};background:none;vertical-align:top"
_TABLE = "border-collapse:collapse;border:0;margin:0.4em 0;color:inherit;background:none"

Row = Sequence[object]


def show(
    title: str,
    facts: Sequence[Row],
    head: Row = (),
    rows: Sequence[Row] = (),
    num_rows: int = 0,
    num_texts: int = 1,
) -> str:
    """A title, a table of facts (name and value), and a table of ``rows`` under ``head``: the first of ``num_rows``.

    Columns after the first ``num_texts`` are numbers. All texts are escaped.
    """
    parts = ['<div style="color:inherit;line-height:1.35">', f"<strong>{escape(title)}</strong>"]
    parts += _table([_line(fact, ("th", "td"), len(fact)) for fact in facts])
    if rows:
        lines = [_line(head, ["th"] * len(head), num_texts)]
        lines += [_line(row, ["td"] * len(row), num_texts) for row in rows[:MAX_ROWS]]
        parts += _table(lines)
        more = max(num_rows, len(rows)) - min(len(rows), MAX_ROWS)
        if more > 0:
            parts.append(f'<div style="opacity:0.75">... and {more:,} more</div>')
    parts.append("</div>")
    return "".join(parts)


def frequency(hz: float) -> str:
    """A frequency with a unit that suits it."""
    return f"{hz / 1e9:g} GHz" if hz >= 1e9 else f"{hz / 1e6:g} MHz"


def memory(num_bytes: float) -> str:
    """A number of bytes with a unit that suits it."""
    for unit in ("B", "kB", "MB"):
        if num_bytes < 1000:
            return f"{num_bytes:.3g} {unit}"
        num_bytes /= 1000
    return f"{num_bytes:.3g} GB"


def names(all_names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    shown = ", ".join(all_names[:MAX_ROWS])
    more = len(all_names) - MAX_ROWS
    return f"{shown} and {more:,} more" if more > 0 else shown


def size(lengths: Sequence[float]) -> str:
    """Lengths in metres, such as ``5.0 × 4.0 × 2.8 m``."""
    return " × ".join(f"{length:.1f}" for length in lengths) + " m"


def _table(lines: Sequence[str]) -> list[str]:
    return [f'<table style="{_TABLE}"><tbody>', *lines, "</tbody></table>"] if lines else []


def _line(cells: Row, tags: Sequence[str], num_texts: int) -> str:
    out = []
    for number, (tag, value) in enumerate(zip(tags, cells, strict=True)):
        text = f"{value:,}" if isinstance(value, int) else str(value)
        style = f"text-align:{'left' if number < num_texts else 'right'};{_CELL}"
        if tag == "th":
            style = f"font-weight:600;white-space:nowrap;{style}"
        out.append(f'<{tag} style="{style}">{escape(text)}</{tag}>')
    return f'<tr style="background:none">{"".join(out)}</tr>'
