from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from otel_traj import semconv as sc
from otel_traj.byte_cap import cap_text
from otel_traj.record.exception_event import (
    describe_exception,
    find_place,
    name_exception,
    name_exception_type,
)
from otel_traj.rendering import CUT_MARK

if TYPE_CHECKING:
    from collections.abc import Callable


class OddError(Exception):
    """An exception that can't say what it is."""

    def __str__(self) -> str:
        raise RuntimeError


def fail(text: str) -> None:
    """Raise an exception."""
    raise KeyError(text)


def raise_chain() -> None:
    """Raise an exception with a cause and a context."""
    try:
        try:
            fail("pl4nted")
        except KeyError:
            raise ValueError("pl4nted")  # noqa: B904 - the context is the point
    except ValueError as error:
        raise RuntimeError("pl4nted") from error


def catch(function: object, *arguments: object) -> BaseException:
    """Return what a function raises."""
    try:
        function(*arguments)  # type: ignore[operator]  # a test's own function
    except BaseException as error:  # noqa: BLE001 - whatever it is
        return error
    raise AssertionError


def test_stack_without_content_is_types_and_frames() -> None:
    """Causes come first, each with its type, files, lines and functions, and no word of any message."""
    shown = describe_exception(catch(raise_chain))
    assert shown.keys() == {sc.EXCEPTION_TYPE, sc.EXCEPTION_STACKTRACE}
    assert shown[sc.EXCEPTION_TYPE] == "RuntimeError"
    stack = shown[sc.EXCEPTION_STACKTRACE]
    places = [stack.index(f"\n{name}") for name in ("KeyError", "ValueError", "RuntimeError")]
    assert places == sorted(places)
    assert "in raise_chain" in stack
    assert "pl4nted" not in stack
    assert "direct cause" in stack
    assert "During handling" in stack


def test_groups_show_their_members() -> None:
    """The members of a group stand below it, at any depth, without their messages."""
    group = ExceptionGroup("pl4nted", [ValueError("pl4nted"), ExceptionGroup("x", [KeyError("pl4nted")])])
    stack = describe_exception(group)[sc.EXCEPTION_STACKTRACE]
    assert "  | ValueError" in stack
    assert "  |   | KeyError" in stack
    assert "pl4nted" not in stack


def test_cycles_and_long_chains_end() -> None:
    """Exceptions that are their own causes, hundreds of causes and thousands of frames are bounded."""
    one, two = ValueError(), KeyError()
    one.__cause__, two.__cause__ = two, one
    assert describe_exception(one)
    last: BaseException = ValueError()
    for _ in range(500):
        above = ValueError()
        above.__cause__ = last
        last = above

    def recurse() -> None:
        recurse()

    assert len(describe_exception(last)[sc.EXCEPTION_STACKTRACE]) < 10_000
    assert "what was raised before it" in describe_exception(last)[sc.EXCEPTION_STACKTRACE]
    stack = describe_exception(catch(recurse))[sc.EXCEPTION_STACKTRACE]
    assert "more times]" in stack
    assert len(stack) < 2_000


def ping() -> None:
    """Recurse in two functions, which Python does not fold."""
    pong()


def pong() -> None:
    """As above."""
    ping()


def test_endless_recursion_keeps_both_ends() -> None:
    """Of a thousand frames the first and the last hundred stay, and a line says how many are left out."""
    stack = describe_exception(catch(ping))[sc.EXCEPTION_STACKTRACE]
    assert stack.count("\n  File ") == 200
    assert " frames\n" in stack
    assert "in catch" in stack
    assert len(stack) < 50_000


def test_wide_and_deep_groups_are_bounded_and_say_so() -> None:
    """Of a group of thousands some members stay, and how many are left out; depth and number of all are bounded."""
    wide = ExceptionGroup("wide", [ValueError(number) for number in range(1_000)])
    stack = describe_exception(wide)[sc.EXCEPTION_STACKTRACE]
    assert stack.count("  | ValueError") == 15
    assert "... 985 more exceptions" in stack
    tree: Exception = ValueError("leaf")
    for _ in range(30):
        tree = ExceptionGroup("tree", [tree, *(ValueError() for _ in range(14))])
    stack = describe_exception(tree)[sc.EXCEPTION_STACKTRACE]
    assert stack.count("Traceback") <= 60
    assert "more exceptions" in stack


def descend(depth: int, text: str) -> None:
    """Raise at a depth."""
    if depth:
        return descend(depth - 1, text) if depth % 2 else descend_too(depth - 1, text)
    raise ValueError(text)


def descend_too(depth: int, text: str) -> None:
    """The same, another function: so no two frames in a row are equal."""
    return descend(depth, text)


def raise_long_chain(text: str) -> None:
    """Raise three exceptions, each with a long text and a long stack."""
    try:
        try:
            descend(50, text)
        except ValueError as error:
            error.add_note("noted")
            raise KeyError(text) from error
    except KeyError:
        raise RuntimeError(text)  # noqa: B904 - the context is the point


