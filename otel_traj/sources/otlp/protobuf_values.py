"""Attributes of OTLP protobuf messages to plain values.

As in JSON (`values`): no field set is the null value, but a kind that nobody knows yet is not, though protobuf
shows no field set for it either; its bytes are still there (opentelemetry-proto 1.11.0, common.proto).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from otel_traj.sources.otlp.values import MAX_VALUE_DEPTH, UnreadableValueError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

    from otel_traj.model import AttributeValue

__all__ = ["decode_raw_attributes"]

_MAX_KEYS: Final = 4_096


def decode_raw_attributes(
    pairs: Iterable[KeyValue], keys: dict[str, str]
) -> tuple[dict[str, AttributeValue], list[str]]:
    """Return the attributes that can be decoded, and the keys of those that can't.

    Args:
        pairs: KeyValue messages.
        keys: Keys met so far; equal ones become one object. It is kept small.

    Returns:
        Values by key (of equal keys the last), and the keys left out.
    """
    attributes: dict[str, AttributeValue] = {}
    unreadable: list[str] = []
    share = keys.setdefault
    for pair in pairs:
        key = pair.key
        try:
            attributes[share(key, key)] = _decode(pair.value, 0)
        except UnreadableValueError:
            unreadable.append(key)
    if len(keys) > _MAX_KEYS:
        keys.clear()
    return attributes, unreadable


def _decode(value: AnyValue, depth: int) -> AttributeValue:
    kind = value.WhichOneof("value")
    if kind is None:
        if value.ByteSize():
            raise UnreadableValueError("unknown kind of AnyValue")
        return None
    content: Any = getattr(value, kind)
    if kind == "array_value":
        return [_decode(item, depth + 1) for item in _list_values(content, depth)]
    if kind == "kvlist_value":
        return {pair.key: _decode(pair.value, depth + 1) for pair in _list_values(content, depth)}
    if kind not in _SCALARS:
        raise UnreadableValueError("unknown kind of AnyValue")
    scalar: str | bool | int | float | bytes = content
    return scalar


_SCALARS: Final = frozenset({"string_value", "bool_value", "int_value", "double_value", "bytes_value"})


def _list_values(content: Any, depth: int) -> Iterable[Any]:  # noqa: ANN401 - protobuf's own classes
    if depth == MAX_VALUE_DEPTH:
        raise UnreadableValueError("nested too deeply")
    values: Iterable[Any] = content.values
    return values
