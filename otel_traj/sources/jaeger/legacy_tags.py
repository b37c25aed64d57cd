"""Tags of Jaeger's legacy JSON to attributes.

A tag is `{key, type, value}` with the types string, bool, int64, float64 and binary (base64). What OTLP has
besides was changed on the way in (seen with Jaeger 1.76.0): arrays and maps are JSON text, null is an empty
string, integers outside of 53 bits are text with the type int64. Keys of ours that hold arrays are made arrays
again; an empty string and the JSON text of a map stay what they are, because nobody can tell what they were.
"""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING, Final

from otel_traj import semconv as sc
from otel_traj.sources.files.json_text import NotJsonError, parse_json
from otel_traj.sources.jaeger.warnings import WARNINGS
from otel_traj.sources.otlp.values import UnreadableValueError, decode_value

if TYPE_CHECKING:
    from otel_traj.model import AttributeValue

__all__ = ["decode_tags"]

_ARRAYS: Final = frozenset(
    {
        WARNINGS,
        sc.MODEL_TOOLS,
        sc.MODEL_TOOL_CALLS,
        sc.MODEL_TOOL_CALL_IDS,
        sc.OMITTED,
        sc.REQUEST_STOP_SEQUENCES,
        sc.RESPONSE_FINISH_REASONS,
        sc.TAGS,
        sc.TRIGGERS,
    }
)
_FIELDS: Final = {"string": "stringValue", "bool": "boolValue", "int64": "intValue", "float64": "doubleValue"}
_SIGNED_INFINITY: Final = {"+Inf": "Infinity", "-Inf": "-Infinity"}


def decode_tags(tags: object, place: str) -> tuple[dict[str, AttributeValue], list[str]]:
    """Return the attributes that can be decoded, and the keys of those that can't.

    Args:
        tags: A list of tags; None is an empty one.
        place: What stands for a list that is none.

    Returns:
        Values by key (of equal keys the last), and the keys left out; `""` for an element without a key.
    """
    if tags is None:
        return {}, []
    if not isinstance(tags, list):
        return {}, [place]
    attributes: dict[str, AttributeValue] = {}
    unreadable: dict[str, None] = {}
    for tag in tags:
        key = tag.get("key") if isinstance(tag, dict) else None
        if not isinstance(key, str):
            unreadable[""] = None
            continue
        try:
            value = _decode_tag(tag.get("type"), tag.get("value"))
        except UnreadableValueError:
            unreadable[key] = None
        else:
            attributes[key] = _restore_array(value) if key in _ARRAYS else value
    return attributes, list(unreadable)


def _decode_tag(kind: object, value: object) -> AttributeValue:
    kind = kind.lower() if isinstance(kind, str) else ""
    if kind == "binary":
        return _decode_binary(value)
    if kind in _FIELDS:
        if kind == "float64" and isinstance(value, str):
            value = _SIGNED_INFINITY.get(value, value)
        return decode_value({_FIELDS[kind]: value})
    # Hand-made files leave the type out.
    if kind == "" and isinstance(value, str | bool | int | float | None):
        return value
    raise UnreadableValueError("unknown type of tag")


def _decode_binary(value: object) -> bytes:
    if not isinstance(value, str):
        raise UnreadableValueError("no base64")
    try:
        return binascii.a2b_base64(value, strict_mode=True)
    except ValueError as error:
        raise UnreadableValueError("no base64") from error


def _restore_array(value: AttributeValue) -> AttributeValue:
    if not isinstance(value, str) or not value.startswith("["):
        return value
    try:
        items = parse_json(value.encode())
    except (NotJsonError, UnicodeEncodeError):
        return value
    if isinstance(items, list) and all(isinstance(item, str | bool | int | float) for item in items):
        return items
    return value
