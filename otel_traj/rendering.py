"""The one rendering of foreign values as plain JSON data.

State, messages, arguments and results are whatever a program holds: pydantic models, live sockets, recursive
dicts, numpy arrays. Recorded content and values read from a checkpointer's history both pass through here, so
that equal values look equal wherever they come from. Nothing foreign is imported; types are told apart by what
they offer. Three rules hold for every value:

* never an exception: what can't be rendered is the name of its type in angle brackets;
* never a deep copy, a pickle or a consumed iterator: containers are walked, fields are read one by one
  (`model_dump` is only called where a model does not list its fields);
* bounded: depth, number of elements and text are limited, and each cut says so with `CUT_MARK`; a mask is asked
  before anything is cut, so that no half of what it hides is left at an edge.

The shapes follow OTLP's JSON where it has one (bytes as base64, `"NaN"` and `"Infinity"` as text) and
LangChain's messages as `type`, `content` and the fields that carry calls (langchain-core 1.8.3).
"""

from __future__ import annotations

import base64
import dataclasses
import json
import math
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import islice
from pathlib import PurePath
from typing import Protocol, TypeAlias, TypeVar
from uuid import UUID

__all__ = ["CUT_MARK", "JsonValue", "Mask", "clean_text", "dump_json", "name_value", "render", "render_json"]

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
"""What a JSON text can hold."""

CUT_MARK = "[otel_traj cut: "
"""Begins every text that stands for a part left out; the rest of the text says how much."""

_MAX_DEPTH = 64
_MAX_ITEMS = 50_000
_MAX_TEXT = 100_000
_MAX_TEXT_OF_ALL = 2_000_000
_MAX_ARRAY = 10_000

_TEXT_TYPES = (UUID, Decimal, Fraction, PurePath, timedelta, timezone, complex)
_MESSAGE_FIELDS = ("name", "id", "tool_calls", "invalid_tool_calls", "tool_call_id", "status")
_SINGLE = object()
_Item = TypeVar("_Item")


class Mask(Protocol):
    """What must not be shown of a value while it is rendered: nothing is cut before it was asked."""

    @property
    def text(self) -> str:
        """What stands in the place of a value that is hidden whole."""

    def hides(self, key: object) -> bool:
        """Return whether the value under a key is hidden whole."""

    def cover(self, text: str) -> str:
        """Return a text with what must not be shown replaced; the text itself where there is nothing."""

    def find_hidden(self, value: object) -> Collection[object]:
        """Return the keys or positions of the parts that are hidden whole by what their holder says of them."""


def clean_text(text: str) -> str:
    """Return text that has a UTF-8 form: a lone surrogate becomes its escape, backslash and digits.

    One such character in a span's name would make an exporter lose the whole batch.
    """
    text = text if type(text) is str else str.__str__(text)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def render(value: object, *, mask: Mask | None = None) -> JsonValue:
    """Return any value as plain JSON data; never raises.

    Args:
        value: Anything. It is read, never changed, copied deeply or consumed.
        mask: Covers keys and texts, at any depth; numbers and bytes by their text.

    Returns:
        New containers that share nothing with the value. Sets become sorted lists, keys become text, bytes
        base64, dates ISO 8601, enums their values, messages, models and dataclasses dicts; anything else
        `<module.Type>`. Parts beyond the limits are replaced by a text that begins with `CUT_MARK`.
    """
    return _Renderer(mask).render(value, 0)


def render_json(value: object) -> str:
    """Return any value as one compact JSON text; never raises.

    Args:
        value: As for `render`.

    Returns:
        JSON without spaces and without ASCII escapes, always encodable as UTF-8.
    """
    return dump_json(render(value))


def dump_json(value: JsonValue) -> str:
    """Return rendered data as one compact JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def name_value(value: object) -> str:
    """Return what a value calls itself by `str`, clean; the name of its type where it can't say it."""
    try:
        return clean_text(str(value))
    except Exception:  # noqa: BLE001 - a value's __str__ is foreign code
        return _type_text(value)


def _type_text(value: object) -> str:
    cls = type(value)
    try:
        return clean_text(f"<{cls.__module__}.{cls.__qualname__}>")
    except Exception:  # noqa: BLE001 - a metaclass is foreign code too
        return "<object>"


