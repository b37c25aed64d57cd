"""What a JSON document is that holds no spans: in a few words, so that its reader knows what to fetch instead.

Answers of backends are often saved with curl, errors and lists of matches among them. Shapes: Jaeger's v3 errors
and legacy answers (seen with 1.76.0), errors of a grpc-gateway, Tempo's search answer (its documentation of 3.0).
"""

from __future__ import annotations

from typing import Final

from otel_traj.sources.otlp.envelope import find_error
from otel_traj.sources.otlp.values import has_field

__all__ = ["describe_document"]

_KIND_NAMES: Final = {list: "list", str: "string", int: "number", float: "number", bool: "boolean"}
_SAID: Final = 200


def describe_document(document: object) -> str:
    """Return a few words on a JSON document that holds no spans, as they fit after "this is".

    Args:
        document: A decoded JSON document.
    """
    if not isinstance(document, dict):
        return f"a JSON {_KIND_NAMES.get(type(document), 'value')}"
    said = _find_words(document)
    if said is not None:
        return f"an error that a backend answered with ({said[:_SAID]!r})"
    if isinstance(document.get("traces"), list):
        return "a list of matches, as Tempo's search answers (ask for each trace by its id)"
    if isinstance(document.get("summaries"), list):
        return "a list of summaries, as Jaeger's search answers (ask for each trace by its id)"
    if _is_legacy_list(document):
        return "a list of names, as Jaeger answers (ask its /api/v3/traces for spans)"
    if has_field(document, "traceId") and has_field(document, "spanId"):
        return "a span without its OTLP envelope"
    keys = ", ".join(repr(key[:40]) for key in list(document)[:5])
    return f"a JSON object with the keys {keys}" + (" and more" if len(document) > 5 else "")


def _find_words(document: dict[str, object]) -> str | None:
    error = find_error(document)
    if error is not None:
        return error
    # A google.rpc.Status by itself.
    message = document.get("message")
    if isinstance(message, str) and not document.keys() - {"code", "message", "details", "status"}:
        return message
    return None


def _is_legacy_list(document: dict[str, object]) -> bool:
    data = document.get("data")
    return isinstance(data, list) and bool(data) and all(isinstance(item, str) for item in data)
