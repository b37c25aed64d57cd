"""A report in a terminal's colours, drawn by rich: fails with their supersteps side by side and their execution tree.

Not imported by `otel_traj.report`, for rich is an extra. Everything is given to it as text that is already escaped,
never as markup. What a colour says a character says too; whether there are colours (`NO_COLOR`, `FORCE_COLOR`, a dumb
terminal) is rich's own decision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from otel_traj.report.runs.branch import ASCII_GLYPHS, GLYPHS
from otel_traj.report.runs.tree import format_tree
from otel_traj.report.units import count
from otel_traj.report.verdicts.alignment import align_runs
from otel_traj.report.verdicts.difference import Hidden, fold_rows, format_difference
from otel_traj.report.verdicts.headline import VERDICT_WORDS
from otel_traj.report.verdicts.verdicts import format_summary, format_verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, RenderableType

    from otel_traj.evaluate import Report, Verdict
    from otel_traj.report.prices import Prices
    from otel_traj.report.trace_link import TraceLink
    from otel_traj.report.verdicts.alignment import Row

__all__ = ["print_coloured"]

_WORD_STYLES: Final = {"pass": "green", "fail": "bold red", "not_evaluated": "yellow"}
_ROW_STYLES: Final = {" ": "", "-": "red", "+": "green", "~": "yellow"}
_INDENT: Final = 4
_NARROW: Final = 60
"""Below so many characters two columns have no room."""
_MAX_DETAILED: Final = 20
"""Fails that are drawn; of the others the reason is told alone."""


def print_coloured(
    report: Report, console: Console, *, link: TraceLink | None = None, prices: Prices | None = None
) -> None:
    """Print a report.

    Args:
        report: What `evaluate_runs` returned.
        console: Where it is printed; its width decides between side by side and one below the other.
        link: Makes the links of each run.
        prices: What model calls cost.
    """
    detailed = 0
    for verdict in report.verdicts:
        is_drawn = verdict.verdict == "fail" and detailed < _MAX_DETAILED
        detailed += is_drawn
        lines = format_verdict(verdict, width=console.width, link=link, prices=prices)
        text = Text("\n".join(lines))
        text.stylize(_WORD_STYLES[verdict.verdict], 0, len(VERDICT_WORDS[verdict.verdict]))
        _print(console, text)
        for renderable in _draw_fail(verdict, console, prices) if is_drawn else ():
            _print(console, renderable)
    hidden = report.summary["failed"] - detailed
    if hidden > 0:
        _print(console, Text(f"(supersteps and tree of {count(hidden, 'more fail')} are not drawn)"))
    summary = format_summary(report, width=console.width, prices=prices)
    _print(console, Text("\n".join(["", *summary] if report.verdicts else summary)))


def _print(console: Console, renderable: RenderableType) -> None:
    """Lines come wrapped; a longer word, such as a link, is left to the terminal."""
    console.print(renderable, highlight=False, soft_wrap=isinstance(renderable, Text))


def _draw_fail(verdict: Verdict, console: Console, prices: Prices | None) -> Iterator[RenderableType]:
    width, indent = console.width - _INDENT, " " * _INDENT
    aligned = align_runs(verdict)
    if width < _NARROW:
        for line in format_difference(verdict):
            yield Text(indent + line, style=_ROW_STYLES.get(line[:1], ""))
    else:
        for each in aligned:
            title = f"run {each.run}" if len(verdict.runs) > 1 else ""
            yield Padding(_draw_rows(fold_rows(each.rows), title), (0, 0, 0, _INDENT), expand=False)
    glyphs = ASCII_GLYPHS if console.options.ascii_only else GLYPHS
    is_thread = verdict.run_ids is not None
    for run in [verdict.runs[each.run] for each in aligned] if is_thread else verdict.runs:
        tree = format_tree(run, width=width, glyphs=glyphs, prices=prices)
        yield Text("\n".join(indent + line for line in tree.split("\n")), style="dim")


def _draw_rows(rows: list[Row | Hidden], title: str) -> Table:
    table = Table(box=None, pad_edge=False, title=title or None, title_justify="left")
    table.add_column(" ", width=1)
    for side in ("expected", "actual"):
        table.add_column("", justify="right", width=4)
        table.add_column(side, overflow="fold", ratio=1)
    for row in rows:
        if isinstance(row, Hidden):
            table.add_row("", "", Text(f"... {count(row, 'superstep')}"))
            continue
        left, right = (_show_number(number) for number in (row.expected_number, row.actual_number))
        cells = (row.mark, left, row.expected, right, row.actual)
        table.add_row(*map(Text, cells), style=_ROW_STYLES[row.mark])
    return table


def _show_number(number: int | None) -> str:
    return "" if number is None else str(number)
