"""The text of an explanation: one line per difference, then what they mean together.

A comment travels as an OpenTelemetry attribute and as LangSmith feedback, so it is bounded: 20 differences, five
hints, 2,048 bytes of UTF-8. Differences give way before hints do, and a line is cut only where it alone is too
long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.match.explain.ops import faults_of, kind_of
from otel_traj.match.names import list_names, show_superstep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.align import Move

__all__ = ["MAX_COMMENT_BYTES", "MAX_LINES", "build_comment", "say_move"]

MAX_COMMENT_BYTES: Final = 2_048
"""Bytes of UTF-8 in a comment at most."""

MAX_LINES: Final = 20
"""Differences named in a comment at most."""

_MAX_TAIL_LINES: Final = 6
_MAX_TAIL_LINE_BYTES: Final = 200


def say_move(move: Move) -> str:
    """Return one difference as a sentence: `superstep 3: expected {a, b}, got {a}; missing b`."""
    if move.expected is None or move.actual is None:
        return _say_single(move)
    missing, extra = faults_of(move)
    faults = [
        *(["order differs"] if kind_of(move) == "reordered" else []),
        *([f"missing {list_names(missing)}"] if missing else []),
        *([f"extra {list_names(extra)}"] if extra else []),
        *move.difference.reasons,
    ]
    wanted, seen = show_superstep(move.expected.names), show_superstep(move.actual.names)
    number = f"superstep {move.actual.number}"
    if move.expected.number != move.actual.number:
        number += f" (superstep {move.expected.number} of the reference)"
    return "; ".join([f"{number}: expected {wanted}, got {seen}", *faults])


def build_comment(lines: Sequence[str], tail: Sequence[str]) -> str:
    """Put a comment together within its bounds.

    Args:
        lines: One sentence per difference, the first ones kept.
        tail: Notes and hints, which come last and are kept before further differences.
    """
    kept_tail = [_cut(line, _MAX_TAIL_LINE_BYTES) for line in tail[:_MAX_TAIL_LINES]]
    for count in range(min(len(lines), MAX_LINES), 0, -1):
        text = _assemble(lines[:count], len(lines) - count, kept_tail)
        if _size(text) <= MAX_COMMENT_BYTES:
            return text
    rest = _assemble([], max(0, len(lines) - 1), kept_tail)
    if not lines:
        return rest
    first = _cut(lines[0], MAX_COMMENT_BYTES - _size(rest) - 1)
    return f"{first}\n{rest}" if rest else first


def _say_single(move: Move) -> str:
    if move.actual is not None:
        allowed = f"a round more than the {move.bounds.max} allowed" if move.is_excess else "not expected"
        return f"superstep {move.actual.number}: got {show_superstep(move.actual.names)}, {allowed}"
    if move.expected is None:
        raise AssertionError("a place of an alignment has at least one side")
    names = move.expected.names
    faults = f"; missing {list_names(names)}" if names else ""
    return f"superstep {move.expected.number}: expected {show_superstep(names)}, got nothing{faults}"


def _assemble(lines: Sequence[str], hidden: int, tail: Sequence[str]) -> str:
    more = [f"and {hidden} more"] if hidden else []
    return "\n".join([*lines, *more, *tail])


def _size(text: str) -> int:
    return len(text.encode())


def _cut(line: str, size: int) -> str:
    """Cut a line to a number of bytes, at a character, with three dots where something is gone."""
    encoded = line.encode()
    if len(encoded) <= size:
        return line
    return encoded[: size - 3].decode(errors="ignore") + "..."