@pytest.mark.parametrize("length", [5, 3_000, 100_000])
def test_cap_cuts_what_exceptions_say_and_no_frame(length: int) -> None:
    """However long the messages are, every frame is there, each exception says some of its own, and the rest is short."""
    error = catch(raise_long_chain, "é" * length)
    bare = describe_exception(error)[sc.EXCEPTION_STACKTRACE]
    shown = describe_exception(error, lambda text: cap_text(text, 8_192))
    stack = shown[sc.EXCEPTION_STACKTRACE]
    frames = [line for line in bare.split("\n") if line.startswith("  File ")]
    assert len(frames) > 70
    at = -1
    for frame in frames:
        at = stack.index(frame, at + 1)
    assert [stack.count(f"{name}: ") for name in ("ValueError", "KeyError", "RuntimeError")] == [1, 1, 1]
    assert len(shown[sc.EXCEPTION_MESSAGE].encode()) <= 8_192
    assert len(stack.encode()) <= len(bare.encode()) + 8_192 + 200
    assert (CUT_MARK in stack) is (length > 1_000)


def test_what_exceptions_say_is_asked_for_piece_by_piece_where_the_whole_is_too_long() -> None:
    """Masks see every piece before it is cut, and what is not to be recorded is not there."""
    error = catch(raise_long_chain, "pl4nted" * 2_000)
    shown = describe_exception(error, lambda text: cap_text(text.replace("pl4nted", "gone"), 1_000))
    assert "pl4nted" not in shown[sc.EXCEPTION_STACKTRACE]
    assert shown[sc.EXCEPTION_STACKTRACE].count("gone") > 20
    silent = describe_exception(error, lambda text: None if text.startswith("'") else cap_text(text, 1_000))
    assert "\nKeyError\n" in silent[sc.EXCEPTION_STACKTRACE]


def test_message_of_a_group_member_stays_in_its_place() -> None:
    """A text of several lines is indented as the member is that says it."""
    error = ExceptionGroup("x" * 2_000, [ValueError("one\ntwo")])
    stack = describe_exception(error, lambda text: cap_text(text, 512))[sc.EXCEPTION_STACKTRACE]
    assert "  | ValueError: one\n  | two" in stack


@pytest.mark.parametrize("name", ["no such user: ann@example.com", "a b", "x" * 300, "", "'quoted'"])
def test_text_in_the_name_of_a_type_is_not_shown(name: str) -> None:
    """A type whose name was made of some text goes by the nearest base with a name."""
    made = type(name, (KeyError,), {})
    for error in (made(), catch(raise_it, made("planted"))):
        shown = describe_exception(error)
        assert shown[sc.EXCEPTION_TYPE] == name_exception(error) == name_exception_type(error) == "KeyError"
        assert not name or name not in shown[sc.EXCEPTION_STACKTRACE]


@pytest.mark.parametrize("name", ["ResourceNotFoundException", "RayTaskError(ValueError)", "Failure[int]"])
def test_types_that_libraries_make_keep_their_names(name: str) -> None:
    """Names of botocore's and Ray's kind are no text."""
    error = type(name, (ValueError,), {"__module__": "made.errors"})()
    assert name_exception(error) == f"made.errors.{name}"
    assert name_exception_type(error) == name


class Closed(type):
    """The type of a class that shows nothing of itself."""

    def __getattribute__(cls, name: str) -> object:
        raise RuntimeError(name)


def test_type_that_can_not_be_read_goes_by_its_base() -> None:
    """A metaclass that raises is no one's problem."""

    class ClosedError(ValueError, metaclass=Closed):
        """An exception whose very type can't be read; gone after the test, for all who look at every object."""

    assert name_exception(ClosedError()) == name_exception_type(ClosedError()) == "ValueError"


def raise_it(error: BaseException) -> None:
    """Raise an exception."""
    raise error


@pytest.mark.parametrize("write", [str, None])
def test_exception_that_can_not_say_what_it_is(write: Callable[[str], str] | None) -> None:
    """An exception whose text fails is described without it."""
    shown = describe_exception(OddError(), write)
    assert shown[sc.EXCEPTION_TYPE] == f"{__name__}.OddError"
    assert shown.get(sc.EXCEPTION_MESSAGE, "") == ""


class Unreadable(Exception):  # noqa: N818 - what matters is what it hides
    """An exception that does not show what Python wants to format."""

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(name)


@pytest.mark.parametrize("write", [str, None])
def test_exception_that_shows_nothing_has_its_type(write: Callable[[str], str] | None) -> None:
    """Where notes, causes and frames can't be read the type alone is written."""
    shown = describe_exception(Unreadable("planted"), write)
    assert shown[sc.EXCEPTION_TYPE] == f"{__name__}.Unreadable"
    assert "planted" not in shown[sc.EXCEPTION_STACKTRACE]
    assert find_place(Unreadable()) == ""


def test_words_are_what_is_made_of_them() -> None:
    """Message and full stack trace are what `write` returns; without, the stack trace is types and frames."""
    error = catch(raise_chain)
    shown = describe_exception(error, lambda text: text.replace("pl4nted", "gone"))
    assert shown[sc.EXCEPTION_MESSAGE] == "gone"
    assert shown[sc.EXCEPTION_STACKTRACE].count("gone") > 2
    assert "pl4nted" not in shown[sc.EXCEPTION_STACKTRACE]
    assert describe_exception(error, lambda _: None) == describe_exception(error)


def test_names_and_places() -> None:
    """Built-in exceptions go by their bare name; the innermost frame is the place."""
    assert name_exception(ValueError()) == "ValueError"
    assert "in raise_chain" in find_place(catch(raise_chain))
    assert find_place(ValueError()) == ""
