from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import json
import math
import threading
from collections import OrderedDict, UserDict, deque, namedtuple
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.types import Command, Interrupt, Send
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from otel_traj.rendering import CUT_MARK, clean_text, name_value, render, render_json

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    # Surrogates have no UTF-8 form.
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
)
ANYTHING = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(),
        st.binary(),
        st.datetimes(),
        st.dates(),
        st.timedeltas(),
        st.decimals(),
        st.fractions(),
        st.complex_numbers(),
        st.uuids(),
        st.builds(object),
        st.functions(),
        st.just(dict),
    ),
    lambda inner: st.one_of(
        st.lists(inner),
        st.tuples(inner, inner),
        st.dictionaries(st.one_of(st.none(), st.integers(), st.text(), st.tuples(st.integers())), inner),
        st.frozensets(st.one_of(st.integers(), st.text())),
        st.builds(deque, st.lists(inner)),
        st.builds(UserDict, st.dictionaries(st.text(), inner)),
    ),
)


class Colour(enum.Enum):
    """An enum of text."""

    RED = "red"


class Place(enum.Enum):
    """An enum of compound values."""

    HOME = (1, {"x": [2]})


class Level(enum.IntEnum):
    """An enum that is a number."""

    HIGH = 3


@dataclasses.dataclass
class Point:
    """A dataclass."""

    x: int
    y: object = None


@dataclasses.dataclass(slots=True, frozen=True)
class Slotted:
    """A dataclass with slots."""

    a: int


class Model(BaseModel):
    """A pydantic model."""

    model_config = ConfigDict(extra="allow", arbitrary_types_allowed=True)
    name: str
    hidden: str = Field(default="x", exclude=True)
    secret: SecretStr = SecretStr("hush")
    when: dt.date = dt.date(2025, 1, 2)
    lock: Any = None


class Empty(BaseModel):
    """A pydantic model without a field."""


class OldField:
    """What pydantic 1 keeps of a field."""

    def __init__(self, *, exclude: bool | None = None) -> None:
        self.field_info = self
        self.exclude = exclude


class OldModel:
    """What a model of pydantic 1 offers; the package that holds it is not for every Python."""

    __fields__: Mapping[str, OldField] = {
        "name": OldField(),
        "hidden": OldField(exclude=True),
        "when": OldField(),
    }

    def __init__(self, **values: object) -> None:
        self.__dict__.update({"name": "n", "hidden": "x"} | values)


class Dumps:
    """Something that only offers `model_dump`."""

    def model_dump(self) -> dict[str, object]:
        """Return its fields."""
        return {"a": {1}}


class Hostile:
    """Every property and method raises."""

    def __getattribute__(self, name: str) -> object:
        if name in ("__class__", "__dict__"):
            return object.__getattribute__(self, name)
        raise RuntimeError(name)


class NamelessType(type):
    """A class that does not even say its name."""

    def __getattribute__(cls, name: str) -> object:
        if name in ("__module__", "__name__", "__qualname__"):
            raise RuntimeError(name)
        return super().__getattribute__(name)


class Nameless(metaclass=NamelessType):
    """A value of that class."""


class BadMapping(Mapping[str, int]):
    """A mapping that fails while it is read."""

    def __getitem__(self, key: str) -> int:
        raise RuntimeError(key)

    def __iter__(self) -> Iterator[str]:
        yield "a"
        raise RuntimeError

    def __len__(self) -> int:
        return 1


class Array:
    """What numpy's arrays and scalars offer."""

    dtype = "int64"

    def __init__(self, shape: tuple[int, ...], value: object) -> None:
        self.shape = shape
        self._value = value

    def tolist(self) -> object:
        """Return Python data."""
        return self._value


Pair = namedtuple("Pair", "left right")  # noqa: PYI024 - the untyped kind


@given(JSON)
def test_json_data_is_rendered_as_it_is(value: object) -> None:
    """What is JSON already comes out equal."""
    assert render(value) == value
    assert json.loads(render_json(value)) == value


@given(ANYTHING)
def test_anything_becomes_json_that_has_a_utf8_form(value: object) -> None:
    """Whatever goes in, standard JSON comes out, twice the same, and nothing is raised."""
    text = render_json(value)
    assert text.encode()
    assert json.loads(text, parse_constant=pytest.fail) is not ...
    assert render_json(value) == text


@pytest.mark.parametrize(
    ("value", "rendered"),
    [
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (2**64, "18446744073709551616"),
        (b"\xff\x00", "/wA="),
        (bytearray(b"a"), "YQ=="),
        (dt.date(2025, 1, 2), "2025-01-02"),
        (dt.datetime(2025, 1, 2, 3, tzinfo=dt.UTC), "2025-01-02T03:00:00+00:00"),
        (dt.time(1, 2), "01:02:00"),
        (dt.timedelta(seconds=1), "0:00:01"),
        (Decimal("1.50"), "1.50"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("/a/b"), "/a/b"),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (Place.HOME, [1, {"x": [2]}]),
        ({Place.HOME: 1}, {'[1, {"x": [2]}]': 1}),
        ({((1, (2,)), 3): 1}, {"[[1, [2]], 3]": 1}),
        (Empty(), {}),
        (OldModel(when=dt.date(2025, 1, 2), more=[1]), {"name": "n", "when": "2025-01-02", "more": [1]}),
        ({10, 1, 2}, [1, 2, 10]),
        ({1, "a", None}, ["a", 1, None]),
        (frozenset({"b", "a"}), ["a", "b"]),
        ((1, (2,)), [1, [2]]),
        (Pair(1, 2), [1, 2]),
        (deque([1]), [1]),
        (range(3), [0, 1, 2]),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (MappingProxyType({"a": 1}), {"a": 1}),
        (UserDict({"a": 1}), {"a": 1}),
        (Point(1, [Point(2)]), {"x": 1, "y": [{"x": 2, "y": None}]}),
        (Slotted(a=1), {"a": 1}),
        (Dumps(), {"a": [1]}),
        (Send("n", {"a": 1}), {"node": "n", "arg": {"a": 1}}),
        (Array((), 7), 7),
        (Array((2,), [1, 2]), [1, 2]),
        ("lone \udc80", "lone \\udc80"),
    ],
)
def test_value_of_a_kind(value: object, rendered: object) -> None:
    """Each kind of value has its one form."""
    assert render(value) == rendered


