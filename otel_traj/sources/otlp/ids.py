"""Trace and span ids, in every spelling seen, to lower-case hex of full length.

OTLP JSON writes hex of any case (opentelemetry-proto 1.11.0, docs/specification.md). Read besides: base64, as
protojson and Tempo write them (their lengths never meet hex of full length); ids that lost leading zeros
(grafana/tempo#4967, jaegertracing/jaeger#1657) or kept only their low 64 bits (jaegertracing/jaeger#3084);
`0x` in front, as the Python SDK prints them; trace ids with the dashes of a UUID.
"""

from __future__ import annotations

import binascii
import re
from typing import Final

__all__ = ["SPAN_ID_DIGITS", "TRACE_ID_DIGITS", "normalise_id", "normalise_raw_id"]

TRACE_ID_DIGITS: Final = 32
SPAN_ID_DIGITS: Final = 16

_HEX = re.compile(r"(?:0[xX])?0*([0-9a-fA-F]*)")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_URL_SAFE = str.maketrans("-_", "+/")


def normalise_id(value: object, digits: int) -> str | None:
    """Return an id as lower-case hex.

    Args:
        value: The id as it was written.
        digits: Full length, 32 for a trace id and 16 for a span id.

    Returns:
        `digits` hex digits; an empty string where there is no id (absent, empty, all zeros); None where what
        stands there is no id.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        return None
    text = value.strip()
    if digits == TRACE_ID_DIGITS and _UUID.fullmatch(text):
        text = text.replace("-", "")
    hexadecimal = _HEX.fullmatch(text)
    if hexadecimal and len(hexadecimal[1]) <= digits:
        significant = hexadecimal[1].lower()
        return significant.zfill(digits) if significant else ""
    return _hex_of_base64(text, digits // 2)


def normalise_raw_id(raw: bytes, digits: int) -> str | None:
    """Return an id that came as bytes, as lower-case hex.

    Args:
        raw: The bytes; shorter ones have lost zeros in front. Hex digits that somebody decoded as base64 (what
            protobuf's own JSON parser does to OTLP JSON) are made hex again.
        digits: Full length, 32 for a trace id and 16 for a span id.

    Returns:
        `digits` hex digits; an empty string where there is no id (empty, all zeros); None where the bytes are no id.
    """
    size = digits // 2
    if len(raw) == size:
        return raw.hex() if any(raw) else ""
    if len(raw) < size:
        return raw.hex().zfill(digits) if any(raw) else ""
    if len(raw) * 4 == digits * 3:
        return normalise_id(binascii.b2a_base64(raw, newline=False).decode(), digits)
    return None


def _hex_of_base64(text: str, size: int) -> str | None:
    unpadded = text.rstrip("=")
    if len(unpadded) != (size * 8 + 5) // 6:
        return None
    try:
        raw = binascii.a2b_base64(
            unpadded.translate(_URL_SAFE) + "=" * (-len(unpadded) % 4), strict_mode=True
        )
    except ValueError:
        return None
    return raw.hex() if any(raw) else ""
