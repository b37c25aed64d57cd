"""Single model calls: which tools the k-th model call of a run chose.

Calls are counted over the run's own depth: by superstep, then in the order of their tasks, then by start, as
`Run.model_calls` lists them. What a call chose is a multiset: providers give parallel calls in any order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError
from otel_traj.match.compare.step_match import compare_entries
from otel_traj.match.inputs import is_list
from otel_traj.match.levels import CalledTool
from otel_traj.match.names import show_superstep
from otel_traj.match.reference.name_patterns import read_entry
from otel_traj.match.reference.tool_patterns import doubt, prepare_entry, read_tool
from otel_traj.match.values_in_words import describe_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.step_match import StepDifference
    from otel_traj.match.reference.name_patterns import Entry
    from otel_traj.match.values.arguments import ArgsRules
    from otel_traj.model import ModelCall, Run

__all__ = ["ModelCallReference", "UnknownChoice", "WrongChoice", "check_model_calls", "read_model_calls"]


@dataclass(frozen=True, slots=True)
class ModelCallReference:
    """What one model call should choose."""

    nth: int
    """Which call of the run, from 1."""
    chooses: tuple[Entry, ...]
    """The whole multiset of its tool calls; empty: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongChoice:
    """A model call that chose something else."""

    nth: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    superstep: int | None
    """The superstep of the call, by the run's own numbers; None where there is no such call."""
    span_id: str
    text: str
    """One line."""
    may_recover: bool
    """Whether a run that waits may still make the call."""


@dataclass(frozen=True, slots=True)
class UnknownChoice:
    """A model call of which nobody can tell what it chose."""

    text: str


def read_model_calls(value: object, where: str, args: ArgsRules) -> tuple[ModelCallReference, ...]:
    """Read the `model_calls` of a reference.

    Args:
        value: A list of mappings with `nth` and `chooses`.
        where: The place, for the message.
        args: How arguments are compared that say nothing themselves.

    Raises:
        TrajectoryTypeError: Something of another type.
        InvalidReferenceError: No call at all, an unknown or missing key, or the same call twice.
    """
    if not is_list(value):
        raise TrajectoryTypeError(
            f"{where} is {describe_value(value)}: single calls are listed. Write a list of mappings with nth and chooses."
        )
    if not value:
        raise InvalidReferenceError(
            f"{where} is empty: every run would pass. Write what a call chooses, or leave it out."
        )
    calls = tuple(_read_call(entry, f"{where}[{at}]", args) for at, entry in enumerate(value))
    numbers = [call.nth for call in calls]
    twice = next((number for number in numbers if numbers.count(number) > 1), None)
    if twice is not None:
        raise InvalidReferenceError(
            f"{where} has nth {twice} twice: one call can't choose two things. Keep one."
        )
    return calls


def check_model_calls(run: Run, wanted: Sequence[ModelCallReference]) -> list[WrongChoice | UnknownChoice]:
    """Return the model calls of a run that did not choose what they should, or of which nobody can tell.

    Args:
        run: A complete run.
        wanted: What is expected.
    """
    own = {task.task_id for task in run.tasks}
    calls = [call for call in run.model_calls if call.task_id in own]
    found = (_check_call(calls, each) for each in wanted)
    return [each for each in found if each is not None]


def _check_call(calls: Sequence[ModelCall], wanted: ModelCallReference) -> WrongChoice | UnknownChoice | None:
    if wanted.nth > len(calls):
        return _say_no_call(wanted, len(calls))
    call = calls[wanted.nth - 1]
    if call.tool_calls is None:
        return UnknownChoice(f"what model call {wanted.nth} chose was not recorded")
    chosen = tuple(CalledTool(each.name, tool=each.name, args=each.args) for each in call.tool_calls)
    difference = compare_entries(wanted.chooses, chosen)
    if difference.missing or difference.extra:
        return _say_wrong(wanted, call, chosen, difference)
    doubted = compare_entries(wanted.chooses, doubt(chosen))
    if doubted.missing or doubted.extra:
        return UnknownChoice(
            f"model call {wanted.nth}: {'; '.join(doubted.reasons) or 'arguments were not recorded'}"
        )
    return None


def _say_no_call(wanted: ModelCallReference, count: int) -> WrongChoice:
    shown = tuple(map(str, wanted.chooses))
    made = {0: "no model call", 1: "1 model call"}.get(count, f"{count} model calls")
    text = f"model call {wanted.nth}: expected {show_superstep(shown)}, the run made {made}"
    return WrongChoice(
        nth=wanted.nth, missing=shown, extra=(), superstep=None, span_id="", text=text, may_recover=True
    )


def _say_wrong(
    wanted: ModelCallReference, call: ModelCall, chosen: Sequence[str], difference: StepDifference
) -> WrongChoice:
    expected, seen = show_superstep(tuple(map(str, wanted.chooses))), show_superstep(chosen)
    reasons = "".join(f"; {reason}" for reason in difference.reasons)
    return WrongChoice(
        nth=wanted.nth,
        missing=difference.missing,
        extra=difference.extra,
        superstep=call.superstep,
        span_id=call.span_id,
        text=f"model call {wanted.nth}: expected {expected}, chose {seen}{reasons}",
        may_recover=False,
    )


def _read_call(entry: object, where: str, args: ArgsRules) -> ModelCallReference:
    if not isinstance(entry, Mapping):
        raise TrajectoryTypeError(
            f"{where} is {describe_value(entry)}: a model call is a mapping. Write one with nth and chooses."
        )
    unknown = [key for key in entry if key not in ("nth", "chooses")]
    if unknown or "chooses" not in entry or "nth" not in entry:
        raise InvalidReferenceError(
            f"{where} has the keys {list(entry)!r}: it needs nth and chooses. Write both."
        )
    nth, chooses = entry["nth"], entry["chooses"]
    if not isinstance(nth, int) or isinstance(nth, bool) or nth < 1:
        raise InvalidReferenceError(
            f"nth of {where} is {describe_value(nth)}: calls are counted from 1. Write a whole number."
        )
    if not is_list(chooses):
        raise TrajectoryTypeError(
            f"chooses of {where} is {describe_value(chooses)}: it lists tool calls. Write a list; [] for none."
        )
    entries = [
        read_tool(each, f"chooses[{at}] of {where}")
        if isinstance(each, Mapping)
        else read_entry(each, f"chooses[{at}] of {where}")
        for at, each in enumerate(chooses)
    ]
    return ModelCallReference(nth, tuple(prepare_entry(each, args) for each in entries))
