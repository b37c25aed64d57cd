"""What a handler's `content` asks for; where it says nothing, what the environment asks for.

`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is the variable of OpenTelemetry's GenAI instrumentations:
`NO_CONTENT`, `SPAN_ONLY`, `EVENT_ONLY` and `SPAN_AND_EVENT` in any case (opentelemetry-util-genai 1.3b0), `true` and
`false` in those before. Content of ours stands on spans and in their events, never in log events of its own, so what
allows it on spans allows it, and `EVENT_ONLY`, which keeps it off spans, keeps it off. What is not known is off: a
slip of the pen must not export what people said.
"""

from __future__ import annotations

import functools
import logging
import os
from typing import Final

from otel_traj.errors import TrajectoryTypeError
from otel_traj.record.content_policy import ContentPolicy

__all__ = ["CAPTURE_VARIABLE", "read_content_option"]

CAPTURE_VARIABLE: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The variable that is read where a handler is given no `content`."""

_ON: Final = frozenset({"span_only", "span_and_event", "true"})
_OFF: Final = frozenset({"", "no_content", "false"})
_EVENT_ONLY: Final = "event_only"

_logger = logging.getLogger("otel_traj")


def read_content_option(content: object) -> ContentPolicy | None:
    """Return the policy that a handler records content by.

    Args:
        content: A policy, True for one with its own defaults, False for no content, None for what the
            environment says now.

    Returns:
        The policy; None where no content is recorded.

    Raises:
        TrajectoryTypeError: `content` is anything else.
    """
    if content is None:
        return _read_environment()
    if isinstance(content, ContentPolicy):
        return content if content.kinds else None
    if isinstance(content, bool):
        return ContentPolicy() if content else None
    raise TrajectoryTypeError(
        f"content is {content!r}; it says whether content is recorded, and what of it. Pass True, False, a"
        f" ContentPolicy, or None for what {CAPTURE_VARIABLE} says."
    )


def _read_environment() -> ContentPolicy | None:
    value = os.environ.get(CAPTURE_VARIABLE, "").strip()
    word = value.lower()
    if word in _ON:
        return ContentPolicy()
    if word not in _OFF:
        _warn_once(value)
    return None


@functools.lru_cache(maxsize=16)
def _warn_once(value: str) -> None:
    """Say once per value why nothing is recorded; each handler that is made asks again."""
    if value.lower() == _EVENT_ONLY:
        _logger.warning(
            "%s is %r, which keeps content off spans, and otel_traj writes it nowhere else: none is recorded. Set "
            "SPAN_ONLY or SPAN_AND_EVENT, or pass content=True to the handler.",
            CAPTURE_VARIABLE,
            value,
        )
        return
    _logger.warning(
        "%s is %r, which is none of NO_CONTENT, SPAN_ONLY, EVENT_ONLY, SPAN_AND_EVENT, true and false: no content is "
        "recorded. Set one of these.",
        CAPTURE_VARIABLE,
        value,
    )
