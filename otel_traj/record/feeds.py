"""What of `configure` a provider feeds already, so that calling it twice (two modules, a notebook's cell) doubles nothing.

Providers are told apart by identity and kept: some wrap the SDK's and can't be hashed (logfire's). What was shut
down with its provider counts as gone, and is made anew.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider

    from otel_traj.record.otlp_lines import JsonLinesSpanExporter

__all__ = ["Feeds", "WatchedExporter", "find_feeds", "read_environment"]


class WatchedExporter(SpanExporter):
    """An exporter that remembers that it was shut down, and then takes no more.

    Not every SDK stops by itself: that of 1.33 goes on to hand spans to exporters that were shut down.
    """

    def __init__(self, exporter: SpanExporter) -> None:
        """Pass everything on to `exporter`."""
        self._exporter = exporter
        self.is_shut_down = False
        """Nothing is exported any more."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Pass on, until it was shut down."""
        return SpanExportResult.FAILURE if self.is_shut_down else self._exporter.export(spans)

    def shutdown(self) -> None:
        """Pass on."""
        self.is_shut_down = True
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Pass on."""
        return self._exporter.force_flush(timeout_millis)


@dataclass(slots=True, kw_only=True, eq=False)
class Feeds:
    """What one provider feeds."""

    provider: TracerProvider
    files: dict[Path, JsonLinesSpanExporter] = field(default_factory=dict)
    """By resolved path."""
    exporters: list[SpanExporter] = field(default_factory=list)
    """Those that users passed."""
    standard: dict[tuple[tuple[str, str], ...], list[WatchedExporter]] = field(default_factory=dict)
    """Those of the standard variables, by what these were."""

    def writes(self, path: Path) -> bool:
        """Whether a file gets the spans."""
        exporter = self.files.get(path)
        return exporter is not None and not exporter.is_shut_down

    def has(self, exporter: SpanExporter) -> bool:
        """Whether an exporter gets the spans."""
        return any(exporter is each for each in self.exporters)

    def sends(self, environment: tuple[tuple[str, str], ...]) -> bool:
        """Whether what the standard variables ask for is there."""
        exporters = self.standard.get(environment)
        return exporters is not None and not any(each.is_shut_down for each in exporters)


_feeds: list[Feeds] = []


def find_feeds(provider: TracerProvider) -> Feeds:
    """Return what a provider feeds; `configure` holds its lock."""
    for feeds in _feeds:
        if feeds.provider is provider:
            return feeds
    feeds = Feeds(provider=provider)
    _feeds.append(feeds)
    return feeds


def read_environment() -> tuple[tuple[str, str], ...]:
    """Return the variables that decide which exporters are made, and where these send."""
    return tuple(
        sorted(
            (name, value)
            for name, value in os.environ.items()
            if name == "OTEL_TRACES_EXPORTER" or name.startswith("OTEL_EXPORTER_OTLP_")
        )
    )
