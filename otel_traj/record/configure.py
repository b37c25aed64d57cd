"""One call that makes spans go somewhere.

A program that has OpenTelemetry already keeps its provider: ours is only one more processor on it. A program
that has none gets one. What writes into this process or into a file is fed synchronously, so that nothing is
lost when the process is killed and a test can look at once; what goes over the network is batched. Exporters
are imported when `configure` is called, not before.
"""

from __future__ import annotations

import threading
import warnings
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, cast

from opentelemetry import trace
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj.record.otlp_exporters import make_exporters

if TYPE_CHECKING:
    import os

    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.sdk.trace.export import SpanExporter

__all__ = ["configure"]

_lock = threading.Lock()
_paths_of: weakref.WeakKeyDictionary[TracerProvider, set[Path]] = weakref.WeakKeyDictionary()


def configure(
    *,
    service_name: str | None = None,
    path: str | os.PathLike[str] | None = None,
    exporter: SpanExporter | None = None,
    batch: bool | None = None,
) -> TracerProvider:
    """Make recorded spans go somewhere.

    Without `path` and `exporter` they go out by OTLP, as the standard variables say:
    `OTEL_EXPORTER_OTLP_PROTOCOL` (grpc, the default, or http/protobuf), `OTEL_EXPORTER_OTLP_ENDPOINT`,
    `OTEL_EXPORTER_OTLP_HEADERS` and the rest, each also in its `_TRACES_` form; `OTEL_TRACES_EXPORTER=none`
    sends nothing. With both, they go to both. A file is named once per provider: a second call with the same
    path adds nothing.

    Args:
        service_name: `service.name` of the resource; else `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES`.
            With a global provider that is there already it can't be set any more; then a warning says so.
        path: A file to append OTLP JSON lines to; it and its folder are made.
        exporter: Any span exporter.
        batch: Whether a batch processor feeds `exporter`. If None, exporters in memory, to a file of ours and
            to the console get each span as it ends; all others get batches, and what waits is sent by
            `provider.force_flush()`, and at exit.

    Returns:
        The global provider of the SDK: the one that was there, or a new one.

    Raises:
        SinkError: The file can't be opened.
        TrajectoryValueError: A variable asks for a protocol or exporter that can't be made.
    """
    with _lock:
        provider, is_new = _find_provider(service_name)
        for processor in _make_processors(provider, path, exporter, batch=batch):
            provider.add_span_processor(processor)
        if is_new:
            _set_global(provider)
    return provider


def _find_provider(service_name: str | None) -> tuple[TracerProvider, bool]:
    current = trace.get_tracer_provider()
    if not callable(getattr(current, "add_span_processor", None)):
        return TracerProvider(resource=_make_resource(service_name)), True
    # Wrappers of the SDK's provider (logfire's) are no subclasses of it, but take processors as well.
    provider = cast("TracerProvider", current)
    resource = getattr(provider, "resource", Resource.get_empty())
    if service_name is not None and resource.attributes.get(SERVICE_NAME) != service_name:
        warnings.warn(
            f"configure(service_name={service_name!r}): a tracer provider is set already, and its service.name "
            f"{resource.attributes.get(SERVICE_NAME)!r} can't be changed. Name the service where the "
            f"provider is made, or by OTEL_SERVICE_NAME.",
            UserWarning,
            stacklevel=3,
        )
    return provider, False


def _make_resource(service_name: str | None) -> Resource:
    return Resource.create({SERVICE_NAME: service_name} if service_name is not None else None)


def _make_processors(
    provider: TracerProvider,
    path: str | os.PathLike[str] | None,
    exporter: SpanExporter | None,
    *,
    batch: bool | None,
) -> list[SpanProcessor]:
    from otel_traj.record.otlp_lines import JsonLinesSpanExporter

    processors: list[SpanProcessor] = []
    if path is not None:
        paths = _paths_of.setdefault(provider, set())
        resolved = Path(path).resolve()
        if resolved not in paths:
            processors.append(SimpleSpanProcessor(JsonLinesSpanExporter(path)))
            paths.add(resolved)
    if exporter is not None:
        processors.append(_make_processor(exporter, batch=batch))
    if path is None and exporter is None:
        processors += [_make_processor(each, batch=batch) for each in make_exporters()]
    return processors


def _make_processor(exporter: SpanExporter, *, batch: bool | None) -> SpanProcessor:
    from otel_traj.record.otlp_lines import JsonLinesSpanExporter

    here = (InMemorySpanExporter, JsonLinesSpanExporter, ConsoleSpanExporter)
    at_once = isinstance(exporter, here) if batch is None else not batch
    return SimpleSpanProcessor(exporter) if at_once else BatchSpanProcessor(exporter)


def _set_global(provider: TracerProvider) -> None:
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        trace.set_tracer_provider(provider)
        return
    current = type(trace.get_tracer_provider())
    warnings.warn(
        f"configure(): the global tracer provider is a {current.__module__}.{current.__qualname__}, which takes no "
        f"span processors and can't be replaced. Pass the provider that configure() returns to "
        f"TrajectoryCallbackHandler(tracer_provider=...).",
        UserWarning,
        stacklevel=3,
    )
