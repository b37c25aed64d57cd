"""A receiver of OTLP on the loopback that keeps what it is sent as a file that `read_runs` reads."""

from __future__ import annotations

import http.server
import json
import threading
import time
from concurrent import futures
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Receiver", "receiving"]

grpc: Any = import_module("grpc")
SECONDS = 60


class Receiver:
    """What was received, and where to send it."""

    def __init__(self, path: Path) -> None:
        """Keep it at a path."""
        self.path = path
        self.variables: dict[str, str] = {}
        """The standard variables of who sends here."""
        self._arrived = threading.Condition()

    def take(self, request: Any) -> None:  # noqa: ANN401 - protobuf's
        """Keep a request."""
        line = json.dumps(MessageToDict(request))
        with self._arrived, self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
            self._arrived.notify_all()

    def list_names(self) -> list[str]:
        """Return the names of all spans, sorted."""
        lines = self.path.read_text("utf-8").splitlines() if self.path.exists() else []
        return sorted(
            span["name"]
            for line in lines
            for resource in json.loads(line)["resourceSpans"]
            for scope in resource["scopeSpans"]
            for span in scope["spans"]
        )

    def wait_for(self, name: str, count: int) -> None:
        """Wait until so many spans of a name have come.

        Raises:
            TimeoutError: They have not.
        """
        deadline = time.monotonic() + SECONDS
        with self._arrived:
            while (found := self.list_names().count(name)) < count:
                if not self._arrived.wait(deadline - time.monotonic()):
                    raise TimeoutError(f"{found} of {count} spans {name!r} after {SECONDS} s")


@contextmanager
def receiving(path: Path, protocol: str) -> Iterator[Receiver]:
    """Receive by a protocol, as `OTEL_EXPORTER_OTLP_PROTOCOL` names it, for the length of a `with` block."""
    receiver = Receiver(path)
    with _serving_grpc(receiver) if protocol == "grpc" else _serving_http(receiver) as port:
        receiver.variables = {
            "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
        }
        yield receiver


@contextmanager
def _serving_grpc(receiver: Receiver) -> Iterator[int]:
    class Service(trace_service_pb2_grpc.TraceServiceServicer):
        def Export(self, request: Any, context: object) -> Any:  # noqa: N802, ANN401, ARG002 - protobuf's
            receiver.take(request)
            return trace_service_pb2.ExportTraceServiceResponse()

    server = grpc.server(futures.ThreadPoolExecutor(2))
    add: Any = trace_service_pb2_grpc.add_TraceServiceServicer_to_server
    add(Service(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield port
    server.stop(None).wait()


@contextmanager
def _serving_http(receiver: Receiver) -> Iterator[int]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_for_traces = self.path == "/v1/traces"
            if is_for_traces:
                receiver.take(trace_service_pb2.ExportTraceServiceRequest.FromString(body))
            self.send_response(200 if is_for_traces else 404)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()
