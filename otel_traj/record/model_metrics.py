"""How long model calls take and how many tokens they use, as metrics, where the user passes a meter provider.

Names, units and buckets are those of the semantic conventions' last release (1.41), which installed instrumentations
write and dashboards ask for; the development version (1.42.0-dev) is about to rename both. Every call counts, whether
its span is sampled or not: a sample's numbers would be wrong. An exemplar points at the span.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, set_span_in_context

import otel_traj
from otel_traj import semconv as sc
from otel_traj.errors import TrajectoryTypeError
from otel_traj.record.exception_event import name_exception_type
from otel_traj.record.outcome import classify_ending

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.metrics import MeterProvider
    from opentelemetry.util.types import AttributeValue

    from otel_traj.record.entry import Entry

__all__ = ["ModelMetrics", "make_model_metrics"]

_DIMENSIONS: Final = (sc.OPERATION_NAME, sc.PROVIDER_NAME, sc.REQUEST_MODEL, sc.RESPONSE_MODEL)
_TOKEN_TYPES: Final = ((sc.USAGE_INPUT_TOKENS, "input"), (sc.USAGE_OUTPUT_TOKENS, "output"))
_SECONDS: Final = [0.01 * 2**power for power in range(14)]
_TOKENS: Final = [4**power for power in range(14)]


def make_model_metrics(provider: MeterProvider | None) -> ModelMetrics | None:
    """Return what measures the model calls of a handler.

    Args:
        provider: Where the numbers go; None measures nothing.

    Raises:
        TrajectoryTypeError: It is no meter provider.
    """
    if provider is None:
        return None
    if not callable(getattr(provider, "get_meter", None)):
        raise TrajectoryTypeError(
            f"meter_provider is {provider!r}, which has no meters. Pass a MeterProvider, or None to measure nothing."
        )
    return ModelMetrics(provider)


class ModelMetrics:
    """The histograms of one handler's model calls; safe between threads."""

    def __init__(self, provider: MeterProvider) -> None:
        """Make them."""
        meter = provider.get_meter(sc.SCOPE_NAME, otel_traj.__version__)
        self._durations = meter.create_histogram(
            sc.CLIENT_OPERATION_DURATION,
            "s",
            "Duration of a model call.",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )
        self._tokens = meter.create_histogram(
            sc.CLIENT_TOKEN_USAGE,
            "{token}",
            "Tokens of a model call, in and out.",
            explicit_bucket_boundaries_advisory=_TOKENS,
        )

    def record(self, entry: Entry, shown: Mapping[str, AttributeValue], error: BaseException | None) -> None:
        """Count a model call that has ended.

        Args:
            entry: Its entry.
            shown: What its span says, or would say, of request and answer.
            error: What it raised.
        """
        dimensions = {key: shown[key] for key in _DIMENSIONS if key in shown}
        span = None if entry.span_context is None else NonRecordingSpan(entry.span_context)
        context = Context() if span is None else set_span_in_context(span, Context())
        for key, token_type in _TOKEN_TYPES:
            count = shown.get(key)
            if isinstance(count, int) and count >= 0:
                self._tokens.record(count, {**dimensions, sc.TOKEN_TYPE: token_type}, context)
        if error is not None and classify_ending(error) == "error":
            dimensions[sc.ERROR_TYPE] = name_exception_type(error)
        seconds = max(time.time_ns() - entry.start_ns, 0) / 1e9
        self._durations.record(seconds, dimensions, context)
