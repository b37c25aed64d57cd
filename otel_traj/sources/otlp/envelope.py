"""Which JSON documents hold spans, and where in them.

OTLP's own form is an object with `resourceSpans`. Around it come the wrappers of those who answer with it:
`{"result": ...}` (Jaeger 2.x `/api/v3/traces`, grpc-gateway), `{"trace": ...}` (Tempo `/api/v2/traces`),
`{"batches": ...}` (Tempo `/api/traces`), and a list of any of these. An answer that says itself that it is not
whole (Tempo's `PARTIAL`) is not taken for a whole one.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from otel_traj.sources.otlp.values import get_field, has_field

__all__ = ["Batches", "find_batches"]

_SPAN_FIELDS: Final = ("resourceSpans", "batches")
_WRAPPERS: Final = ("result", "trace")
_OTHER_SIGNALS: Final = {
    "resourceLogs": "logs",
    "resourceMetrics": "metrics",
    "resourceProfiles": "profiles",
}
_SCOPE_FIELDS: Final = ("scopeSpans", "instrumentationLibrarySpans")


class Batches(Struct, frozen=True, kw_only=True):
    """Where the spans of one document are."""

    resource_spans: list[object]
    """What stands where `ResourceSpans` messages should."""
    other_signal: str = ""
    """What the document holds instead of spans: logs, metrics or profiles."""
    partial: str | None = None
    """None, or what the backend said about an answer that is not whole."""
    unusable: tuple[str, ...] = ()
    """Fields that should hold a list of batches, and do not."""


def find_batches(document: object) -> Batches | None:
    """Return where the spans of a document are.

    Args:
        document: A decoded JSON document that is no list.

    Returns:
        The batches, perhaps none; None where the document is no OTLP.
    """
    if not isinstance(document, dict):
        return None
    if any(get_field(document, name) is not None for name in _SCOPE_FIELDS):
        return Batches(resource_spans=[document])
    names = [name for name in _SPAN_FIELDS if has_field(document, name)]
    if names or not document:
        return _collect(document, names)
    for name, signal in _OTHER_SIGNALS.items():
        if has_field(document, name):
            return Batches(resource_spans=[], other_signal=signal)
    for name in _WRAPPERS:
        if name in document:
            return _unwrap(document, document[name])
    return None


def _collect(document: dict[str, object], names: list[str]) -> Batches:
    batches: list[object] = []
    unusable: list[str] = []
    for name in names:
        value = get_field(document, name)
        if isinstance(value, list):
            batches.extend(value)
        elif value is not None:
            unusable.append(name)
    return Batches(resource_spans=batches, unusable=tuple(unusable))


def _unwrap(wrapper: dict[str, object], document: object) -> Batches | None:
    # One level: a wrapper inside a wrapper is nobody's answer.
    if document is None:
        document = {}
    if isinstance(document, dict) and any(name in document for name in _WRAPPERS):
        return None
    found = find_batches(document)
    if found is None or wrapper.get("status") not in ("PARTIAL", 1):
        return found
    message = wrapper.get("message")
    return Batches(
        resource_spans=found.resource_spans,
        unusable=found.unusable,
        partial=message if isinstance(message, str) else "",
    )
