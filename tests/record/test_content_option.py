from __future__ import annotations

import logging
import pickle

import pytest

from otel_traj import ContentPolicy, TrajectoryCallbackHandler, TrajectoryTypeError
from otel_traj.record import content_option
from otel_traj.record.content_option import CAPTURE_VARIABLE, read_content_option


@pytest.mark.parametrize(
    "value", ["span_only", "SPAN_ONLY", "Span_And_Event", "SPAN_AND_EVENT", "true", "True", " span_only "]
)
def test_variable_asks_for_content(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What allows content on spans is the same as `content=True`, in any case."""
    monkeypatch.setenv(CAPTURE_VARIABLE, value)
    assert read_content_option(None) == ContentPolicy() == read_content_option(True)
    assert read_content_option(False) is None


@pytest.mark.parametrize("value", ["", "no_content", "NO_CONTENT", "false", "False"])
def test_variable_asks_for_none(
    value: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Content is off without a word; `content=True` is on all the same."""
    monkeypatch.setenv(CAPTURE_VARIABLE, value)
    assert read_content_option(None) is None
    assert read_content_option(True) == ContentPolicy()
    assert caplog.records == []


def test_without_the_variable_content_is_off() -> None:
    """No content is recorded by default."""
    assert read_content_option(None) is None


@pytest.mark.parametrize(
    ("value", "said"),
    [("EVENT_ONLY", "off spans"), ("event_only", "off spans"), ("yes", "none of"), ("SPANS", "none of")],
)
def test_what_can_not_be_done_is_off_and_said_once(
    value: str, said: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Content only in log events, which are not ours, and unknown values: off, one warning for all handlers."""
    monkeypatch.setenv(CAPTURE_VARIABLE, value)
    content_option._warn_once.cache_clear()
    with caplog.at_level(logging.WARNING, "otel_traj"):
        assert [read_content_option(None) for _ in range(3)] == [None] * 3
    (warning,) = caplog.records
    assert said in warning.getMessage()
    assert repr(value) in warning.getMessage()


def test_variable_is_read_when_the_handler_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handler keeps to what the variable said then, in another process too."""
    off = TrajectoryCallbackHandler()
    monkeypatch.setenv(CAPTURE_VARIABLE, "span_only")
    on = TrajectoryCallbackHandler()
    assert (off._settings.content, on._settings.content) == (None, ContentPolicy())
    sent = pickle.loads(pickle.dumps(off))  # noqa: S301 - our own bytes
    assert sent._settings.content is None
    monkeypatch.delenv(CAPTURE_VARIABLE)
    sent = pickle.loads(pickle.dumps(on))  # noqa: S301 - our own bytes
    assert sent._settings.content == ContentPolicy()


def test_policy_is_used_as_it_is() -> None:
    """A policy stands for itself; one of no kinds is no content."""
    policy = ContentPolicy(kinds=["messages"])
    assert read_content_option(policy) is policy
    assert read_content_option(ContentPolicy(kinds=())) is None


@pytest.mark.parametrize("content", ["span_only", 1, {"messages": True}, ContentPolicy])
def test_anything_else_is_refused(content: object) -> None:
    """The message says what was found, what it means, and what to pass."""
    with pytest.raises(
        TrajectoryTypeError, match=r"whether content is recorded.*Pass True, False, a ContentPolicy"
    ):
        TrajectoryCallbackHandler(content=content)  # type: ignore[arg-type]  # what is refused
