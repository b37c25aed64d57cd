"""What an evaluator may answer."""

from __future__ import annotations

import json
import math
from collections import UserDict
from dataclasses import dataclass
from enum import IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.evaluate.judging.answers import Answer, leave_open, read_answers
from tests.missing_api import needs


class _Float32(float):
    """A number of a class of its own, as numpy's float64 is."""


class _Bool:
    """A truth that is no bool, as numpy's is."""

    def __bool__(self) -> bool:
        return True


class _Level(IntEnum):
    HIGH = 3


@dataclass
class _Held:
    text: str


def _read(returned: object) -> Answer:
    [answer] = read_answers("check", returned)
    return answer


@pytest.mark.parametrize(
    ("returned", "verdict", "score", "comment"),
    [
        (True, "pass", True, None),
        (False, "fail", False, "the evaluator check says False"),
        (0.25, "pass", 0.25, None),
        (0, "pass", 0, None),
        (-3, "pass", -3, None),
        (_Float32(0.5), "pass", 0.5, None),
        (_Level.HIGH, "pass", 3, None),
        ({"score": True}, "pass", True, None),
        ({"score": True, "comment": "well done"}, "pass", True, "well done"),
        ({"score": False, "comment": "too long"}, "fail", False, "too long"),
        ({"score": False, "comment": ""}, "fail", False, "the evaluator check says False"),
        ({"score": 0.0, "comment": "poor"}, "pass", 0.0, "poor"),
        ({"score": None, "comment": "no judge"}, "not_evaluated", None, "no judge"),
        ({"score": None, "metadata": {"a": 1}}, "not_evaluated", None, "the evaluator check gave no score"),
        ({"results": True}, "pass", True, None),
        (UserDict(score=False), "fail", False, "the evaluator check says False"),
    ],
)
def test_an_answer_that_can_be_told(
    returned: object, verdict: str, score: float | None, comment: str | None
) -> None:
    """A bool passes or fails, also as a score; a number is kept and decides nothing; None with a reason is none."""
    answer = _read(returned)
    assert (answer.key, answer.verdict, answer.score, answer.comment) == ("check", verdict, score, comment)
    assert type(answer.score) in (bool, int, float, type(None))


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (None, "returned None, which is no verdict: return a bool"),
        ("pass", "returned a value of type str"),
        (math.nan, "returned a number that is not finite"),
        (-math.inf, "returned a number that is not finite"),
        (10**400, "returned a number that is not finite"),
        (_Bool(), f"returned a value of type {__name__}._Bool"),
        (1j, "returned a value of type complex"),
        ([], "returned an empty list"),
        ((), "returned an empty list"),
        ({}, "returned a dict without a score"),
        ({"scores": True}, "returned a dict without a score"),
        ({"score": "yes"}, "returned a value of type str"),
        ({"score": None}, "returned None"),
        ({"score": _Bool()}, "returned a value of type"),
        ({"score": math.nan}, "not finite"),
        ({"score": True, "key": 3}, "returned a dict whose key is no text"),
        ({"score": True, "key": ""}, "returned a dict whose key is no text"),
        ({"score": True, "comment": 3}, "returned a dict whose comment is no text"),
        ({"score": True, "metadata": [1]}, "returned a dict whose metadata is no dict"),
        ([True], "returned a list with a value of type bool"),
        ([None], "returned a list with None"),
        ({"results": []}, "returned an empty list"),
        (iter([True]), "returned a value of type list_iterator"),
        ({True}, "returned a value of type set"),
    ],
)
def test_an_answer_that_is_none(returned: object, words: str) -> None:
    """Whatever else comes back is not evaluated, and the comment says what came back and what may."""
    answer = _read(returned)
    assert (answer.verdict, answer.score) == ("not_evaluated", None)
    assert answer.comment is not None
    assert answer.comment.startswith("the evaluator check returned")
    assert words in answer.comment
    assert answer.metadata == {"verdict": "not_evaluated", "reason": "broken"}


@needs("data frames")
def test_numpy_s_scalars_are_told_apart() -> None:
    """A float of numpy's is a float; its bool and its other numbers are not, and the comment names their type."""
    import numpy as np

    assert _read(np.float64(0.5)).score == 0.5
    for scalar in (np.bool_(True), np.float32(0.5), np.int64(1)):
        answer = _read(scalar)
        assert answer.verdict == "not_evaluated"
        assert f"numpy.{type(scalar).__name__}" in (answer.comment or "")


@pytest.mark.parametrize("wrap", [list, tuple, lambda dicts: {"results": dicts}])
def test_several_answers_are_several_verdicts(wrap: type[list[object]]) -> None:
    """A list of dicts, bare or as LangSmith's evaluators give it, keeps its order and keys; a wrong one is told alone."""
    answers = read_answers(
        "check", wrap([{"key": "a", "score": True}, {"key": "b", "score": 0.5}, 3, {"score": False}])
    )
    assert [(each.key, each.verdict) for each in answers] == [
        ("a", "pass"),
        ("b", "pass"),
        ("check", "not_evaluated"),
        ("check", "fail"),
    ]


def test_metadata_is_rendered() -> None:
    """Metadata may hold anything; what stands in the report is JSON."""
    answer = _read({"score": True, "metadata": {"held": _Held("x"), 3: {4}, "nan": math.nan}})
    assert answer.metadata is not None
    assert json.loads(json.dumps(answer.metadata, allow_nan=False)) == answer.metadata
    assert answer.metadata["held"] == {"text": "x"}


def test_a_long_comment_is_cut_and_says_so() -> None:
    """A comment is at most 2,048 bytes, as those of references are, and has a UTF-8 form."""
    answer = _read({"score": False, "comment": "\ud800" + "\u00e9" * 5_000})
    assert answer.comment is not None
    assert len(answer.comment.encode()) <= 2_048
    assert "[otel_traj cut: " in answer.comment


def test_what_is_left_open_has_its_reason() -> None:
    """The reason is a word in the metadata, with the type of what was raised where something was."""
    answer = leave_open("check", "broken", "words", error_type="KeyError")
    assert (answer.verdict, answer.score, answer.comment) == ("not_evaluated", None, "words")
    assert answer.metadata == {"verdict": "not_evaluated", "reason": "broken", "error_type": "KeyError"}


_LEAVES = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5)
_KEYS = st.sampled_from(["score", "key", "comment", "metadata", "results", "other"])


@given(
    st.recursive(
        _LEAVES,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
        max_leaves=8,
    )
)
def test_any_answer_ends_in_verdicts(returned: object) -> None:
    """Whatever is returned gives at least one verdict whose word and score agree, and that is JSON."""
    answers = read_answers("check", returned)
    assert answers
    for answer in answers:
        says = {"fail": answer.score is False, "not_evaluated": answer.score is None}
        assert says.get(answer.verdict, answer.score is True or not isinstance(answer.score, bool | None))
        assert answer.verdict == "pass" or answer.comment
        json.dumps([answer.score, answer.comment, answer.metadata], allow_nan=False)
