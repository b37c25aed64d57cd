"""Record every oracle in one process with our handler and two other instrumentations: a program for `peers`.

    python -m tests.reconstruct.dialects.record_beside FOLDER

writes `<number>-<mode>.jsonl` for each oracle, with the spans of all three. It runs in an environment that has the
other two; the tests read what it writes.
"""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

from otel_traj import TrajectoryCallbackHandler
from otel_traj.record import JsonLinesSpanExporter
from tests.oracles import ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["main"]

INSTRUMENTORS = {
    "openinference.instrumentation.langchain": "LangChainInstrumentor",
    "opentelemetry.instrumentation.langchain": "LangchainInstrumentor",
}


class FileBesideFile(SpanExporter):
    """Writes into one file after another: instrumentations keep the tracer provider that they were given."""

    def __init__(self) -> None:
        """Begin without a file."""
        self._to: JsonLinesSpanExporter | None = None

    def go_on_in(self, path: Path) -> None:
        """Write into another file from now on."""
        if self._to is not None:
            self._to.shutdown()
        self._to = JsonLinesSpanExporter(path)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Write spans into the file of now."""
        return SpanExportResult.SUCCESS if self._to is None else self._to.export(spans)


def main(folder: Path) -> None:
    """Record all oracles that the installed LangGraph can run."""
    exporter = FileBesideFile()
    provider = TracerProvider(resource=Resource.create({"service.name": "oracles"}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    for module, name in INSTRUMENTORS.items():
        getattr(import_module(module), name)().instrument(tracer_provider=provider)
    for scenario in ALL:
        for mode in scenario.modes:
            if not scenario.missing:
                exporter.go_on_in(folder / f"{scenario.number}-{mode}.jsonl")
                handler = TrajectoryCallbackHandler(tracer_provider=provider)
                if mode == "sync":
                    scenario.run([handler])
                else:
                    asyncio.run(scenario.arun([handler]))
    provider.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
