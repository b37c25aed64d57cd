"""Emitters that nobody has met: LangGraph's metadata is enough, under whatever name it stands."""

from __future__ import annotations

import msgspec
import pytest

from otel_traj.model import AttributeValue, Span
from tests.reconstruct.dialects.corpora import SCENARIOS, change_each, load_spans, read_quietly

PREFIX = "langsmith.metadata."


def keep_metadata(values: dict[str, AttributeValue], prefix: str) -> dict[str, AttributeValue]:
    """Return LangChain's metadata alone, under another prefix, with what the GenAI conventions tell."""
    kept = {key: value for key, value in values.items() if key.startswith(("gen_ai.", PREFIX))}
    return {key.replace(PREFIX, prefix): value for key, value in kept.items()}


def tell(spans: tuple[Span, ...], prefix: str) -> list[Span]:
    """Return spans as an unknown emitter would write them."""
    strange = [msgspec.structs.replace(span, scope_name="acme.tracer") for span in spans]
    return change_each(strange, lambda values: keep_metadata(values, prefix))


def wrap(values: dict[str, AttributeValue], *, inner: bool) -> dict[str, AttributeValue]:
    """Return attributes whose metadata stands inside one JSON text."""
    metadata = {key.removeprefix("acme."): value for key, value in values.items() if key.startswith("acme.")}
    rest = {key: value for key, value in values.items() if not key.startswith("acme.")}
    text = msgspec.json.encode({"metadata": metadata} if inner else metadata).decode()
    return rest | {"acme.json": text}


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("prefix", ["acme.", "", "a.b_"])
def test_any_prefix_will_do(scenario: str, prefix: str) -> None:
    """Supersteps, threads, status and calls come from LangGraph's metadata, whatever stands before the keys."""
    spans = load_spans("langsmith-0.15.1", scenario)
    runs, truths = read_quietly(tell(spans, prefix)), read_quietly(spans)
    assert [(run.steps, run.thread_id, run.status) for run in runs] == [
        (run.steps, run.thread_id, run.status) for run in truths
    ]
    assert [run.usage for run in runs] == [run.usage for run in truths]
    assert {run.emitter for run in runs} == {"acme.tracer"}
    assert all(run.complete and not run.verified for run in runs)


@pytest.mark.parametrize("inner", [False, True], ids=["alone", "under metadata"])
def test_a_json_text_will_do(inner: bool) -> None:
    """The same metadata inside a JSON text, alone or beside other things, gives the same runs."""
    spans = load_spans("langsmith-0.15.1", "s02_send")
    wrapped = change_each(tell(spans, "acme."), lambda values: wrap(values, inner=inner))
    assert [run.steps for run in read_quietly(wrapped)] == [run.steps for run in read_quietly(spans)]


def test_operations_before_names_are_no_names() -> None:
    """`invoke_node a` is a task of node `a`."""
    spans = [
        msgspec.structs.replace(span, name=f"invoke_node {span.name}")
        for span in tell(load_spans("langsmith-0.15.1", "s09_cycle"), "acme.")
    ]
    [run] = read_quietly(spans)
    assert run.steps == [["__start__"], ["think"], ["act"], ["think"], ["act"], ["think"]]


def test_other_spans_are_left_alone() -> None:
    """A span that says nothing of LangGraph is nobody's run."""
    span = Span(
        trace_id="1" * 32, span_id="1" * 16, name="GET /", attributes={"http.route": "/", "body": "{}"}
    )
    assert read_quietly([span]) == []
