from __future__ import annotations

import time

import pytest

from otel_traj.errors import SourceError
from otel_traj.sources import SpanQuery, describe_defaults, open_source
from otel_traj.sources.backend.address import parse_address
from otel_traj.sources.backend.window import Scope, find_scope
from otel_traj.sources.times import format_time, parse_time

HOUR = 3_600 * 10**9
SLACK = 60 * 10**9


def find(parameters: str, query: SpanQuery) -> Scope:
    """Return how far a search goes."""
    allowed = ("since", "until", "lookback", "limit")
    return find_scope(parse_address(f"jaeger+http://h?{parameters}", allowed=allowed), query)


def test_a_name_alone_is_the_newest_twenty_of_the_last_hour() -> None:
    """With room for clocks that are ahead."""
    scope = find("", SpanQuery())
    now = time.time_ns()
    assert scope.limit == 20
    assert 0 < scope.window.until_ns - now < 10 * SLACK
    assert abs(now - HOUR - scope.window.since_ns) < SLACK


def test_one_thread_or_run_is_looked_for_a_week_back() -> None:
    """An interrupt may be answered days later; many traces may belong to a thread."""
    for query in (SpanQuery(thread="t"), SpanQuery(run="r"), SpanQuery(thread="t", completes=True)):
        scope = find("", query)
        assert time.time_ns() - scope.window.since_ns > 6 * 24 * HOUR
        assert scope.limit == 1_000


def test_the_name_and_the_query_narrow_each_other() -> None:
    """The later beginning, the earlier end; what completes runs is bound by neither."""
    day = "since=2026-11-29T00:00:00Z&until=2026-11-30T00:00:00Z&limit=7"
    start = parse_time("2026-11-29T00:00:00Z")
    scope = find(day, SpanQuery(since_ns=start + HOUR, until_ns=start + 48 * HOUR))
    assert (scope.window.since_ns, scope.window.until_ns, scope.limit) == (
        start + HOUR,
        start + 24 * HOUR,
        7,
    )
    scope = find(day, SpanQuery(thread="t", completes=True))
    assert (scope.window.until_ns > start + 24 * HOUR, scope.limit) == (True, 1_000)


def test_lookback_counts_from_the_end() -> None:
    """As in Jaeger's own page."""
    scope = find("lookback=2h&until=2026-11-30T00:00:00Z", SpanQuery())
    assert scope.window.until_ns - scope.window.since_ns == 2 * HOUR


@pytest.mark.parametrize(
    "parameters",
    [
        "since=0001-01-01T00:00:00%2B23:59&until=9999-12-31T23:59:59-23:59",
        "since=0500-01-01T00:00:00Z&until=2400-01-01T00:00:00Z",
        "lookback=999999999d",
        "since=700000d",
    ],
)
def test_a_window_lies_within_what_64_bits_of_nanoseconds_hold(parameters: str) -> None:
    """No span began before 1970, and no backend can be asked about what lies beyond: both ends can be written."""
    window = find(parameters, SpanQuery()).window
    assert window.since_ns == 0
    assert window.until_ns < 2**63
    assert format_time(window.since_ns) == "1970-01-01T00:00:00Z"
    assert format_time(window.until_ns)


@pytest.mark.parametrize(
    ("parameters", "query"),
    [
        ("until=2026-11-29T00:00:00Z", SpanQuery(since_ns=parse_time("2026-11-29T00:00:01Z"))),
        ("since=2026-11-29T00:00:01Z", SpanQuery(until_ns=parse_time("2026-11-29T00:00:00Z"))),
        ("", SpanQuery(since_ns=2, until_ns=1)),
        ("until=1960-01-01T00:00:00Z", SpanQuery()),
        ("until=0001-01-01T00:00:00Z&lookback=5d", SpanQuery()),
    ],
)
def test_a_window_that_ends_before_it_begins_is_refused(parameters: str, query: SpanQuery) -> None:
    """By whoever it was narrowed: a backend would be asked in vain, and be waited for."""
    with pytest.raises(SourceError, match="ends before it begins"):
        find(parameters, query)


def test_one_moment_can_be_asked_for() -> None:
    """Both ends of a window count."""
    moment = parse_time("2026-11-29T00:00:00.123456789Z")
    assert moment % 10**9 == 123_456_789
    text = "2026-11-29T00:00:00.123456789Z"
    window = find(f"since={text}&until={text}", SpanQuery()).window
    assert (window.since_ns, window.until_ns, format_time(moment)) == (moment, moment, text)


def test_years_are_written_with_four_digits() -> None:
    """RFC 3339 knows no others."""
    assert format_time(parse_time("0500-01-01T00:00:00Z")) == "0500-01-01T00:00:00Z"


def test_an_end_alone_reads_the_hour_before_it() -> None:
    """Also where only the selection has an end."""
    end = parse_time("2026-11-30T00:00:00Z")
    assert find("", SpanQuery(until_ns=end)).window.since_ns == end - HOUR


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("jaeger+http://h", "the newest 20 traces of the last hour over all services are read"),
        ("tempo+http://h/base", "the newest 20 traces of the last hour over all services are read"),
        ("jaeger+http://h?service=shop", "the newest 20 traces of the last hour are read"),
        ("jaeger+http://h?limit=5", ""),
        ("jaeger+http://h?since=1d", ""),
        ("tempo+http://h?trace=1", ""),
    ],
)
def test_what_a_name_leaves_open_is_said(name: str, words: str) -> None:
    """In words for a person; nothing where the name says it."""
    said = describe_defaults(open_source(name))
    assert said.startswith(words)
    assert bool(said) is bool(words)
