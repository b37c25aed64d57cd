"""Start and end the span of a callback run: parent, sampling, what makes it current, what it owes at its end.

The parent is the nearest caller that has a span, by callback run id; what is current counts only where the
caller is not known. Below a span that does not record, no span is made at all: the sampler has spoken for the
run, and the callbacks cost a fraction of it. Key attributes stand on the span from its start, for samplers; at
the end they are written again only where the SDK's limit came near, because it drops the oldest first (seen
with opentelemetry-sdk 1.33.0 and 1.45.2).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.context import get_current
from opentelemetry.trace import SpanKind, Status, StatusCode

from otel_traj import semconv as sc
from otel_traj.record.exception_event import describe_exception, name_exception_type
from otel_traj.record.live_span import attach_span, put_span
from otel_traj.record.outcome import classify_ending

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.trace import Link, Span
    from opentelemetry.util.types import AttributeValue

    from otel_traj.record.classify import Kind
    from otel_traj.record.content_writer import ContentWriter
    from otel_traj.record.entry import Entry

__all__ = ["end_span", "find_audible_parent", "find_parent_span", "freeze_span", "start_span"]

_SDK_ATTRIBUTE_LIMIT = 128
_NEVER_CURRENT: tuple[Kind, ...] = ("graph_run", "conditional_edge", "runnable")
"""Between the chunks of a stream the caller's own span stays current, so a graph run is never made so."""


def find_parent_span(entry: Entry) -> tuple[Span, Entry | None]:
    """Return the span that the entry's span belongs under, and the entry it is of (None: not one of ours)."""
    below = entry
    while below.outer is None and below.parent is not None:
        caller = below.parent
        # Read once: another thread may end it meanwhile.
        span = caller.span
        if span is not None:
            return span, caller
        if caller.span_context is not None:
            return trace.NonRecordingSpan(caller.span_context), caller
        below = caller
    return below.outer or trace.INVALID_SPAN, None


def freeze_span(span: Span) -> Span:
    """Return the span's identity alone, to be a parent later when the span itself may be gone."""
    context = span.get_span_context()
    return trace.NonRecordingSpan(context) if context.is_valid else trace.INVALID_SPAN


def find_audible_parent(entry: Entry, *, owner: object) -> Span | None:
    """Return the span that the entry's span belongs under, unless that is one of ours that does not record.

    Args:
        entry: The entry.
        owner: The recorder.

    Returns:
        The parent; None where it is silent: then the entry has taken it over, and needs no attributes.
    """
    caller = entry.parent
    if caller is not None and caller.recording and entry.outer is None:
        span = caller.span
        if span is not None:
            return span
    parent, caller = find_parent_span(entry)
    if caller is None or caller.recording:
        return parent
    entry.span = parent
    entry.span_context = caller.span_context
    _make_silence_current(entry, parent, owner)
    return None


def start_span(
    entry: Entry,
    parent: Span,
    name: str,
    attributes: dict[str, AttributeValue],
    *,
    owner: object,
    kind: SpanKind = SpanKind.INTERNAL,
    links: Sequence[Link] = (),
) -> None:
    """Start the span of an entry and make it current where its kind wants that.

    Args:
        entry: The entry; its span and what belongs to it are set.
        parent: The span it belongs under.
        name: The span's name.
        attributes: All that is known at the start; belongs to the entry from now on.
        owner: The recorder.
        kind: The span's kind.
        links: Links to other spans.
    """
    if entry.late:
        attributes[sc.LATE] = True
    before = get_current()
    span = entry.tree.tracer.start_span(
        name, put_span(before, parent), kind, attributes, links, start_time=entry.start_ns
    )
    entry.span = span
    entry.span_context = span.get_span_context()
    if span.is_recording():
        entry.recording = True
        entry.keys = attributes
        if entry.kind not in _NEVER_CURRENT:
            entry.attachment = attach_span(before, span, owner=owner, entry=entry)
    else:
        _make_silence_current(entry, span, owner)


def _make_silence_current(entry: Entry, span: Span, owner: object) -> None:
    """Attach a span that does not record, so that the user's own spans below it do not either.

    Without an SDK it is the current one, or none, and nothing is to be done.
    """
    context = span.get_span_context()
    if entry.kind in _NEVER_CURRENT or not context.is_valid:
        return
    if context != trace.get_current_span().get_span_context():
        entry.attachment = attach_span(get_current(), span, owner=owner, entry=entry)


def end_span(
    entry: Entry,
    attributes: Mapping[str, AttributeValue],
    error: BaseException | None = None,
    *,
    content: ContentWriter | None,
    failure: str | None = None,
) -> None:
    """End the span of an entry, whatever goes wrong on the way.

    Args:
        entry: The entry.
        attributes: What is known at the end.
        error: What the callback run raised.
        content: Writes the text of exceptions; None where no content is recorded.
        failure: Value of `error.type` of a failure that raised nothing.
    """
    span = entry.span if entry.recording else None
    try:
        if span is not None:
            if error is not None:
                _write_error(span, error, content=content)
            elif failure is not None:
                span.set_attribute(sc.ERROR_TYPE, failure)
                span.set_status(Status(StatusCode.ERROR))
            if entry.keys and _is_near_limit(span, len(attributes)):
                span.set_attributes(entry.keys)
            if attributes:
                span.set_attributes(attributes)
    finally:
        try:
            if span is not None:
                span.end()
        finally:
            if entry.attachment is not None:
                entry.attachment.release()


def _write_error(span: Span, error: BaseException, *, content: ContentWriter | None) -> None:
    if classify_ending(error) != "error":
        return
    span.set_attribute(sc.ERROR_TYPE, name_exception_type(error))
    write = None if content is None else functools.partial(content.write_text, "exceptions")
    described = describe_exception(error, write)
    span.add_event(sc.EXCEPTION_EVENT, described)
    span.set_status(Status(StatusCode.ERROR, described.get(sc.EXCEPTION_MESSAGE)))


def _is_near_limit(span: Span, adding: int) -> bool:
    if getattr(span, "dropped_attributes", 0) > 0:
        return True
    written = getattr(span, "attributes", None) if adding else None
    if written is None:
        return False
    limits = getattr(span, "_limits", None)
    limit = getattr(limits, "max_span_attributes", _SDK_ATTRIBUTE_LIMIT)
    return limit is not None and len(written) + adding > limit
