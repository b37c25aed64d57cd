from __future__ import annotations

import gzip
import io
import json
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import SourceError
from otel_traj.model import Span
from otel_traj.sources import open_source
from otel_traj.sources.files.streams import read_stream
from otel_traj.sources.problems import PROBLEMS_PER_CODE
from tests.sources.encoding import encode_document, encode_lines
from tests.sources.packing import frame, pack_zstd
from tests.sources.reading import codes, fingerprint, read, read_bytes, refuse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from otel_traj.model import SourceProblem

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPANS = [
    Span(trace_id=TRACE, span_id=f"{number:016x}", name=f"span {number}", resource={"service.name": "shop"})
    for number in range(1, 7)
]
GOOD = [encode_lines([span]) for span in SPANS]
BOM = b"\xef\xbb\xbf"
ONE = json.dumps(encode_document(SPANS[:3])).encode()
PRETTY = json.dumps(encode_document(SPANS[:3]), indent=2).encode()
OTHER_PRETTY = json.dumps(encode_document(SPANS[3:]), indent=2).encode()


def names(spans: list[Span]) -> list[str]:
    """Return the names of spans, without the word they all begin with."""
    return [span.name.removeprefix("span ") for span in spans]


@pytest.mark.parametrize(
    "data",
    [
        b"".join(GOOD),
        b"".join(GOOD).rstrip(b"\n"),
        b"".join(line.replace(b"\n", b"\r\n") for line in GOOD),
        b"".join(line.replace(b"\n", b"\r") for line in GOOD),
        b"\n\n" + b"\n \n\t\n".join(GOOD) + b"\n\n",
        BOM + b"".join(GOOD),
        b"".join(GOOD[:3]) + BOM + b"".join(GOOD[3:]),
        b"\x00" * 100 + b"".join(GOOD),
        b"".join(b"\x1e" + line for line in GOOD),
        b"".join(line.strip() for line in GOOD),
        PRETTY + b"\n" + OTHER_PRETTY + b"\n",
        PRETTY + OTHER_PRETTY,
        PRETTY + b"\n" + b"".join(GOOD[3:]),
        b"".join(GOOD[:3]) + OTHER_PRETTY,
        ONE + OTHER_PRETTY,
        b"[" + b",".join(GOOD) + b"]",
        b"[\n" + b",\n".join(line.strip() for line in GOOD) + b"\n]\n",
        json.dumps([json.loads(line) for line in GOOD], indent=1).encode(),
        b'{"result":'
        + ONE
        + b"}\n"
        + b'{"batches":'
        + json.dumps(encode_document(SPANS[3:])["resourceSpans"]).encode()
        + b"}",
        b'{"result":\n' + ONE + b"\n}\n" + b"".join(GOOD[3:]),
    ],
    ids=[
        "lines",
        "no last line feed",
        "CRLF",
        "carriage returns alone",
        "blank lines",
        "byte order mark",
        "byte order mark of a second file",
        "zero bytes in front",
        "JSON text sequence",
        "one behind the other",
        "pretty-printed",
        "pretty-printed without a line between",
        "pretty-printed, then lines",
        "lines, then pretty-printed",
        "compact and pretty-printed in a line",
        "list",
        "list over lines",
        "pretty-printed list",
        "wrappers",
        "wrapper over lines",
    ],
)
def test_every_layout_gives_the_same_spans(data: bytes) -> None:
    """However documents are laid out in a file, all spans come out and nothing is reported."""
    spans, problems = read_bytes(data)
    assert fingerprint(spans) == fingerprint(SPANS)
    assert problems == []


def test_a_broken_line_in_the_middle_costs_only_itself() -> None:
    """It is reported with its line number, the lines around it are used."""
    spans, problems = read_bytes(GOOD[0], GOOD[1][:80] + b"\n", GOOD[2])
    assert names(spans) == ["1", "3"]
    assert [(problem.code, problem.line, problem.source) for problem in problems] == [
        ("unreadable_line", 2, "bytes")
    ]
    assert "line 2" in problems[0].message


