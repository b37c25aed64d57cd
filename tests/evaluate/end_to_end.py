"""An agent that runs, its spans in a file, and the command line that judges them."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from otel_traj import TrajectoryCallbackHandler
from otel_traj.cli import main
from otel_traj.record import JsonLinesSpanExporter

__all__ = ["judge", "record", "write_references"]


def record(
    folder: Path,
    graph: Any,  # noqa: ANN401 - LangGraph's own types
    *inputs: object,
    thread: str = "t",
    content: bool = False,
) -> str:
    """Invoke a graph with each input in turn on one thread; return the file that its spans were added to."""
    path = folder / "traces.jsonl"
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(JsonLinesSpanExporter(path)))
    handler = TrajectoryCallbackHandler(tracer_provider=provider, content=content)
    for value in inputs or ({},):
        graph.invoke(value, {"configurable": {"thread_id": thread}, "callbacks": [handler]})
    provider.shutdown()
    return str(path)


def write_references(folder: Path, *references: str) -> str:
    """Write a reference file of entries in YAML's flow style; return its path."""
    path = folder / "references.yaml"
    entries = "".join(f"  - {entry}\n" for entry in references)
    path.write_text(f"version: 1\nreferences:\n{entries}", encoding="utf-8")
    return str(path)


def judge(
    source: str, *references: str, options: tuple[str, ...] = ()
) -> tuple[int, list[tuple[str, str | None]], list[dict[str, Any]]]:
    """Judge a source by entries of a reference file, written beside it.

    Returns:
        The exit code of `eval`, word and comment of each verdict, and their metadata.
    """
    path = write_references(Path(source).parent, *references)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = main(["eval", source, "--references", path, "--format", "json", *options])
    verdicts = json.loads(printed.getvalue())["verdicts"]
    said = [(each["verdict"], each["comment"]) for each in verdicts]
    return code, said, [each["metadata"] or {} for each in verdicts]
