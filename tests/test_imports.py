"""What starting a part of the package imports; a fresh interpreter answers, because this one has all loaded."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

RECORDED_WITH = {"deepagents", "langchain", "langchain_core", "langgraph", "langsmith"}
SENT_WITH = {"grpc", "opentelemetry.exporter"}
READ_WITH = {"google.protobuf", "httpx", "opentelemetry.proto", "tenacity", "zstandard"}

LIST_MODULES = "import json, sys; json.dump(sorted(sys.modules), sys.stderr)"


def list_imported(program: str) -> set[str]:
    """Run a program in a fresh interpreter; return the names of all modules that it loaded."""
    ended = subprocess.run(
        [sys.executable, "-c", f"{program}\n{LIST_MODULES}"], capture_output=True, check=True, text=True
    )
    return set(json.loads(ended.stderr))


@pytest.mark.parametrize(
    "module",
    [
        "otel_traj",
        "otel_traj.cli",
        "otel_traj.evaluate",
        "otel_traj.match",
        "otel_traj.reconstruct",
        "otel_traj.sources",
    ],
)
def test_reading_and_judging_start_light(module: str) -> None:
    """Nothing that agents run on, and nothing that spans are sent with, is imported to read or to judge."""
    assert list_imported(f"import {module}") & (RECORDED_WITH | SENT_WITH) == set()


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["show", "--help"], ["eval", "--help"], ["doctor", "--help"], ["demo", "--help"]],
)
def test_help_starts_light(arguments: list[str]) -> None:
    """Help of the command line and of every command is printed without them, too."""
    program = f"""
from otel_traj.cli import main
try:
    main({arguments!r})
except SystemExit as end:
    assert not end.code
"""
    assert list_imported(program) & (RECORDED_WITH | SENT_WITH) == set()


def test_recorder_imports_exporters_only_when_used() -> None:
    """The recorder itself brings no exporter and no gRPC into the agent's process."""
    assert list_imported("from otel_traj import TrajectoryCallbackHandler, configure") & SENT_WITH == set()


def test_instrumenting_imports_nothing_that_the_program_does_not() -> None:
    """An instrumented process that never runs a graph loads neither LangGraph nor LangChain."""
    program = "from otel_traj import LangGraphInstrumentor\nLangGraphInstrumentor().instrument()"
    assert list_imported(program) & (RECORDED_WITH | SENT_WITH) == set()


def test_public_names_load_on_first_use() -> None:
    """Importing the package loads none of its parts; naming one loads what stands behind it."""
    assert {name for name in list_imported("import otel_traj") if name.startswith("otel_traj.")} == set()
    assert "otel_traj.match" in list_imported("from otel_traj import graph_trajectory_match")


def test_a_file_of_lines_is_read_without_what_other_places_need() -> None:
    """Unpacking, protobuf and HTTP are imported by the first place that needs them."""
    program = """
import io
from otel_traj.sources import open_source
from otel_traj.sources.files.streams import read_stream
line = b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1","spanId":"2"}]}]}]}'
assert len(list(read_stream(io.BufferedReader(io.BytesIO(line)), "lines", print))) == 1
"""
    assert list_imported(program) & READ_WITH == set()
