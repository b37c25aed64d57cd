"""Times and tokens in words."""

from __future__ import annotations

import pytest

from otel_traj.model import Usage
from otel_traj.report.units import count, format_duration, format_time, format_usage
from otel_traj.sources.times import parse_time


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0.0 ms"),
        (-5, "0.0 ms"),
        (400_000, "0.4 ms"),
        (12_300_000, "12 ms"),
        (3_400_000_000, "3.4 s"),
        (59_940_000_000, "59.9 s"),
        (59_960_000_000, "1 min 0 s"),
        (999_600_000, "1.0 s"),
        (125_000_000_000, "2 min 5 s"),
        (3_780_000_000_000, "1 h 3 min"),
    ],
)
def test_durations_read_at_a_glance(nanoseconds: int, text: str) -> None:
    """A duration has the unit that suits its size, and no rounding shows 60 s or 1000 ms."""
    assert format_duration(1_000, 1_000 + nanoseconds) == text


@pytest.mark.parametrize(
    ("time_ns", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1_764_500_000_999_999_999, "2025-11-30T10:53:20Z"),
        (2**64 - 1, "2554-07-21T23:34:33Z"),
    ],
)
def test_a_time_can_be_pasted_into_a_selection(time_ns: int, text: str) -> None:
    """A time is UTC in whole seconds, in the form that `--since` takes, and at or before what it stands for."""
    assert format_time(time_ns) == text
    assert time_ns - 1_000_000_000 < parse_time(text) <= time_ns


def _make_usage(**counts: int) -> Usage:
    return Usage(
        input_tokens=counts.get("input_tokens"),
        output_tokens=counts.get("output_tokens"),
        cache_read_input_tokens=counts.get("cached"),
        cache_write_input_tokens=None,
        reasoning_output_tokens=counts.get("reasoning"),
    )


@pytest.mark.parametrize(
    ("usage", "text"),
    [
        (_make_usage(), ""),
        (_make_usage(input_tokens=1_234, output_tokens=0), "1,234 tokens in, 0 out"),
        (_make_usage(output_tokens=5), "? tokens in, 5 out"),
        (
            _make_usage(input_tokens=9, output_tokens=8, cached=7, reasoning=6),
            "9 tokens in (7 cached), 8 out (6 reasoning)",
        ),
    ],
)
def test_usage_tells_only_what_was_recorded(usage: Usage, text: str) -> None:
    """Unknown counts are a question mark, and no counts at all are no words."""
    assert format_usage(usage) == text


def test_a_count_agrees_with_its_noun() -> None:
    """One is singular, everything else plural."""
    assert [count(number, "run") for number in (0, 1, 1_000)] == ["0 runs", "1 run", "1,000 runs"]
