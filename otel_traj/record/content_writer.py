"""From a foreign value to the text that an attribute holds: rendered, masked, redacted, cut, in this order.

A value of which anything fails on the way is left out: what could not be redacted must not leave, and the agent must
not feel it. There is no writer where no content is recorded, so that asking costs one comparison.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, TypeAlias

from otel_traj.byte_cap import cap_text
from otel_traj.record.exception_event import find_place, name_exception
from otel_traj.record.masking import Masking, ValueMask
from otel_traj.rendering import clean_text, dump_json, render

if TYPE_CHECKING:
    from collections.abc import Callable

    from otel_traj.record.content_policy import ContentKind, ContentPolicy
    from otel_traj.record.counters import Counters
    from otel_traj.rendering import JsonValue

__all__ = ["ContentWriter", "Show"]

Show: TypeAlias = "Callable[[object], JsonValue]"
"""Renders and masks a foreign value."""

_MAX_TEXT_BYTES: Final = 100_000
"""Most bytes of a plain text where the policy has no limit, about as many as of one text in rendered data."""

_logger = logging.getLogger("otel_traj")


class _RubbishError(TypeError):
    """A redaction returned what can't be recorded."""


class ContentWriter:
    """The content of one handler's runs."""

    def __init__(self, policy: ContentPolicy, counters: Counters) -> None:
        """Keep the policy.

        Args:
            policy: What may be recorded.
            counters: Counts what was dropped.
        """
        self._kinds = frozenset(policy.kinds)
        self._redact = policy.redact
        self._max_bytes = policy.max_bytes
        self._counters = counters
        masking = Masking(keys=policy.mask_keys, patterns=policy.mask_patterns, text=policy.mask)
        self._masking = masking if masking.hides_anything else None

    def wants(self, *kinds: ContentKind) -> bool:
        """Return whether any of these kinds is recorded."""
        return not self._kinds.isdisjoint(kinds)

    def write(self, kind: ContentKind, value: object) -> str | None:
        """Return any value as JSON text, None where it is not to be recorded."""
        return self._write(kind, lambda show: show(value), is_rendered=True)

    def write_made(self, kind: ContentKind, make: Callable[[Show], JsonValue]) -> str | None:
        """Return as JSON text what is put together of foreign values in a form of our own.

        Args:
            kind: What it is.
            make: Called with what renders and masks a foreign value; returns the whole, whose own keys are not
                masked.

        Returns:
            The text; None where it is not to be recorded.
        """
        return self._write(kind, make, is_rendered=False)

    def write_text(self, kind: ContentKind, text: str) -> str | None:
        """Return a text as it is to be recorded, by itself and not as JSON; None where it is not."""
        if kind not in self._kinds:
            return None
        try:
            shown = _check_text(self._ask(kind, self._cover(text)))
            return None if shown is None else cap_text(clean_text(shown), self._max_bytes or _MAX_TEXT_BYTES)
        except Exception as error:  # noqa: BLE001 - what fails is the user's redaction, or the text
            self._note_drop(error)
            return None

    def _write(
        self, kind: ContentKind, make: Callable[[Show], JsonValue], *, is_rendered: bool
    ) -> str | None:
        if kind not in self._kinds:
            return None
        try:
            value = self._show(make)
            if self._redact is not None:
                value = self._ask(kind, value if is_rendered else render(value))
                if value is None:
                    return None
                is_rendered = False
            return cap_text(dump_json(value if is_rendered else render(value)), self._max_bytes)
        except Exception as error:  # noqa: BLE001 - what fails is the user's redaction, or a value
            self._note_drop(error)
            return None

    def _show(self, make: Callable[[Show], JsonValue]) -> JsonValue:
        if self._masking is None:
            return make(render)
        mask = ValueMask(self._masking)
        shown = make(lambda value: render(value, mask=mask))
        self._note_time(mask)
        return shown

    def _cover(self, text: str) -> str:
        if self._masking is None:
            return text
        mask = ValueMask(self._masking)
        covered = mask.cover(text)
        self._note_time(mask)
        return covered

    def _note_time(self, mask: ValueMask) -> None:
        if mask.timed_out and self._counters.add("mask_timeouts") == 1:
            _logger.warning(
                "the mask_patterns took too long on a value: all of it that was not searched is hidden. Repeated "
                "alternatives such as (a|aa)+$ take exponential time: write them without. Further values are only "
                "counted, in the handler's `counters`."
            )

    def _ask(self, kind: ContentKind, value: JsonValue) -> JsonValue:
        """Return what the user's redaction makes of a value."""
        if self._redact is None:
            return value
        answer = self._redact(kind, value)
        _check_json(answer)
        return answer

    def _note_drop(self, error: Exception) -> None:
        if self._counters.add("content_dropped") == 1:
            _logger.warning(
                "a value could not be redacted or written, %s (%s): it is left out, the agent is not affected. "
                "Further ones are only counted, in the handler's `counters`.",
                name_exception(error),
                find_place(error),
            )


def _check_text(value: JsonValue) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _RubbishError(type(value).__name__)


def _check_json(value: object) -> None:
    """Refuse what is no plain JSON data: rendered, what a redaction forgot would be shown after all."""
    if value is None or type(value) in (bool, int, float, str):
        return
    if type(value) is list:
        for each in value:
            _check_json(each)
    elif type(value) is dict and all(type(key) is str for key in value):
        for each in value.values():
            _check_json(each)
    else:
        raise _RubbishError(type(value).__name__)
