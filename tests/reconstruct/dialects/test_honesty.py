"""What an emitter, or what stands between it and us, has damaged is said, and never guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from otel_traj.model import NAMED_ONLY
from tests.reconstruct.dialects.corpora import EMITTERS, change_each, load_spans, load_truth, read_quietly

if TYPE_CHECKING:
    from otel_traj import Run
    from otel_traj.model import AttributeValue, Span

OI, ML, LS, TL = "openinference-0.1.80", "mlflow-3.17.2", "langsmith-0.15.1", "openllmetry-0.62.4"
IN_ONE_TEXT = (OI, ML)
"""Those that write all metadata as one JSON text."""


def cut(spans: tuple[Span, ...], length: int) -> list[Span]:
    """Return spans as an SDK leaves them that limits the length of values."""
    return change_each(
        spans, lambda values: {k: v[:length] if isinstance(v, str) else v for k, v in values.items()}
    )


def codes(runs: list[Run]) -> set[str]:
    """Return the codes of all problems."""
    return {problem.code for run in runs for problem in run.problems}


@pytest.mark.parametrize("length", range(2, 340, 8))
@pytest.mark.parametrize("emitter", EMITTERS)
@pytest.mark.parametrize("scenario", ["s01_branch_parallel", "s02_send", "s03_subgraph", "s04_interrupt"])
def test_cut_values_are_said(emitter: str, length: int, scenario: str) -> None:
    """However short values are cut: what is complete is true, what is not says that keys were cut or are missing."""
    spans = load_spans(emitter, scenario)
    truths = [run.steps for run in read_quietly(spans)]
    for run in read_quietly(cut(spans, length)):
        if run.complete:
            assert run.steps in truths
        else:
            assert codes([run]) - NAMED_ONLY


@pytest.mark.parametrize("emitter", IN_ONE_TEXT)
def test_a_cut_text_is_read_as_far_as_it_goes(emitter: str) -> None:
    """Where only what stands behind LangGraph's keys was cut off, the run is whole, and the cut is named."""
    spans = change_each(load_spans(emitter, "s01_branch_parallel"), cut_behind_keys)
    runs = read_quietly(spans)
    assert [run.steps for run in runs] == [
        run.steps for run in read_quietly(load_spans(emitter, "s01_branch_parallel"))
    ]
    assert all(run.complete for run in runs)
    assert codes(runs) == {"content_cut"}


def cut_behind_keys(values: dict[str, AttributeValue]) -> dict[str, AttributeValue]:
    """Return attributes whose metadata goes on behind LangGraph's keys, and is cut there."""
    text = values.get("metadata")
    if not isinstance(text, str) or "langgraph_step" not in text:
        return values
    return values | {"metadata": text.removesuffix("}") + ', "note": "a long'}


@pytest.mark.parametrize("emitter", IN_ONE_TEXT)
def test_a_cut_namespace_makes_a_run_incomplete(emitter: str) -> None:
    """Without the ids of its tasks a run is shown, and is not complete: `key_cut`."""
    spans = change_each(load_spans(emitter, "s01_branch_parallel"), cut_namespace)
    runs = read_quietly(spans)
    truth = load_truth(emitter, "s01_branch_parallel")
    assert [[sorted(names) for names in run.steps[1:]] for run in runs] == truth
    assert not any(run.complete for run in runs)
    assert "key_cut" in codes(runs)


def cut_namespace(values: dict[str, AttributeValue]) -> dict[str, AttributeValue]:
    """Return attributes whose metadata ends inside the namespace."""
    text = values.get("metadata")
    return values | {"metadata": text.partition("checkpoint_ns")[0]} if isinstance(text, str) else values


PREFIXES = {
    LS: "langsmith.metadata.",
    TL: "traceloop.association.properties.",
    "langfuse-5.0.4": "langfuse.observation.metadata.",
}


@pytest.mark.parametrize(
    "key", ["langgraph_step", "langgraph_checkpoint_ns", "langgraph_path", "langgraph_triggers"]
)
@pytest.mark.parametrize("emitter", PREFIXES)
def test_a_removed_key_makes_a_run_incomplete(emitter: str, key: str) -> None:
    """A key that a processor took out of the spans is named."""
    name = PREFIXES[emitter] + key
    spans = change_each(
        load_spans(emitter, "s02_send"), lambda values: {k: v for k, v in values.items() if k != name}
    )
    [run] = read_quietly(spans)
    assert not run.complete
    assert any(name in problem.message for problem in run.problems if problem.code == "key_missing")


