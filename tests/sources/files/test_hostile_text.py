"""Text made to cost much: what it costs stays bounded, and what is refused is refused with words."""

from __future__ import annotations

import tracemalloc

import pytest

from otel_traj.sources.files import text_records
from otel_traj.sources.files.json_text import MAX_VALUES, NotJsonError, TooManyValuesError, parse_json
from tests.sources.files.numbered_spans import GOOD, names
from tests.sources.reading import codes, read_bytes

ROOM = 64 * 2**20


def measure(*parts: bytes) -> tuple[list[str], list[str], int]:
    """Return the names of the spans, the messages of the problems, and the peak of memory taken meanwhile."""
    data = b"".join(parts)
    tracemalloc.start()
    try:
        spans, problems = read_bytes(data, max_bytes=len(data))
        return names(spans), [problem.message for problem in problems], tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("head", "filling", "tail"),
    [
        (b'{"resourceSpans":[', b"{},", b"{}]}\n"),
        (b'{"resourceSpans":[{"scopeSpans":[{"spans":[', b"0,", b"0]}]}]}\n"),
        (b"[", b"[],", b"[]]\n"),
        (b"", b'{"a":', b"\n"),
    ],
    ids=["empty batches", "numbers for spans", "empty lists", "nested"],
)
def test_a_document_of_very_many_values_is_refused_with_words(
    head: bytes, filling: bytes, tail: bytes
) -> None:
    """A few bytes each in the file and a hundred in memory; the lines around it are used."""
    found, said, peak = measure(GOOD[0], head, filling * (MAX_VALUES + 1), tail, GOOD[1])
    assert found == ["1", "2"]
    assert len(said) == 1
    assert ("more than 4,000,000 values" in said[0]) or head == b""
    assert peak < len(filling) * MAX_VALUES * 4 + ROOM


def test_many_commas_in_texts_are_no_values() -> None:
    """A model's long answers are full of them."""
    text = b'{"a":"' + b'{[,\\",' * (MAX_VALUES // 4) + b'"}'
    assert isinstance(parse_json(text), dict)
    with pytest.raises(TooManyValuesError, match="4,000,000 values"):
        parse_json(b"[" + b"1," * MAX_VALUES + b"1]")
    assert issubclass(TooManyValuesError, NotJsonError)


@pytest.mark.parametrize(
    "line", [b"{\n", b'{"a":\n', b"x\n", b"{x}\n", b"}\n", b'"\n', b"{1\n", b"x {\n"], ids=repr
)
def test_lines_without_number_that_are_no_json_are_given_up(
    line: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where each costs a search for what it may begin, reading ends with words; others cost next to nothing."""
    monkeypatch.setattr(text_records, "_MAX_BROKEN", 500)
    spans, problems = read_bytes(GOOD[0], line * 2_000, GOOD[1], GOOD[2])
    if b"{" in line:
        assert names(spans) == ["1"]
        assert "what follows is not read" in problems[-2].message
        assert problems[-2].line is not None
        assert problems[-2].line < 1_200
    else:
        assert names(spans) == ["1", "2", "3"]
        assert "1980 more of the kind 'unreadable_line', the last at line 2001" in problems[-1].message


def test_lines_of_a_log_between_documents_end_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is broken in a row counts."""
    monkeypatch.setattr(text_records, "_MAX_BROKEN", 500)
    log = b"2026-11-30 INFO started {x}\nplain\n" * 400
    spans, _ = read_bytes(GOOD[0], log, GOOD[1], log, GOOD[2])
    assert names(spans) == ["1", "2", "3"]


def test_values_alone_on_their_lines_are_called_what_they_are() -> None:
    """They are JSON, and no spans."""
    _, problems = read_bytes(GOOD[0], b'5\n-1.5e3\ntrue\n"a"\nnull\noops\n')
    assert codes(problems) == ["not_spans"] * 5 + ["unreadable_line"]
    assert [problem.line for problem in problems] == [2, 3, 4, 5, 6, 7]
    assert "begins 'oops'" in problems[-1].message


@pytest.mark.parametrize(
    "data",
    [
        b"[" + b",\n".join(line.strip() for line in GOOD) + b",\n]\n",
        b"[\n" + b",\n".join(line.strip() for line in GOOD) + b",\n]\n",
        b"[" + b",".join(line.strip() for line in GOOD) + b",]",
    ],
    ids=["over lines", "over lines of its own", "one line"],
)
def test_a_comma_behind_the_last_of_a_list_costs_nothing(data: bytes) -> None:
    """Whoever writes a list piece by piece leaves it there."""
    spans, problems = read_bytes(data, b"\n", GOOD[0])
    assert names(spans) == ["1", "2", "3", "4", "5", "6", "1"]
    assert problems == []


def test_one_broken_document_of_a_list_costs_only_itself() -> None:
    """The list is no JSON then, but its other members are."""
    spans, problems = read_bytes(b"[\n" + GOOD[0] + b",\n{oops},\n" + GOOD[1] + b"]\n" + GOOD[2])
    assert names(spans) == ["1", "2", "3"]
    assert [(problem.code, problem.line) for problem in problems] == [("unreadable_line", 4)]
