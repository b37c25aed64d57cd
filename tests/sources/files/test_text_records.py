"""Lines and documents of text, however they are laid out, and what a broken one costs."""

from __future__ import annotations

import json

import pytest

from otel_traj.sources.problems import PROBLEMS_PER_CODE
from tests.sources.encoding import encode_document
from tests.sources.files.numbered_spans import BOM, GOOD, ONE, OTHER_PRETTY, PRETTY, SPANS, TRACE, names
from tests.sources.reading import codes, fingerprint, read_bytes


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
