"""Foreign text made safe to print."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from otel_traj.report.escape import escape, shorten, show_word, wrap

_ANY_TEXT = st.text(st.characters(), max_size=80)


@given(_ANY_TEXT)
def test_nothing_unprintable_is_left(text: str) -> None:
    """Whatever a text holds, lone surrogates too, its escaped forms can be printed on one line."""
    assert escape(text).isprintable()
    assert show_word(text).isprintable()
    assert shorten(text).isprintable()


@given(_ANY_TEXT, _ANY_TEXT)
def test_two_names_never_look_alike(one: str, other: str) -> None:
    """Quoting keeps different names different."""
    assert (show_word(one) == show_word(other)) is (one == other)


def test_a_plain_name_stays_as_it_is() -> None:
    """Names of one word, in any script, are not quoted; others are."""
    assert [show_word(name) for name in ("node1", "früh/spät", "a:b*", "two words", "", 'q"')] == [
        "node1",
        "früh/spät",
        "a:b*",
        '"two words"',
        '""',
        '"q\\""',
    ]


def test_a_long_name_is_cut() -> None:
    """A 10 kB name shows its beginning and how much more there is."""
    assert shorten("x" * 10_000) == "x" * 48 + "...(+9952)"


@given(st.lists(st.text("abc", min_size=1, max_size=60), max_size=20), st.integers(1, 100))
def test_wrapping_keeps_the_words(words: list[str], width: int) -> None:
    """Wrapped lines hold the same words in the same order, however narrow the terminal is."""
    lines = wrap(" ".join(words), width=width, indent="  ", hanging="    ")
    assert " ".join(lines).split() == words
