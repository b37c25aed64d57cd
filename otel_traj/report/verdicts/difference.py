"""Expected and actual supersteps one below the other, as `diff` shows two files.

For where two columns have no room, and for forms that colour such lines by themselves (Markdown's `diff` blocks).
What was accepted is shown next to a difference only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.report.units import count
from otel_traj.report.verdicts.alignment import align_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.evaluate import Verdict
    from otel_traj.report.verdicts.alignment import Row

__all__ = ["Hidden", "fold_rows", "format_difference"]

_CONTEXT: Final = 2
_MAX_ROWS: Final = 60


class Hidden(int):
    """So many rows are not shown here."""


def format_difference(verdict: Verdict) -> list[str]:
    """Return the lines of a difference: `-` is expected, `+` ran, both with the number of the superstep.

    Args:
        verdict: Any verdict.

    Returns:
        No line where no superstep differs. Characters that could be an instruction to a terminal are escaped.
    """
    lines: list[str] = []
    for each in align_runs(verdict):
        if len(verdict.runs) > 1:
            lines.append(f"  run {each.run}")
        lines += [line for row in fold_rows(each.rows) for line in _format_row(row)]
    return lines


def fold_rows(rows: Sequence[Row]) -> list[Row | Hidden]:
    """Return the rows near a difference, the others counted; at most 60.

    Args:
        rows: All rows of a run.
    """
    near = {
        index + offset
        for index, row in enumerate(rows)
        if row.mark != " "
        for offset in range(-_CONTEXT, _CONTEXT + 1)
    }
    kept = [index for index in range(len(rows)) if index in near][:_MAX_ROWS]
    folded: list[Row | Hidden] = []
    position = 0
    for index in [*kept, len(rows)]:
        if index > position:
            folded.append(Hidden(index - position))
        folded += rows[index : index + 1]
        position = index + 1
    return folded


def _format_row(row: Row | Hidden) -> Iterator[str]:
    if isinstance(row, Hidden):
        yield f"  ... {count(row, 'superstep')}"
    elif row.mark == " ":
        number = row.expected_number if row.actual_number is None else row.actual_number
        yield _format_line(" ", number, row.actual or row.expected)
    else:
        if row.expected:
            yield _format_line("-", row.expected_number, row.expected)
        if row.actual:
            yield _format_line("+", row.actual_number, row.actual)


def _format_line(mark: str, number: int | None, text: str) -> str:
    return f"{mark} {'' if number is None else number:>3}  {text}"
