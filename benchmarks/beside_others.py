"""Several instrumentations in one process: does ours record what it records alone, and do the others go on?

Each order of instrumenting is a process of its own; "zero code" is one under `opentelemetry-instrument` with all of
them. The others are not among this package's dependencies, so they need an environment of their own:

    python -m venv /tmp/beside && /tmp/beside/bin/pip install . langchain opentelemetry-distro \
        openinference-instrumentation-langchain opentelemetry-instrumentation-langchain \
        opentelemetry-instrumentation-genai-langchain
    /tmp/beside/bin/python benchmarks/beside_others.py > benchmarks/beside_others.txt

The kept result is `beside_others.txt`; the exit code is 1 where anything of ours was not as it is alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
import sysconfig
import warnings
from collections import Counter
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.graph.state import CompiledStateGraph
    from opentelemetry.sdk.trace import ReadableSpan

    from otel_traj import Run

OTHERS = {
    "openinference": "openinference.instrumentation.langchain:LangChainInstrumentor",
    "openllmetry": "opentelemetry.instrumentation.langchain:LangchainInstrumentor",
    "genai": "opentelemetry.instrumentation.genai.langchain:LangChainInstrumentor",
}
CLASSES = {"otel_traj": "otel_traj:LangGraphInstrumentor", **OTHERS}
ORDERS = [
    ["otel_traj"],
    ["otel_traj", "openinference", "openllmetry", "genai"],
    ["genai", "openllmetry", "openinference", "otel_traj"],
    ["openllmetry", "otel_traj", "openinference"],
    ["zero code"],
]
PACKAGES = [
    "langgraph",
    "langchain-core",
    "langchain",
    "opentelemetry-sdk",
    "opentelemetry-distro",
    "openinference-instrumentation-langchain",
    "opentelemetry-instrumentation-langchain",
    "opentelemetry-instrumentation-genai-langchain",
]


class State(TypedDict, total=False):
    """What the nodes of the small graph pass on."""

    answer: str


def build(interrupt_before: list[str] | None = None) -> CompiledStateGraph[State, None, State, State]:
    """Return a graph with a plain node, a subgraph and a question to a person, and its checkpointer."""
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import START, StateGraph
    from langgraph.types import interrupt

    inner = StateGraph(State)
    inner.add_node("deep", lambda _state: {"answer": "deep"})
    inner.add_edge(START, "deep")
    builder = StateGraph(State)
    builder.add_node("plan", lambda _state: {"answer": "plan"})
    builder.add_node("sub", inner.compile(name="inner"))
    builder.add_node("ask", lambda _state: {"answer": interrupt("go on?")})
    builder.add_node("send", lambda _state: {"answer": "sent"})
    for before, after in ((START, "plan"), ("plan", "sub"), ("sub", "ask"), ("ask", "send")):
        builder.add_edge(before, after)
    return builder.compile(checkpointer=InMemorySaver(), interrupt_before=interrupt_before, name="beside")


def run_all() -> None:
    """Run an interrupt and its resume (sync, async), a static interrupt, two agents and a batch."""
    from langchain.agents import create_agent
    from langchain_core.messages import AIMessage
    from langgraph.types import Command

    from otel_traj.record.samples import build_tool_agent, get_weather
    from otel_traj.record.scripted_chat import ScriptedChat

    on_thread: RunnableConfig = {"configurable": {"thread_id": "t"}}
    graph = build()
    graph.invoke({}, on_thread)
    graph.invoke(Command(resume="yes"), on_thread)

    async def run_async() -> None:
        graph = build()
        await graph.ainvoke({}, on_thread)
        async for _ in graph.astream(Command(resume="yes"), on_thread):
            pass

    asyncio.run(run_async())
    build(interrupt_before=["sub"]).invoke({}, on_thread)
    question: Any = {"messages": [("user", "how is Oslo?")]}
    build_tool_agent().invoke(question)
    call = {"name": "get_weather", "args": {"city": "Oslo"}, "id": "call-1"}
    turns = [AIMessage("", tool_calls=[call, {**call, "id": "call-2"}]), AIMessage("rain")]
    create_agent(ScriptedChat(turns=turns), [get_weather]).invoke(question)
    build().batch([{}] * 3, [{"configurable": {"thread_id": str(number)}} for number in range(3)])


def describe(run: Run) -> dict[str, Any]:
    """Return what must be the same beside others."""
    return {
        "graph": run.graph,
        "status": run.status,
        "steps": run.steps,
        "children": [describe(child) for child in run.children],
        "calls": [len(run.model_calls), len(run.tool_calls)],
        "whole": run.complete and run.verified,
    }


def name_scope(span: ReadableSpan) -> str:
    """Return who recorded a span."""
    scope = span.instrumentation_scope.name if span.instrumentation_scope is not None else ""
    known = {value.partition(":")[0]: name for name, value in OTHERS.items()}
    return known.get(scope, scope)


def run_order(order: list[str]) -> dict[str, Any]:
    """Instrument in this order, run everything, and take the instrumentations out again in the same order."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from otel_traj import LangGraphInstrumentor, read_runs

    warnings.simplefilter("ignore")
    exporter = InMemorySpanExporter()
    if order == ["zero code"]:
        provider: Any = trace.get_tracer_provider()
        instrumentors = []
    else:
        provider = TracerProvider()
        trace.set_tracer_provider(provider)
        instrumentors = [import_module(CLASSES[name].partition(":")[0]) for name in order]
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    made = [
        getattr(module, CLASSES[name].partition(":")[2])()
        for name, module in zip(order, instrumentors, strict=False)
    ]
    for each in made:
        each.instrument(tracer_provider=provider)
    run_all()
    spans = exporter.get_finished_spans()
    ours = [span for span in spans if name_scope(span) == "otel_traj"]
    exporter.clear()
    handler = LangGraphInstrumentor().handler
    for each in made:
        each.uninstrument()
    main = import_module("langgraph.pregel.main")
    build().invoke({}, {"configurable": {"thread_id": "after"}})
    left = [span for span in exporter.get_finished_spans() if name_scope(span) == "otel_traj"]
    return {
        "runs": [describe(run) for run in read_runs(ours)],
        "spans": dict(sorted(Counter(map(name_scope, spans)).items())),
        "counters": handler.counters if handler else None,
        "gone": not left and not hasattr(main.get_callback_manager_for_config, "__wrapped__"),
    }


