"""Threads of places that give single traces, and of places that telemetry reaches late."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from otel_traj import evaluate_runs
from otel_traj.sources import ALL_SPANS, Capabilities, SpanQuery
from tests.evaluate.judging.threads import ANSWERS, ASKS, expect_thread, record_turn
from tests.otlp_lines import write_lines
from tests.sources.jaeger.stand_in import JaegerStandIn
from tests.sources.serving import serve
from tests.sources.tempo.stand_in import TempoStandIn
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from otel_traj.model import Span
    from otel_traj.sources import OnProblem
    from tests.sources.serving import Reply, Request

_MINUTE = 60 * 10**9
_REFERENCES = [expect_thread("asks", "answers"), ASKS, ANSWERS]
_STAND_INS: dict[str, Callable[[list[Span]], Callable[[Request], Reply]]] = {
    "jaeger": JaegerStandIn,
    "tempo": TempoStandIn,
}


def _record_talk(*, first: int, second: int) -> tuple[list[Span], list[Span]]:
    """Return the two runs of a thread that began so many minutes ago."""
    now = time.time_ns()
    return (
        record_turn("first", "ask", start=now - first * _MINUTE),
        record_turn("second", "answer", start=now - second * _MINUTE),
    )


@pytest.mark.parametrize("kind", _STAND_INS)
def test_a_thread_that_began_before_the_window_is_read_whole(kind: str) -> None:
    """A search finds the run inside its window; the thread is judged by all its runs, or not at all."""
    first, second = _record_talk(first=180, second=10)
    with serve(_STAND_INS[kind](first + second)) as served:
        place = f"{kind}+http://{served.place}"
        report = evaluate_runs(place, references=_REFERENCES, wait=0)
        assert [(v.verdict, len(v.runs)) for v in report.verdicts] == [("pass", 2)]
        for selection in ({"since": "1h"}, {"run": RecordedRun("second").run_id}):
            report = evaluate_runs(place, references=_REFERENCES, wait=0, **selection)  # type: ignore[arg-type]
            assert [(v.run_id, v.verdict) for v in report.verdicts] == [
                (RecordedRun("second").run_id, "not_evaluated")
            ]
            assert report.hints == [
                "not judged as a thread, because only a part of its runs is selected: thread 't'; select by thread"
            ]
            assert report.exit_code == 2


@pytest.mark.parametrize("kind", _STAND_INS)
def test_nothing_more_is_read_where_no_thread_is_judged(kind: str) -> None:
    """Without references of threads the other runs of a thread are not asked for."""
    first, second = _record_talk(first=180, second=10)
    with serve(_STAND_INS[kind](first + second)) as served:
        place = f"{kind}+http://{served.place}"
        report = evaluate_runs(place, references=[ASKS, ANSWERS], wait=0)
        assert len(report.verdicts) == 1


@pytest.mark.parametrize("kind", _STAND_INS)
def test_every_place_gives_the_same_bytes(kind: str, tmp_path: Path) -> None:
    """The same spans from memory, a file in any order and a backend give byte-identical reports."""
    first, second = _record_talk(first=20, second=10)
    broken = record_turn("x", "ask answer", thread="u", start=time.time_ns() - 5 * _MINUTE)[1:]
    spans = first + second + broken
    expected = evaluate_runs(spans, references=_REFERENCES).to_json()
    assert "not_evaluated" in expected
    path = write_lines(tmp_path / "traces.jsonl", reversed(spans))
    assert evaluate_runs(path, references=_REFERENCES).to_json() == expected
    with serve(_STAND_INS[kind](spans)) as served:
        report = evaluate_runs(f"{kind}+http://{served.place}", references=_REFERENCES, wait=0)
    assert report.to_json() == expected


class _Arriving:
    """A place that the second reading finds more in."""

    name = "arriving"
    capabilities = Capabilities(rereads=True, lags=True)

    def __init__(self, first: list[Span], more: list[Span]) -> None:
        self._spans = first
        self._more = more

    def read_spans(self, on_problem: OnProblem, query: SpanQuery = ALL_SPANS) -> Iterator[Span]:
        """Yield what is there."""
        del on_problem, query
        yield from self._spans
        self._spans = self._spans + self._more
        self._more = []


def test_a_late_run_of_a_thread_is_waited_for() -> None:
    """A whole first run does not end the waiting where the thread's reference expects a second one."""
    first, second = _record_talk(first=1, second=0)
    assert evaluate_runs(_Arriving(first, second), references=_REFERENCES, wait=0).exit_code == 1
    assert evaluate_runs(_Arriving(first, second), references=_REFERENCES, wait=30).exit_code == 0
