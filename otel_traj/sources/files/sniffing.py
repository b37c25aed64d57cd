"""What kind of file bytes are, where they are not OTLP JSON, and what to do about it.

A reader who names the wrong file deserves one sentence, not a complaint about each line. Binary kinds are told
by their first bytes at once; what kind of text it is matters only after no line of it was JSON.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["BLANKS", "HEAD_BYTES", "describe_binary", "describe_text", "is_text"]

HEAD_BYTES: Final = 512
"""How many first bytes are enough to tell."""
BLANKS: Final = b" \t\r\n\x00\xef\xbb\xbf"
"""Bytes that say nothing: blanks, zeros, byte order marks."""

_UNPACK: Final = "unpack it, or pipe what unpacks it into `-`"
_ENCODE: Final = "write it as UTF-8"
_OTHER_FILE: Final = "name a file of OTLP JSON, one document per line"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_MAGIC: Final = (
    (b"\x1f\x8b", "a gzip file", _UNPACK),
    (_ZSTD, "a zstd file", _UNPACK),
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
_SIGNATURE_BYTES: Final = 16
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1d\x7f]")
_MARKUP = re.compile(rb"\s*<(?:!doctype\s+html|html)", re.IGNORECASE)


def describe_binary(head: bytes) -> tuple[str, str] | None:
    """Return what a file is that is no text, and what to do.

    Args:
        head: Its first bytes, `HEAD_BYTES` or all.

    Returns:
        What it is (a noun) and what to do (an imperative), or None for text.
    """
    for magic, kind, advice in _MAGIC:
        if head.startswith(magic):
            return kind, advice
    # The collector's file exporter (contrib 0.161.0) writes a length of four bytes before each message.
    if head[:1] == b"\x00" and len(head) > 4:
        if head[4:8] == _ZSTD:
            return (
                "what the collector's file exporter writes with compression",
                "let the exporter write JSON without compression",
            )
        if head[4:5] == b"\x0a":
            return (
                "what the collector's file exporter writes with `format: proto`",
                "let the exporter write `format: json`",
            )
    if head[:1] == b"\x0a" and _CONTROL.search(head[:64]):
        return "binary data, perhaps OTLP protobuf", "export it as OTLP JSON"
    for width, text in ((32, _WIDER_TEXT), (16, _WIDE_TEXT)):
        if text.match(head):
            return f"text in UTF-{width}", _ENCODE
    return None


def is_text(head: bytes) -> bool:
    """Return whether bytes go on as text, whatever the first of them are: a damaged line may begin like an image.

    Args:
        head: First bytes of a file, `HEAD_BYTES` or all.
    """
    rest = head[_SIGNATURE_BYTES:]
    if not rest or _CONTROL.search(rest):
        return False
    try:
        rest.decode()
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
    return "text without JSON objects", _OTHER_FILE
