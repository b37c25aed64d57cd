from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from otel_traj import semconv as sc
from otel_traj.record.exception_event import describe_exception, find_place, name_exception

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
    stack = describe_exception(catch(recurse))[sc.EXCEPTION_STACKTRACE]
    assert " frames" in stack
    assert len(stack) < 50_000


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
