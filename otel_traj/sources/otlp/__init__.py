"""From OTLP, in whatever form a place answers with it, to `Span` records."""

from __future__ import annotations

__all__: list[str] = []
