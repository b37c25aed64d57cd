"""What a user's own evaluator may answer, and what each answer comes to.

A bool passes or fails, and so does one that is the score of a dict: in the four keys that our own matchers return, in
a list of such, or under `results` as LangSmith's evaluators answer. A number is kept and decides nothing: where a line
between good and bad is to be drawn, the evaluator draws it. Everything else is no verdict on the agent, and is never
turned into one: not None, which a function returns that forgot to, not a text, not what is no number, and no scalar
of numpy, whose truth is not always a bool.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from otel_traj.byte_cap import cap_text
from otel_traj.evaluate.judging.verdict import VerdictWord
from otel_traj.match.explain.comment import MAX_COMMENT_BYTES
from otel_traj.match.names import show_name
from otel_traj.rendering import clean_text, render

__all__ = ["Answer", "leave_open", "read_answers"]

_ALLOWED: Final = (
    "return a bool, a number, or a dict with a score (and key, comment, metadata), or a list of such dicts"
)


class Answer(Struct, frozen=True, kw_only=True):
    """One verdict of an evaluator, before it is known what it is about."""

    key: str
    verdict: VerdictWord
    score: bool | float | None
    comment: str | None
    metadata: dict[str, Any] | None


def read_answers(name: str, returned: object) -> list[Answer]:
    """Return what an evaluator answered, at least one answer.

    Args:
        name: Of the evaluator: the key of an answer that has none.
        returned: What it returned.
    """
    if isinstance(returned, Mapping) and "score" not in returned and "results" in returned:
        returned = returned["results"]
    if isinstance(returned, list | tuple):
        if not returned:
            return [_refuse(name, "returned an empty list")]
        return [
            _read_dict(name, each)
            if isinstance(each, Mapping)
            else _refuse(name, _say_type(each, "a list with"))
            for each in returned
        ]
    if isinstance(returned, Mapping):
        return [_read_dict(name, returned)]
    return [_read_score(name, returned, None, None)]


def leave_open(key: str, reason: str, comment: str, *, error_type: str | None = None) -> Answer:
    """Return the answer where nothing can be said.

    Args:
        key: Of the answer.
        reason: Why, in a word.
        comment: Why, in a sentence.
        error_type: Name of the type of what was raised.
    """
    metadata: dict[str, Any] = {"verdict": "not_evaluated", "reason": reason}
    if error_type is not None:
        metadata["error_type"] = error_type
    return Answer(key=key, verdict="not_evaluated", score=None, comment=comment, metadata=metadata)


def _refuse(name: str, found: str) -> Answer:
    return leave_open(
        name, "broken", f"the evaluator {show_name(name)} {found}, which is no verdict: {_ALLOWED}"
    )


def _say_type(value: object, within: str = "") -> str:
    if value is None:
        return " ".join(filter(None, ["returned", within, "None"]))
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return " ".join(
        filter(None, ["returned", within, f"a value of type {show_name(module + kind.__qualname__)}"])
    )


def _read_dict(name: str, answer: Mapping[object, object]) -> Answer:
    key, comment, metadata = answer.get("key"), answer.get("comment"), answer.get("metadata")
    if "score" not in answer:
        return _refuse(name, "returned a dict without a score")
    if key is not None and not (isinstance(key, str) and key):
        return _refuse(name, "returned a dict whose key is no text")
    if comment is not None and not isinstance(comment, str):
        return _refuse(name, "returned a dict whose comment is no text")
    if metadata is not None and not isinstance(metadata, Mapping):
        return _refuse(name, "returned a dict whose metadata is no dict")
    rendered = None if metadata is None else render(metadata)
    return _read_score(
        name if key is None else clean_text(key),
        answer["score"],
        None if not comment else cap_text(clean_text(comment), MAX_COMMENT_BYTES),
        rendered if isinstance(rendered, dict) else None,
    )


def _read_score(key: str, score: object, comment: str | None, metadata: dict[str, Any] | None) -> Answer:
    if isinstance(score, bool):
        if score:
            return Answer(key=key, verdict="pass", score=True, comment=comment, metadata=metadata)
        return Answer(
            key=key,
            verdict="fail",
            score=False,
            comment=comment or f"the evaluator {show_name(key)} says False",
            metadata=metadata or {"verdict": "fail"},
        )
    if isinstance(score, int | float):
        number = _read_number(score)
        if number is None:
            return _refuse(key, "returned a number that is not finite")
        return Answer(key=key, verdict="pass", score=number, comment=comment, metadata=metadata)
    if score is None and (comment or metadata):
        words = f"the evaluator {show_name(key)} gave no score"
        return Answer(
            key=key,
            verdict="not_evaluated",
            score=None,
            comment=comment or words,
            metadata=metadata or {"verdict": "not_evaluated", "reason": "no_score"},
        )
    return _refuse(key, _say_type(score))


def _read_number(score: float) -> int | float | None:
    """Return the plain number that a score is, whatever class it has; None where it has no finite value."""
    try:
        number = float(score)
    except (OverflowError, ValueError):
        return None
    if not math.isfinite(number):
        return None
    return int(score) if isinstance(score, int) else number
