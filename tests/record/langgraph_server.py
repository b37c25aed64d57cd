"""A stand-in for the LangGraph server: as much of its HTTP interface as `RemoteGraph` asks for to run a graph.

`POST /runs/stream` and `POST /threads/{id}/runs/stream` run the one graph with the input and the config of the body,
and answer with its stream as server-sent events. As the real server does, it takes the context of the request in, and
gives the graph the metadata that the caller's config had, which says in which node of which graph the caller is.

Run: python tests/record/langgraph_server.py PORT
"""

from __future__ import annotations

import http.server
import json
import sys
from typing import TypedDict

from langgraph.graph import START, StateGraph
from opentelemetry import propagate, trace

from otel_traj import TrajectoryCallbackHandler, configure

__all__ = ["main"]


class State(TypedDict, total=False):
    """An item and its price."""

    item: str
    price: int


def _look_up(state: State) -> State:
    return {"price": len(state.get("item", ""))}


_builder = StateGraph(State)
_builder.add_node("look_up", _look_up)
_builder.add_edge(START, "look_up")
_GRAPH = _builder.compile(name="prices")
_HANDLER = TrajectoryCallbackHandler()


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Be healthy."""
        self.send_response(200)
        self.end_headers()

    def do_POST(self) -> None:
        """Run the graph."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        context = propagate.extract(dict(self.headers.items()))
        tracer = trace.get_tracer("the server")
        with tracer.start_as_current_span(f"POST {self.path}", context, trace.SpanKind.SERVER):
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            config = asked["config"] | {"callbacks": [_HANDLER]}
            for mode, data in _GRAPH.stream(asked["input"], config, stream_mode=asked["stream_mode"]):
                self.wfile.write(f"event: {mode}\ndata: {json.dumps(data)}\n\n".encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


def main(port: int) -> None:
    """Serve until the end."""
    configure(service_name="prices", path="prices.jsonl")
    http.server.ThreadingHTTPServer(("127.0.0.1", port), _Handler).serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]))
