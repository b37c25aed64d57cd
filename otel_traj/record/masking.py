"""Hide the values of keys and what patterns find, in texts of any kind.

A key is found where data has one, in a text that is JSON (a tool's answer, an argument of arguments), and in other
text where it stands before `=` or `:`, as in an exception's message, or is the tag of an element. There the end of a
value can't be known, so rather too much is hidden than too little: a quoted text to its quote, an element to the next
tag, anything else to the next comma, semicolon, `&`, closing bracket or the line's end. Patterns are the user's and
searched with the time limit of the `regex` package, because `(a|aa)+$` must not hold up an agent.
"""

from __future__ import annotations

import json
import re
import time
from fnmatch import translate
from typing import TYPE_CHECKING, Final

import regex

from otel_traj.record.hidden_parts import find_hidden_parts
from otel_traj.rendering import dump_json, render

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["Masking", "ValueMask"]

MAX_SECONDS: Final = 0.25
"""Longest search in all texts of one value, in the thread's own time: other threads cost it nothing."""
_MAX_NESTED: Final = 4
"""How often JSON text is read out of JSON text."""

_VALUE: Final = (
    r"""(?!\w)(?:\\*["'])?\]?\s*(?:=>|==|[:=])\s*"""
    r"""(?:[bBrRuUfF]{0,2}(?P<quote>\\*["'])(?P<quoted>(?:(?!(?P=quote))(?:\\.|.))*+)"""
    r"""|(?P<open>[\[({][^\r\n]*+)|(?P<bare>[^\s,;&})\]][^,;&})\]\r\n]*+))"""
)
_ELEMENT: Final = r"(?:\s[^<>]*+)?>(?P<element>[^<]++)"


class Masking:
    """The masks of one policy; safe between threads."""

    def __init__(self, *, keys: Iterable[str], patterns: Iterable[str], text: str) -> None:
        """Compile what is searched for.

        Args:
            keys: Names or globs of keys.
            patterns: Regular expressions.
            text: What stands where something is hidden.
        """
        globs = tuple(keys)
        self.text = text
        self.keys = re.compile("|".join(translate(glob.casefold()) for glob in globs)) if globs else None
        self.keys_in_text = _compile_keys_in_text(globs) if globs else ()
        self.patterns = tuple(regex.compile(pattern) for pattern in patterns)

    @property
    def hides_anything(self) -> bool:
        """There is a key or a pattern."""
        return self.keys is not None or bool(self.patterns)


def _compile_keys_in_text(globs: Iterable[str]) -> tuple[tuple[str, regex.Pattern[str]], ...]:
    """Return what finds keys in texts, their values in the group that closes last, and what one of must be there."""
    names = "|".join(_translate_in_text(glob) for glob in globs)
    forms = {"=:": rf"(?:{names}){_VALUE}", "<": rf"<(?:\w+:)?(?:{names}){_ELEMENT}"}
    return tuple((mark, regex.compile(form, regex.IGNORECASE | regex.DOTALL)) for mark, form in forms.items())


def _translate_in_text(glob: str) -> str:
    """Return a glob as an expression that stays inside one word; a class of letters stands for any one."""
    text = re.sub(r"\[[^\]]+\]", "?", glob)
    wild = {"*": r"[\w.\-]*", "?": r"[\w.\-]"}
    # What begins with a wildcard is searched from the beginning of a word alone, else the time grows with its square.
    before = r"(?<![\w.\-])" if text[0] in wild else r"(?<!\w)"
    return before + "".join(wild.get(letter) or regex.escape(letter) for letter in text)


class ValueMask:
    """The masks while one value is rendered, with one time limit for all of it."""

    def __init__(self, masking: Masking) -> None:
        """Begin a value."""
        self._masking = masking
        self._left = MAX_SECONDS
        self._nested = 0
        self.timed_out = False
        """The time was up: every text from then on is hidden whole."""

    @property
    def text(self) -> str:
        """What stands where something is hidden."""
        return self._masking.text

    def hides(self, key: object) -> bool:
        """Return whether the value under a key is hidden."""
        keys = self._masking.keys
        if keys is None:
            return False
        if isinstance(key, (bytes, bytearray)):
            key = key.decode("utf-8", "replace")
        return isinstance(key, str) and keys.match(str.__str__(key).casefold()) is not None

    def find_hidden(self, value: object) -> Collection[object]:
        """Return the keys or positions of the parts that a value's other names for them hide."""
        return () if self._masking.keys is None else find_hidden_parts(value, self.hides)

    def cover(self, text: str) -> str:
        """Return a text with the values of keys and what patterns find hidden."""
        text = str.__str__(text)
        inner = self._cover_nested(text) if text[:1].isspace() or text[:1] in ("{", "[", '"') else text
        masking = self._masking
        if inner == text:
            for mark, keys in masking.keys_in_text:
                # A search costs more than to look for what none of its finds is without.
                if any(each in inner for each in mark):
                    inner = self._replace(keys, inner)
        for pattern in masking.patterns:
            inner = self._replace(pattern, inner)
        return inner

    def _cover_nested(self, text: str) -> str:
        """Return a text that is JSON with its own keys and texts covered, any other as it is."""
        if self._nested >= _MAX_NESTED:
            return text
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        if not isinstance(value, (dict, list, str)):
            return text
        self._nested += 1
        try:
            covered = render(value, mask=self)
        finally:
            self._nested -= 1
        return text if covered == value else dump_json(covered)

    def _replace(self, pattern: regex.Pattern[str], text: str) -> str:
        if self._left <= 0:
            self.timed_out = True
            return self.text
        begun = time.thread_time()
        try:
            return pattern.sub(self._hide, text, timeout=self._left)
        except (TimeoutError, MemoryError, RecursionError):
            self._left = 0.0
            self.timed_out = True
            return self.text
        finally:
            self._left -= time.thread_time() - begun

    def _hide(self, found: regex.Match[str]) -> str:
        whole: str = found[0]
        if not whole:
            return whole
        if found.re in self._masking.patterns:
            return self.text
        start = found.start(found.lastgroup or 0) - found.start()
        return f"{whole[:start]}{self.text}"
