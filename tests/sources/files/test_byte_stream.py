from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.sources.files.byte_stream import ByteStream


def make_stream(data: bytes, size: int | None = None) -> ByteStream:
    """Return a stream over bytes, with a small buffer."""
    buffered: io.BufferedReader = io.BufferedReader(io.BytesIO(data), 4)
    return ByteStream(buffered, "bytes", size)


@given(
    st.lists(st.sampled_from([b"a", b"\n", b"bcd", b"\n\n", b"0123456789"]), max_size=12).map(b"".join),
    st.lists(
        st.tuples(st.sampled_from(["line", "some", "all", "peek", "back"]), st.integers(1, 9)), max_size=20
    ),
)
def test_whatever_is_asked_for_the_bytes_come_in_order(data: bytes, actions: list[tuple[str, int]]) -> None:
    """Each once, but for what was given back; the position counts them."""
    stream = make_stream(data)
    read = b""
    for action, size in actions:
        if action == "peek":
            assert stream.peek(size) == data[len(read) : len(read) + size]
        elif action == "back":
            stream.give_back(read[len(read) - min(size, len(read)) :])
            read = read[: len(read) - min(size, len(read))]
        else:
            piece = {"line": stream.read_line, "some": stream.read_some, "all": stream.read}[action](size)
            read += piece
            rest = data[len(read) - len(piece) :]
            if action == "line":
                assert piece == rest[:size].partition(b"\n")[0] + (b"\n" if b"\n" in rest[:size] else b"")
            assert len(piece) <= size
            assert bool(piece) == bool(rest)
            assert action != "all" or piece == rest[:size]
        assert data.startswith(read)
        assert stream.position == len(read)


@pytest.mark.parametrize("size", [0, 1, 3, 4])
def test_no_line_is_begun_behind_the_size(size: int) -> None:
    """One that began before it is read whole."""
    stream = make_stream(b"ab\ncd\n", size)
    lines = list(iter(lambda: stream.begin_line(9), b""))
    assert lines == [b"ab\n", b"cd\n"][: (size + 2) // 3]
    assert stream.is_over


def test_an_abandoned_stream_begins_no_record() -> None:
    """Whoever refuses to go on says so once, for all that read it."""
    stream = make_stream(b"ab\ncd\n")
    stream.read_line(9)
    stream.abandon()
    assert stream.is_over
    assert stream.begin_line(9) == b""
