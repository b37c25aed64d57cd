"""The exporters that the standard environment variables ask for, of spans and of log events.

Only names and protocol are decided here; endpoint, headers, timeout, compression and certificates are read by the
exporters themselves. They are imported when they are used: grpc alone costs tens of milliseconds.
Source: OpenTelemetry specification, protocol/exporter and configuration/sdk-environment-variables.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, overload

from otel_traj.errors import TrajectoryValueError

if TYPE_CHECKING:
    from opentelemetry.sdk._logs.export import LogExporter
    from opentelemetry.sdk.trace.export import SpanExporter

__all__ = ["Signal", "make_exporters"]

Signal: TypeAlias = Literal["traces", "logs"]

_PROTOCOL: Final = "OTEL_EXPORTER_OTLP_PROTOCOL"
_GRPC: Final = "grpc"
_HTTP: Final = "http/protobuf"
_PROTOCOL_OF: Final = {"otlp_proto_grpc": _GRPC, "otlp_proto_http": _HTTP}
_PACKAGES: Final = {
    _GRPC: "opentelemetry.exporter.otlp.proto.grpc",
    _HTTP: "opentelemetry.exporter.otlp.proto.http",
}
_OTLP_OF: Final = {
    "traces": ("trace_exporter", "OTLPSpanExporter"),
    "logs": ("_log_exporter", "OTLPLogExporter"),
}
_WORDS: Final = {"traces": "span", "logs": "event"}


@overload
def make_exporters(signal: Literal["traces"] = "traces") -> list[SpanExporter]: ...
@overload
def make_exporters(signal: Literal["logs"]) -> list[LogExporter]: ...
def make_exporters(signal: Signal = "traces") -> list[Any]:
    """Return the exporters that `OTEL_TRACES_EXPORTER` or `OTEL_LOGS_EXPORTER` names.

    They are `otlp` (the default), `console` and `none`; the names of Python's own packages, `otlp_proto_grpc` and
    `otlp_proto_http`, are known too; letters of either case are the same.

    Args:
        signal: What is to be exported.

    Returns:
        One per name, each name once; empty for `none`.

    Raises:
        TrajectoryValueError: A name or a protocol is not known, or a variable has a value that the exporter refuses.
    """
    variable = f"OTEL_{signal.upper()}_EXPORTER"
    listed = (os.environ.get(variable) or "otlp").lower().split(",")
    names = list(dict.fromkeys(name.strip() for name in listed if name.strip()))
    if "none" in names:
        return []
    return [_make_exporter(name, signal, variable) for name in names]


def _make_exporter(name: str, signal: Signal, variable: str) -> object:
    if name == "otlp":
        return _make_for_protocol(_read_protocol(signal), signal)
    if name in _PROTOCOL_OF:
        return _make_for_protocol(_PROTOCOL_OF[name], signal)
    if name == "console":
        return _make_console_exporter(signal)
    raise TrajectoryValueError(
        f"{variable} names {name!r}, which can't be made here. Use otlp, console or none, or pass "
        f"{'exporter=' if signal == 'traces' else 'logger_provider='}."
    )


def _make_console_exporter(signal: Signal) -> object:
    if signal == "traces":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter()
    from otel_traj.log_event import find_export_class

    # Stdout is the answer of a program that judges.
    exporter: object = find_export_class("ConsoleLogRecordExporter", "ConsoleLogExporter")(out=sys.stderr)
    return exporter


def _read_protocol(signal: Signal) -> str:
    of_signal = f"OTEL_EXPORTER_OTLP_{signal.upper()}_PROTOCOL"
    variable = of_signal if os.environ.get(of_signal) else _PROTOCOL
    given = os.environ.get(variable) or _GRPC
    protocol = given.strip().lower()
    if protocol in _PACKAGES:
        return protocol
    raise TrajectoryValueError(
        f"{variable} is {given!r}, a protocol that Python's OTLP exporters don't speak. "
        f"Set it to 'grpc' or 'http/protobuf'."
    )


def _make_for_protocol(protocol: str, signal: Signal) -> object:
    module, name = _OTLP_OF[signal]
    try:
        exporter: object = getattr(import_module(f"{_PACKAGES[protocol]}.{module}"), name)()
    except Exception as error:
        raise TrajectoryValueError(
            f"the OTLP exporter for {protocol} can't be made ({type(error).__name__}: {error}), so no "
            f"{_WORDS[signal]} could be sent. Mend the OTEL_EXPORTER_OTLP_* variable that it names, or pass "
            f"{'exporter=' if signal == 'traces' else 'logger_provider='}."
        ) from error
    return exporter
