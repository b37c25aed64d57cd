from __future__ import annotations

import dataclasses
import json
import time
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from otel_traj.record.masking import MAX_SECONDS, Masking, ValueMask
from otel_traj.rendering import CUT_MARK, render

SECRET = "s3cr3t"  # noqa: S105 - it is none


def mask(*keys: str, patterns: tuple[str, ...] = ()) -> ValueMask:
    """Return the masks for one value."""
    return ValueMask(Masking(keys=keys, patterns=patterns, text="***"))


@dataclasses.dataclass
class Login:
    """A thing with fields."""

    password: str
    user: str


class Row(NamedTuple):
    """A tuple with names."""

    user: str
    password: str


class Renamed(BaseModel):
    """A model whose field has another name outside."""

    secret: str = Field(alias="password")
    user: str = "ann"


class Column:
    """A column of a table, as pandas has it."""

    shape = (2,)
    dtype = "object"

    def __init__(self, name: str | None, *index: object) -> None:
        """Name the column and its rows."""
        self.name = name
        self.index = index

    def tolist(self) -> list[str]:
        """Return what stands in it."""
        return [SECRET, "ann"]


class Table:
    """An array of records, as numpy has it."""

    shape = (1,)
    dtype = SimpleNamespace(names=("password", "user"))

    def tolist(self) -> list[tuple[str, str]]:
        """Return its records."""
        return [(SECRET, "ann")]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Row("ann", SECRET), ["ann", "***"]),
        ({"rows": [Row("ann", SECRET)]}, {"rows": [["ann", "***"]]}),
        ({"header": ("password", SECRET)}, {"header": ["password", "***"]}),
        ({"headers": {("password", SECRET)}}, {"headers": [["password", "***"]]}),
        (Renamed(password=SECRET), {"secret": "***", "user": "ann"}),
        (Column("password", "a", "b"), ["***", "***"]),
        (Column("x", "password", "user"), ["***", "ann"]),
        (Column(None, 0, 1), [SECRET, "ann"]),
        (Table(), [{"password": "***", "user": "ann"}]),
        ([{"name": "Password", "value": SECRET}], [{"name": "Password", "value": "***"}]),
        ({"key": "password", "value": {"stringValue": SECRET}}, {"key": "password", "value": "***"}),
        ({"name": "user", "value": "ann"}, {"name": "user", "value": "ann"}),
        (json.dumps([{"name": "password", "value": SECRET}]), '[{"name":"password","value":"***"}]'),
    ],
)
def test_key_that_stands_beside_its_value_hides_it(value: object, shown: object) -> None:
    """Names of tuples, aliases of fields, labels of columns and rows, and the `name` beside a `value` are keys too."""
    assert render(value, mask=mask("password")) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<password>s3cr3t</password>", "<password>***</password>"),
        (
            "<user>ann</user><Password kind='x'>\ns3cr3t</Password>",
            "<user>ann</user><Password kind='x'>***</Password>",
        ),
        ("<passwords>two</passwords>", "<passwords>two</passwords>"),
        ("<a password='s3cr3t'>ann</a>", "<a password='***'>ann</a>"),
    ],
)
def test_key_hides_what_an_element_of_its_name_holds(text: str, shown: str) -> None:
    """XML and HTML have the key in the tag."""
    assert mask("password").cover(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"password": SECRET, "user": "ann"}, {"password": "***", "user": "ann"}),
        ({"PassWord": {"deep": [SECRET]}}, {"PassWord": "***"}),
        ({b"password": SECRET}, {"cGFzc3dvcmQ=": "***"}),
        ([{"a": ({"password": None},)}], [{"a": [{"password": "***"}]}]),
        (Login(SECRET, "ann"), {"password": "***", "user": "ann"}),
        (
            {"headers": [("password", SECRET), ["user", "ann"]]},
            {"headers": [["password", "***"], ["user", "ann"]]},
        ),
        ({"required": ["password", "user"]}, {"required": ["password", "user"]}),
        ({"old_password": SECRET}, {"old_password": SECRET}),
        (json.dumps({"password": SECRET, "n": 1}), '{"password":"***","n":1}'),
        (json.dumps(json.dumps([{"password": SECRET}])), json.dumps('[{"password":"***"}]')),
        ('{"password": "s3cr3t", ', '{"password": "***", '),
    ],
)
def test_key_hides_its_value(value: object, shown: object) -> None:
    """By its whole name, upper and lower case alike: in containers, fields, pairs, and texts that are JSON."""
    assert render(value, mask=mask("password")) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("password=s3cr3t&user=ann", "password=***&user=ann"),
        ("Password: Bearer s3cr3t\nuser: ann", "Password: ***\nuser: ann"),
        ("{'password': 's3cr3t', 'user': 'ann'}", "{'password': '***', 'user': 'ann'}"),
        ("{'password': b's3\\'cr3t', 'x': 1}", "{'password': b'***', 'x': 1}"),
        ('x {\\"password\\": \\"s3cr3t\\"} y', 'x {\\"password\\": \\"***\\"} y'),
        ("password=['a', 's3cr3t'] and more", "password=***"),
        ("password = 's3cr3t", "password = '***"),
        ("opts['password'] = 's3cr3t'", "opts['password'] = '***'"),
        ("Login(password='s3cr3t', user='ann')", "Login(password='***', user='ann')"),
        ("password: 1234}", "password: ***}"),
        ("my passwords: two", "my passwords: two"),
        ("no password here", "no password here"),
    ],
)
def test_key_hides_what_follows_it_in_a_text(text: str, shown: str) -> None:
    """Before `=` or `:`, up to the quote, or the next delimiter, and rather too much than too little."""
    assert mask("password").cover(text) == shown


