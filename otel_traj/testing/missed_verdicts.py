"""Verdicts that are no pass, as the message of an assertion: each with its explanation, superstep by superstep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.errors import NotEvaluatedError
from otel_traj.report.escape import escape, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.evaluate import Verdict

__all__ = ["describe_missed", "raise_missed"]


def describe_missed(verdicts: Sequence[Verdict]) -> str:
    """Return what the verdicts say that are no pass, each in a paragraph; empty where all passed."""
    return "\n\n".join("\n".join(_list_lines(each)) for each in verdicts if each.verdict != "pass")


def raise_missed(verdicts: Sequence[Verdict]) -> None:
    """Raise where not every verdict is a pass.

    Raises:
        AssertionError: Some verdict is a fail.
        NotEvaluatedError: None is, but some run could not be judged.
    """
    __tracebackhide__ = True
    text = describe_missed(verdicts)
    if any(each.verdict == "fail" for each in verdicts):
        raise AssertionError(text)
    if text:
        raise NotEvaluatedError(text)


def _list_lines(verdict: Verdict) -> Iterator[str]:
    metadata = verdict.metadata or {}
    head = "NOT EVALUATED" if verdict.verdict == "not_evaluated" else "FAIL"
    head = f"{head} {escape(verdict.key)}"
    if verdict.reference is not None:
        head += f", reference {shorten(verdict.reference)}"
    if verdict.reference is not None and len(verdict.runs) == 1:
        head += "".join(
            f", {word} {shorten(value)}"
            for word, value in (("graph", verdict.runs[0].graph), ("case", verdict.runs[0].case))
            if value is not None
        )
    if "trajectory_mode" in metadata:
        head += f" ({metadata['trajectory_mode']}, {metadata['step_mode']})"
    edits = metadata.get("edits")
    if edits is not None:
        head += f": {edits} edit{'' if edits == 1 else 's'}, fitness {metadata.get('fitness')}"
    yield head
    yield from (f"  {escape(line)}" for line in (verdict.comment or "").splitlines())
