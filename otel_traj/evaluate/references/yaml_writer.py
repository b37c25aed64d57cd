"""Plain data to YAML that every reader reads alike: the counterpart of `yaml_document`.

Maps and lists are written on one line, as the reference files of the documentation have them. A text stands bare only
where nobody can take it for something else: of letters, digits and a few harmless signs, and no word or number to any
version of YAML. Any other text stands in double quotes with escapes for what is not printable, so that a name can't
change the structure of the file, hide in it, or turn its letters round on a screen. Source: YAML 1.2.2, PyYAML 6.0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import yaml

from otel_traj.errors import InvalidReferenceError
from otel_traj.evaluate.references.document import MAX_DEPTH, parse_number
from otel_traj.match.values_in_words import describe_value, show_value

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["write_inline"]

_BARE: Final = re.compile(r"[^\W\d][\w./>-]*(?: [\w./>-]+)*")
_WORDS: Final = frozenset(("y", "n"))
"""Booleans of YAML 1.1 that PyYAML takes for texts."""
_IMPLICIT: Final[Mapping[str, list[tuple[str, re.Pattern[str]]]]] = yaml.SafeLoader.yaml_implicit_resolvers
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_LONGEST_KEY: Final = 1000
"""YAML gives up looking for the colon after 1,024 characters."""


def write_inline(value: object, *, depth: int = 1) -> str:
    """Return plain data as YAML on one line.

    Args:
        value: A text, number, boolean, None, or a list or mapping of these.
        depth: How deep in the file it stands, from 1.

    Raises:
        InvalidReferenceError: Something that no reference file can hold.
    """
    if depth > MAX_DEPTH:
        raise InvalidReferenceError(
            f"something nests more than {MAX_DEPTH} deep, which no reference file may. Leave it out."
        )
    if isinstance(value, Mapping):
        return _write_map(value, depth)
    if isinstance(value, list | tuple):
        return _write_list(value, depth)
    if isinstance(value, str):
        return _write_text(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return _write_number(value)
    raise InvalidReferenceError(
        f"{describe_value(value)} has no form in a reference file, which holds texts, numbers, booleans, lists and"
        f" maps. Leave it out."
    )


def _write_list(values: Sequence[object], depth: int) -> str:
    return f"[{', '.join(write_inline(each, depth=depth + 1) for each in values)}]"


def _write_map(values: Mapping[object, object], depth: int) -> str:
    return f"{{{', '.join(_write_pair(key, value, depth) for key, value in values.items())}}}"


def _write_pair(key: object, value: object, depth: int) -> str:
    if not isinstance(key, str):
        raise InvalidReferenceError(f"the key {describe_value(key)} is no text. Write a text.")
    written = _write_text(key)
    mark = "? " if len(written) > _LONGEST_KEY else ""
    return f"{mark}{written}: {write_inline(value, depth=depth + 1)}"


def _write_text(text: str) -> str:
    if _BARE.fullmatch(text) and text not in _WORDS and not _is_implicit(text):
        return str.__str__(text)
    return f'"{"".join(map(_escape, text))}"'


def _is_implicit(text: str) -> bool:
    return any(pattern.match(text) for _, pattern in _IMPLICIT.get(text[0], ()))


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        raise InvalidReferenceError(
            f"a text holds {character!r}, half of a character, which no file in UTF-8 can hold. Leave the text out."
        )
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _write_number(number: float) -> str:
    """A float keeps its point: to YAML 1.1, `1e+16` is a text."""
    text = repr(number)
    if "e" in text and "." not in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}.0e{exponent}"
    if parse_number(text) is None:
        raise InvalidReferenceError(
            f"the number {show_value(number)} has no exact form in a reference file. Leave it out."
        )
    return text
