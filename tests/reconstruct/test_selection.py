"""The keywords that choose runs."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from otel_traj import (
    TrajectoryTypeError,
    TrajectoryValueError,
    diagnose,
    evaluate_runs,
    extract_trajectories,
    read_runs,
)
from otel_traj.evaluate import Reference
from otel_traj.reconstruct.selection import make_selection
from otel_traj.sources.times import parse_time
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from otel_traj.model import AttributeValue, Span

NOON_NS = 1_796_040_000_000_000_000


def two_runs() -> tuple[RecordedRun, RecordedRun, list[Span]]:
    """Return two runs that differ in all that can be chosen by, and their spans."""
    one = RecordedRun("one", graph="g1", thread="t1", start=NOON_NS, service="s1")
    two = RecordedRun(
        "two", graph="g2", thread="t2", start=NOON_NS + 60_000_000_000, service="s2", outcome="error"
    )
    inner = RecordedRun("inner", parent=one, parent_task=one.task("a", 1))
    inner.task("x", 1)
    two.task("a", 1)
    return one, two, one.spans(below=[inner]) + two.spans(case="long")


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("graph", "g1"),
        ("service", "s1"),
        ("thread", "t1"),
        ("status", "ok"),
        ("status", ["ok", "cancelled"]),
        ("until", "2026-11-30T12:00:00Z"),
        ("until", datetime(2026, 11, 30, 12, tzinfo=UTC)),
        ("attributes", {"service.name": "s1"}),
        ("attributes", {"langgraph.resumed": "false", "langgraph.graph": "g1"}),
    ],
)
def test_each_keyword_chooses(keyword: str, value: object) -> None:
    """Each keyword alone chooses the first of two runs."""
    one, _, spans = two_runs()
    runs = list(read_runs(spans, **{keyword: value}))  # type: ignore[arg-type]
    assert [run.run_id for run in runs] == [one.run_id]


def test_ids_choose_in_every_written_form() -> None:
    """Trace ids match without zeros, in upper case, with dashes; run ids match subgraph runs too."""
    one, two, spans = two_runs()
    for form in (two.trace_id, two.trace_id.upper(), "0x" + two.trace_id):
        assert [run.run_id for run in read_runs(spans, trace=form)] == [two.run_id]
    assert [run.run_id for run in read_runs(spans, run=two.run_id.upper())] == [two.run_id]
    [run] = read_runs(spans, run=next(iter(read_runs(spans, graph="g1"))).children[0].run_id)
    assert run.run_id == one.run_id


def test_since_and_several_keywords() -> None:
    """All keywords that are given must hold."""
    _, two, spans = two_runs()
    assert [run.run_id for run in read_runs(spans, since="2026-11-30T12:00:30Z")] == [two.run_id]
    assert list(read_runs(spans, since="2026-11-30T12:00:30Z", graph="g1")) == []
    assert [run.run_id for run in read_runs(spans, attributes={"otel_traj.case": "long"})] == [two.run_id]


@pytest.mark.parametrize(
    ("keyword", "value", "says"),
    [
        ("status", "done", "ok, error, interrupted, cancelled, open"),
        ("since", "yesterday", "RFC 3339"),
        ("since", "2026-11-30T12:00:00", "UTC offset"),
        ("until", "5w", "15m"),
        ("trace", "xyz", "hex"),
        ("trace", "1" * 33, "hex"),
    ],
)
def test_bad_values_are_refused_at_once(keyword: str, value: str, says: str) -> None:
    """A value that can't be used is refused before anything is read, with what is allowed."""
    with pytest.raises(TrajectoryValueError, match=says):
        read_runs([], **{keyword: value})  # type: ignore[arg-type]


