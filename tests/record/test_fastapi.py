"""Graphs under a real ASGI application, its server span as their parent."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from otel_traj import semconv as sc
from tests.missing_api import needs
from tests.record.calling_out import Outside, calling_out
from tests.record.graphs import Graph, State, build_chain
from tests.record.recording import Recording, get_id, get_parent_id, read

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

pytestmark = needs("instrumented servers and clients")

REQUESTS = 5


@pytest.fixture
def outside(recording: Recording) -> Iterator[Outside]:
    """A server that nodes call."""
    with calling_out(recording) as found:
        yield found


def build_graph(outside: Outside) -> Graph:
    """Return two nodes, one a coroutine, that call out."""

    def first(state: State) -> State:
        outside.call("invoke_node+first", state["value"])
        return {"nodes": ["first"]}

    async def second(state: State) -> State:
        await outside.acall("invoke_node+second", state["value"])
        return {"nodes": ["second"]}

    return build_chain("first", "second", first=first, second=second)


def build_app(recording: Recording, outside: Outside) -> Any:  # noqa: ANN401 - FastAPI's application
    """Return an application that answers with a run, in a coroutine, a thread, or chunk by chunk."""
    from fastapi import FastAPI
    from fastapi.responses import StreamingResponse
    from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor

    app = FastAPI()
    FastAPIInstrumentor.instrument_app(
        app, tracer_provider=recording.provider, exclude_spans=["receive", "send"]
    )
    graph = build_graph(outside)

    @app.get("/coroutine/{number}")
    async def answer(number: str) -> list[str]:
        return list((await graph.ainvoke({"value": number}, recording.config(number)))["nodes"])

    @app.get("/thread/{number}")
    def answer_in_a_thread(number: str) -> list[str]:
        return asyncio.run(answer(number))

    @app.get("/stream/{number}")
    async def answer_in_chunks(number: str) -> StreamingResponse:
        async def stream() -> AsyncIterator[str]:
            async for chunk in graph.astream({"value": number}, recording.config(number)):
                yield str(list(chunk))

        return StreamingResponse(stream())

    return app


@pytest.mark.parametrize("way", ["coroutine", "thread", "stream"])
def test_t09_runs_of_requests_are_below_their_server_spans(
    recording: Recording, outside: Outside, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Requests at once: each run below its own request's span, its calls below its nodes, and nothing is logged."""
    app = build_app(recording, outside)

    async def ask() -> list[str]:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://shop", timeout=60
        ) as client:
            answers = await asyncio.gather(*(client.get(f"/{way}/{number}") for number in range(REQUESTS)))
            return [each.text for each in answers]

    answers = asyncio.run(ask())
    assert all("first" in each and "second" in each for each in answers)
    requests = {get_id(span): span for span in recording.list_named(f"GET /{way}/{{number}}")}
    assert len(requests) == len(recording.roots) == REQUESTS
    for root in recording.roots:
        request = requests.pop(get_parent_id(root) or 0)
        assert str(read(request)["http.target"]).endswith(f"/{read(root)[sc.THREAD_ID]}")
        assert read(root)[sc.OUTCOME] == "ok"
    places = ("invoke_node+first", "invoke_node+second")
    outside.check(Counter({(place, str(number)): 1 for place in places for number in range(REQUESTS)}))
    assert not [each for each in caplog.records if each.name.startswith(("opentelemetry", "otel_traj"))]
    assert recording.is_empty()


def test_a_client_that_goes_away_leaves_a_cancelled_run(recording: Recording) -> None:
    """A stream that the client stops reading ends its run as cancelled, below the request's span, all of it sent."""
    from fastapi import FastAPI
    from fastapi.responses import StreamingResponse
    from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor

    app = FastAPI()
    FastAPIInstrumentor.instrument_app(
        app, tracer_provider=recording.provider, exclude_spans=["receive", "send"]
    )
    graph = build_chain("a", "b")

    @app.get("/stream")
    async def answer() -> StreamingResponse:
        async def stream() -> AsyncIterator[str]:
            async for chunk in graph.astream({}, recording.config()):
                yield str(list(chunk))
                await asyncio.sleep(60)

        return StreamingResponse(stream())

    asyncio.run(read_one_chunk(app, "/stream"))
    (root,) = recording.roots
    assert recording.name_parent("invoke_workflow chain") == "GET /stream"
    assert read(root)[sc.OUTCOME] == "cancelled"
    assert recording.is_empty()


async def read_one_chunk(app: Any, path: str) -> None:  # noqa: ANN401 - an ASGI application
    """Ask an application as a server does, and go away after the first piece of the body."""
    gone = asyncio.Event()
    asked = False

    async def receive() -> dict[str, object]:
        nonlocal asked
        if not asked:
            asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, object]) -> None:
        if message["type"] == "http.response.body":
            gone.set()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [],
        "server": ("shop", 80),
        "client": ("127.0.0.1", 1),
    }
    await app(scope, receive, send)