@pytest.mark.parametrize("emitter", PREFIXES)
def test_a_removed_node_is_in_the_namespace(emitter: str) -> None:
    """The name of a node stands in its namespace, too: nothing is missing."""
    name = PREFIXES[emitter] + "langgraph_node"
    spans = change_each(
        load_spans(emitter, "s02_send"), lambda values: {k: v for k, v in values.items() if k != name}
    )
    assert read_quietly(spans)[0].complete


@pytest.mark.parametrize("emitter", EMITTERS)
def test_redacted_ids_are_no_ids(emitter: str) -> None:
    """Where every namespace was masked alike, no two tasks are taken for one, and the run is not complete."""
    spans = change_each(
        load_spans(emitter, "s01_branch_parallel"),
        lambda values: {k: mask(k, v) for k, v in values.items()},
    )
    assert not any(run.complete for run in read_quietly(spans))


def mask(key: str, value: AttributeValue) -> AttributeValue:
    """Return a value as a redaction leaves it that blocks namespaces, alone or inside a JSON text."""
    if key.endswith("langgraph_checkpoint_ns"):
        return "****"
    if key == "metadata" and isinstance(value, str):
        head, found, _ = value.partition('"langgraph_checkpoint_ns": "')
        return f'{head}{found}****"}}' if found else value
    return value


@pytest.mark.parametrize("scope", ["", "renamed.in.a.later.release"])
@pytest.mark.parametrize("emitter", EMITTERS)
def test_the_scope_may_be_lost(emitter: str, scope: str) -> None:
    """Without the scope's name there are keys that only one emitter writes."""
    spans = load_spans(emitter, "s06_agent")
    bare = [msgspec.structs.replace(span, scope_name=scope, scope_version="") for span in spans]
    assert [(run.steps, run.emitter) for run in read_quietly(bare)] == [
        (run.steps, run.emitter) for run in read_quietly(spans)
    ]


def test_a_client_library_makes_no_second_call() -> None:
    """A model call that the same emitter's instrumentation of the client recorded below is counted once."""
    spans = load_spans(OI, "s06_agent")
    calls = [span for span in spans if span.attributes["openinference.span.kind"] == "LLM"]
    below = [
        msgspec.structs.replace(
            span,
            span_id=span.span_id[::-1],
            parent_span_id=span.span_id,
            scope_name="openinference.instrumentation.openai",
            attributes={key: value for key, value in span.attributes.items() if key != "metadata"},
        )
        for span in calls
    ]
    assert read_quietly([*spans, *below])[0].usage == read_quietly(spans)[0].usage


@pytest.mark.parametrize("emitter", EMITTERS)
def test_an_open_run_is_open(emitter: str) -> None:
    """A graph's run without its end is not complete."""
    spans = load_spans(emitter, "s09_cycle")
    root = next(run.invocations[0].span_id for run in read_quietly(spans))
    [run] = read_quietly(
        msgspec.structs.replace(span, end_ns=0) if span.span_id == root else span for span in spans
    )
    assert (run.status, run.complete) == ("open", False)
    assert codes([run]) == {"root_open"}


@pytest.mark.parametrize("emitter", EMITTERS)
def test_without_content_a_resume_is_known_by_its_task(emitter: str) -> None:
    """Inputs and outputs may be hidden: the resumed call shares a task with the one before it."""
    hidden = (
        *("input.value", "output.value", "traceloop.entity.", "gen_ai.prompt", "gen_ai.completion"),
        *("mlflow.spanInputs", "mlflow.spanOutputs", "langfuse.observation.input"),
    )
    spans = change_each(
        load_spans(emitter, "s04_interrupt"),
        lambda values: {
            k: v for k, v in values.items() if not k.startswith(hidden) or k == "traceloop.entity.name"
        },
    )
    [run] = read_quietly(spans)
    assert run.steps == [["__start__"], ["draft"], ["ask"], ["__interrupt__"], ["send"]]
    assert run.complete
