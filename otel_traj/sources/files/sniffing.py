"""What kind of file bytes are, where they are not OTLP JSON, and what to do about it.

A reader who names the wrong file deserves one sentence, not a complaint about each line. Binary kinds are told
by their first bytes at once; what kind of text it is matters only after no line of it was JSON.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from otel_traj.sources.files.codecs import Packing, measure_stub, tell_packing

__all__ = [
    "BLANKS",
    "FRAME",
    "HEAD_BYTES",
    "LENGTH_BYTES",
    "Form",
    "describe_binary",
    "describe_text",
    "is_json_record",
    "may_be_framed",
    "tell_form",
]

Form: TypeAlias = Literal["framed", "message", "text"] | Packing
"""Records with lengths in front, one protobuf message, lines of text, or packed bytes."""

HEAD_BYTES: Final = 512
"""How many first bytes are enough to tell."""
BLANKS: Final = b" \t\r\n\x00\xef\xbb\xbf"
"""Bytes that say nothing: blanks, zeros, byte order marks."""

LENGTH_BYTES: Final = 4
"""Of the length in front of a record."""

FRAME: Final = re.compile(rb"[\x00-\x07].{3}(?:\x28\xb5\x2f\xfd|\x0a|\{)", re.DOTALL)
"""A length of four bytes, below 128 MiB, and the beginning of a zstd frame, a protobuf message or JSON."""

_UNPACK: Final = "unpack it, or pipe what unpacks it into `-`"
_ENCODE: Final = "write it as UTF-8"
_OTHER_FILE: Final = "name a file of OTLP JSON, one document per line"
_MAGIC: Final = (
    (b"PK\x03\x04", "a zip archive", _UNPACK),
    (b"PK\x05\x06", "an empty zip archive", _OTHER_FILE),
    (b"BZh", "a bzip2 file", _UNPACK),
    (b"\xfd7zXZ\x00", "an xz file", _UNPACK),
    (b"\x89PNG", "a PNG image", _OTHER_FILE),
    (b"\xff\xd8\xff", "a JPEG image", _OTHER_FILE),
    (b"GIF8", "a GIF image", _OTHER_FILE),
    (b"%PDF", "a PDF document", _OTHER_FILE),
    (b"SQLite format 3\x00", "an SQLite database", _OTHER_FILE),
    (b"PAR1", "a Parquet file", _OTHER_FILE),
    (b"\x7fELF", "a program", _OTHER_FILE),
    (b"\xff\xfe\x00\x00", "text in UTF-32", _ENCODE),
    (b"\x00\x00\xfe\xff", "text in UTF-32", _ENCODE),
    (b"\xff\xfe", "text in UTF-16", _ENCODE),
    (b"\xfe\xff", "text in UTF-16", _ENCODE),
)
# Without a byte order mark: JSON begins with two characters of ASCII.
_WIDE_TEXT = re.compile(rb"(?:[\t\n\r -~]\x00){2}|(?:\x00[\t\n\r -~]){2}")
_WIDER_TEXT = re.compile(rb"[\t\n\r -~]\x00{3}[\t\n\r -~]\x00{3}|\x00{3}[\t\n\r -~]\x00{3}[\t\n\r -~]")
_SCOPES_TAG: Final = b"\x12"
# Of the fields of `ResourceSpans`, those of opentelemetry-proto before 0.16 included.
_BATCH_TAGS: Final = b"\x0a\x12\x1a\xc2"
_SIGNATURE_BYTES: Final = 16
_SHOWN: Final = 100
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1d\x7f]")
_MARKUP = re.compile(rb"\s*<(?:!doctype\s+html|html)", re.IGNORECASE)


def describe_binary(head: bytes) -> tuple[str, str] | None:
    """Return what a file is that is no text, and what to do.

    Args:
        head: Its first bytes, `HEAD_BYTES` or all.

    Returns:
        What it is (a noun) and what to do (an imperative), or None for text. What goes on as text is text, whatever its
        first bytes are: a damaged line may begin like an image.
    """
    if _is_text(head):
        return None
    for magic, kind, advice in _MAGIC:
        if head.startswith(magic):
            return kind, advice
    if head[257:262] == b"ustar":
        return "a tar archive", _UNPACK
    for width, text in ((32, _WIDER_TEXT), (16, _WIDE_TEXT)):
        if text.match(head):
            return f"text in UTF-{width}", _ENCODE
    return None


def tell_form(head: bytes) -> Form:
    """Return how what begins with these bytes is to be read.

    Args:
        head: First bytes, some dozens where there are so many.
    """
    packing = tell_packing(head[measure_stub(head) :])
    if packing:
        return packing
    if (
        FRAME.match(head)
        and any(head[:4])
        and (head[4:] == b"\n" or head[4:5] != b"\n" or _is_message(head[4:]))
    ):
        return "framed"
    return "message" if _is_message(head) and not _is_text(head) else "text"


def may_be_framed(head: bytes) -> bool:
    """Return whether what begins like a record with its length may be one: the first field of a message fits into it.

    Args:
        head: First bytes, some dozens where there are so many; `tell_form` calls them framed.
    """
    size = shift = 0
    for place in range(LENGTH_BYTES + 1, min(len(head) - 1, LENGTH_BYTES + 6)) if head[4:5] == b"\n" else ():
        size |= (head[place] & 0x7F) << shift
        shift += 7
        if head[place] < 0x80:
            begin = place + 1
            fits = begin + size <= LENGTH_BYTES + int.from_bytes(head[:LENGTH_BYTES])
            return fits and (not size or head[begin] in _BATCH_TAGS)
    return head[4:5] != b"\n"


def is_json_record(data: bytes) -> bool:
    """Return whether a record is JSON, and not a protobuf message.

    Args:
        data: All bytes of the record, unpacked.
    """
    if data.lstrip()[:1] not in (b"{", b"["):
        return False
    # Behind the first tag, a line feed, a length of 91 or 123 looks the same; but no message with spans is without the
    # tag of its scopes, and JSON writes that character as an escape.
    return not (data.startswith(b"\n") and _SCOPES_TAG in data)


def _is_message(head: bytes) -> bool:
    """Return whether bytes begin with a protobuf message, not with a blank line: lengths are hardly all letters."""
    rest = head[1:64]
    return head[:1] == b"\n" and (bool(_CONTROL.search(rest)) or not _is_utf8(rest))


def _is_text(head: bytes) -> bool:
    rest = head[_SIGNATURE_BYTES:]
    return bool(rest) and not _CONTROL.search(rest) and _is_utf8(rest)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


def describe_text(head: bytes) -> tuple[str, str] | None:
    """Return what a file is of which no line is JSON, and what to do.

    Args:
        head: Its first bytes, `HEAD_BYTES` or all.

    Returns:
        What it is and what to do, or None where it may well be broken JSON.
    """
    text = head.lstrip(BLANKS)
    if not text or text[0] in b"{[":
        return None
    if _MARKUP.match(text):
        return "an HTML page", "look whether the address it came from was the right one"
    if text.startswith(b"<"):
        return "XML", _OTHER_FILE
    if _CONTROL.search(head):
        return "binary data", _OTHER_FILE
    rows = [row for row in head.splitlines()[:3] if row]
    if len(rows) > 1 and rows[0].count(b",") and rows[0].count(b",") == rows[1].count(b","):
        return "a table of comma-separated values", _OTHER_FILE
    return f"text without JSON objects ({_show_first_line(text)!r})", _OTHER_FILE


def _show_first_line(text: bytes) -> str:
    return text.split(b"\n", 1)[0][:_SHOWN].decode(errors="replace").strip()
