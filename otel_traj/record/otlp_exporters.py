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
_GRPC = "grpc"
_HTTP = "http/protobuf"
_PROTOCOL_OF = {"otlp_proto_grpc": _GRPC, "otlp_proto_http": _HTTP}


def make_exporters() -> list[SpanExporter]:
    """Return the exporters that `OTEL_TRACES_EXPORTER` names: `otlp` (the default), `console`, `none`.

    The names of Python's own packages, `otlp_proto_grpc` and `otlp_proto_http`, are known too; letters of either case
    are the same.

    Returns:
        One per name, each name once; empty for `none`.

    Raises:
        TrajectoryValueError: A name or a protocol is not known, or a variable has a value that the exporter refuses.
    """
    listed = (os.environ.get(_EXPORTERS) or "otlp").lower().split(",")
    names = list(dict.fromkeys(name.strip() for name in listed if name.strip()))
    if "none" in names:
        return []
    return [_make_exporter(name) for name in names]


def _make_exporter(name: str) -> SpanExporter:
    if name == "otlp":
        return make_otlp_exporter()
    if name in _PROTOCOL_OF:
        return _make_for_protocol(_PROTOCOL_OF[name])
    if name == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter()
    raise TrajectoryValueError(
        f"{_EXPORTERS} names {name!r}, which configure() can't make. Use otlp, console or none, or pass exporter=."
    )


def make_otlp_exporter() -> SpanExporter:
    """Return the OTLP exporter by protocol: gRPC, or HTTP with protobuf.

    Raises:
        TrajectoryValueError: The protocol is neither, or a variable has a value that the exporter refuses.
    """
    variable = _TRACES_PROTOCOL if os.environ.get(_TRACES_PROTOCOL) else _PROTOCOL
    given = os.environ.get(variable) or _GRPC
    protocol = given.strip().lower()
    if protocol in (_GRPC, _HTTP):
        return _make_for_protocol(protocol)
    raise TrajectoryValueError(
        f"{variable} is {given!r}, a protocol that Python's OTLP exporters don't speak. "
        f"Set it to 'grpc' or 'http/protobuf'."
    )


def _make_for_protocol(protocol: str) -> SpanExporter:
    try:
        if protocol == _GRPC:
            from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter

            return GrpcExporter()
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter

        return HttpExporter()
    except Exception as error:
        raise TrajectoryValueError(
            f"the OTLP exporter for {protocol} can't be made ({type(error).__name__}: {error}), so no span could be "
            f"sent. Mend the OTEL_EXPORTER_OTLP_* variable that it names, or pass exporter=."
        ) from error
