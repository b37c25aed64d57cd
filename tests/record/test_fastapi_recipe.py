"""The service of docs/stacks.md, run as it stands there, and asked in the ways that its words are about."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from otel_traj import read_runs
from tests.missing_api import needs

if TYPE_CHECKING:
    from otel_traj import Run

pytestmark = needs("instrumented servers and clients")

PAGE = Path(__file__).parents[2] / "docs" / "stacks.md"
BLOCK = re.compile(r"^```python\n(from fastapi .*?)^```$", re.MULTILINE | re.DOTALL)
TRACE_ID, CALLER_ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"

# Asks the service as its server would.
ASK = f"""
import asyncio
from opentelemetry import trace
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.testclient import TestClient

kept = InMemorySpanExporter()
trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(kept))


@app.post("/plain/{{thread}}")
def plain(thread: str, text: str) -> str:
    return graph.invoke({{"messages": [("user", text)]}}, make_config(thread))["messages"][-1].content


def ask(path):
    header = {{"traceparent": "00-{TRACE_ID}-{CALLER_ID}-01"}}
    with TestClient(app) as client:
        answer = client.post(path, params={{"text": "tomorrow?"}}, headers=header)
    print(answer.status_code, answer.text.split())


async def leave(path, spec_version):
    sent = []
    scope = {{
        "type": "http", "asgi": {{"version": "3.0", "spec_version": spec_version}}, "http_version": "1.1",
        "method": "POST", "path": path, "raw_path": path.encode(), "root_path": "", "scheme": "http",
        "query_string": b"text=hi", "headers": [], "client": ("test", 1), "server": ("test", 80),
    }}
    first = asyncio.Event()
    asked = iter([{{"type": "http.request", "body": b"", "more_body": False}}])

    async def receive():
        for message in asked:
            return message
        await first.wait()
        return {{"type": "http.disconnect"}}

    async def send(message):
        if sent and spec_version == "2.4":
            raise OSError("the client has gone")
        if message["type"] == "http.response.body":
            sent.append(message["body"])
            first.set()
            await asyncio.sleep(0)

    try:
        await app(scope, receive, send)
    except Exception as error:
        print(type(error).__name__)
"""
REPORT = """
provider = trace.get_tracer_provider()
provider.force_flush()
spans = {f"{span.context.span_id:016x}": span for span in kept.get_finished_spans()}
for span in spans.values():
    if span.name.startswith("invoke_workflow"):
        parent = spans[f"{span.parent.span_id:016x}"]
        print(parent.kind.name, parent.name, span.start_time >= parent.start_time, span.end_time <= parent.end_time)
print(len(spans))
"""


def serve(tmp_path: Path, *program: str) -> list[str]:
    """Run the block of the page and what follows; return what it prints."""
    (block,) = BLOCK.findall(PAGE.read_text("utf-8"))
    done = subprocess.run(
        [sys.executable, "-c", "\n".join((block, ASK, *program, REPORT))],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not [word for word in ("otel_traj", "detach") if word in done.stderr], done.stderr
    return done.stdout.splitlines()


def read_one(tmp_path: Path) -> Run:
    """Return the one run in the service's file."""
    (run,) = read_runs(tmp_path / "traces.jsonl")
    return run


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/threads/t-1", "200 ['\"Rain', 'tomorrow.\"']"),
        ("/plain/t-1", "200 ['\"Rain', 'tomorrow.\"']"),
        ("/threads/t-1/stream", "200 ['draft', 'polish']"),
    ],
    ids=["async", "sync", "streaming"],
)
def test_run_lies_below_the_server_span_of_its_request(tmp_path: Path, path: str, answer: str) -> None:
    """In each kind of endpoint the server span is the run's parent and outlasts it, in the caller's trace."""
    printed = serve(tmp_path, f"ask({path!r})")
    route = path.replace("t-1", "{thread}")
    assert printed == [answer, f"SERVER POST {route} True True", "4"]
    run = read_one(tmp_path)
    assert (run.steps, run.status) == ([["__start__"], ["draft"], ["polish"]], "ok")
    assert (run.complete, run.verified, run.thread_id, run.trace_ids) == (True, True, "t-1", (TRACE_ID,))


@pytest.mark.parametrize("spec_version", ["2.3", "2.4"])
def test_client_that_leaves_a_stream_leaves_a_cancelled_run(tmp_path: Path, spec_version: str) -> None:
    """Where the client goes after the first piece, the run is cancelled, and complete with what it did."""
    serve(tmp_path, f"asyncio.run(leave('/threads/t-1/stream', {spec_version!r}))")
    run = read_one(tmp_path)
    assert (run.steps[:2], run.status) == ([["__start__"], ["draft"]], "cancelled")
    assert (run.complete, run.verified) == (True, True)
