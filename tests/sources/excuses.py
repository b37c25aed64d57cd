"""Why some places can't keep a promise of the contract: each excuse once, with its reason in words.

An excused promise is tried all the same, and must not hold: an excuse that is no longer needed fails its test. The
reasons stand in the output of the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tests.sources.jaeger.legacy import flatten

if TYPE_CHECKING:
    from collections.abc import Callable

    from otel_traj.model import Span

__all__ = [
    "CONSOLE_FORM",
    "GIVES_ALL",
    "IS_ASKED_NO_MORE",
    "IS_READ_ONCE",
    "LEGACY_FORM",
    "TRUSTS_IDS",
    "Excuse",
]


class Excuse(NamedTuple):
    """One promise that a place can't keep, and why."""

    promise: str
    """The test of the contract suite that can't pass, without `test_`."""
    reason: str
    keeps: Callable[[Span], Span] = lambda span: span
    """What of a span is kept, where that is what the excuse is about."""


def print_and_read(span: Span) -> Span:
    """Return what of a span the console's form keeps: microseconds, and no scope."""
    return msgspec.structs.replace(
        span,
        # The SDK prints seconds as a float, so what is under a microsecond is rounded, not cut.
        start_ns=round(span.start_ns, -3),
        end_ns=round(span.end_ns, -3),
        scope_name="",
        scope_version="",
    )


IS_READ_ONCE = Excuse(
    "each_call_reads_anew", "what is piped in or iterated over is gone when it has been read"
)
TRUSTS_IDS = Excuse(
    "a_span_without_usable_ids_is_left_out_alone", "Span records have usable ids by their own contract"
)
GIVES_ALL = Excuse(
    "of_what_is_not_there_nothing_is_given",
    "it has no index to ask: it gives all it holds, and whoever reads filters",
)
IS_ASKED_NO_MORE = Excuse(
    "a_thread_is_completed_beyond_what_the_name_says",
    "of several places only those are asked again that gave less than they hold",
)
LEGACY_FORM = Excuse(
    "every_span_is_yielded_as_it_was_recorded",
    "Jaeger's legacy JSON has microseconds, and text where a list was",
    flatten,
)
CONSOLE_FORM = Excuse(
    "every_span_is_yielded_as_it_was_recorded",
    "the SDK's console form has microseconds and no instrumentation scope",
    print_and_read,
)
