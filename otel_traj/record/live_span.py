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

__all__ = [
    "LiveSpan",
    "attach_span",
    "find_current_entry",
    "find_open",
    "put_span",
    "read_current_span",
]

_KEY = create_key("otel_traj-live-span")
_SPAN_KEY = next(iter(trace.set_span_in_context(trace.INVALID_SPAN, Context())))
"""Under which OpenTelemetry keeps the current span; it does not tell the key, only uses it."""


class LiveSpan(trace.Span):
    """A span while it is open; whatever was current before it, once it has ended.

    Everything is passed on, attributes of the SDK's span class too, except `end`: the recorder ends its spans.
    """

    __slots__ = ("_attached", "_outer", "entry", "is_closed", "outer_live", "owner", "target")

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
        self.target: trace.Span = span
        """The span that this one passes everything on to."""
        self.is_closed: bool = False
        """The span has ended."""
        self.outer_live: LiveSpan | None = outer_live
        """The innermost stand-in outside this one."""
        self.owner: object = owner
        """The recorder; None once closed."""
        self.entry: object = entry
        """The recorder's record; None once closed."""
        self._outer: trace.Span | None = outer
        self._attached: tuple[Context, Context, Token[Context]] | None = None

    def close(self) -> None:
        """Turn into what was current before, and forget everything else."""
        outer = self._outer
        if outer is not None:
            self.target = _skip_closed(outer)
            self.outer_live = find_open(self.outer_live)
            self.is_closed = True
            self._outer = self.owner = self.entry = None

    def release(self) -> None:
        """Close, and make the context what it was before `attach_span`, wherever that is still current."""
        self.close()
        if self._attached is None:
            return
        context, before, token = self._attached
        self._attached = None
        # In async graphs the end is told in a copy of the context, out of reach of the caller's own. But both
        # hold this one object, which nobody else made: changed in place it is undone for both. One key after
        # the other, because another thread may be reading it.
        if self.target is trace.INVALID_SPAN:
            dict.pop(context, _SPAN_KEY, None)
        else:
            dict.__setitem__(context, _SPAN_KEY, self.target)
        if self.outer_live is None:
            dict.pop(context, _KEY, None)
        else:
            dict.__setitem__(context, _KEY, self.outer_live)
        # Only the token can make a variable unset again that was; `detach` would log where the context is another.
        try:
            if token.var.get(None) is context:
                token.var.reset(token)
        except (AttributeError, RuntimeError, ValueError):
            if get_current() is context:
                attach(before)

    def end(self, end_time: int | None = None) -> None:
        """Do nothing: the span ends when LangGraph says so."""

    def get_span_context(self) -> SpanContext:
        """Return the span context of the span that is current in truth."""
        return self.target.get_span_context()

    def set_attributes(self, attributes: Attributes) -> None:
        """Pass on."""
        if attributes:
            self.target.set_attributes(attributes)

    def set_attribute(self, key: str, value: AttributeValue) -> None:
        """Pass on."""
        self.target.set_attribute(key, value)

    def add_event(self, name: str, attributes: Attributes = None, timestamp: int | None = None) -> None:
        """Pass on."""
        self.target.add_event(name, attributes, timestamp)

    def add_link(self, context: SpanContext, attributes: Attributes = None) -> None:
        """Pass on."""
        self.target.add_link(context, attributes)

    def update_name(self, name: str) -> None:
        """Pass on."""
        self.target.update_name(name)

    def is_recording(self) -> bool:
        """Return whether the span that is current in truth records."""
        return self.target.is_recording()

    def set_status(self, status: Status | StatusCode, description: str | None = None) -> None:
        """Pass on."""
        self.target.set_status(status, description)

    def record_exception(
        self,
        exception: BaseException,
        attributes: Attributes = None,
        timestamp: int | None = None,
        escaped: bool = False,
    ) -> None:
        """Pass on."""
        self.target.record_exception(exception, attributes, timestamp, escaped)

    def __getattr__(self, name: str) -> object:
        if name in LiveSpan.__slots__:
            # A copy is asked for its methods before it has any of these.
            raise AttributeError(name)
        return getattr(self.target, name)


def attach_span(before: Context, span: trace.Span, *, owner: object, entry: object) -> LiveSpan:
    """Make a span current for what runs after this callback in the same context.

    Args:
        before: The context that is current.
        span: The open span.
        owner: The recorder.
        entry: The recorder's record of the span, found again by `find_current_entry`.

    Returns:
        Its stand-in, whose `release` undoes it.
    """
    outer: trace.Span = trace.INVALID_SPAN
    outer_live = None
    if before:
        outer = _skip_closed(trace.get_current_span(before))
        outer_live = find_open(_read_live(before))
    live = LiveSpan(span, outer, outer_live, owner, entry)
    context = Context({**before, _SPAN_KEY: live, _KEY: live})
    live._attached = (context, before, attach(context))
    return live


def put_span(before: Context, span: trace.Span) -> Context:
    """Return a context with another span in it, to start one below that."""
    return Context({**before, _SPAN_KEY: span})


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
