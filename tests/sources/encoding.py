"""Span records to OTLP JSON, as the producers seen write it, and in every other spelling that is read."""

from __future__ import annotations

import base64
import json
import math
import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Mapping

    from otel_traj.model import AttributeValue, Span

__all__ = [
    "Json",
    "encode_document",
    "encode_lines",
    "encode_span",
    "encode_value",
    "respell",
    "spell_as_tempo",
]

Json = dict[str, Any]

_STATUS_CODES = {"unset": 0, "ok": 1, "error": 2}
_KIND_NAMES = ("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER")
_STATUS_NAMES = ("UNSET", "OK", "ERROR")
_IDS = ("traceId", "spanId", "parentSpanId")


def encode_value(value: AttributeValue) -> Json:
    """Return a value as an AnyValue."""
    if value is None:
        return {}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value if math.isfinite(value) else _name_float(value)}
    if isinstance(value, bytes):
        return {"bytesValue": base64.b64encode(value).decode()}
    if isinstance(value, list):
        return {"arrayValue": {"values": [encode_value(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": encode_attributes(value)}}
    return {"stringValue": value}


def encode_attributes(attributes: Mapping[str, AttributeValue]) -> list[Json]:
    """Return attributes as a list of KeyValue."""
    return [{"key": key, "value": encode_value(value)} for key, value in attributes.items()]


def encode_span(span: Span) -> Json:
    """Return a span message in the strict form."""
    return {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "parentSpanId": span.parent_span_id,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": str(span.end_ns),
        "attributes": encode_attributes(span.attributes),
        "droppedAttributesCount": span.dropped_attributes,
        "events": [
            {
                "name": event.name,
                "timeUnixNano": str(event.time_ns),
                "attributes": encode_attributes(event.attributes),
            }
            for event in span.events
        ],
        "links": [
            {
                "traceId": link.trace_id,
                "spanId": link.span_id,
                "attributes": encode_attributes(link.attributes),
            }
            for link in span.links
        ],
        "status": {"code": _STATUS_CODES[span.status], "message": span.status_message},
    }


def encode_document(spans: Iterable[Span]) -> Json:
    """Return one document; spans side by side with equal resource and scope share an envelope."""
    batches = []
    for _, group in groupby(
        spans, key=lambda span: repr((span.resource, span.scope_name, span.scope_version))
    ):
        members = list(group)
        first = members[0]
        scope = {"name": first.scope_name, "version": first.scope_version}
        batches.append(
            {
                "resource": {"attributes": encode_attributes(first.resource)},
                "scopeSpans": [{"scope": scope, "spans": [encode_span(span) for span in members]}],
            }
        )
    return {"resourceSpans": batches}


def encode_lines(spans: Iterable[Span], per_line: int = 2) -> bytes:
    """Return OTLP JSON lines with so many spans each."""
    members = list(spans)
    documents = [
        encode_document(members[index : index + per_line]) for index in range(0, len(members), per_line)
    ]
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)


def respell(message: Any, rng: random.Random, *, is_snake: bool) -> Any:  # noqa: ANN401 - any JSON
    """Return a message that says the same in other words: one of the spellings that are read, by chance."""
    if isinstance(message, list):
        return [respell(item, rng, is_snake=is_snake) for item in message]
    if not isinstance(message, dict):
        return message
    spelled: Json = {}
    for key, value in message.items():
        if value in ("", 0, [], {}) and key not in _MEANINGFUL_DEFAULTS and rng.random() < 0.3:
            if rng.random() < 0.5:
                spelled[_spell_key(key, is_snake=is_snake)] = None
            continue
        spelled[_spell_key(key, is_snake=is_snake)] = _respell_field(key, value, rng, is_snake=is_snake)
    # An AnyValue of a kind nobody knows is not the null value, so nothing is added to an empty one.
    if "resourceSpans" not in message and spelled and rng.random() < 0.2:
        spelled["fieldOfTheFuture"] = rng.choice([1, "x", None, {"a": [1]}, []])
    return spelled


def spell_as_tempo(message: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return a message as Tempo answers it in JSON: ids in base64, enums by their names."""
    if isinstance(message, list):
        return [spell_as_tempo(item) for item in message]
    if not isinstance(message, dict):
        return message
    return {key: _spell_field_as_tempo(key, value) for key, value in message.items()}


def _spell_field_as_tempo(key: str, value: Any) -> Any:  # noqa: ANN401 - any JSON
    if key in _IDS:
        return base64.b64encode(bytes.fromhex(value)).decode()
    if key == "kind":
        return f"SPAN_KIND_{_KIND_NAMES[value]}"
    if key == "code":
        return f"STATUS_CODE_{_STATUS_NAMES[value]}"
    return spell_as_tempo(value)


_MEANINGFUL_DEFAULTS = (
    "stringValue",
    "intValue",
    "boolValue",
    "doubleValue",
    "bytesValue",
    "arrayValue",
    "kvlistValue",
)


def _spell_key(key: str, *, is_snake: bool) -> str:
    return re.sub("[A-Z]", lambda capital: "_" + capital[0].lower(), key) if is_snake else key


def _respell_field(key: str, value: Any, rng: random.Random, *, is_snake: bool) -> Any:  # noqa: ANN401 - any JSON
    if key in _IDS and value:
        return _respell_id(value, rng)
    if key in ("startTimeUnixNano", "endTimeUnixNano", "timeUnixNano", "intValue", "droppedAttributesCount"):
        return rng.choice([str(value), int(value)])
    if key == "kind" and value in range(6):
        return rng.choice([value, str(value), f"SPAN_KIND_{_KIND_NAMES[value]}", _KIND_NAMES[value].lower()])
    if key == "code":
        return rng.choice([value, str(value), f"STATUS_CODE_{_STATUS_NAMES[value]}"])
    if key == "doubleValue" and isinstance(value, float):
        return rng.choice([value, repr(value)])
    if key == "bytesValue":
        return rng.choice([value, value.rstrip("="), value.replace("+", "-").replace("/", "_")])
    return respell(value, rng, is_snake=is_snake)


def _respell_id(value: str, rng: random.Random) -> str:
    raw = bytes.fromhex(value)
    spellings = [
        value,
        value.upper(),
        value.lstrip("0"),
        f"0x{value}",
        base64.b64encode(raw).decode(),
    ]
    unpadded = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    if not re.fullmatch("[0-9a-fA-F]*", unpadded):
        spellings.append(unpadded)
    if len(value) == 32:
        spellings.append("-".join((value[:8], value[8:12], value[12:16], value[16:20], value[20:])))
    return rng.choice(spellings)


def _name_float(value: float) -> str:
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