def test_keys_become_text() -> None:
    """Keys that are no text are written as JSON writes their values."""
    value = {1: "a", None: "b", (1, 2): "d", Colour.RED: "e", 1.5: "f", b"k": "g", "\udc80": "h"}
    assert render(value) == {
        "1": "a",
        "null": "b",
        "[1, 2]": "d",
        "red": "e",
        "1.5": "f",
        "aw==": "g",
        "\\udc80": "h",
    }


def test_keys_that_become_equal_are_told() -> None:
    """Of keys whose texts are equal one entry can be shown; that others are left out is said."""
    assert render({1: "a", "1": "b", None: "c", "null": "d", 2: "e"}) == {
        "1": "a",
        "null": "c",
        "2": "e",
        f"{CUT_MARK}2 entries of equal keys]": None,
    }


def test_models_show_their_fields_and_no_secrets() -> None:
    """A pydantic model is its fields, extras among them; excluded fields and secrets are not shown."""
    model = Model(name="n", lock=threading.Lock(), more=[1])  # type: ignore[call-arg]  # an extra
    assert render(model) == {
        "name": "n",
        "secret": "<pydantic.types.SecretStr>",
        "when": "2025-01-02",
        "lock": "<_thread.lock>",
        "more": [1],
    }


def test_messages_show_what_was_said_and_called() -> None:
    """A LangChain message is its type, content, ids and calls."""
    call = {"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
    assert render(HumanMessage("hi")) == {"type": "human", "content": "hi"}
    assert render([AIMessage("", tool_calls=[call], id="m1")]) == [
        {"type": "ai", "content": "", "id": "m1", "tool_calls": [call]}
    ]
    assert render(ToolMessage("ok", tool_call_id="c1")) == {
        "type": "tool",
        "content": "ok",
        "tool_call_id": "c1",
        "status": "success",
    }


def test_langgraphs_own_values() -> None:
    """Commands and interrupts are their fields."""
    assert render(Command(resume="y")) == {"graph": None, "update": None, "resume": "y", "goto": []}
    shown = render(Interrupt(value={"q": 1}, id="i1"))
    assert isinstance(shown, dict)
    assert shown.items() >= {"value": {"q": 1}, "id": "i1"}.items()


@pytest.mark.parametrize(
    "value",
    [
        threading.Lock(),
        object(),
        lambda: 1,
        Hostile(),
        BadMapping(),
        dict,
        (n for n in "a"),
        Nameless(),
        Nameless,
    ],
    ids=[
        "lock",
        "object",
        "function",
        "hostile",
        "bad mapping",
        "class",
        "generator",
        "nameless",
        "its class",
    ],
)
def test_what_can_not_be_rendered_is_its_type(value: object) -> None:
    """The type's name stands for a value that has no form, and for one that raises."""
    rendered = render({"v": value})
    assert isinstance(rendered, dict)
    assert str(rendered["v"]).startswith("<")
    assert str(rendered["v"]).endswith(">")


def test_value_is_named_by_its_text_or_its_type() -> None:
    """What `str` gives, clean; the type where that raises."""
    assert name_value(7) == "7"
    assert name_value("a\ud800") == "a\\ud800"
    assert name_value(Nameless()) != ""
    assert name_value(Hostile()).startswith("<")


def test_iterators_are_not_consumed() -> None:
    """A generator in the state still has all it had."""
    numbers = iter([1, 2])
    render([numbers])
    assert list(numbers) == [1, 2]


def test_recursion_is_named() -> None:
    """A value inside itself is named once; one that only appears twice is shown twice."""
    loop: dict[str, Any] = {"shared": [1]}
    loop["again"] = loop["shared"]
    loop["self"] = loop
    assert render(loop) == {"shared": [1], "again": [1], "self": "<recursion: dict>"}


def test_large_arrays_are_not_shown() -> None:
    """Of an array beyond the limit only the number of elements is said."""
    assert render(Array((1000, 1000), [])) == f"{CUT_MARK}1000000 array elements]"


def test_value_is_not_changed_or_copied_deeply() -> None:
    """What is rendered stays as it was, and no copy of it is made."""

    class Uncopiable:
        def __deepcopy__(self, memo: object) -> None:
            raise AssertionError(memo)

        def __reduce__(self) -> str:
            raise AssertionError

    value = {"a": [1, {"b": Uncopiable()}]}
    before = repr(value)
    render(value)
    assert repr(value) == before


@given(st.text(st.characters()))
def test_clean_text_has_a_utf8_form(text: str) -> None:
    """Clean text can be encoded, and text that could be already is unchanged."""
    cleaned = clean_text(text)
    assert cleaned.encode().decode() == cleaned
    assert clean_text(cleaned) == cleaned
