"""One call that makes spans go somewhere.

A program that has OpenTelemetry already keeps its provider: ours is only one more processor on it. A program
that has none gets one. What writes into this process or into a file is fed synchronously, so that nothing is
lost when the process is killed and a test can look at once; what goes over the network is batched. Exporters
are imported when `configure` is called, not before.
"""

from __future__ import annotations

import os
import threading
import warnings
from typing import TYPE_CHECKING, cast

from opentelemetry import trace
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.otlp_exporters import make_exporters
from otel_traj.record.feeds import Feeds, WatchedExporter, find_feeds, read_environment

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.sdk.trace.export import SpanExporter

__all__ = ["configure"]

_lock = threading.RLock()
_beside: dict[int, TracerProvider] = {}
"""Providers made beside a foreign global one, by the identity of that one, which nothing replaces."""


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
    sends nothing. With both, they go to both. Nothing is fed twice: a second call with the same file, the same
    exporter, or without either and with the same variables, adds nothing.

    Args:
        service_name: `service.name` of the resource; else `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES`.
            With a global provider that is there already it can't be set any more; then a warning says so.
        path: A file to append OTLP JSON lines to; it and its folder are made. A leading `~` is the home directory.
        exporter: Any span exporter.
        batch: Whether batches are written, in the background. If None, the file, and exporters in memory, to a
            file of ours and to the console, get each span as it ends; all others get batches. What waits is sent
            by `provider.force_flush()`, and at exit.

    Returns:
        The global provider of the SDK: the one that was there, or a new one.

    Raises:
        SinkError: The file can't be opened.
        TrajectoryTypeError: An option is of a type that can't be meant.
        TrajectoryValueError: A variable asks for something that can't be made, or `path` names no file.
    """
    _check_options(service_name, path, exporter)
    with _lock:
        provider, is_new = _find_provider(service_name)
        for processor in _make_processors(find_feeds(provider), path, exporter, batch=batch):
            provider.add_span_processor(processor)
        if is_new:
            _set_global(provider)
    return provider


def _check_options(service_name: object, path: object, exporter: object) -> None:
    if service_name is not None and not isinstance(service_name, str):
        raise TrajectoryTypeError(f"service_name is {service_name!r}, which names no service. Pass a string.")
    if path is not None:
        name = os.fspath(path) if isinstance(path, os.PathLike) else path
        if not isinstance(name, str):
            raise TrajectoryTypeError(f"path is {path!r}, which names no file. Pass a string or a path.")
        if not name or "\0" in name:
            raise TrajectoryValueError(f"path is {path!r}, which names no file. Pass the name of one.")
    can_export = callable(getattr(exporter, "export", None)) and callable(getattr(exporter, "shutdown", None))
    if exporter is not None and (isinstance(exporter, type) or not can_export):
        raise TrajectoryTypeError(
            f"exporter is {exporter!r}, to which no span can be exported. Pass an instance of a SpanExporter; a "
            f"span processor is added with configure(...).add_span_processor."
        )


def _find_provider(service_name: str | None) -> tuple[TracerProvider, bool]:
    current = _read_global()
    if not callable(getattr(current, "add_span_processor", None)):
        made = _beside.get(id(current))
        return made or TracerProvider(resource=_make_resource(service_name)), made is None
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


def _read_global() -> trace.TracerProvider:
    try:
        return trace.get_tracer_provider()
    except Exception as error:
        raise TrajectoryValueError(
            f"OTEL_PYTHON_TRACER_PROVIDER is {os.environ.get('OTEL_PYTHON_TRACER_PROVIDER')!r}, a provider that "
            f"OpenTelemetry can't load. Unset it, or name one that is installed."
        ) from error


def _make_resource(service_name: str | None) -> Resource:
    return Resource.create({SERVICE_NAME: service_name} if service_name is not None else None)


def _make_processors(
    feeds: Feeds,
    path: str | os.PathLike[str] | None,
    exporter: SpanExporter | None,
    *,
    batch: bool | None,
) -> list[SpanProcessor]:
    processors: list[SpanProcessor] = []
    if path is not None:
        processors += _feed_file(feeds, path, batch=batch)
    if exporter is not None and not feeds.has(exporter):
        processors.append(
            _make_processor(exporter, at_once=_is_here(exporter) if batch is None else not batch)
        )
        feeds.exporters.append(exporter)
    if path is None and exporter is None:
        processors += _feed_standard(feeds, batch=batch)
    return processors


def _feed_file(feeds: Feeds, path: str | os.PathLike[str], *, batch: bool | None) -> list[SpanProcessor]:
    from otel_traj.record.otlp_lines import JsonLinesSpanExporter, locate_file

    resolved = locate_file(path).resolve()
    if feeds.writes(resolved):
        return []
    exporter = feeds.files[resolved] = JsonLinesSpanExporter(path)
    return [_make_processor(exporter, at_once=not batch)]


def _feed_standard(feeds: Feeds, *, batch: bool | None) -> list[SpanProcessor]:
    environment = read_environment()
    if feeds.sends(environment):
        return []
    processors: list[SpanProcessor] = []
    feeds.standard[environment] = made = []
    for exporter in make_exporters():
        watched = WatchedExporter(exporter)
        made.append(watched)
        processors.append(
            _make_processor(watched, at_once=_is_here(exporter) if batch is None else not batch)
        )
    return processors


def _is_here(exporter: SpanExporter) -> bool:
    from otel_traj.record.otlp_lines import JsonLinesSpanExporter

    return isinstance(exporter, (InMemorySpanExporter, JsonLinesSpanExporter, ConsoleSpanExporter))


def _make_processor(exporter: SpanExporter, *, at_once: bool) -> SpanProcessor:
    return SimpleSpanProcessor(exporter) if at_once else BatchSpanProcessor(exporter)


def _set_global(provider: TracerProvider) -> None:
    foreign = trace.get_tracer_provider()
    if isinstance(foreign, trace.ProxyTracerProvider):
        trace.set_tracer_provider(provider)
        return
    _beside[id(foreign)] = provider
    current = type(foreign)
    warnings.warn(
        f"configure(): the global tracer provider is a {current.__module__}.{current.__qualname__}, which takes no "
        f"span processors and can't be replaced. Pass the provider that configure() returns to "
        f"TrajectoryCallbackHandler(tracer_provider=...).",
        UserWarning,
        stacklevel=3,
    )
