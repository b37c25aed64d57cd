"""A real Jaeger as a place of the contract: one process for each test, because what is kept can't be taken out."""

from __future__ import annotations

import json
import time
import urllib.request
from collections import Counter
from typing import TYPE_CHECKING

from tests.jaeger.find import require_jaeger
from tests.jaeger.running import running_jaeger
from tests.sources.encoding import encode_document

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import ExitStack
    from pathlib import Path

    from otel_traj.model import Span
    from tests.jaeger.running import Jaeger

__all__ = ["start_with", "wait_for"]

_PATIENCE_SECONDS = 60.0


def start_with(spans: list[Span], folder: Path, stack: ExitStack) -> Jaeger:
    """Return a Jaeger that keeps these spans, and runs until the stack is closed."""
    jaeger = stack.enter_context(running_jaeger(folder, binary=require_jaeger()))
    _send(jaeger, spans)
    return jaeger


def _send(jaeger: Jaeger, spans: list[Span]) -> None:
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
    wait_for(jaeger, Counter(span.trace_id for span in spans))


def wait_for(jaeger: Jaeger, counts: Mapping[str, int]) -> None:
    """Wait until so many spans of each trace can be read."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    for trace_id, wanted in counts.items():
        while _count(jaeger, trace_id) < wanted:
            assert time.monotonic() < deadline, f"{trace_id} did not arrive"
            time.sleep(0.05)


def _count(jaeger: Jaeger, trace_id: str) -> int:
    # Without `raw_traces` it would be kept changed from then on.
    status, body = jaeger.get(f"/api/v3/traces/{trace_id}?raw_traces=true")
    return body.count(b'"startTimeUnixNano"') if status == 200 else 0