@pytest.mark.parametrize("cut", range(1, len(GOOD[1]) - 1, 7))
@pytest.mark.parametrize("is_last", [False, True])
def test_a_line_cut_anywhere_costs_only_itself(cut: int, is_last: bool) -> None:
    """In the middle it is unreadable, at the end of the file perhaps only unfinished."""
    lines = [GOOD[0], GOOD[1][:cut]] if is_last else [GOOD[0], GOOD[1][:cut] + b"\n", GOOD[2]]
    spans, problems = read_bytes(*lines)
    assert names(spans) == (["1"] if is_last else ["1", "3"])
    assert [(problem.code, problem.line) for problem in problems] == [
        ("unfinished_line" if is_last else "unreadable_line", 2)
    ]


def test_a_cut_last_line_with_a_line_feed_is_unreadable() -> None:
    """Whoever wrote the line feed had finished with the line."""
    _, problems = read_bytes(GOOD[0], GOOD[1][:80] + b"\n")
    assert codes(problems) == ["unreadable_line"]


def test_a_process_that_died_in_a_line_does_not_cost_what_the_next_one_wrote_behind_it() -> None:
    """A whole document inside a broken line is found again."""
    spans, problems = read_bytes(GOOD[0], GOOD[1][:80], GOOD[2], GOOD[3])
    assert names(spans) == ["1", "3", "4"]
    assert [(problem.code, problem.line) for problem in problems] == [("unreadable_line", 2)]


def test_a_cut_document_is_one_problem() -> None:
    """A pretty-printed document whose end is missing is one thing, not as many as it has lines."""
    spans, problems = read_bytes(PRETTY[:-20])
    assert spans == []
    assert [(problem.code, problem.line) for problem in problems] == [
        ("unfinished_line", 1),
        ("empty_source", None),
    ]


@pytest.mark.parametrize("cut", range(20, len(PRETTY) - 2, 53))
def test_a_document_cut_anywhere_is_unfinished(cut: int) -> None:
    """Inside a string too; nothing in it is damaged."""
    _, problems = read_bytes(PRETTY[:cut])
    assert codes(problems) == ["unfinished_line", "empty_source"]


def test_a_broken_document_costs_only_itself() -> None:
    """What follows a damaged document is read, a document or a line."""
    broken = PRETTY.replace(b'"spanId"', b'"spanId', 1)
    first_line = len(broken.splitlines()) + 1
    spans, problems = read_bytes(broken, b"\n", OTHER_PRETTY, b"\n", GOOD[0])
    assert names(spans) == ["4", "5", "6", "1"]
    assert [(problem.code, problem.line) for problem in problems] == [("unreadable_line", 1)]
    assert f"reaches line {first_line - 1}" in problems[0].message


def test_one_bad_span_of_three_costs_only_itself() -> None:
    """The others of its line are used, and the problem names it."""
    document = encode_document(SPANS[:3])
    document["resourceSpans"][0]["scopeSpans"][0]["spans"][1]["spanId"] = "oops"
    spans, problems = read_bytes(json.dumps(document).encode())
    assert names(spans) == ["1", "3"]
    assert [(problem.code, problem.line) for problem in problems] == [("bad_span", 1)]
    for words in ("'span 2'", "'oops'", TRACE, "line 1"):
        assert words in problems[0].message


def test_an_attribute_that_can_not_be_decoded_costs_only_itself() -> None:
    """The span is used without it, and names it."""
    document = encode_document(SPANS[:1])
    document["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"] = [
        {"key": "langgraph.step", "value": {"intValue": "three"}},
        {"key": "langgraph.node", "value": {"stringValue": "a"}},
    ]
    spans, problems = read_bytes(json.dumps(document).encode())
    assert [(span.attributes, span.unreadable) for span in spans] == [
        ({"langgraph.node": "a"}, ("langgraph.step",))
    ]
    assert problems == []


