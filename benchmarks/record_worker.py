"""One recorder in a process of its own: runs the graphs of `record.py` when told to, and says what that took.

`record_peers.py` starts it with the Python and the name of the recorder's environment (a second argument is the number
of nodes, for a trial). Each line on its standard input is a mode,
`sync` or `async`; each answer is a line of JSON: by what recorded (nothing, or one of the recorders) the two times
and the number of spans. A run without a recorder is part of every round, so that each is compared with what the same
process does alone a moment before or after.

Every recorder is switched on the way its documentation says, and off again for the run without it; all export
through the same batch processor to an exporter that drops everything, so nothing goes over the network.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeAlias

from langchain_core.callbacks import BaseCallbackManager
from langgraph.pregel import Pregel
from langgraph.types import Command
from record import (
    MODES,
    NODES,
    DroppingExporter,
    FloorHandler,
    Taken,
    build_graph,
    build_graphs,
    make_provider,
    run_once,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from langchain_core.callbacks import BaseCallbackHandler
    from opentelemetry.sdk.trace import TracerProvider

__all__ = ["RECORDERS", "Worker", "main"]

Switch: TypeAlias = "Callable[[], AbstractContextManager[list[BaseCallbackHandler]]]"
"""Switches a recorder on for a while; holds the handlers that a run has to be given."""


def pass_handler(handler: BaseCallbackHandler) -> Switch:
    """Return the switch of a recorder that is a handler."""
    return lambda: nullcontext([handler])


def instrument(instrumentor: Any, **options: object) -> Switch:  # noqa: ANN401 - no common type
    """Return the switch of a recorder that instruments LangChain."""

    @contextmanager
    def switch_on() -> Iterator[list[BaseCallbackHandler]]:
        instrumentor.instrument(**options)
        try:
            yield []
        finally:
            instrumentor.uninstrument()

    return switch_on


def open_ours(provider: TracerProvider) -> dict[str, Switch]:
    """Return the floor and ours, as it is and with all content."""
    from otel_traj import TrajectoryCallbackHandler

    return {
        "floor": pass_handler(FloorHandler(provider)),
        "otel_traj": pass_handler(TrajectoryCallbackHandler(tracer_provider=provider)),
        "otel_traj, content": pass_handler(TrajectoryCallbackHandler(tracer_provider=provider, content=True)),
    }


def open_openinference(provider: TracerProvider) -> dict[str, Switch]:
    """Return openinference's instrumentation, as it is and without content."""
    instrumentor = resolve_name("openinference.instrumentation.langchain:LangChainInstrumentor")()
    silent = resolve_name("openinference.instrumentation:TraceConfig")(hide_inputs=True, hide_outputs=True)
    return {
        "openinference": instrument(instrumentor, tracer_provider=provider),
        "openinference, no content": instrument(instrumentor, tracer_provider=provider, config=silent),
    }


def open_openllmetry(provider: TracerProvider) -> dict[str, Switch]:
    """Return openllmetry's instrumentation, as it is and without content."""
    instrumentor = resolve_name("opentelemetry.instrumentation.langchain:LangchainInstrumentor")()
    wrapped = [
        (BaseCallbackManager, "__init__"),
        (Pregel, "stream"),
        (Pregel, "astream"),
        (Command, "__init__"),
    ]
    originals = [(owner, name, getattr(owner, name)) for owner, name in wrapped]

    @contextmanager
    def switch_on(content: str) -> Iterator[list[BaseCallbackHandler]]:
        os.environ["TRACELOOP_TRACE_CONTENT"] = content  # read at each span
        try:
            with instrument(instrumentor, tracer_provider=provider)() as handlers:
                yield handlers
        finally:
            # Its own way leaves them wrapped (0.62.4 with wrapt 2), and the run without it would be recorded.
            for owner, name, original in originals:
                setattr(owner, name, original)

    return {
        "openllmetry": lambda: switch_on("true"),
        "openllmetry, no content": lambda: switch_on("false"),
    }


def open_official(provider: TracerProvider) -> dict[str, Switch]:
    """Return the official instrumentation, which records no content unless told to."""
    instrumentor = resolve_name("opentelemetry.instrumentation.genai.langchain:LangChainInstrumentor")()
    return {"official": instrument(instrumentor, tracer_provider=provider)}


def open_langfuse(provider: TracerProvider) -> dict[str, Switch]:
    """Return langfuse's handler; its client gets the provider and the exporter, so it sends nothing itself."""
    resolve_name("langfuse:Langfuse")(
        public_key="pk-none",
        secret_key="sk-none",
        base_url="http://localhost:9",
        tracer_provider=provider,
        span_exporter=DroppingExporter(),
    )
    handler = resolve_name("langfuse.langchain:CallbackHandler")(public_key="pk-none")
    return {"langfuse": pass_handler(handler)}


RECORDERS: dict[str, Callable[[TracerProvider], dict[str, Switch]]] = {
    "otel_traj": open_ours,
    "openinference": open_openinference,
    "openllmetry": open_openllmetry,
    "langfuse": open_langfuse,
    "official": open_official,
}
"""By environment: what it can record with."""


class Worker:
    """The graphs, the recorders of one environment, and none."""

    def __init__(self, environment: str, nodes: int = NODES) -> None:
        """Switch each on once, so that what is made on first use is made."""
        self._exporter = DroppingExporter()
        self._provider = make_provider(self._exporter)
        self._graphs = build_graphs(nodes)
        self._small = build_graph(3)
        self._switches: dict[str, Switch] = {"none": lambda: nullcontext([])}
        self._switches |= RECORDERS[environment](self._provider)
        self._order = list(self._switches)
        for mode in MODES:
            self.run_round(mode)

    def run_round(self, mode: str) -> dict[str, tuple[float, float, int]]:
        """Run every recorder of the environment once, and none; begin with another one each time.

        Returns:
            By recorder: seconds of wall time, seconds of processor time, spans.
        """
        self._order = [*self._order[1:], self._order[0]]
        return {name: self._run(name, mode) for name in self._order}

    def _run(self, name: str, mode: str) -> tuple[float, float, int]:
        with self._switches[name]() as handlers:
            run_once(self._small, "sync", handlers, self._provider)
            before = self._exporter.count
            taken: Taken = run_once(self._graphs[mode], mode, handlers, self._provider)
        spans = self._exporter.count - before
        if name == "none" and spans:
            raise RuntimeError(f"{spans} spans of a run without a recorder: it is still switched on")
        return (*taken, spans)


def main() -> None:
    """Answer until the input ends."""
    parser = argparse.ArgumentParser(
        description="Run a round of recorders for each mode that is read from stdin."
    )
    parser.add_argument("environment", choices=RECORDERS)
    parser.add_argument("nodes", nargs="?", type=int, default=NODES)
    arguments = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a recorder prints must not stand among the answers
    worker = Worker(arguments.environment, arguments.nodes)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(worker.run_round(line.strip())), file=answers, flush=True)


if __name__ == "__main__":
    main()
