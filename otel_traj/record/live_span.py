"""Make a span current from callbacks, so that the user's own spans nest under it, and leave nothing behind.

A callback that starts a span and the callback that ends it often run in different contexts: an async end is
shielded in a task of its own, a parallel node lives in a thread. So a token often can't be given back ("Failed to
detach context"), and a context that was left behind must not matter. The recipe: put a stand-in into the context
that turns into what was current before once its span has ended, undo the context itself in place, and give the
token back only where that works. Where it does not and nothing was set before, an empty context stays set, which no
reader of it can tell from none: a graph of one async node leaves it in its caller.
Works only for a handler that runs inline (`run_inline = True`). Tried in threads, async, sync nodes in async
graphs, tools, fan-outs, concurrent runs and interleaved streams (langgraph 0.6.11 and 1.2.24).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.context import Context, attach, create_key, get_current

if TYPE_CHECKING:
    from contextvars import Token

    from opentelemetry.trace import SpanContext, Status, StatusCode
    from opentelemetry.util.types import Attributes, AttributeValue

__all__ = ["Attachment", "LiveSpan", "attach_span", "find_current_entry", "find_open", "read_current_span"]

_KEY = create_key("otel_traj-live-span")
_SPAN_KEY = next(iter(trace.set_span_in_context(trace.INVALID_SPAN, Context())))
"""Under which OpenTelemetry keeps the current span; it does not tell the key, only uses it."""


class LiveSpan(trace.Span):
    """A span while it is open; whatever was current before it, once it has ended.

    Everything is passed on, attributes of the SDK's span class too, except `end`: the recorder ends its spans.
    """

    __slots__ = ("_outer", "_outer_live", "_target", "entry", "owner")

    def __init__(
        self, span: trace.Span, outer: trace.Span, outer_live: LiveSpan | None, owner: object, entry: object
    ) -> None:
        """Stand for `span`.

        Args:
            span: The open span.
            outer: What was current before.
            outer_live: The innermost stand-in before this one, whoever opened spans in between.
            owner: The recorder whose span this is.
            entry: The recorder's own record of the span.
        """
        self._target = span
        self._outer: trace.Span | None = outer
        self._outer_live = outer_live
        self.owner: object = owner
        """The recorder; None once closed."""
        self.entry: object = entry
        """The recorder's record; None once closed."""

    def close(self) -> None:
        """Turn into what was current before, and forget everything else."""
        if self._outer is not None:
            self._target = _skip_closed(self._outer)
            self._outer_live = find_open(self._outer_live)
            self._outer = self.owner = self.entry = None

    @property
    def outer_live(self) -> LiveSpan | None:
        """The innermost stand-in outside this one."""
        return self._outer_live

    @property
    def is_closed(self) -> bool:
        """The span has ended."""
        return self._outer is None

    @property
    def target(self) -> trace.Span:
        """The span that this one passes everything on to."""
        return self._target

    def end(self, end_time: int | None = None) -> None:
        """Do nothing: the span ends when LangGraph says so."""

    def get_span_context(self) -> SpanContext:
        """Return the span context of the span that is current in truth."""
        return self._target.get_span_context()

    def set_attributes(self, attributes: Attributes) -> None:
        """Pass on."""
        if attributes:
            self._target.set_attributes(attributes)

    def set_attribute(self, key: str, value: AttributeValue) -> None:
        """Pass on."""
        self._target.set_attribute(key, value)

    def add_event(self, name: str, attributes: Attributes = None, timestamp: int | None = None) -> None:
        """Pass on."""
        self._target.add_event(name, attributes, timestamp)

    def add_link(self, context: SpanContext, attributes: Attributes = None) -> None:
        """Pass on."""
        self._target.add_link(context, attributes)

    def update_name(self, name: str) -> None:
        """Pass on."""
        self._target.update_name(name)

    def is_recording(self) -> bool:
        """Return whether the span that is current in truth records."""
        return self._target.is_recording()

    def set_status(self, status: Status | StatusCode, description: str | None = None) -> None:
        """Pass on."""
        self._target.set_status(status, description)

    def record_exception(
        self,
        exception: BaseException,
        attributes: Attributes = None,
        timestamp: int | None = None,
        escaped: bool = False,
    ) -> None:
        """Pass on."""
        self._target.record_exception(exception, attributes, timestamp, escaped)

    def __getattr__(self, name: str) -> object:
        if name in LiveSpan.__slots__:
            # A copy is asked for its methods before it has any of these.
            raise AttributeError(name)
        return getattr(self._target, name)


class Attachment:
    """A span made current; `release` undoes it where that is still possible."""

    __slots__ = ("_before", "_context", "_live", "_token")

    def __init__(self, live: LiveSpan, context: Context, before: Context, token: Token[Context]) -> None:
        self._live = live
        self._context = context
        self._before = before
        self._token = token

    def release(self) -> None:
        """Close the stand-in, and make its context what it was made from, wherever that is still current."""
        self._live.close()
        self._undo()
        if get_current() is self._context:
            self._restore()

    def _restore(self) -> None:
        # Only the token can make a variable unset again that was; `detach` would log where the context is another.
        try:
            self._token.var.reset(self._token)
        except (AttributeError, RuntimeError, ValueError):
            attach(self._before)

    def _undo(self) -> None:
        # In async graphs the end is told in a copy of the context, out of reach of the caller's own. But both
        # hold this one object, which nobody else made: changed in place it is undone for both. One key after
        # the other, because another thread may be reading it.
        _put(self._context, _SPAN_KEY, self._live.target)
        _put(self._context, _KEY, self._live.outer_live)


def _put(context: Context, key: str, value: object) -> None:
    if value is None or value is trace.INVALID_SPAN:
        dict.pop(context, key, None)
    else:
        dict.__setitem__(context, key, value)


def attach_span(span: trace.Span, *, owner: object, entry: object) -> Attachment:
    """Make a span current for what runs after this callback in the same context.

    Args:
        span: The open span.
        owner: The recorder.
        entry: The recorder's record of the span, found again by `find_current_entry`.

    Returns:
        What undoes it.
    """
    before = get_current()
    current = _skip_closed(trace.get_current_span(before))
    live = LiveSpan(span, current, find_open(_read_live(before)), owner, entry)
    context = Context({**before, _SPAN_KEY: live, _KEY: live})
    token = attach(context)
    return Attachment(live, context, before, token)


def read_current_span() -> trace.Span:
    """Return the current span, past stand-ins whose span has ended."""
    return _skip_closed(trace.get_current_span())


def find_current_entry(owner: object) -> object:
    """Return the record of the recorder's innermost open span in this context, None without one.

    It is found below spans that the user, or another recorder, opened on top of it too.
    """
    live = find_open(_read_live(get_current()))
    while live is not None and live.owner is not owner:
        live = find_open(live.outer_live)
    return None if live is None else live.entry


def find_open(live: LiveSpan | None) -> LiveSpan | None:
    """Return the stand-in itself, or the nearest outside it whose span is open."""
    while live is not None and live.is_closed:
        live = live.outer_live
    return live


def _read_live(context: Context) -> LiveSpan | None:
    live = context.get(_KEY)
    return live if type(live) is LiveSpan else None


def _skip_closed(span: trace.Span) -> trace.Span:
    # An abstract base class pays for `isinstance` at every callback; LiveSpan has no subclasses.
    while type(span) is LiveSpan and span.is_closed:
        span = span.target
    return span
