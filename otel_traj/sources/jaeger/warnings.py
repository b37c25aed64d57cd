"""What Jaeger's warnings tell: which traces it gave only a part of, and which spans had no end.

With `max_trace_size` set, Jaeger cuts a trace to its first spans and says so in an attribute of the first of them
(`jaeger.warning`; read in its source of 2026-08). Other warnings stand in a list of texts, `@jaeger@warnings` in
its answers (seen with 1.76.0), `jaeger.internal.warnings` in its storage; in legacy JSON each span and
each trace has a list `warnings`. Most are about clocks and repeated ids, and cost no span. A span without an end is given one, one
nanosecond behind its start, with the true one in the warning (seen with 1.76.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from otel_traj.model import AttributeValue, SourceProblemCode, Span

__all__ = [
    "MARK",
    "WARNINGS",
    "WARNING_KEYS",
    "describe_cut",
    "find_cut",
    "find_cuts",
    "may_hold_warnings",
    "undo_warnings",
]

_LEGACY_MARK: Final = b'"warnings"'
MARK: Final = b"jaeger"
"""Bytes without which no record holds such a warning."""
WARNINGS: Final = "@jaeger@warnings"
"""The attribute with warnings in Jaeger's answers."""

WARNING_KEYS: Final = frozenset({"jaeger.warning", WARNINGS, "jaeger.internal.warnings"})
"""Every attribute that holds such a warning, or several."""
_CUT: Final = "truncated"
_OPEN: Final = "Original end timestamp: 1970-01-01 00:00:00 "


def may_hold_warnings(data: bytes) -> bool:
    """Return whether some span of a record may have a warning; a look at the bytes saves one at every span.

    Args:
        data: The record, in any form.
    """
    return MARK in data or _LEGACY_MARK in data


def find_cut(span: Span) -> str | None:
    """Return what Jaeger said where a span's trace was cut; None where it was not.

    Args:
        span: A span of the trace.
    """
    return next(find_cuts(_list_warnings(span.attributes)), None)


def find_cuts(warnings: Iterable[object]) -> Iterator[str]:
    """Yield what among warnings says that a trace was cut.

    Args:
        warnings: As Jaeger wrote them; what is no text is passed over.
    """
    for text in warnings:
        if isinstance(text, str) and _CUT in text.lower():
            yield text


def undo_warnings(span: Span) -> Span:
    """Return a span as it was recorded: without Jaeger's own words, and without an end where it had none.

    Args:
        span: As Jaeger gave it; its attributes are changed.
    """
    had_no_end = any(_OPEN in text for text in _list_warnings(span.attributes))
    for key in WARNING_KEYS:
        span.attributes.pop(key, None)
    return replace(span, end_ns=0) if had_no_end else span


def describe_cut(trace_id: str, said: str) -> tuple[SourceProblemCode, str]:
    """Return code and message for a trace that was cut.

    Args:
        trace_id: Its id.
        said: What Jaeger said.
    """
    return "partial_response", (
        f"Jaeger gave only a part of trace {trace_id} ({said[:200]!r}); spans are missing, so that its runs can't be "
        "judged; raise Jaeger's max_trace_size"
    )


def _list_warnings(attributes: Mapping[str, AttributeValue]) -> Iterator[str]:
    for key in WARNING_KEYS:
        value = attributes.get(key)
        for text in value if isinstance(value, list) else (value,):
            if isinstance(text, str):
                yield text