def test_both_bounds_count_to_the_nanosecond() -> None:
    """A run that began at a time is chosen by that time as either end, and by none a nanosecond beside it."""
    _, two, spans = two_runs()
    own = (span for span in spans if span.trace_id == two.trace_id)
    moved = [replace(span, start_ns=span.start_ns + 123_456_789) for span in own]

    def count(since: str, until: str) -> int:
        return sum(1 for _ in read_runs(moved, since=since, until=until))

    at, before, after = (f"2026-11-30T12:01:00.{fraction}Z" for fraction in (123456789, 123456788, 123456790))
    assert (count(at, at), count(before, before), count(after, after)) == (1, 0, 0)


def test_a_number_is_no_bool() -> None:
    """Python takes `True` for 1; a place that is asked for either does not."""
    _, two, spans = two_runs()
    spans = [replace(span, attributes=span.attributes | {"n": 1, "on": True}) for span in spans]

    def count(**attributes: AttributeValue) -> int:
        return sum(1 for _ in read_runs(spans, attributes=attributes, trace=two.trace_id))

    assert [count(n=1), count(n="1"), count(n=1.0), count(on=True), count(on="true")] == [1] * 5
    assert [count(n=True), count(on=1), count(on="1")] == [0] * 3


@pytest.mark.parametrize("reader", [read_runs, diagnose])
def test_an_end_before_the_beginning_is_refused_at_once(reader: Callable[..., object]) -> None:
    """No run can be between them; the message shows both as they were given."""
    with pytest.raises(TrajectoryValueError, match="since='1h' is after until='2h'"):
        reader([], since="1h", until="2h")


def test_times_at_the_ends_of_the_calendar_choose_all_or_nothing() -> None:
    """An offset can lead out of the years that a date can have."""
    _, _, spans = two_runs()
    assert (
        len(list(read_runs(spans, since="0001-01-01T00:00:00+23:59", until="9999-12-31T23:59:59-23:59"))) == 2
    )


def test_a_datetime_whose_zone_knows_no_offset_is_refused() -> None:
    """It has a zone, and is no point in time all the same."""

    class Nowhere(tzinfo):
        def utcoffset(self, _: datetime | None) -> None:
            return None

        dst = utcoffset

        def tzname(self, _: datetime | None) -> str:
            return "nowhere"

    with pytest.raises(TrajectoryValueError, match="UTC offset"):
        read_runs([], since=datetime(2026, 11, 30, tzinfo=Nowhere()))


def test_times_go_back_from_now() -> None:
    """`2h` is two hours before now."""
    now = parse_time(datetime.now(UTC))
    assert abs(now - parse_time("2h") - 7_200_000_000_000) < 60_000_000_000


_SELECTION = inspect.signature(make_selection).parameters
_READERS = [read_runs, extract_trajectories, evaluate_runs, diagnose]


@pytest.mark.parametrize("reader", _READERS)
def test_every_reader_has_the_same_keywords(reader: Callable[..., object]) -> None:
    """Names, types, defaults and order, last in each signature: `help` and editors show them one by one."""
    parameters = inspect.signature(reader).parameters
    assert list(parameters.values())[-len(_SELECTION) :] == list(_SELECTION.values())
    assert all(f"        {name}: " in (reader.__doc__ or "") for name in _SELECTION)


@pytest.mark.parametrize("keyword", _SELECTION)
@pytest.mark.parametrize("reader", _READERS)
def test_every_reader_hands_on_each_keyword(reader: Callable[..., object], keyword: str) -> None:
    """A value of no usable type is refused by the name of the keyword that holds it."""
    if reader is evaluate_runs:
        reader = partial(evaluate_runs, references=[Reference(name="r", steps=[["a"]])])
    with pytest.raises(TrajectoryTypeError, match=f"^{keyword} is a(n)? int"):
        reader([], **{keyword: 5})


@pytest.mark.parametrize("reader", _READERS)
def test_a_misspelt_keyword_is_named(reader: Callable[..., object]) -> None:
    """With the function that was called, not one below it."""
    with pytest.raises(
        TypeError, match=rf"^{reader.__name__}\(\) got an unexpected keyword argument 'grpah'"
    ):
        reader([], grpah="g")
