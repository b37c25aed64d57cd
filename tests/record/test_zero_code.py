"""Programs that know nothing of us, started as their users start them."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import sysconfig
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from otel_traj import LangGraphInstrumentor
from otel_traj import semconv as sc
from otel_traj.record.calling_graph import HEARS_PAUSES
from tests.missing_api import needs

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("plain_program.py")
COMMAND = Path(sysconfig.get_path("scripts")) / "opentelemetry-instrument"

LOAD_AS_THE_COMMAND_DOES = """
import runpy, sys
from importlib.metadata import entry_points
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

(found,) = entry_points(group="opentelemetry_instrumentor", name="otel_traj")
found.load()().instrument(skip_dep_check=True)
trace.set_tracer_provider(TracerProvider())
trace.get_tracer_provider().add_span_processor(BatchSpanProcessor(ConsoleSpanExporter()))
runpy.run_path(sys.argv[1], run_name="__main__")
"""
LATE_INSTRUMENTATION = """
import langgraph.graph, sys
from otel_traj import LangGraphInstrumentor
LangGraphInstrumentor().instrument()
print(LangGraphInstrumentor().handler)
print(hasattr(sys.modules["langgraph.pregel.main"].get_callback_manager_for_config, "__wrapped__"))
"""
PASSES_A_HANDLER = """
import operator
from typing import TypedDict
from langgraph.graph import START, StateGraph
from otel_traj import LangGraphInstrumentor, TrajectoryCallbackHandler
class State(TypedDict, total=False):
    count: int
builder = StateGraph(State)
builder.add_node("a", lambda state: {"count": 1})
builder.add_edge(START, "a")
LangGraphInstrumentor().instrument()
builder.compile().invoke({}, {"callbacks": [TrajectoryCallbackHandler()]})
"""
LOADED = "import json, sys; json.dump(sorted(sys.modules), sys.stderr)"


def run(*command: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, its spans on stdout where anything records."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    exporters = {"OTEL_TRACES_EXPORTER": "console"} | dict.fromkeys(
        ("OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER"), "none"
    )
    return subprocess.run(
        [str(part) for part in command],
        env=kept | exporters | variables,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )


def parse_spans(text: str) -> list[dict[str, Any]]:
    """Return the spans that the SDK's console exporter wrote, by start."""
    decoder, spans = json.JSONDecoder(), []
    while text := text.strip():
        span, end = decoder.raw_decode(text)
        spans.append(span)
        text = text[end:]
    return sorted(spans, key=lambda span: str(span["start_time"]))


def check_plain_program(done: subprocess.CompletedProcess[str]) -> None:
    """Hold the program to its answer, and its spans to what ran."""
    assert done.stderr.splitlines() == ["2"]
    spans = parse_spans(done.stdout)
    assert [span["name"] for span in spans] == [
        "invoke_workflow plain",
        "invoke_node draft",
        "invoke_workflow plain",
        "invoke_node send",
    ]
    first, second = (span["attributes"] for span in spans if sc.OUTCOME in span["attributes"])
    assert first[sc.OUTCOME] == ("interrupted" if HEARS_PAUSES else "ok")
    assert (second[sc.OUTCOME], second[sc.RESUMED]) == ("ok", True)
    assert [json.loads(root[sc.STEPS]) for root in (first, second)] == [[["draft"]], [["send"]]]


@needs("opentelemetry-instrument")
def test_the_command_records_a_program_without_a_line_in_it() -> None:
    """Under `opentelemetry-instrument` a program that imports langgraph late is recorded, its pause too."""
    check_plain_program(run(COMMAND, sys.executable, PROGRAM))


def test_the_entry_point_does_what_the_command_does() -> None:
    """Loaded by its entry point before langgraph is, and before a provider is set, it records the program."""
    check_plain_program(run(sys.executable, "-W", "error", "-c", LOAD_AS_THE_COMMAND_DOES, PROGRAM))


def test_content_is_asked_for_by_the_environment() -> None:
    """The variable of OpenTelemetry's GenAI instrumentations decides where no code does; without it there is none."""
    command = (sys.executable, "-c", LOAD_AS_THE_COMMAND_DOES, PROGRAM)
    for capture, is_recorded in (("SPAN_ONLY", True), ("NO_CONTENT", False)):
        done = run(*command, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=capture)
        assert [sc.INPUTS in parse_spans(done.stdout)[0]["attributes"]] == [is_recorded]


def test_the_entry_point_is_the_class() -> None:
    """The name that users disable leads to the class that they import."""
    (found,) = entry_points(group="opentelemetry_instrumentor", name="otel_traj")
    assert found.load() is LangGraphInstrumentor


@needs("opentelemetry-instrument")
@pytest.mark.parametrize(
    "variables",
    [
        {"OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": "otel_traj"},
        {"OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": "requests, otel_traj"},
        {"OTEL_SDK_DISABLED": "true"},
    ],
    ids=["by name", "among others", "the whole SDK"],
)
def test_what_is_disabled_records_nothing(variables: dict[str, str]) -> None:
    """The standard variables switch it off, and the program runs as ever."""
    done = run(COMMAND, sys.executable, PROGRAM, **variables)
    assert (done.stdout, done.stderr.splitlines()) == ("", ["2"])


@needs("opentelemetry-instrument")
def test_a_program_without_langgraph_pays_nothing() -> None:
    """Neither langgraph nor langchain is imported into a process that never asks for them."""
    loaded = set(json.loads(run(COMMAND, sys.executable, "-c", LOADED).stderr))
    assert "otel_traj.record.instrumentor" in loaded
    assert loaded & {"langgraph", "langchain_core", "langsmith", "grpc"} == set()


@needs("opentelemetry-instrument")
def test_a_program_with_a_handler_is_recorded_once() -> None:
    """A program that instruments and passes a handler itself is recorded by that one, and told of the second call."""
    # With the logging instrumentation the line goes where all logs go, and not to stderr.
    quiet = {"OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": "logging"}
    done = run(COMMAND, sys.executable, "-c", PASSES_A_HANDLER, **quiet)
    assert [span["name"] for span in parse_spans(done.stdout)] == [
        "invoke_workflow LangGraph",
        "invoke_node a",
    ]
    assert "already instrumented" in done.stderr


def test_a_program_that_imported_langgraph_before_is_instrumented_at_once() -> None:
    """What is there is replaced at the call; the handler is made at the first run."""
    done = run(sys.executable, "-c", LATE_INSTRUMENTATION)
    assert done.stdout.split() == ["None", "True"]


@needs("opentelemetry-instrument")
def test_the_interface_is_the_one_of_opentelemetry() -> None:
    """Whatever OpenTelemetry's base class offers to callers is there, called in the same way."""
    base = import_module("opentelemetry.instrumentation.instrumentor").BaseInstrumentor
    public = [name for name in vars(base) if not name.startswith("_")]
    assert set(public) == {
        "instrument",
        "instrumentation_dependencies",
        "is_instrumented_by_opentelemetry",
        "uninstrument",
    }
    assert isinstance(LangGraphInstrumentor.is_instrumented_by_opentelemetry, property)
    for name in ("instrument", "uninstrument"):
        parameters = inspect.signature(getattr(LangGraphInstrumentor, name)).parameters.values()
        assert any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)