def start(order: list[str]) -> dict[str, Any]:
    """Run an order in a fresh process and return what it says."""
    command = [sys.executable, __file__, "--order", *order]
    if order == ["zero code"]:
        command.insert(0, str(Path(sysconfig.get_path("scripts")) / "opentelemetry-instrument"))
    exporters = dict.fromkeys(("OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER"), "none")
    done = subprocess.run(command, env=os.environ | exporters, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> int:
    """Run every order and print one line each."""
    print(f"Python {platform.python_version()}; " + ", ".join(f"{name} {version(name)}" for name in PACKAGES))
    alone = start(ORDERS[0])
    failed = not all(run["whole"] for run in alone["runs"]) or any(alone["counters"].values())
    print(f"alone: {len(alone['runs'])} runs, all whole: {not failed}")
    for order in ORDERS:
        found = start(order)
        same = found["runs"] == alone["runs"] and found["counters"] == alone["counters"]
        gone = found["gone"] if order != ["zero code"] else "not asked"
        spans = ", ".join(f"{name} {count}" for name, count in found["spans"].items())
        print(
            f"{' > '.join(order)}: ours as alone: {same}; no trace after uninstrument: {gone}; spans: {spans}"
        )
        failed = failed or not same or not gone
    return int(failed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description="Run several instrumentations in one process, in every order."
    )
    parser.add_argument(
        "--order",
        nargs="+",
        choices=[*CLASSES, *ORDERS[-1]],
        help="run this one alone, and print what it found",
    )
    order: list[str] | None = parser.parse_args().order
    if order:
        print(json.dumps(run_order(order)))
    else:
        sys.exit(main())
