"""Six spans that are told apart by the number in their names, as lines and as documents."""

from __future__ import annotations

import json

from otel_traj.model import Span
from tests.sources.encoding import encode_document, encode_lines

__all__ = ["BOM", "GOOD", "ONE", "OTHER_PRETTY", "PRETTY", "SPANS", "TRACE", "names"]

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPANS = [
    Span(trace_id=TRACE, span_id=f"{number:016x}", name=f"span {number}", resource={"service.name": "shop"})
    for number in range(1, 7)
]
GOOD = [encode_lines([span]) for span in SPANS]
BOM = b"\xef\xbb\xbf"
ONE = json.dumps(encode_document(SPANS[:3])).encode()
PRETTY = json.dumps(encode_document(SPANS[:3]), indent=2).encode()
OTHER_PRETTY = json.dumps(encode_document(SPANS[3:]), indent=2).encode()


def names(spans: list[Span]) -> list[str]:
    """Return the names of spans, without the word they all begin with."""
    return [span.name.removeprefix("span ") for span in spans]
