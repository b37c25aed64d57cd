"""What is said of data that hold no spans, alone or beside some that do."""

from __future__ import annotations

import gzip
import io
import zipfile

import pytest

from tests.sources.files.numbered_spans import BOM, GOOD, PRETTY, names
from tests.sources.reading import codes, read_bytes


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
        (gzip.compress(b"trace not found\n", mtime=0), "'trace not found'"),
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