@pytest.mark.parametrize(
    "line",
    [
        b'{"hello": 1}',
        b"[1, 2]",
        b"3",
        b'"text"',
        b"null",
        b'{"resourceSpans": 5}',
        b'{"resourceSpans": [5]}',
        b'{"resourceSpans":[{"scopeSpans":{}}]}',
        b'{"resourceSpans":[{"scopeSpans":[{"spans":{}}]}]}',
        b'{"resourceSpans":[{"resource":{},"scopespans":[{"spans":[]}]}]}',
        b'{"resourceSpans":[{"scopeSpans":[{"scope":{},"Spans":[{}]}]}]}',
    ],
)
def test_json_that_is_not_otlp_is_told(line: bytes) -> None:
    """Valid JSON of another shape is a problem with its line, not an error."""
    spans, problems = read_bytes(GOOD[0], line + b"\n", GOOD[1])
    assert names(spans) == ["1", "2"]
    assert [(problem.code, problem.line) for problem in problems] == [("not_spans", 2)]


def test_invalid_utf8_costs_only_its_line() -> None:
    """The byte is named."""
    spans, problems = read_bytes(GOOD[0], GOOD[1].replace(b"span 2", b"span \xff"), GOOD[2])
    assert names(spans) == ["1", "3"]
    assert [(problem.code, problem.line) for problem in problems] == [("unreadable_line", 2)]
    assert "no UTF-8" in problems[0].message


@pytest.mark.parametrize(("text", "value"), [("NaN", "nan"), ("-Infinity", "-inf"), ('"Infinity"', "inf")])
def test_numbers_that_only_python_writes_are_read(text: str, value: str) -> None:
    """`json.dumps` writes bare NaN and Infinity, which JSON does not have."""
    line = GOOD[0].replace(
        b'"attributes": []',
        b'"attributes": [{"key": "x", "value": {"doubleValue": ' + text.encode() + b"}}]",
        1,
    )
    spans, problems = read_bytes(line)
    assert [repr(span.attributes["x"]) for span in spans] == [value]
    assert problems == []


def test_half_a_surrogate_pair_is_read() -> None:
    """`json.dumps` writes it, and the rest of the line is worth reading."""
    spans, problems = read_bytes(GOOD[0].replace(b"span 1", b"\\ud83d!"), GOOD[1])
    assert [span.name for span in spans] == ["\ud83d!", "span 2"]
    assert problems == []


@pytest.mark.parametrize("data", [b"", b"\n", b" \r\n\n", BOM])
def test_an_empty_input_is_told(data: bytes) -> None:
    """Nothing but blanks is empty."""
    spans, problems = read_bytes(data)
    assert spans == []
    assert codes(problems) == ["empty_source"]
    assert "is empty" in problems[0].message


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"resourceSpans":[]}\n{}\n', "not a single span"),
        (b'{"resourceLogs":[{}]}\n', "holds logs, not spans"),
        (b'{"resourceMetrics":[{}]}\n{"resourceLogs":[]}\n', "holds logs and metrics, not spans"),
    ],
)
def test_otlp_without_spans_is_told(data: bytes, words: str) -> None:
    """Lines of another signal are no damage; alone they hold nothing to judge."""
    spans, problems = read_bytes(data)
    assert spans == []
    assert codes(problems) == ["empty_source"]
    assert words in problems[0].message


@pytest.mark.parametrize(
    "batch",
    [
        b"{}",
        b'{"resource":{},"schemaUrl":"x"}',
        b'{"scopeSpans":[{"scope":{},"schemaUrl":"x"}],"new":1}',
        b'{"scopeSpans":[{"spans":[],"new":[{}]}]}',
        b'{"new":[],"old":1}',
    ],
)
def test_a_batch_without_spans_is_no_problem(batch: bytes) -> None:
    """A filter may have left nothing in it, and fields of the future are ignored."""
    spans, problems = read_bytes(GOOD[0], b'{"resourceSpans":[' + batch + b"]}\n")
    assert names(spans) == ["1"]
    assert problems == []


def test_other_signals_beside_spans_are_no_problem() -> None:
    """A file may hold several signals; the spans of it are read."""
    spans, problems = read_bytes(b'{"resourceLogs":[{}]}\n', GOOD[0])
    assert names(spans) == ["1"]
    assert problems == []


