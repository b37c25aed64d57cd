"""Text made to cost much: what it costs stays bounded, and what is refused is refused with words."""

from __future__ import annotations

import tracemalloc

import pytest

from otel_traj.sources.files import json_text, text_records, unpacking
from otel_traj.sources.files.json_scanner import JsonScanner
from tests.sources.files.numbered_spans import GOOD, names
from tests.sources.packing import pack_zstd
from tests.sources.reading import codes, read_bytes


@pytest.mark.parametrize(
    ("head", "filling", "tail"),
    [
        (b'{"resourceSpans":[', b"{},", b"{}]}\n"),
        (b'{"resourceSpans":[{"scopeSpans":[{"spans":[', b"0,", b"0]}]}]}\n"),
        (b"[", b"[],", b"[]]\n"),
    ],
    ids=["empty batches", "numbers for spans", "empty lists"],
)
def test_a_document_of_very_many_values_is_refused_with_words(
    head: bytes, filling: bytes, tail: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few bytes each in the file become a hundred in memory; the lines around it are used."""
    monkeypatch.setattr(json_text, "MAX_VALUES", 5_000)
    spans, problems = read_bytes(GOOD[0], head, filling * 5_000, tail, GOOD[1])
    assert names(spans) == ["1", "2"]
    assert [(problem.code, problem.line) for problem in problems] == [("unreadable_line", 2)]
    assert "more than 5,000 values" in problems[0].message


def test_many_commas_in_texts_are_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model's long answers are full of them."""
    monkeypatch.setattr(json_text, "MAX_VALUES", 5_000)
    assert isinstance(json_text.parse_json(b'{"a":"' + b'{[,\\",' * 5_000 + b'"}'), dict)
    with pytest.raises(json_text.TooManyValuesError, match="5,000 values"):
        json_text.parse_json(b"[" + b"1," * 5_000 + b"1]")
    assert len(str(json_text.parse_json(b"[" + b"1," * 4_990 + b"1]"))) > 4_990


def test_a_line_of_very_many_strings_is_scanned_in_little_memory() -> None:
    """As many bytes as it has, not two objects for each string."""
    data = b'{"a":' * 200_000 + b"\n"
    scanner = JsonScanner()
    tracemalloc.start()
    try:
        assert scanner.find_end(data) is None
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert scanner.depth == 200_000
    assert peak < 12 * len(data)


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
        (given_up,) = (problem for problem in problems if problem.code == "not_spans")
        assert "more than 500 parts in a row are no whole JSON; what follows is not read" in given_up.message
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


def test_frames_without_number_that_are_damaged_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each costs a search for the next; reading ends with words."""
    monkeypatch.setattr(unpacking, "_MAX_DAMAGED", 100)
    spans, problems = read_bytes(pack_zstd(GOOD[0]), b"\x28\xb5\x2f\xfd" * 300, pack_zstd(GOOD[1]))
    assert names(spans) == ["1"]
    (given_up,) = (problem for problem in problems if problem.code == "not_spans")
    assert "100 frames and more are damaged; what follows is not read" in given_up.message
