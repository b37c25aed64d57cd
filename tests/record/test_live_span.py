from __future__ import annotations

import contextvars
import copy
from typing import TYPE_CHECKING

import pytest
from opentelemetry import context, trace

from otel_traj.record.live_span import LiveSpan, attach_span, find_current_entry, read_current_span
from tests.record.recording import Recording, get_parent_id, read

if TYPE_CHECKING:
    from opentelemetry.trace import Span


def start(recording: Recording, name: str) -> Span:
    """Start a span without making it current."""
    return recording.tracer.start_span(name)


def test_span_is_current_until_released(recording: Recording) -> None:
    """An attached span is the parent of what starts next; released, what was current before is."""
    span = start(recording, "outer")
    attachment = attach_span(context.get_current(), span, owner=1, entry="outer")
    start(recording, "below").end()
    attachment.release()
    start(recording, "beside").end()
    assert get_parent_id(recording.get("below")) == span.get_span_context().span_id
    assert get_parent_id(recording.get("beside")) is None
    assert trace.get_current_span() is trace.INVALID_SPAN


def test_release_in_a_copied_context_reaches_the_original(recording: Recording) -> None:
    """An end that is told in a copy of the context leaves nothing of the span in the original either."""
    with recording.tracer.start_as_current_span("pipeline") as pipeline:
        before = context.get_current()
        attachment = attach_span(context.get_current(), start(recording, "node"), owner=1, entry="node")
        contextvars.copy_context().run(attachment.release)
        assert trace.get_current_span() is pipeline
        assert context.get_current() == before
        attachment.release()
        assert context.get_current() == before


def test_copied_stand_in_is_one_too(recording: Recording) -> None:
    """A program that copies what is current gets what passes on to the same span, and no endless recursion."""
    attachment = attach_span(context.get_current(), span := start(recording, "node"), owner=1, entry="node")
    copied = copy.copy(trace.get_current_span())
    copied.set_attribute("seen", True)
    attachment.release()
    assert copied.get_span_context() == span.get_span_context()
    span.end()
    assert read(recording.get("node"))["seen"] is True
    with pytest.raises(AttributeError):
        _ = LiveSpan.__new__(LiveSpan).anything


def test_interleaved_spans_in_one_context(recording: Recording) -> None:
    """Of two that overlap the one that is open is current, whichever ends first."""
    first, second = start(recording, "first"), start(recording, "second")
    one = attach_span(context.get_current(), first, owner=1, entry="first")
    two = attach_span(context.get_current(), second, owner=1, entry="second")
    one.release()
    assert trace.get_current_span().get_span_context() == second.get_span_context()
    two.release()
    assert not trace.get_current_span().get_span_context().is_valid


def test_what_the_user_attached_on_top_stays(recording: Recording) -> None:
    """A value that the user put into the context survives, and reads the span that is open in truth."""
    # In a context of its own: the user's context outlives the spans below it, and so do the stand-ins in it.
    contextvars.copy_context().run(attach_on_top, recording)


def attach_on_top(recording: Recording) -> None:
    """Attach a value while a span is current that ends first."""
    outer = attach_span(context.get_current(), start(recording, "outer"), owner=1, entry="outer")
    inner = attach_span(context.get_current(), start(recording, "inner"), owner=1, entry="inner")
    token = context.attach(context.set_value("mine", 1))
    inner.release()
    assert context.get_value("mine") == 1
    assert read_current_span().get_span_context() == outer.get_span_context()
    assert find_current_entry(1) == "outer"
    context.detach(token)
    outer.release()
    assert find_current_entry(1) is None


def test_entries_are_found_by_owner_below_anything(recording: Recording) -> None:
    """The innermost open entry of a recorder is found below the user's spans and other recorders'."""
    mine = attach_span(context.get_current(), start(recording, "mine"), owner="me", entry="my entry")
    with recording.tracer.start_as_current_span("the user's"):
        others = attach_span(
            context.get_current(), start(recording, "others"), owner="them", entry="their entry"
        )
        assert find_current_entry("me") == "my entry"
        assert find_current_entry("them") == "their entry"
        assert find_current_entry("nobody") is None
        others.release()
        assert find_current_entry("me") == "my entry"
        assert find_current_entry("them") is None
    mine.release()


def test_closed_stand_in_keeps_nothing(recording: Recording) -> None:
    """Closed, it holds neither span nor entry, and passes on to what is open outside it."""
    span = start(recording, "outer")
    live = LiveSpan(span, trace.INVALID_SPAN, None, owner=1, entry="x")
    assert live.get_span_context() == span.get_span_context()
    live.close()
    live.close()
    assert live.is_closed
    assert (live.owner, live.entry, live.target) == (None, None, trace.INVALID_SPAN)
    assert not live.is_recording()