class _Renderer:
    """One rendering: what is left of its limits, and the containers it stands in."""

    __slots__ = ("_inside", "_items", "_mask", "_text")

    def __init__(self, mask: Mask | None) -> None:
        self._mask = mask
        self._items = _MAX_ITEMS
        self._text = _MAX_TEXT_OF_ALL
        self._inside: set[int] = set()

    def render(self, value: object, depth: int) -> JsonValue:
        try:
            single = self._render_single(value, depth)
            if single is not _SINGLE:
                return single  # type: ignore[return-value]  # a sentinel apart from every JsonValue
            return self._render_compound(value, depth)
        except Exception:  # noqa: BLE001 - foreign properties and iterators may raise anything
            return _type_text(value)

    def _render_single(self, value: object, depth: int) -> object:
        if value is None or value is True or value is False:
            return value
        if isinstance(value, Enum):
            return self._render_compound(value, depth)
        if isinstance(value, str):
            return self._render_text(str.__str__(value))
        if isinstance(value, int):
            return self._cover(_render_int(int.__int__(value)))
        if isinstance(value, float):
            return self._cover(_render_float(float.__float__(value)))
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self._render_bytes(memoryview(value).cast("B"))
        if isinstance(value, (datetime, date, time)):
            return self._cover(value.isoformat())
        if isinstance(value, _TEXT_TYPES):
            return self._render_text(str(value))
        return _SINGLE

    def _cover(self, rendered: JsonValue) -> JsonValue:
        """Return a number or a date, its covered text where it must not be shown as it is."""
        if self._mask is None:
            return rendered
        text = rendered if isinstance(rendered, str) else json.dumps(rendered)
        covered = self._mask.cover(text)
        return rendered if covered == text else covered

    def _render_bytes(self, view: memoryview) -> str:
        """Only what is shown of them is encoded: base64 of all would be a copy, and more."""
        if self._mask is not None:
            text = str(view, "utf-8", "replace")
            if self._mask.cover(text) != text:
                return self._mask.text
        length = 4 * math.ceil(len(view) / 3)
        if length <= self._text_limit:
            return self._render_text(base64.b64encode(view).decode("ascii"))
        groups = self._text_limit // 8
        head, tail = view[: 3 * groups], view[(length // 4 - groups) * 3 :]
        cut = f"{CUT_MARK}{length - 8 * groups} characters]"
        text = f"{base64.b64encode(head).decode('ascii')}{cut}{base64.b64encode(tail).decode('ascii')}"
        self._text -= len(text)
        return text

    @property
    def _text_limit(self) -> int:
        return max(min(_MAX_TEXT, self._text), 0)

    def _render_text(self, text: str) -> str:
        if self._mask is not None:
            text = self._mask.cover(text)
        limit = self._text_limit
        if len(text) > limit:
            half = limit // 2
            cut = f"{CUT_MARK}{len(text) - 2 * half} characters]"
            text = f"{text[:half]}{cut}{text[-half:]}" if half else cut
        self._text -= len(text)
        return clean_text(text)

    def _render_compound(self, value: object, depth: int) -> JsonValue:
        if id(value) in self._inside:
            return clean_text(f"<recursion: {type(value).__name__}>")
        if depth >= _MAX_DEPTH:
            return f"{CUT_MARK}deeper than {_MAX_DEPTH}]"
        self._inside.add(id(value))
        try:
            return self._render_container(value, depth + 1)
        finally:
            self._inside.discard(id(value))

    def _render_container(self, value: object, depth: int) -> JsonValue:
        if isinstance(value, Enum):
            return self.render(value.value, depth)
        hidden = () if self._mask is None else self._mask.find_hidden(value)
        if isinstance(value, Mapping):
            return self._render_mapping(value, depth, hidden)
        if isinstance(value, (list, tuple, deque)):
            return self._render_items(value, depth, hidden)
        if isinstance(value, AbstractSet):
            return _sort(self._render_items(value, depth))
        if isinstance(value, type):
            return _type_text(value)
        fields = _fields_of(value)
        if fields is not None:
            return self._render_mapping(fields, depth, hidden)
        array = _array_of(value)
        if isinstance(array, list):
            return self._render_items(array, depth, hidden)
        if array is not _SINGLE:
            return self.render(array, depth)
        if isinstance(value, Sequence):
            return self._render_items(value, depth)
        return _type_text(value)

    def _render_mapping(
        self, mapping: Mapping[object, object], depth: int, hidden: Collection[object]
    ) -> dict[str, JsonValue]:
        rendered: dict[str, JsonValue] = {}
        equal = 0
        for position, (key, value) in enumerate(self._take(mapping.items())):
            if self._items <= 0:
                rendered[f"{CUT_MARK}{len(mapping) - position} entries]"] = None
                break
            self._items -= 1
            name = self._render_key(key, depth)
            if name in rendered and self._mask is not None and self._mask.text in name:
                name = f"{name} ({position})"
            if name in rendered:
                equal += 1
            elif self._mask is not None and (
                self._mask.hides(key) or self._mask.hides(name) or name in hidden
            ):
                rendered[name] = self._mask.text
            else:
                rendered[name] = self.render(value, depth)
        if equal:
            rendered[f"{CUT_MARK}{equal} entries of equal keys]"] = None
        return rendered

    def _render_key(self, key: object, depth: int) -> str:
        if isinstance(key, str) and not isinstance(key, Enum):
            return self._render_text(str.__str__(key))
        rendered = self.render(key, depth)
        return rendered if isinstance(rendered, str) else json.dumps(rendered, ensure_ascii=False)

    def _take(self, items: Iterable[_Item]) -> list[_Item]:
        """Copy as many items as may still be shown, and one more: the view may be of more than memory holds.

        A copy, because another thread may change the container while its items are being rendered.
        """
        return list(islice(items, max(self._items, 0) + 1))

    def _render_items(
        self, items: Collection[object], depth: int, hidden: Collection[object] = ()
    ) -> list[JsonValue]:
        rendered: list[JsonValue] = []
        for position, item in enumerate(self._take(items)):
            if self._items <= 0:
                rendered.append(f"{CUT_MARK}{len(items) - position} items]")
                break
            self._items -= 1
            if self._mask is not None and position in hidden:
                rendered.append(self._mask.text)
            else:
                rendered.append(
                    self.render(item, depth) if self._mask is None else self._cover_pair(item, depth)
                )
        return rendered

    def _cover_pair(self, item: object, depth: int) -> JsonValue:
        """Return an item of a list; headers, and what else is a mapping with repeated keys, are lists of pairs."""
        if self._mask is not None and isinstance(item, list) and len(item) == 2:
            key = item[0]
            if isinstance(key, (str, bytes)) and self._mask.hides(key):
                return [self.render(key, depth), self._mask.text]
        return self.render(item, depth)


def _sort(items: list[JsonValue]) -> list[JsonValue]:
    try:
        return sorted(items)  # type: ignore[type-var]  # what can't be compared raises
    except TypeError:
        return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))


