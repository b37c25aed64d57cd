"""Which JSON documents hold spans, and where in them.

OTLP's own form is an object with `resourceSpans`. Around it come the wrappers of those who answer with it:
`{"result": ...}` (Jaeger 2.x `/api/v3/traces`, grpc-gateway), `{"trace": ...}` (Tempo `/api/v2/traces`),
`{"batches": ...}` (Tempo `/api/traces`), and a list of any of these. An answer that says itself that it is not
whole (Tempo's `PARTIAL`, an error beside spans) is not taken for a whole one.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from otel_traj.sources.otlp.values import has_field, list_fields

__all__ = ["Batches", "find_batches", "find_error"]

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
    has_scopes = any(list_fields(document, name) for name in _SCOPE_FIELDS)
    names = [name for name in _SPAN_FIELDS if has_field(document, name)]
    if names or has_scopes or not document:
        return _heed_status(document, _collect(document, names, has_scopes=has_scopes))
    for name, signal in _OTHER_SIGNALS.items():
        if has_field(document, name):
            return Batches(resource_spans=[], other_signal=signal)
    for name in _WRAPPERS:
        if name in document:
            return _unwrap(document, document[name])
    return None


def find_error(document: dict[str, object]) -> str | None:
    """Return what a backend says went wrong, in the document that it answers with; None where it says nothing.

    Args:
        document: A decoded JSON object.
    """
    error = document.get("error")
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return str(error["message"])
    return error if isinstance(error, str) else None


def _collect(document: dict[str, object], names: list[str], *, has_scopes: bool) -> Batches:
    batches: list[object] = [document] if has_scopes else []
    unusable: list[str] = []
    for name in names:
        for value in list_fields(document, name):
            if isinstance(value, list):
                batches.extend(value)
            else:
                unusable.append(name)
    return Batches(resource_spans=batches, unusable=tuple(unusable))


def _unwrap(wrapper: dict[str, object], document: object) -> Batches | None:
    # One level: a wrapper inside a wrapper is nobody's answer.
    if document is None:
        document = {}
    if isinstance(document, dict) and any(name in document for name in _WRAPPERS):
        return None
    found = find_batches(document)
    return None if found is None else _heed_status(wrapper, found)


def _heed_status(answer: dict[str, object], found: Batches) -> Batches:
    """Return batches as not whole where the answer around them says so."""
    error = find_error(answer)
    if error is not None:
        return replace(found, partial=error)
    status = answer.get("status")
    is_partial = status == 1 or (isinstance(status, str) and status.upper().endswith("PARTIAL"))
    if not is_partial:
        return found
    message = answer.get("message")
    return replace(found, partial=message if isinstance(message, str) else "")
