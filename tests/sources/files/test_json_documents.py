from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING

import pytest

from otel_traj.sources.files.byte_stream import ByteStream
from otel_traj.sources.files.json_documents import BrokenPart, DocumentSplitter, JsonText
from otel_traj.sources.files.lines import Line, LineReader

if TYPE_CHECKING:
    from collections.abc import Iterator

GOOD = b'{"resourceSpans":[{"scopeSpans":[]}]}'


def split(data: bytes) -> Iterator[JsonText | BrokenPart]:
    """Yield the parts of bytes, each line given to the splitter."""
    stream: io.BufferedReader = io.BufferedReader(io.BytesIO(data))
    lines = LineReader(ByteStream(stream, "bytes"))
    splitter = DocumentSplitter(lines)
    for line in lines:
        yield from splitter.split(line)


def show(data: bytes) -> list[tuple[str, int] | tuple[int, int, bool]]:
    """Return documents as text and line, broken parts as first line, last line and whether the input ends there."""
    return [
        (part.data.decode(), part.line)
        if isinstance(part, JsonText)
        else (part.line, part.last_line, part.is_end)
        for part in split(data)
    ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"a":1}{"b":2}', [('{"a":1}', 1), ('{"b":2}', 1)]),
        (b'{"a":\n1}\n{"b":2}', [('{"a":\n1}', 1), ('{"b":2}', 3)]),
        (b'{"a":[\n]}{"b":[\n]}\n', [('{"a":[\n]}', 1), ('{"b":[\n]}', 2)]),
        (b'{"a":"}{"}{"b":"\\"}"}', [('{"a":"}{"}', 1), ('{"b":"\\"}"}', 1)]),
        (b'{"a":1},\n{"b":2},\n', [('{"a":1}', 1), ('{"b":2}', 2)]),
        (b"[\n  1,\n  2\n]\n", [("[\n  1,\n  2\n]", 1)]),
        (b"word\n", [(1, 1, False)]),
        (b"word", [(1, 1, True)]),
        (b'{"a', [(1, 1, True)]),
        (b'{"a":[\n', [(1, 1, False)]),
        (b'{"a":[\n\n\n', [(1, 1, False)]),
        (b'{\n"a":[\n', [(1, 2, True)]),
        (b'{"a":[\n{"b":2}\n', [(1, 1, False), ('{"b":2}', 2)]),
        (b'{"a":[\n{"b":2}\n{"c":3}\n', [(1, 1, False), ('{"b":2}', 2), ('{"c":3}', 3)]),
        (b'{"a\n{"b":2}\n', [(1, 1, False), ('{"b":2}', 2)]),
        (b'{\n "a": [\n  oops "x"\n ]\n}\n{"b":2}\n', [(1, 5, False), ('{"b":2}', 6)]),
        (GOOD[:20] + GOOD, [(1, 1, False), (GOOD.decode(), 1)]),
        (GOOD + b'{"x' + GOOD, [(GOOD.decode(), 1), (1, 1, False), (GOOD.decode(), 1)]),
        (b"[" + GOOD + b"," + GOOD[:20], [(1, 1, False), (GOOD.decode(), 1), (1, 1, True)]),
    ],
)
def test_documents_and_what_is_broken_between_them(data: bytes, expected: list[object]) -> None:
    """Each part with its line, whatever the lines are."""
    assert show(data) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"{\n",
        b'{"a":\n',
        b'{"a":',
        b"[",
        b"[\n",
        b'{"result":\n',
        b'{"resourceSpans":[{"a":\n',
        b'{"resourceSpans":[{"a\n',
        b'{"resourceSpans":[\n  [\n',
        b'{"a":1},\n',
        b'{"a":[{},\n',
        b'{"x":1}',
        b'"\n',
        b'"',
        b"\\",
        b"{\n  ",
        b'{"trace":{"trace":{"trace":\n',
        GOOD + b'{"resourceSpans":[{"x',
    ],
)
def test_the_work_grows_with_the_length_and_no_faster(data: bytes) -> None:
    """Input made to be looked at again and again is not: eight times the length takes nowhere near 64 times as long."""

    def measure(times: int) -> float:
        started = time.process_time()
        for _ in split(data * times):
            pass
        return time.process_time() - started

    short = min(measure(1_000) for _ in range(3))
    assert measure(8_000) < 24 * short + 0.2


def test_lines_are_numbered_across_blocks() -> None:
    """A document of more than a block of lines is one document, and the next line has its right number."""
    inner = b"  {},\n" * 50_000
    data = b'{"resourceSpans":[\n' + inner + b"  {}\n]}\n" + GOOD + b"\nword\n"
    parts = list(split(data))
    assert [(type(part).__name__, part.line) for part in parts] == [
        ("JsonText", 1),
        ("JsonText", 50_004),
        ("BrokenPart", 50_005),
    ]
    assert isinstance(parts[0], JsonText)
    assert parts[0].data == data[: data.index(GOOD) - 1]


def test_a_block_splits_into_the_lines_it_was_made_of() -> None:
    """Given back, lines come again as they were."""
    data = b"a\nb\n\nc"
    stream: io.BufferedReader = io.BufferedReader(io.BytesIO(data))
    reader = LineReader(ByteStream(stream, "bytes"))
    block = reader.read_block(100)
    assert block is not None
    reader.give_back([block])
    assert list(reader) == [
        Line(data=b"a\n", number=1),
        Line(data=b"b\n", number=2),
        Line(data=b"\n", number=3),
        Line(data=b"c", number=4, is_last=True),
    ]
