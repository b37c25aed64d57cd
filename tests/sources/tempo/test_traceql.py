from __future__ import annotations

import pytest

from otel_traj.sources import SpanQuery
from otel_traj.sources.tempo.traceql import make_traceql

NEWEST = " with (most_recent=true)"


@pytest.mark.parametrize(
    ("query", "traceql"),
    [
        (SpanQuery(), "{ }"),
        (SpanQuery(graph="seven"), '{ span.langgraph.graph = "seven" }'),
        (SpanQuery(service="a b"), '{ resource.service.name = "a b" }'),
        (SpanQuery(run="r", graph="ignored"), '{ span.langgraph.run_id = "r" }'),
        (
            SpanQuery(thread='t"1\\'),
            '{ (span.langgraph.thread_id = "t\\"1\\\\" || span.gen_ai.conversation.id = "t\\"1\\\\") }',
        ),
        (
            SpanQuery(attributes={"case": "long"}),
            '{ (span.case = "long" || resource.case = "long") }',
        ),
        (
            SpanQuery(attributes={"n": "3", "on": True}),
            '{ (span.n = "3" || span.n = 3 || resource.n = "3" || resource.n = 3) && (span.on = true || resource.on = true) }',
        ),
        (
            SpanQuery(attributes={"odd key": "True"}),
            '{ (span."odd key" = "True" || span."odd key" = true || resource."odd key" = "True" || resource."odd key" = true) }',
        ),
    ],
)
def test_what_is_wanted_is_asked_for_in_traceql(query: SpanQuery, traceql: str) -> None:
    """Texts quoted, and a text that may stand for a number or bool asked for as both."""
    assert make_traceql(query, None, None) == traceql + NEWEST


@pytest.mark.parametrize(
    "value",
    [0.5, "0.5", "1e3", "1.0", "1e+20", "-0.0", "inf", "nan", ["a"], {"a": 1}, b"x", None, "", "x" * 201],
)
def test_what_tempo_can_t_compare_exactly_is_left_to_the_reader(value: object) -> None:
    """More is given than was asked for, never less."""
    query = SpanQuery(attributes={"k": value})  # type: ignore[dict-item]  # whatever a user may pass
    assert make_traceql(query, None, None) == "{ }" + NEWEST


@pytest.mark.parametrize("own", ["{ } | count() > 2", "{ } with (most_recent=true)"])
def test_nothing_is_added_to_a_pipeline_or_to_hints(own: str) -> None:
    """It would not mean the same."""
    assert make_traceql(SpanQuery(graph="g"), own, None) == own


def test_alternatives_are_no_pipeline() -> None:
    """`||` is not `|`."""
    own = "{ span.a = 1 || span.b = 2 }"
    assert make_traceql(SpanQuery(graph="g"), own, "s") == (
        f'({own}) && {{ span.langgraph.graph = "g" && resource.service.name = "s" }}'
    )
