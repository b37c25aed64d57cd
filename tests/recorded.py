"""Real runs, recorded: an oracle's scenario under our handler, its spans as OTLP JSON lines."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter

from otel_traj import ContentPolicy, TrajectoryCallbackHandler
from otel_traj.record import JsonLinesSpanExporter

if TYPE_CHECKING:
    from pathlib import Path

    from tests.oracles.driver import Mode
    from tests.oracles.scenario import Driven, Scenario

__all__ = ["record_scenario", "record_to_file"]


def record_scenario(
    scenario: Scenario, mode: Mode, exporter: SpanExporter, *, content: bool | ContentPolicy = False
) -> Driven:
    """Drive a scenario under the handler and export every span of it; return what it leaves behind."""
    provider = TracerProvider(resource=Resource.create({"service.name": "oracles"}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider, content=content)
    driven = scenario.run([handler]) if mode == "sync" else asyncio.run(scenario.arun([handler]))
    provider.shutdown()
    return driven


def record_to_file(scenario: Scenario, mode: Mode, path: Path) -> Driven:
    """Drive a scenario under the handler; its spans become OTLP JSON lines at a path."""
    return record_scenario(scenario, mode, JsonLinesSpanExporter(path))
