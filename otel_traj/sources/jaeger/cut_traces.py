"""Which traces Jaeger gave only a part of, told by the warnings that it writes into their spans.

With `max_trace_size` set, Jaeger cuts a trace to its first spans and says so in an attribute of the first of them
(`jaeger.warning`; read in its source of 2026-08). Other warnings stand in a list of texts, `@jaeger@warnings` in
its answers (seen with 1.76.0), `jaeger.internal.warnings` in its storage; in legacy JSON each span has a list
`warnings`. Most are about clocks and repeated ids, and cost no span.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from otel_traj.model import SourceProblemCode, Span

__all__ = ["MARK", "WARNINGS", "describe_cut", "find_cut"]

MARK: Final = b"jaeger"
"""Bytes without which no record holds such a warning."""
WARNINGS: Final = "@jaeger@warnings"
"""The attribute with warnings in Jaeger's answers."""

_KEYS: Final = ("jaeger.warning", WARNINGS, "jaeger.internal.warnings")
_CUT: Final = "truncated"


def find_cut(span: Span) -> str | None:
    """Return what Jaeger said where a span's trace was cut; None where it was not.

    Args:
        span: A span of the trace.
    """
    for key in _KEYS:
        value = span.attributes.get(key)
        for text in value if isinstance(value, list) else (value,):
            if isinstance(text, str) and _CUT in text.lower():
                return text
    return None


def describe_cut(span: Span, said: str) -> tuple[SourceProblemCode, str]:
    """Return code and message for a trace that was cut.

    Args:
        span: The span with the warning.
        said: What Jaeger said.
    """
    return "partial_response", (
        f"Jaeger gave only a part of trace {span.trace_id} ({said[:200]!r}); spans are missing, so that its runs can't be "
        "judged; raise Jaeger's max_trace_size"
    )