def make_zip() -> bytes:
    """Return a zip archive with one file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("traces.jsonl", GOOD[0])
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (make_zip(), "zip archive"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "PNG"),
        (gzip.compress(make_zip()), "zip archive"),
        (bytes(range(1, 256)) * 50, "binary data"),
        ("".join(line.decode() for line in GOOD).encode("utf-16"), "UTF-16"),
        ("".join(line.decode() for line in GOOD).encode("utf-16-le"), "UTF-16"),
        (b"\x00 " + PRETTY.decode().encode("utf-16-be"), "UTF-16"),
        ("".join(line.decode() for line in GOOD).encode("utf-32"), "UTF-32"),
        (b"<!DOCTYPE html>\n<html><body>{}\n</body></html>\n", "HTML page"),
        (b"<?xml version='1.0'?><a/>", "XML"),
        (b"trace_id,span_id,name\n1,2,x\n3,4,y\n", "comma-separated"),
        (b"Traceback (most recent call last):\n  File\n[1]\nValueError\n" * 50, "text without JSON"),
        (b"trace not found\n", "'trace not found'"),
        (gzip.compress(b"trace not found\n"), "'trace not found'"),
    ],
)
def test_a_file_of_another_kind_is_one_problem(data: bytes, words: str) -> None:
    """One sentence says what it is, whatever its lines are."""
    spans, problems = read_bytes(data)
    assert spans == []
    assert codes(problems) == ["not_spans"]
    assert words in problems[0].message
    assert problems[0].line is None


@pytest.mark.parametrize(
    "junk", [b"\xff\xfe", b"\x1f\x8b", b"PK\x03\x04", b"\n\x01\x02", b"\x89PNG", b"\x00\x00\x01\x00\n"]
)
def test_a_damaged_line_that_begins_like_another_kind_costs_only_itself(junk: bytes) -> None:
    """A few bytes in front make no image of a file of lines."""
    spans, problems = read_bytes(junk + GOOD[0], GOOD[1])
    assert "2" in names(spans)
    assert set(codes(problems)) <= {"unreadable_line"}


def test_text_before_the_first_document_is_reported_line_by_line() -> None:
    """A program that prints its log into the same file costs nothing but the log."""
    spans, problems = read_bytes(b"INFO starting\nINFO ready\n", GOOD[0])
    assert names(spans) == ["1"]
    assert [(problem.code, problem.line) for problem in problems] == [
        ("unreadable_line", 1),
        ("unreadable_line", 2),
    ]


def test_problems_that_repeat_are_summed_up() -> None:
    """A file with a thousand broken lines gives a list that can be read."""
    spans, problems = read_bytes(GOOD[0], b"broken\n" * 1_000, b'{"a":1}\n' * 1_000, GOOD[1])
    assert names(spans) == ["1", "2"]
    assert len(problems) == 2 * (PROBLEMS_PER_CODE + 1)
    assert [problem.message.partition(" ")[0] for problem in problems[-2:]] == [
        str(1_000 - PROBLEMS_PER_CODE)
    ] * 2


def test_an_overlong_line_is_refused_with_words() -> None:
    """Memory stays bounded; the lines around it are used."""
    long = b'{"resourceSpans":[' + b" " * 5_000 + b"]}\n"
    spans, problems = read_bytes(GOOD[0], long, GOOD[1], max_bytes=2_000)
    assert names(spans) == ["1", "2"]
    assert [(problem.code, problem.line) for problem in problems] == [("unreadable_line", 2)]
    assert "longer than 2,000 bytes" in problems[0].message


def test_an_overlong_document_is_refused_with_words() -> None:
    """A document over many lines counts like a line."""
    long = b'{"resourceSpans":[\n' + b"  {},\n" * 2_000 + b"  {}\n]}\n"
    spans, problems = read_bytes(long, GOOD[0], max_bytes=2_000)
    assert names(spans) == ["1"]
    assert [(problem.code, problem.line) for problem in problems] == [("unreadable_line", 1)]
    assert "longer than 2,000 bytes" in problems[0].message


def test_a_document_nested_without_end_is_refused() -> None:
    """No stack overflows."""
    spans, problems = read_bytes(b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}\n", GOOD[0])
    assert names(spans) == ["1"]
    assert codes(problems) == ["unreadable_line"]
    assert "nested too deeply" in problems[0].message


def test_a_partial_answer_is_not_taken_for_a_whole_one() -> None:
    """What there is of it is read; that it is not all is a problem."""
    answer = {"trace": encode_document(SPANS[:1]), "status": "PARTIAL", "message": "trace exceeds max size"}
    spans, problems = read_bytes(json.dumps(answer).encode())
    assert names(spans) == ["1"]
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", (TRACE,))]
    assert "trace exceeds max size" in problems[0].message


class Pipe(io.RawIOBase):
    """A raw stream whose pieces come one by one, an error among them."""

    def __init__(self, *pieces: bytes | OSError) -> None:
        """Take what comes, in order; then the stream ends."""
        self.pieces = list(pieces)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # the buffer that BufferedReader gives
        """Write the next piece into a buffer."""
        piece = self.pieces.pop(0) if self.pieces else b""
        if isinstance(piece, OSError):
            raise piece
        buffer[: len(piece)] = piece
        return len(piece)


def test_spans_come_before_the_end_of_the_input() -> None:
    """Reading streams: the first span is there while the second line is still to be written."""
    pipe = Pipe(GOOD[0], GOOD[1])
    reading = read_stream(io.BufferedReader(pipe), "pipe", refuse)
    assert next(reading).name == "span 1"
    assert pipe.pieces == [GOOD[1]]


def test_an_input_that_breaks_off_is_an_error() -> None:
    """The operating system's word, in ours; what was yielded before stands."""
    pipe = Pipe(GOOD[0], OSError(5, "Input/output error"))
    reading = read_stream(io.BufferedReader(pipe), "disk", refuse)
    assert next(reading).name == "span 1"
    with pytest.raises(SourceError, match="'disk' can't be read \\(Input/output error\\)"):
        next(reading)


