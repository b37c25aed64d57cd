"""The collector fragments of docs/stacks.md do what they say: real runs go through a real collector that has them."""

from __future__ import annotations

import re
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
import yaml
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_traj import TrajectoryCallbackHandler, read_runs
from otel_traj import semconv as sc
from otel_traj.record import samples
from tests.collector.fragments import read_fragment, write_fragment
from tests.collector.running import Collector, running_collector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from langchain_core.runnables import RunnableConfig

    from otel_traj import Run

pytestmark = pytest.mark.collector

TRACES = "agent-traces.yaml"
CARD = "4111111111111111"
CONTENT = {
    sc.EVENT_DATA,
    sc.EXCEPTION_MESSAGE,
    sc.EXCEPTION_STACKTRACE,
    sc.INPUT_MESSAGES,
    sc.INPUTS,
    sc.OUTPUT_MESSAGES,
    sc.RESULTS,
    sc.RETRIEVAL_DOCUMENTS,
    sc.RETRIEVAL_QUERY_TEXT,
    sc.TASK_INPUTS,
    sc.TASK_OUTPUTS,
    sc.TOOL_CALL_ARGUMENTS,
    sc.TOOL_CALL_RESULT,
    sc.TOOL_DEFINITIONS,
    sc.TOOL_DESCRIPTION,
}
NO_SAMPLE = {"sampling_percentage: 10": "sampling_percentage: 0"}


@contextmanager
def recording_into(collector: Collector) -> Iterator[TrajectoryCallbackHandler]:
    """Yield a handler that records content and sends each span to a collector when it ends."""
    provider = TracerProvider(resource=Resource.create({"service.name": "shop"}), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=collector.grpc_endpoint, insecure=True)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield TrajectoryCallbackHandler(tracer_provider=provider, content=True)
    provider.shutdown()


@contextmanager
def collecting(
    directory: Path, binary: Path, name: str, edits: Mapping[str, str] | None = None
) -> Iterator[Collector]:
    """Run a collector with the project's configuration and a fragment beside it."""
    fragment = write_fragment(directory, name, edits)
    with running_collector(directory, binary=binary, arguments=[f"--config={fragment}"]) as running:
        yield running


def invoke_seven(handler: TrajectoryCallbackHandler, *, shortcut: bool, case: str | None = None) -> None:
    """Run the seven nodes."""
    config: RunnableConfig = {"callbacks": [handler], "metadata": {"case": case} if case else {}}
    samples.build_seven_nodes().invoke({"shortcut": shortcut, "nodes": []}, config)


def fail(state: samples.SevenNodesState) -> samples.SevenNodesState:  # noqa: ARG001 - LangGraph passes it
    """Fail with a card number in the message."""
    raise ValueError(CARD)


def invoke_failing(handler: TrajectoryCallbackHandler) -> None:
    """Run a graph whose second node raises."""
    builder = StateGraph(samples.SevenNodesState)
    builder.add_node("first", lambda _: {"nodes": ["first"]})
    builder.add_node("second", fail)
    builder.add_edge(START, "first")
    builder.add_edge("first", "second")
    with pytest.raises(ValueError, match=CARD):
        builder.compile(name="failing").invoke(
            {"shortcut": True, "nodes": []}, config={"callbacks": [handler]}
        )


def invoke_approval(handler: TrajectoryCallbackHandler) -> None:
    """Run a graph to its question, and answer it: two traces."""
    config: RunnableConfig = {"callbacks": [handler], "configurable": {"thread_id": "mail"}}
    graph = samples.build_approval(InMemorySaver())
    graph.invoke({"topic": f"card {CARD}"}, config=config)
    graph.invoke(Command(resume=True), config=config)


def invoke_agent(handler: TrajectoryCallbackHandler, *, case: str) -> None:
    """Run the agent with tools."""
    config: RunnableConfig = {"callbacks": [handler], "metadata": {"case": case}}
    question = HumanMessage(f"Weather and time? My card is {CARD}.")
    samples.build_tool_agent().invoke({"messages": [question]}, config)


def read_by_graph(collector: Collector) -> dict[str, Run]:
    """End the collector, and return what stands in its file, one run per graph."""
    assert collector.stop() == 0
    runs = list(read_runs(collector.traces_path)) if collector.traces_path.exists() else []
    assert len({run.graph for run in runs}) == len(runs)
    return {run.graph or "": run for run in runs}


