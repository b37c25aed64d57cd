from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.sources.otlp.ids import SPAN_ID_DIGITS, TRACE_ID_DIGITS, normalise_id, normalise_raw_id

TRACE = "00fbb9c1a2d34e5f8899aabbccddeeff"
SPAN = "00f067aa0ba902b7"


@pytest.mark.parametrize(
    "text",
    [
        TRACE,
        TRACE.upper(),
        "fbb9c1a2d34e5f8899aabbccddeeff",
        "0FBB9C1A2D34E5F8899AABBCCDDEEFF",
        f"0x{TRACE}",
        f"0X{TRACE.lstrip('0')}",
        "00fbb9c1-a2d3-4e5f-8899-aabbccddeeff",
        "00FBB9C1-A2D3-4E5F-8899-AABBCCDDEEFF",
        "APu5waLTTl+Imaq7zN3u/w==",
        "APu5waLTTl+Imaq7zN3u/w",
        "APu5waLTTl-Imaq7zN3u_w==",
        f"  {TRACE}\n",
        f"00{TRACE}",
    ],
)
def test_every_spelling_of_a_trace_id_is_one_id(text: str) -> None:
    """Case, lost leading zeros, `0x`, dashes and base64 do not make another trace."""
    assert normalise_id(text, TRACE_ID_DIGITS) == TRACE


@pytest.mark.parametrize("text", [SPAN, "f067aa0ba902b7", "0xF067AA0BA902B7", "APBnqgupArc=", "APBnqgupArc"])
def test_every_spelling_of_a_span_id_is_one_id(text: str) -> None:
    """Span ids come in the same spellings, but for dashes."""
    assert normalise_id(text, SPAN_ID_DIGITS) == SPAN


def test_a_trace_id_cut_to_its_low_64_bits_is_padded() -> None:
    """Half a trace id is an id of its own, not an error (jaegertracing/jaeger#3084)."""
    assert normalise_id("8899aabbccddeeff", TRACE_ID_DIGITS) == "00000000000000008899aabbccddeeff"


@pytest.mark.parametrize("value", [None, "", " ", "0", "0" * 16, "0" * 32, "0x", "AAAAAAAAAAA="])
def test_no_id_and_a_zero_id_are_the_same(value: object) -> None:
    """Absent, empty and all zeros all say that there is no such span."""
    assert normalise_id(value, SPAN_ID_DIGITS) == ""


@pytest.mark.parametrize(
    "value",
    [
        "not an id",
        "g" * 16,
        "1" * 17,
        7,
        1.5,
        True,
        ["00f067aa0ba902b7"],
        {},
        "00f067aa-0ba9-02b7",
        "________________",
        "é" * 11,
        "APBnqgupAr==",
        "١٢٣",  # digits of another script are none in hex
    ],
)
def test_what_is_no_id_is_refused(value: object) -> None:
    """Nothing is guessed from a number, a list, or text of another form."""
    assert normalise_id(value, SPAN_ID_DIGITS) is None


@given(st.binary(min_size=16, max_size=16).filter(any))
def test_padded_base64_is_never_taken_for_hex(raw: bytes) -> None:
    """The two encodings have different lengths, so any trace id survives both."""
    assert normalise_id(base64.b64encode(raw).decode(), TRACE_ID_DIGITS) == raw.hex()
    assert normalise_id(raw.hex(), TRACE_ID_DIGITS) == raw.hex()


@given(st.text())
def test_any_text_gives_a_normal_id_or_none(text: str) -> None:
    """What comes out is hex of full length, nothing, or a refusal, and stays what it is."""
    result = normalise_id(text, SPAN_ID_DIGITS)
    if result:
        assert len(result) == SPAN_ID_DIGITS
        assert normalise_id(result, SPAN_ID_DIGITS) == result


@pytest.mark.parametrize(
    ("raw", "digits", "expected"),
    [
        (bytes.fromhex("0af7651916cd43dd8448eb211c80319c"), 32, "0af7651916cd43dd8448eb211c80319c"),
        (b"\x01", 16, "01".zfill(16)),
        (b"", 16, ""),
        (bytes(8), 16, ""),
        (bytes(3), 16, ""),
        (base64.b64decode("0af7651916cd43dd8448eb211c80319c"), 32, "0af7651916cd43dd8448eb211c80319c"),
        (base64.b64decode("b7ad6b7169203331"), 16, "b7ad6b7169203331"),
        (b"\xff" * 24, 32, None),
        (b"\x01" * 17, 32, None),
    ],
)
def test_ids_that_came_as_bytes(raw: bytes, digits: int, expected: str | None) -> None:
    """Padded where zeros were lost, and hex again where hex was taken for base64."""
    assert normalise_raw_id(raw, digits) == expected
