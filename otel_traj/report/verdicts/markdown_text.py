"""Foreign text in Markdown, as data: names and reasons that hold markup, HTML, mentions or table bars.

Backslashes stop neither a mention (`@user`) nor a reference (`#1`), which GitHub looks for in what was rendered, but
not inside code. So foreign text is always code: a span with more backticks around it than it holds, a fenced block
likewise, or the `code` element in HTML. Characters that can't be printed are escapes before that. Source: GitHub
Flavored Markdown 0.29.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final

from otel_traj.report.escape import cut, escape

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["fence_lines", "show_cell", "show_code", "show_html", "show_link"]

_BACKTICKS: Final = re.compile("`+")
_MAX_CELL: Final = 300


def show_code(text: str) -> str:
    """Return a text as a code span, for a line of prose or of a list."""
    shown = escape(text) or " "
    fence = "`" * (_longest_run(shown) + 1)
    # A space on either side is taken away again, so that a backtick or a space at an end stays.
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def show_cell(text: str) -> str:
    """Return a text as a code span in a cell of a table, at most 300 characters of it; bars are escaped."""
    cut = text if len(text) <= _MAX_CELL else f"{text[:_MAX_CELL]}..."
    return show_code(cut).replace("|", "\\|") if cut else ""


def show_html(text: str) -> str:
    """Return a text as HTML, for what Markdown leaves to HTML."""
    return f"<code>{html.escape(escape(text))}</code>"


def fence_lines(lines: Iterable[str], language: str = "text") -> list[str]:
    """Return lines in a fenced block.

    Args:
        lines: Each without a line break of its own; escaped, and cut after 2,000 characters.
        language: By which the block is coloured.
    """
    shown = list(map(cut, lines))
    fence = "`" * max([3, *(_longest_run(line) + 1 for line in shown)])
    return [f"{fence}{language}", *shown, fence]


def show_link(words: str, url: str) -> str:
    """Return a link.

    Args:
        words: Our own, no foreign text.
        url: As `TraceLink` makes it.
    """
    return f"[{words}](<{url}>)"


def _longest_run(text: str) -> int:
    return max((len(found) for found in _BACKTICKS.findall(text)), default=0)