def _render_int(value: int) -> int | str:
    if -(2**63) <= value < 2**64:
        return value
    # Beyond 64 bits readers disagree (msgspec and JavaScript make floats), and Python refuses to print
    # integers of more than 4,300 digits.
    return str(value) if value.bit_length() < 10_000 else f"<int of {value.bit_length()} bits>"


def _render_float(value: float) -> float | str:
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _fields_of(value: object) -> Mapping[object, object] | None:
    """Return the fields of a message, model, dataclass or LangGraph `Send`; None for anything else."""
    cls = type(value)
    if hasattr(cls, "content") or hasattr(value, "additional_kwargs"):
        message = _message_fields(value)
        if message is not None:
            return message
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
    listed = getattr(cls, "model_fields", None)
    if listed is None:  # asked for the older name, a model of pydantic 2 would warn
        listed = getattr(cls, "__fields__", None)
    if isinstance(listed, Mapping):
        return _model_fields(value, listed)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        dumped = dump()
        return dumped if isinstance(dumped, Mapping) else {"model_dump": dumped}
    if cls.__name__ == "Send" and hasattr(value, "node") and hasattr(value, "arg"):
        return {"node": value.node, "arg": value.arg}
    return None


def _message_fields(value: object) -> Mapping[object, object] | None:
    kind = getattr(value, "type", None)
    if not isinstance(kind, str) or not hasattr(value, "content") or not hasattr(value, "additional_kwargs"):
        return None
    fields: dict[object, object] = {"type": kind, "content": value.content}
    for name in _MESSAGE_FIELDS:
        field = getattr(value, name, None)
        if field is not None and field != []:
            fields[name] = field
    return fields


def _model_fields(value: object, listed: Mapping[object, object]) -> Mapping[object, object]:
    """Return the fields of a pydantic model, of version 2 or 1, which keep extras and exclusions in other places."""
    fields: dict[object, object] = {}
    for name, info in listed.items():
        if getattr(getattr(info, "field_info", info), "exclude", None) is not True:
            fields[name] = getattr(value, str(name), None)
    extra = getattr(value, "__pydantic_extra__", None)
    if isinstance(extra, Mapping):
        fields.update(extra)
    elif not hasattr(type(value), "model_fields"):
        fields.update({name: each for name, each in vars(value).items() if name not in listed})
    return fields


def _array_of(value: object) -> object:
    """Return a numpy-like scalar or array as Python data, its name where it is large, else `_SINGLE`."""
    shape = getattr(value, "shape", None)
    if not isinstance(shape, tuple) or not hasattr(value, "dtype"):
        return _SINGLE
    size = math.prod(shape)
    to_python = getattr(value, "tolist", None)
    if not callable(to_python):
        return _SINGLE
    if size > _MAX_ARRAY:
        return f"{CUT_MARK}{size} array elements]"
    result = to_python()
    names = getattr(value.dtype, "names", None)
    if names and len(shape) == 1:
        return [dict(zip(names, row, strict=False)) for row in result]
    return result if not isinstance(result, Iterable) or isinstance(result, (list, str)) else _SINGLE
