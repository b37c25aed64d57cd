"""Law: what clocks say does not matter."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec
from hypothesis import assume, given

from tests.laws.losses import read_quietly
from tests.laws.recordings import read_spans, record
from tests.laws.settings import law
from tests.laws.strategies import cases

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj import Run
    from otel_traj.model import Span
    from tests.laws.spec import Case

SECOND_NS = 1_000_000_000
HOUR_NS = 3_600 * SECOND_NS


def picture(runs: Iterable[Run]) -> dict[str, Any]:
    """Return of runs, by run id, what no clock may change.

    A call that found nothing to do shows no task; with a wrong clock nobody knows which run it found ended.
    """
    return {
        run.run_id: (run.steps, run.complete, run.verified, picture(run.children))
        for run in runs
        if run.steps
    }


def shift(span: Span, ns: int) -> Span:
    """Return a span as a clock that is wrong by so much would have written it."""
    return msgspec.structs.replace(span, start_ns=span.start_ns + ns, end_ns=span.end_ns + ns)


@law(100)
@given(case=cases(processes="two", max_nodes=12))
def test_clocks_change_nothing(case: Case) -> None:
    """Processes an hour apart, equal times, children before their parents: the same runs.

    A call that paused before its first node has no superstep number, by which a wrong clock could be found out.
    """
    recording = record(case)
    spans = read_spans("".join(recording.lines))
    runs = read_quietly(spans)
    assume(all(each.resumed or each.steps for run in runs for each in run.invocations))
    expected = picture(runs)
    for skew in (HOUR_NS, -HOUR_NS):
        skewed = [
            shift(span, process * skew) for span, process in zip(spans, recording.processes, strict=True)
        ]
        assert picture(read_quietly(skewed)) == expected
    equal = [msgspec.structs.replace(span, start_ns=HOUR_NS, end_ns=HOUR_NS) for span in spans]
    assert picture(read_quietly(equal)) == expected
    chance = random.Random(case.arrival.seed)
    early = [shift(span, -chance.randrange(2 * SECOND_NS) if span.parent_span_id else 0) for span in spans]
    assert picture(read_quietly(early)) == expected
