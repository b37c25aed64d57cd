from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.match.names import join_names, list_names, show_name, show_superstep
from tests.match.judging import explained, judge, make_run


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("node4", "node4"),
        ("my node", "my node"),
        ("sub/inner", "sub/inner"),
        ("model*:|>", "model*:|>"),
        ("Knoten_ä_节点", "Knoten_ä_节点"),
        ("red\x1b[31m", '"red\\x1b[31m"'),
        ("two\nlines", '"two\\nlines"'),
        ("right\u202eleft", '"right\\u202eleft"'),
        ("iso\u2067late\u2069", '"iso\\u2067late\\u2069"'),
        ("zero\u200bwidth", '"zero\\u200bwidth"'),
        ("next\u2028line", '"next\\u2028line"'),
        ("lone\ud800", '"lone\\ud800"'),
        ("tag\U000e0041", '"tag\\U000e0041"'),
        ("nul\x00", '"nul\\x00"'),
        ("a, b", '"a, b"'),
        ("a}; missing b", '"a}; missing b"'),
        ('say "x"', '"say \\"x\\""'),
        ("back\\slash", '"back\\\\slash"'),
        (" space ", '" space "'),
        ("worker x40", '"worker x40"'),
        ("30 more", '"30 more"'),
        ("and", '"and"'),
        ("a and b", '"a and b"'),
        ("superstep 1: got", '"superstep 1: got"'),
        ("b ran in superstep 2", '"b ran in superstep 2"'),
        ("run: ok", '"run: ok"'),
        ("Research and Writing", '"Research and Writing"'),
        ("android", "android"),
        ("get missing_data", "get missing_data"),
        ("expected", "expected"),
        ("x40", "x40"),
        ("worker x", "worker x"),
    ],
)
def test_plain_names_stay_and_others_are_quoted_and_escaped(name: str, shown: str) -> None:
    """What could steer a terminal, turn a text or forge our sentence is escaped or quoted; the rest is as it is."""
    assert show_name(name) == shown


@given(st.text(min_size=1), st.text(min_size=1))
def test_no_comment_holds_a_character_that_acts(expected: str, actual: str) -> None:
    """Whatever the names, every line of a comment is printable and encodes as UTF-8."""
    comment = judge([[expected]], [[actual, "x"]])["comment"]
    assert comment is not None
    assert comment.encode()
    for character in comment.replace("\n", ""):
        assert unicodedata.category(character)[0] != "C"
        assert character.isprintable()


def test_hostile_names_are_whole_in_the_metadata() -> None:
    """The metadata carries names as they are: they are data there."""
    hostile = "a\x1b[2J\u202e"
    result = judge([["b"]], [[hostile]])
    metadata = explained(result)
    assert metadata["ops"][0]["extra"] == [hostile]
    assert metadata["actual"] == [[[hostile]]]
    assert result["comment"] == (
        'superstep 1: expected {b}, got {"a\\x1b[2J\\u202e"}; missing b; extra "a\\x1b[2J\\u202e"'
    )


def test_hints_and_statuses_escape_names_too() -> None:
    """Names are escaped in hints, in the status line and in the reason for waiting."""
    bad = "\x1b[31m"
    assert '"\\x1b[31m" and b ran one after' in str(judge([[bad, "b"]], [[bad], ["b"]])["comment"])
    failed = make_run([[bad]], status="error", ended={bad: "error"}, error_type="E\x1b")
    assert judge([[bad]], failed)["comment"] == 'run ended in error at "\\x1b[31m" ("E\\x1b")'
    waiting = make_run([[bad], ["__interrupt__"]], status="interrupted", ended={bad: "interrupted"})
    assert judge([[bad], ["z"]], waiting)["comment"] == 'waiting at "\\x1b[31m"'


def test_long_names_are_shortened_in_text() -> None:
    """A name longer than 80 characters ends in three dots."""
    assert show_name("n" * 80) == "n" * 80
    assert show_name("n" * 81) == "n" * 77 + "..."


def test_lists_of_names() -> None:
    """Lists read as sentences, and long ones say how many more there are."""
    many = [f"n{index}" for index in range(12)]
    assert list_names(["a", "b"]) == "a, b"
    assert join_names(["a"]) == "a"
    assert join_names(["a", "b", "c"]) == "a, b and c"
    assert join_names(many) == "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 2 more"
    assert show_superstep([]) == "{}"


def test_more_than_three_alike_in_a_row_are_counted() -> None:
    """A wide fan-out reads `w x4`; fewer stand one by one, and so do others between."""
    assert list_names(["w"] * 3) == "w, w, w"
    assert list_names(["w"] * 4) == "w x4"
    assert join_names(["a", *["w"] * 40]) == "a and w x40"
    assert show_superstep(["a, b"] * 4) == '{"a, b" x4}'
    assert show_superstep(["w", "v"] * 3) == "{w, v, w, v, w, v}"
    assert show_superstep(["w"] * 40 + [f"n{index}" for index in range(12)]) == (
        "{w x40, n0, n1, n2, n3, n4, n5, n6, n7, n8, 3 more}"
    )


@given(*[st.lists(st.sampled_from(["w", "w x4", "4 more", "x4", "v"]), max_size=9)] * 2)
def test_different_supersteps_never_look_alike(one: list[str], other: list[str]) -> None:
    """Folding keeps different lists of names different, also where a name looks folded itself."""
    assert (show_superstep(one) == show_superstep(other)) is (one == other)