def test_globs_name_many_keys() -> None:
    """`*` and `?` stand for any letters of a key, and `[...]` for one of some; in a text, for those of one word."""
    hidden = mask("*_key", "x-?-id", "to[kp]en")
    for key in ("api_key", "API_KEY", "x-9-id", "token", "Topen"):
        assert hidden.hides(key), key
        assert hidden.cover(f"{key}={SECRET}") == f"{key}=***"
    for key in ("api_keys", "key", "x-10-id", "tosen"):
        assert not hidden.hides(key), key


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("call 555-1234 or 555-9999", "call *** or ***"),
        ({"555-1234": "a", "555-9999": "b"}, {"***": "a", "*** (1)": "b"}),
        ({"n": {"deep": ["555-1234"]}}, {"n": {"deep": ["***"]}}),
        (b"call 555-1234", "***"),
        (bytearray(b"nothing"), "bm90aGluZw=="),
        ('{"a": "\\u0035\\u0035\\u0035-1234"}', '{"a":"***"}'),
    ],
)
def test_pattern_hides_what_it_finds(value: object, shown: object) -> None:
    """In texts, keys, bytes (the whole of them), and texts inside JSON texts, however they are escaped there."""
    assert render(value, mask=mask(patterns=(r"\d{3}-\d{4}",))) == shown


def test_pattern_hides_numbers() -> None:
    """A number whose text is found is hidden: card numbers are kept as such too."""
    assert render([4111111111111111, 41, 1.5, True, None], mask=mask(patterns=(r"\d{16}", r"1\.5"))) == [
        "***",
        41,
        "***",
        True,
        None,
    ]


def test_pattern_that_finds_nothing_between_letters_hides_nothing() -> None:
    """What matches the empty text puts no masks between the letters."""
    assert mask(patterns=("x*",)).cover("axxb") == "a***b"


def test_secret_at_the_edge_of_a_cut_is_hidden() -> None:
    """A text is masked before its middle is cut out, so no half of a secret is left at the edges."""
    for offset in range(-len(SECRET), 1):
        text = "a" * (50_000 + offset) + SECRET + "b" * 80_000
        shown = render(text, mask=mask(patterns=(SECRET,)))
        assert isinstance(shown, str)
        assert CUT_MARK in shown
        assert not any(SECRET[:size] in shown for size in range(2, 7))


def test_long_text_without_a_key_is_searched_in_time() -> None:
    """Globs with a wildcard at either end, on a word of a hundred thousand letters and hyphens, find nothing."""
    hidden = mask("*password", "*token*", "api_*")
    text = "a-b_c." * 20_000
    assert hidden.cover(text) == text
    assert not hidden.timed_out


def test_pattern_without_an_end_hides_everything_in_time() -> None:
    """A search that takes exponential time stops at the time limit of the value; what was not searched is hidden."""
    hidden = mask(patterns=("(a|aa)+$",))
    begun = time.perf_counter()
    shown = render(["a" * 60 + "b"] * 1_000 + ["fine"], mask=hidden)
    assert time.perf_counter() - begun < 20 * MAX_SECONDS
    assert hidden.timed_out
    assert shown == ["***"] * 1_001


JSON = st.recursive(
    st.text(max_size=8) | st.integers() | st.booleans() | st.none() | st.just(SECRET),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4) | st.just("password") | st.just(SECRET), inner, max_size=4)
        | inner.map(json.dumps)
    ),
    max_leaves=20,
)


@given(JSON)
def test_no_secret_is_left_at_any_depth(value: Any) -> None:  # noqa: ANN401 - any JSON data
    """Whatever the data, and however often it is JSON in JSON, the pattern's secret is gone."""
    assert SECRET not in json.dumps(render(value, mask=mask(patterns=(SECRET,))))


@given(st.dictionaries(st.text(max_size=4), st.text(max_size=8), max_size=4))
def test_masks_that_find_nothing_change_nothing(value: dict[str, str]) -> None:
    """Data without the key and the pattern is rendered as without masks."""
    assert render(value, mask=mask("no such key", patterns=("no such text",))) == render(value)
