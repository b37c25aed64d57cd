"""The OTLP exporter that the standard environment variables ask for.

Only the protocol is decided here; endpoint, headers, timeout, compression and certificates are read by the
exporters themselves. They are imported when they are used: grpc alone costs tens of milliseconds.
Source: OpenTelemetry specification, protocol/exporter and configuration/sdk-environment-variables.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from otel_traj.errors import TrajectoryValueError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

__all__ = ["make_exporters", "make_otlp_exporter"]

_TRACES_PROTOCOL = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
_PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL"
_EXPORTERS = "OTEL_TRACES_EXPORTER"


def make_exporters() -> list[SpanExporter]:
    """Return the exporters that `OTEL_TRACES_EXPORTER` names: `otlp` (the default), `console`, `none`.

    Returns:
        One per name; empty for `none`.

    Raises:
        TrajectoryValueError: A name or a protocol is not known.
    """
    names = [name.strip() for name in (os.environ.get(_EXPORTERS) or "otlp").split(",") if name.strip()]
    if "none" in names:
        return []
    return [_make_exporter(name) for name in names]


def _make_exporter(name: str) -> SpanExporter:
    if name == "otlp":
        return make_otlp_exporter()
    if name == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter()
    raise TrajectoryValueError(
        f"{_EXPORTERS} names {name!r}, which configure() can't make. Use otlp, console or none, or pass exporter=."
    )


def make_otlp_exporter() -> SpanExporter:
    """Return the OTLP exporter by protocol: gRPC, or HTTP with protobuf.

    Raises:
        TrajectoryValueError: The protocol is neither.
    """
    variable = _TRACES_PROTOCOL if os.environ.get(_TRACES_PROTOCOL) else _PROTOCOL
    protocol = (os.environ.get(variable) or "grpc").strip()
    if protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter

        return GrpcExporter()
    if protocol == "http/protobuf":
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter

        return HttpExporter()
    raise TrajectoryValueError(
        f"{variable} is {protocol!r}, a protocol that Python's OTLP exporters don't speak. "
        f"Set it to 'grpc' or 'http/protobuf'."
    )
