"""A real Jaeger as a place of the contract: one process for each test, because what is kept can't be taken out."""

from __future__ import annotations

import json
import time
import urllib.request
from typing import TYPE_CHECKING

from tests.jaeger.find import require_jaeger
from tests.jaeger.running import running_jaeger
from tests.sources.encoding import encode_document

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

    from otel_traj.model import Span
    from tests.jaeger.running import Jaeger

__all__ = ["send", "start_with"]

_PATIENCE_SECONDS = 30.0


def start_with(spans: list[Span], folder: Path, stack: ExitStack) -> Jaeger:
    """Return a Jaeger that keeps these spans, and runs until the stack is closed."""
    jaeger = stack.enter_context(running_jaeger(folder, binary=require_jaeger()))
    send(jaeger, spans)
    return jaeger


def send(jaeger: Jaeger, spans: list[Span]) -> None:
    """Send spans by OTLP, and wait until each can be read."""
    if not spans:
        return
    request = urllib.request.Request(  # noqa: S310 - an address of this machine
        f"{jaeger.http_endpoint}/v1/traces",
        data=json.dumps(encode_document(spans)).encode(),
        headers={"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - the same
        assert answer.status == 200, answer.read()
    deadline = time.monotonic() + _PATIENCE_SECONDS
    for trace_id in {span.trace_id for span in spans}:
        wanted = sum(span.trace_id == trace_id for span in spans)
        while _count(jaeger, trace_id) < wanted:
            assert time.monotonic() < deadline, f"{trace_id} did not arrive"
            time.sleep(0.05)


def _count(jaeger: Jaeger, trace_id: str) -> int:
    # Without `raw_traces` it would be kept changed from then on.
    status, body = jaeger.get(f"/api/v3/traces/{trace_id}?raw_traces=true")
    return body.count(b'"startTimeUnixNano"') if status == 200 else 0
