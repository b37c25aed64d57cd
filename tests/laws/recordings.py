"""Random cases under the real handler: spans as lines of OTLP JSON, as they left, and as they may arrive."""

from __future__ import annotations

import io
import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

from otel_traj import TrajectoryCallbackHandler
from otel_traj.record.otlp_lines import encode_line
from otel_traj.sources.files.streams import read_stream
from tests.laws.drive import Driven, drive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.sdk.trace import ReadableSpan

    from otel_traj.model import SourceProblem, Span
    from tests.laws.spec import Arrival, Case

__all__ = ["ONE_SERVICE", "Recording", "arrive", "read_spans", "record"]

ONE_SERVICE = ("laws", "laws")
"""Both processes are the same program."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What a case left behind."""

    driven: Driven
    lines: list[str]
    """One span each, in the order in which they ended."""
    processes: list[int]
    """Beside the lines: which process wrote it."""


class _LineExporter(SpanExporter):
    def __init__(self, process: int, lines: list[str], processes: list[int]) -> None:
        self._process = process
        self._lines = lines
        self._processes = processes

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        for span in spans:
            self._lines.append(encode_line([span]).decode("ascii"))
            self._processes.append(self._process)
        return SpanExportResult.SUCCESS


def record(
    case: Case,
    *,
    services: tuple[str, str] = ONE_SERVICE,
    limits: SpanLimits | None = None,
    noise: int = 0,
    content: bool = False,
) -> Recording:
    """Drive a case under one handler per process.

    Args:
        case: What to do.
        services: The `service.name` of each process.
        limits: The SDK's limits; its own where not given.
        noise: How many attributes of its own each node sets on the current span.
        content: Whether inputs and results are recorded too.
    """
    lines: list[str] = []
    processes: list[int] = []
    handlers, providers = [], []
    for process, service in enumerate(services):
        provider = TracerProvider(
            resource=Resource({"service.name": service}),
            span_limits=limits or SpanLimits(),
            shutdown_on_exit=False,
        )
        provider.add_span_processor(SimpleSpanProcessor(_LineExporter(process, lines, processes)))
        providers.append(provider)
        handlers.append(TrajectoryCallbackHandler(tracer_provider=provider, content=content))
    driven = drive(case, handlers, noise=noise)
    for provider in providers:
        provider.shutdown()
    return Recording(driven, lines, processes)


def arrive(lines: Sequence[str], arrival: Arrival) -> str:
    """Return the text of a file in which lines arrived shuffled, in other batches, some of them twice."""
    chance = random.Random(arrival.seed)
    arrived = [*lines, *(line for line in lines if chance.randrange(100) < arrival.copies)]
    chance.shuffle(arrived)
    batches = [arrived[start : start + arrival.batch] for start in range(0, len(arrived), arrival.batch)]
    return "".join(f"{_merge(batch)}\n" for batch in batches)


def _merge(lines: Sequence[str]) -> str:
    parts: list[Any] = [part for line in lines for part in json.loads(line)["resourceSpans"]]
    return json.dumps({"resourceSpans": parts})


def read_spans(text: str) -> list[Span]:
    """Return the spans of a file's text as records, in its order."""
    problems: list[SourceProblem] = []
    spans = list(read_stream(io.BufferedReader(io.BytesIO(text.encode())), "law", problems.append))
    assert not problems
    return spans
