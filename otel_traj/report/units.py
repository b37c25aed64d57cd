"""Times and tokens in words that a person reads at a glance."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from otel_traj.model import Usage

__all__ = ["count", "format_duration", "format_time", "format_usage"]

_MS = 1_000_000
_SECOND = 1_000 * _MS


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_duration(started_ns: int, ended_ns: int) -> str:
    """Return how long something took: `0.4 ms`, `12 ms`, `3.4 s`, `2 min 5 s`, `1 h 3 min`.

    Args:
        started_ns: Nanoseconds since the epoch.
        ended_ns: Likewise; an end before the start (clocks of two machines) counts as no time.
    """
    took = max(ended_ns - started_ns, 0)
    if took < 9.95 * _MS:
        return f"{took / _MS:.1f} ms"
    if took < 999.5 * _MS:
        return f"{took / _MS:.0f} ms"
    if took < 59.95 * _SECOND:
        return f"{took / _SECOND:.1f} s"
    minutes, seconds = divmod(round(took / _SECOND), 60)
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours} h {minutes_left} min" if hours else f"{minutes} min {seconds} s"


def format_time(time_ns: int) -> str:
    """Return a time in the form that selections take: `2026-11-30T09:00:00Z`, the second it falls in.

    Args:
        time_ns: Nanoseconds since the epoch.
    """
    moment = datetime.fromtimestamp(time_ns // _SECOND, UTC)
    return moment.isoformat().replace("+00:00", "Z")


def format_usage(usage: Usage) -> str:
    """Return token counts, `82 tokens in (10 cached), 34 out (5 reasoning)`; empty where none was recorded."""
    incoming, outgoing = usage["input_tokens"], usage["output_tokens"]
    if incoming is None and outgoing is None:
        return ""
    cached = usage["cache_read_input_tokens"]
    reasoning = usage["reasoning_output_tokens"]
    of_which_cached = f" ({cached:,} cached)" if cached else ""
    of_which_reasoning = f" ({reasoning:,} reasoning)" if reasoning else ""
    shown_in = "?" if incoming is None else f"{incoming:,}"
    shown_out = "?" if outgoing is None else f"{outgoing:,}"
    return f"{shown_in} tokens in{of_which_cached}, {shown_out} out{of_which_reasoning}"
