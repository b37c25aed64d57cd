"""Runs of every kind of ending, and of none, recorded once, to be kept in every place and read back from it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor

from otel_traj import TrajectoryCallbackHandler
from otel_traj.record.samples import build_seven_nodes
from tests.oracles import ALL
from tests.record.graphs import State, build_chain
from tests.record.recording import Recording, get_id, read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import Span

    from otel_traj import Run

__all__ = ["LARGE", "has_nan", "outline", "record_runs"]

LARGE: Final = "Grüße, 你好, \U0001f600 " * 5_000
"""An attribute of over 100 kB."""


def record_runs() -> Recording:
    """Return runs of every kind of ending, every second one with content, two large attributes, unicode and a NaN.

    The last ones have no end: see `_list_unfinished`.
    """
    recording = Recording(content=True, metadata_keys=("note", "score", "case"))
    silent = TrajectoryCallbackHandler(tracer_provider=recording.provider, content=False)
    able = [scenario for scenario in ALL if not scenario.missing and "sync" in scenario.modes]
    for number, scenario in enumerate(able):
        scenario.run([silent if number % 2 else recording.handler])
    graph = build_seven_nodes()
    for number, metadata in enumerate(({"note": LARGE}, {"note": LARGE[::-1]}, {"score": math.nan})):
        graph.invoke(
            {"shortcut": bool(number % 2), "nodes": []},
            config=cast("Any", recording.config(metadata=metadata)),
        )
    for cut in _CUTS:
        recording.exporter.export(_list_unfinished(cut))
    return recording


_CUTS: Final = ("root open", "root missing", "task open", "task open under an ended root")
"""What is missing of a run that has no end."""


class _Started(SpanProcessor):
    """Keeps the spans that have started."""

    def __init__(self) -> None:
        self.spans: list[Span] = []

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:  # noqa: ARG002 - the SDK's own
        self.spans.append(span)


def _list_unfinished(cut: str) -> list[ReadableSpan]:
    """Return what is there of a run of `first`, `second` and `third`, seen while `second` runs.

    Args:
        cut: One of `_CUTS`.
    """
    recording = Recording()
    started = _Started()
    recording.provider.add_span_processor(started)
    seen: list[ReadableSpan] = []

    def look(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        seen.extend(_copy_open(span) if span.end_time is None else span for span in started.spans)
        return {}

    build_chain("first", "second", "third", graph_name="unfinished", second=look).invoke(
        {}, recording.config(f"thread of {cut}")
    )
    root, first, second = seen
    if cut == "task open under an ended root":
        return [second if get_id(span) == get_id(second) else span for span in recording.spans]
    return {"root open": [first, root], "root missing": [first], "task open": [first, second, root]}[cut]


def _copy_open(span: Span) -> ReadableSpan:
    # The span itself ends later, and its copy must not.
    return ReadableSpan(
        span.name,
        context=span.get_span_context(),
        parent=span.parent,
        resource=span.resource,
        attributes=dict(span.attributes or {}),
        kind=span.kind,
        start_time=span.start_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def outline(runs: Iterable[Run], *, times: bool = True) -> list[str]:
    """Return runs in a form in which NaN equals itself, without the place they come from."""
    return [
        repr(_strip(msgspec.to_builtins(run), times=times))
        for run in sorted(runs, key=lambda run: run.run_id)
    ]


def _strip(value: Any, *, times: bool) -> Any:  # noqa: ANN401 - plain data
    if isinstance(value, list):
        return [_strip(item, times=times) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: item for key, item in value.items() if key != "source" and (times or not key.endswith("_ns"))
    }
    return {key: _strip(kept[key], times=times) for key in sorted(kept)}


def has_nan(span: ReadableSpan) -> bool:
    """Whether an attribute of the span is NaN."""
    return any(isinstance(value, float) and math.isnan(value) for value in read(span).values())
