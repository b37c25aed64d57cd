"""Foreign JSON to values: fields in either spelling, numbers as strings, and OTLP's AnyValue.

Scalars are converted by msgspec's lax rules, the same that the strict path uses, so both read one value alike.
What can't be decoded is named, never guessed: an unknown kind of value is not the null value, though both have
none of the known fields (opentelemetry-proto 1.11.0, common.proto).
"""

from __future__ import annotations

import binascii
import re
from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

if TYPE_CHECKING:
    from otel_traj.model import AttributeValue

__all__ = [
    "MAX_VALUE_DEPTH",
    "UnreadableValueError",
    "decode_attributes",
    "decode_count",
    "decode_value",
    "get_field",
    "has_field",
    "list_fields",
]

MAX_VALUE_DEPTH: Final = 64
"""Attribute values nested deeper than this are not decoded: nobody writes them, and what follows recurses."""

_MAX_COUNT: Final = 2**64 - 1
_URL_SAFE = str.maketrans("-_", "+/")
_CAPITAL = re.compile("[A-Z]")

_Value = TypeVar("_Value")


class UnreadableValueError(ValueError):
    """Something stands where a value should be and can't be decoded."""


@cache
def _snake_case(name: str) -> str:
    return _CAPITAL.sub(lambda capital: "_" + capital[0].lower(), name)


_STRING: Final = ("stringValue", "string_value")
_BYTES: Final = ("bytesValue", "bytes_value")
_ARRAY: Final = ("arrayValue", "array_value")
_MAP: Final = ("kvlistValue", "kvlist_value")
_SCALARS: Final[dict[str, type[str | int | bool | float]]] = {
    **dict.fromkeys(_STRING, str),
    **dict.fromkeys(("intValue", "int_value"), int),
    **dict.fromkeys(("boolValue", "bool_value"), bool),
    **dict.fromkeys(("doubleValue", "double_value"), float),
}
_FIELDS: Final = dict.fromkeys((*_SCALARS, *_BYTES, *_ARRAY, *_MAP))


def get_field(message: dict[str, object], name: str) -> object:
    """Return a field of a message by its camelCase name, or by the snake_case one; None where it has neither.

    Args:
        message: A JSON object.
        name: The field's name in camelCase, one of the names this package writes out.
    """
    value = message.get(name)
    return message.get(_snake_case(name)) if value is None else value


def list_fields(message: dict[str, object], name: str) -> list[object]:
    """Return what a message holds under a name, in camelCase and in snake_case: one value by right, two at most.

    Args:
        message: A JSON object.
        name: The field's name in camelCase, one of the names this package writes out.
    """
    values = [message.get(key) for key in dict.fromkeys((name, _snake_case(name)))]
    return [value for value in values if value is not None]


def has_field(message: dict[str, object], name: str) -> bool:
    """Return whether a message has a field, null or not, by its camelCase name or by the snake_case one.

    Args:
        message: A JSON object.
        name: The field's name in camelCase, one of the names this package writes out.
    """
    return name in message or _snake_case(name) in message


def decode_count(value: object) -> int:
    """Return an unsigned 64-bit number (a time in nanoseconds, a count) written as number or string.

    Args:
        value: The field; None and an empty string are 0.

    Raises:
        UnreadableValueError: It is no such number.
    """
    if value is None or value == "":
        return 0
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    count = _convert(value, int)
    if not 0 <= count <= _MAX_COUNT:
        raise UnreadableValueError(f"{count} is no unsigned 64-bit number")
    return count


def decode_attributes(pairs: object) -> tuple[dict[str, AttributeValue], list[str]]:
    """Return the attributes that can be decoded, and the keys of those that can't.

    Args:
        pairs: A list of KeyValue objects; None is an empty one.

    Returns:
        Values by key (of equal keys the last), and the keys left out, once each; `attributes` stands for a
        list that is none, and `""` for an element without a key.
    """
    if pairs is None:
        return {}, []
    if not isinstance(pairs, list):
        return {}, ["attributes"]
    attributes: dict[str, AttributeValue] = {}
    unreadable: dict[str, None] = {}
    for pair in pairs:
        try:
            key, value = _decode_pair(pair, 0)
            attributes[key] = value
        except UnreadableValueError:
            name = pair.get("key") if isinstance(pair, dict) else None
            unreadable[name if isinstance(name, str) else ""] = None
    return attributes, list(unreadable)


def decode_value(value: object, depth: int = 0) -> AttributeValue:
    """Return what an AnyValue holds.

    Args:
        value: An AnyValue object; None and an empty object are the null value.
        depth: How many arrays and maps it stands in.

    Raises:
        UnreadableValueError: It is none, or of a kind this package does not know, or nested too deeply.
    """
    if value is None or value == {}:
        return None
    if not isinstance(value, dict):
        raise UnreadableValueError("no AnyValue")
    name, content = next(iter(value.items())) if len(value) == 1 else _pick_field(value)
    if isinstance(content, str) and name in _STRING:
        return content
    if name not in _FIELDS:
        raise UnreadableValueError("unknown kind of AnyValue")
    if content is None:
        return None
    if name in _SCALARS:
        return _convert(content, _SCALARS[name])
    if name in _BYTES:
        return _decode_bytes(content)
    if name in _ARRAY:
        return [decode_value(item, depth + 1) for item in _list_values(content, depth)]
    return dict(_decode_pair(pair, depth + 1) for pair in _list_values(content, depth))


def _pick_field(value: dict[str, object]) -> tuple[str, object]:
    # At most one field is set by right; of several the first in the order of the strict path counts.
    found = ""
    for name in _FIELDS:
        if name in value:
            if value[name] is not None:
                return name, value[name]
            found = name
    return found, None


def _decode_pair(pair: object, depth: int) -> tuple[str, AttributeValue]:
    if not isinstance(pair, dict):
        raise UnreadableValueError("no KeyValue")
    key = pair.get("key")
    if key is not None and not isinstance(key, str):
        raise UnreadableValueError("the key is no string")
    return key or "", decode_value(pair.get("value"), depth)


def _decode_bytes(content: object) -> bytes:
    unpadded = _convert(content, str).rstrip("=").translate(_URL_SAFE)
    try:
        return binascii.a2b_base64(unpadded + "=" * (-len(unpadded) % 4), strict_mode=True)
    except ValueError as error:
        raise UnreadableValueError("no base64") from error


def _list_values(content: object, depth: int) -> list[object]:
    if depth == MAX_VALUE_DEPTH:
        raise UnreadableValueError("nested too deeply")
    if isinstance(content, dict) and content and "values" not in content:
        raise UnreadableValueError("no list of values")
    values = content.get("values") if isinstance(content, dict) else content
    if values is None:
        return []
    if not isinstance(values, list):
        raise UnreadableValueError("no list of values")
    return values


def _convert(content: object, kind: type[_Value]) -> _Value:
    try:
        return msgspec.convert(content, kind, strict=False)
    except (msgspec.MsgspecError, ValueError) as error:
        raise UnreadableValueError(str(error)) from error