def test_a_file_that_grows_is_read_to_where_it_was(tmp_path: Path) -> None:
    """Faster than it is read, too; a later reading gives the rest, the half of a line that was there among it."""
    path = tmp_path / "live.jsonl"
    path.write_bytes(GOOD[0] + GOOD[1][:60])
    problems: list[SourceProblem] = []
    reading = open_source(path).read_spans(problems.append)
    assert next(reading).name == "span 1"
    with path.open("ab") as file:
        file.write(GOOD[1][60:] + GOOD[2])
    assert names(list(reading)) == ["2"]
    assert names(list(open_source(path).read_spans(refuse))) == ["1", "2", "3"]


@pytest.mark.parametrize(
    "pack",
    [
        lambda data: data,
        pack_zstd,
        lambda data: frame(pack_zstd(data)),
        gzip.compress,
    ],
    ids=["lines", "native zstd", "zstd with lengths", "gzip"],
)
def test_a_live_end_that_is_half_written_is_kept_for_the_next_reading(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """Whole at the first reading or at the second, and never called damaged."""
    path = tmp_path / "live"
    packed = [pack(line) for line in GOOD[:3]]
    path.write_bytes(packed[0] + packed[1] + packed[2][: len(packed[2]) // 2])
    spans, problems = read(path)
    assert names(spans) == ["1", "2"]
    assert set(codes(problems)) == {"unfinished_line"}
    path.write_bytes(b"".join(packed))
    spans, problems = read(path)
    assert names(spans) == ["1", "2", "3"]
    assert problems == []


def test_packed_bytes_are_read_from_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe can't be read twice, and need not be."""
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(frame(pack_zstd(GOOD[0])) + pack_zstd(GOOD[1])))
    )
    spans, problems = read("-")
    assert names(spans) == ["1", "2"]
    assert problems == []


def test_a_packed_stream_is_read_as_it_comes() -> None:
    """The spans of a frame are there while the next one is still to be written."""
    pipe = Pipe(pack_zstd(GOOD[0]), pack_zstd(GOOD[1]))
    reading = read_stream(io.BufferedReader(pipe), "pipe", refuse)
    assert next(reading).name == "span 1"
    assert len(pipe.pieces) == 1


def test_a_packed_input_that_breaks_off_is_an_error() -> None:
    """As one that is not packed."""
    pipe = Pipe(pack_zstd(GOOD[0]), OSError(5, "Input/output error"))
    reading = read_stream(io.BufferedReader(pipe), "disk", refuse)
    with pytest.raises(SourceError, match="'disk' can't be read \\(Input/output error\\)"):
        list(reading)