def test_runs_are_whole_after_redaction_bounds_and_sampling(tmp_path: Path, collector_binary: Path) -> None:
    """What the policies keep arrives complete and verified; an interrupted run with both halves; the rest is gone."""
    with collecting(tmp_path, collector_binary, TRACES, NO_SAMPLE) as collector:
        with recording_into(collector) as handler:
            invoke_seven(handler, shortcut=True)
            invoke_seven(handler, shortcut=False, case="long")
            invoke_failing(handler)
            invoke_approval(handler)
            invoke_agent(handler, case="weather")
        runs = read_by_graph(collector)
    assert {name: (run.steps, run.status, run.complete, run.verified) for name, run in runs.items()} == {
        "seven": (
            [["__start__"], ["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]],
            "ok",
            True,
            True,
        ),
        "failing": ([["__start__"], ["first"], ["second"]], "error", True, True),
        "approval": ([["__start__"], ["draft"], ["ask"], ["__interrupt__"], ["send"]], "ok", True, True),
        "assistant": ([["__start__"], ["model"], ["tools"], ["model"]], "ok", True, True),
    }
    assert [problem for run in runs.values() for problem in run.problems] == []
    assert len(runs["approval"].trace_ids) == 2
    assert {call.name for call in runs["assistant"].tool_calls} == {"get_local_time", "get_weather"}
    assert {run.service for run in runs.values()} == {"shop"}


def test_content_is_masked_and_nothing_else_is(tmp_path: Path, collector_binary: Path) -> None:
    """A card number is gone from every attribute, whose values can be read all the same."""
    with collecting(tmp_path, collector_binary, TRACES) as collector:
        with recording_into(collector) as handler:
            invoke_agent(handler, case="weather")
            invoke_approval(handler)
        runs = read_by_graph(collector)
    assert CARD not in collector.traces_path.read_text("utf-8")
    assert runs["approval"].inputs == {"topic": "card ****"}
    assert runs["assistant"].results is not None


def test_status_text_is_out_of_the_processors_reach(tmp_path: Path, collector_binary: Path) -> None:
    """The message of an exception, recorded as content, is masked in the event but not in the span's status."""
    with collecting(tmp_path, collector_binary, TRACES) as collector:
        with recording_into(collector) as handler:
            invoke_failing(handler)
        read_by_graph(collector)
    document = [yaml.safe_load(line) for line in collector.traces_path.read_text("utf-8").splitlines()]
    spans = [
        span
        for line in document
        for resource in line["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]
    assert [span["name"] for span in spans if CARD in str(span.get("events", ""))] == []
    assert {span["name"] for span in spans if CARD in span["status"].get("message", "")} == {
        "invoke_node second",
        "invoke_workflow failing",
    }


def test_every_key_that_is_written_is_on_one_list() -> None:
    """Each attribute of ours is either kept as it is or, where it is content, kept and masked; none is both."""
    redaction = yaml.safe_load(read_fragment(TRACES))["processors"]["redaction"]
    patterns = [re.compile(pattern) for pattern in redaction["ignored_key_patterns"]]
    prefixes = ("langgraph.", "otel_traj.", "gen_ai.", "error.", "exception.", "service.")
    keys = (
        {
            value
            for name in sc.__all__
            if isinstance(value := getattr(sc, name), str) and value.startswith(prefixes) and value[-1] != "."
        }
        - {sc.EVALUATION_RESULT}
        - {value for name, value in vars(sc).items() if name.startswith("EVALUATION_")}
        - {sc.CLIENT_OPERATION_DURATION, sc.CLIENT_TOKEN_USAGE, sc.TOKEN_TYPE}  # of metrics, on no span
    )
    kept = {key for key in keys if any(pattern.search(key) for pattern in patterns)}
    assert kept == keys - CONTENT
    assert set(redaction["allowed_keys"]) == CONTENT | {f"{sc.METADATA_PREFIX}case"}


def build_slow(seconds: float) -> Callable[[TrajectoryCallbackHandler], None]:
    """Return what runs a graph whose second node takes its time, and then fails."""

    def sleep(state: samples.SevenNodesState) -> samples.SevenNodesState:
        time.sleep(seconds)
        return fail(state)

    def invoke(handler: TrajectoryCallbackHandler) -> None:
        builder = StateGraph(samples.SevenNodesState)
        builder.add_node("quick", lambda _: {"nodes": ["quick"]})
        builder.add_node("slow", sleep)
        builder.add_edge(START, "quick")
        builder.add_edge("quick", "slow")
        with pytest.raises(ValueError, match=CARD):
            builder.compile(name="slow").invoke(
                {"shortcut": True, "nodes": []}, config={"callbacks": [handler]}
            )

    return invoke


SHORT_WAIT = {"decision_wait: 10m": "decision_wait: 1s"}
ALL_AGENTS = {"sampling_percentage: 10": "sampling_percentage: 100"}


@pytest.mark.parametrize(
    ("edits", "kept"),
    [(NO_SAMPLE, True), (SHORT_WAIT | NO_SAMPLE, False), (SHORT_WAIT | ALL_AGENTS, True)],
    ids=["long wait", "short wait", "short wait, a policy that every span meets"],
)
def test_run_longer_than_the_decision_wait(
    tmp_path: Path, collector_binary: Path, edits: Mapping[str, str], kept: bool
) -> None:
    """A run that outlasts the wait is whole where its first span decides, and gone where its end would have."""
    with collecting(tmp_path, collector_binary, TRACES, edits) as collector:
        with recording_into(collector) as handler:
            build_slow(5)(handler)
        runs = read_by_graph(collector)
    assert [(name, run.complete, run.status) for name, run in runs.items()] == (
        [("slow", True, "error")] if kept else []
    )


def invoke_some(collector: Collector) -> None:
    """Record three runs: seven nodes, a failure, an agent."""
    with recording_into(collector) as handler:
        invoke_seven(handler, shortcut=False)
        invoke_failing(handler)
        invoke_agent(handler, case="weather")


def extra(directory: Path, text: str) -> str:
    """Write one more fragment, and return the argument that names it."""
    path = directory / "extra.yaml"
    path.write_text(text, "utf-8")
    return f"--config={path}"


GROUPED = """
processors:
  groupbytrace: {wait_duration: 1s}
service: {pipelines: {traces: {processors: [memory_limiter, groupbytrace]}}}
"""
WITHOUT_MODELS = """
processors:
  filter: {traces: {span: ['attributes["gen_ai.operation.name"] == "chat"']}}
service: {pipelines: {traces: {processors: [memory_limiter, filter]}}}
"""
WITHOUT_NODES = WITHOUT_MODELS.replace('"chat"', '"invoke_node"')
HASHED = """
processors:
  attributes: {actions: [{key: langgraph.task_id, action: delete}, {key: team, value: shop, action: insert}]}
service: {pipelines: {traces: {processors: [memory_limiter, attributes]}}}
"""
MORE = HASHED.replace("{key: langgraph.task_id, action: delete}, ", "")
TRUNCATED = """
processors:
  transform: {trace_statements: ['truncate_all(span.attributes, 2048)']}
service: {pipelines: {traces: {processors: [memory_limiter, transform]}}}
"""


@pytest.mark.parametrize(
    ("text", "complete", "codes"),
    [
        (GROUPED, True, set()),
        (MORE, True, set()),
        (TRUNCATED, True, set()),
        (WITHOUT_MODELS, True, {"spans_missing"}),
        (WITHOUT_NODES, False, {"manifest_mismatch"}),
        (HASHED, False, {"key_missing"}),
    ],
    ids=["grouped", "added", "truncated", "without models", "without nodes", "without a key"],
)
def test_what_processors_do_to_runs(
    tmp_path: Path, collector_binary: Path, text: str, complete: bool, codes: set[str]
) -> None:
    """The table of processors is true: what leaves runs whole, what is named, what makes them incomplete."""
    arguments = [extra(tmp_path, text)]
    with running_collector(tmp_path, binary=collector_binary, arguments=arguments) as collector:
        invoke_some(collector)
        if text == GROUPED:
            collector.wait_for_spans(6 + 3 + 8, seconds=30)
        runs = read_by_graph(collector)
    assert {name: run.complete for name, run in runs.items()} == dict.fromkeys(
        ("seven", "failing", "assistant"), complete
    )
    found = {problem.code for run in runs.values() for problem in run.problems}
    assert codes <= found
    assert bool(codes) == bool(found)


def test_groups_that_wait_are_lost_at_the_end(tmp_path: Path, collector_binary: Path) -> None:
    """A collector that is stopped writes what tail sampling holds, and not what groupbytrace holds."""
    waiting = GROUPED.replace("wait_duration: 1s", "wait_duration: 10m")
    arguments = [extra(tmp_path, waiting)]
    with running_collector(tmp_path, binary=collector_binary, arguments=arguments) as collector:
        invoke_some(collector)
        assert read_by_graph(collector) == {}
