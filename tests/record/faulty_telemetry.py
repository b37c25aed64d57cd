"""Telemetry that is broken in one place: a provider, tracer, span, processor, sampler or exporter that raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from opentelemetry import trace
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, Sampler

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["FAULTS", "SILENT"]


class BrokenTelemetryError(Exception):
    """What it raises."""


def _raise(*_: object, **__: object) -> Any:  # noqa: ANN401 - it never returns
    raise BrokenTelemetryError("planted")


class BrokenSpan(trace.Span):
    """A real span of which some methods raise."""

    def __init__(self, real: trace.Span, broken: tuple[str, ...]) -> None:
        """Stand for `real`."""
        for name in dir(trace.Span):
            if not name.startswith("__"):
                setattr(self, name, _raise if name in broken else getattr(real, name))

    end = get_span_context = set_attributes = set_attribute = add_event = add_link = _raise
    update_name = is_recording = set_status = record_exception = _raise


class BrokenTracer(trace.Tracer):
    """A tracer whose spans are broken, or that raises itself."""

    def __init__(self, real: trace.Tracer, broken: tuple[str, ...]) -> None:
        """Stand for `real`."""
        self._real = real
        self._broken = broken

    def start_span(self, *args: Any, **kwargs: Any) -> trace.Span:  # noqa: ANN401 - OpenTelemetry's
        """Start a span, or raise."""
        if "start_span" in self._broken:
            _raise()
        return BrokenSpan(self._real.start_span(*args, **kwargs), self._broken)

    start_as_current_span = _raise


class BrokenProvider(trace.TracerProvider):
    """A provider whose tracers are broken, or that raises itself."""

    def __init__(self, *broken: str) -> None:
        """Break these."""
        self._real = TracerProvider(shutdown_on_exit=False)
        self._broken = broken

    def get_tracer(self, *args: Any, **kwargs: Any) -> trace.Tracer:  # noqa: ANN401 - OpenTelemetry's
        """Return a tracer, or raise."""
        if "get_tracer" in self._broken:
            _raise()
        return BrokenTracer(self._real.get_tracer(*args, **kwargs), self._broken)


class BrokenProcessor(SpanProcessor):
    """A processor that raises at one of its three calls."""

    def __init__(self, broken: str) -> None:
        """Break this one."""
        setattr(self, broken, _raise)


class BrokenSampler(Sampler):
    """A sampler that raises."""

    should_sample = _raise

    def get_description(self) -> str:
        """Return a name."""
        return "broken"


class BrokenIds(RandomIdGenerator):
    """Ids that can't be made."""

    generate_span_id = _raise


class FailingExporter(SpanExporter):
    """An exporter that raises, or says that it failed."""

    def __init__(self, *, raises: bool) -> None:
        """Choose."""
        self._raises = raises

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:  # noqa: ARG002 - none is sent
        """Fail."""
        return _raise() if self._raises else SpanExportResult.FAILURE


def _make_provider(
    *,
    processor: SpanProcessor | None = None,
    sampler: Sampler = ALWAYS_ON,
    ids: RandomIdGenerator | None = None,
) -> TracerProvider:
    provider = TracerProvider(sampler=sampler, id_generator=ids, shutdown_on_exit=False)
    if processor is not None:
        provider.add_span_processor(processor)
    return provider


FAULTS: Final[Mapping[str, Callable[[], trace.TracerProvider]]] = {
    **{
        f"{name} raises": lambda name=name: BrokenProvider(name)  # type: ignore[misc]  # a default binds it
        for name in (
            "get_tracer",
            "start_span",
            "is_recording",
            "get_span_context",
            "set_attribute",
            "set_attributes",
            "set_status",
            "add_event",
            "add_link",
            "end",
        )
    },
    "everything raises": lambda: BrokenProvider(
        *(name for name in dir(trace.Span) if not name.startswith("__"))
    ),
    "processor raises at starts": lambda: _make_provider(processor=BrokenProcessor("on_start")),
    "processor raises before ends": lambda: _make_provider(processor=BrokenProcessor("_on_ending")),
    "processor raises at ends": lambda: _make_provider(processor=BrokenProcessor("on_end")),
    "sampler raises": lambda: _make_provider(sampler=BrokenSampler()),
    "ids raise": lambda: _make_provider(ids=BrokenIds()),
    "exporter raises": lambda: _make_provider(processor=SimpleSpanProcessor(FailingExporter(raises=True))),
    "exporter fails": lambda: _make_provider(processor=SimpleSpanProcessor(FailingExporter(raises=False))),
}
"""Providers by what is wrong with them."""

SILENT: Final = frozenset({"add_link raises", "exporter raises", "exporter fails"})
"""Faults that the recorder can't know of: nothing calls it, or the SDK keeps them to itself."""
