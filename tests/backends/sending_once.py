"""An exporter that sends each batch once: what finds nobody listening is lost, at once and for good.

The SDK's own tries again for seconds, and when it gives up differs from release to release: a test that has to know
which span was lost can't be written with it. Its bytes are the SDK's.
"""

from __future__ import annotations

import http.client
from contextlib import closing
from typing import TYPE_CHECKING

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["SendingOnce"]


class SendingOnce(SpanExporter):
    """Posts OTLP/HTTP without a second try."""

    def __init__(self, endpoint: str) -> None:
        """Send to a base address, as `OTEL_EXPORTER_OTLP_ENDPOINT` takes it."""
        self.address = endpoint.removeprefix("http://")
        self.lost = 0
        """Spans that nobody took."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans; count those that found nobody."""
        body = encode_spans(spans).SerializeToString()
        try:
            with closing(http.client.HTTPConnection(self.address, timeout=30)) as connection:
                connection.request("POST", "/v1/traces", body, {"Content-Type": "application/x-protobuf"})
                answer = connection.getresponse()
                answer.read()
        except OSError:
            self.lost += len(spans)
            return SpanExportResult.FAILURE
        assert answer.status == http.client.OK
        return SpanExportResult.SUCCESS
