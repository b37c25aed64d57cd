"""A reference as the plain data that stand for it in a file: the counterpart of reading one.

What has its default is left out, and a superstep of one name is that name alone, as somebody would write it. What a
program can hold and a file can't, a callable or a pattern of the user's own, is refused: left out, the reference would
expect something else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from otel_traj.errors import InvalidReferenceError
from otel_traj.evaluate.references.form_steps import form_args_rule, form_entry, form_steps
from otel_traj.evaluate.references.reference import (
    JUDGED_STATUSES,
    AppliesTo,
    ExpectedResults,
    ExpectedThread,
    Reference,
)
from otel_traj.match.values_in_words import describe_value

if TYPE_CHECKING:
    from otel_traj.match import ArgsMode, Rules

__all__ = ["form_reference"]

_DEFAULTS: Final = Reference(name="defaults")
_OPTIONS: Final = ("level", "depth", "trajectory_mode", "step_mode", "duplicates")
_ENTRIES: Final = ("forbidden", "required")
_GROUPS: Final = ("before", "follows", "same_step")
_VISITS: Final = ("max_visits", "min_visits")


def form_reference(reference: Reference) -> dict[str, object]:
    """Return a reference as a map of a reference file, keys in the order in which they are best read.

    Args:
        reference: Any that can be compared with.

    Raises:
        InvalidReferenceError: It holds what no file can hold.
    """
    form: dict[str, object] = {"name": reference.name}
    if reference.applies_to != _DEFAULTS.applies_to:
        form["applies_to"] = _form_applies_to(reference.applies_to)
    for option in _OPTIONS:
        if getattr(reference, option) != getattr(_DEFAULTS, option):
            form[option] = getattr(reference, option)
    if reference.status != _DEFAULTS.status:
        form["status"] = "any" if reference.status == JUDGED_STATUSES else list(reference.status)
    if reference.ignore != _DEFAULTS.ignore:
        form["ignore"] = [form_entry(entry) for entry in reference.ignore]
    if reference.args != _DEFAULTS.args:
        form["args"] = _form_args(reference.args)
    form |= _form_expected(reference)
    if reference.source:
        form["source"] = list(reference.source)
    return form


def _form_applies_to(applies_to: AppliesTo) -> dict[str, object]:
    named = {key: getattr(applies_to, key) for key in ("graph", "case", "thread", "inputs")}
    form = {key: value for key, value in named.items() if value is not None}
    if applies_to.tags:
        form["tags"] = list(applies_to.tags)
    if applies_to.attributes:
        form["attributes"] = applies_to.attributes
    return form


def _form_args(args: ArgsMode) -> object:
    if isinstance(args, Mapping):
        return {name: form_args_rule(rule) for name, rule in args.items()}
    return form_args_rule(args)


def _form_expected(reference: Reference) -> dict[str, object]:
    form: dict[str, object] = {}
    if reference.steps is not None:
        form["steps"] = form_steps(reference.steps)
    if reference.any_of is not None:
        form["any_of"] = [form_steps(way) for way in reference.any_of]
    if reference.rules is not None:
        form["rules"] = _form_rules(reference.rules)
    if reference.results is not None:
        form["results"] = _form_results(reference.results)
    if reference.model_calls is not None:
        form["model_calls"] = [_form_model_call(call) for call in reference.model_calls]
    if reference.thread is not None:
        form["thread"] = _form_thread(reference.thread)
    return form


def _form_rules(rules: Rules) -> dict[str, object]:
    form: dict[str, object] = {rule: _form_entries(getattr(rules, rule)) for rule in _ENTRIES}
    form |= {rule: [_form_entries(group) for group in getattr(rules, rule)] for rule in _GROUPS}
    form |= {rule: _form_visits(getattr(rules, rule)) for rule in _VISITS}
    said = {rule: value for rule, value in form.items() if value}
    return said if rules.max_supersteps is None else {**said, "max_supersteps": rules.max_supersteps}


def _form_entries(entries: Sequence[object]) -> list[object]:
    return [form_entry(entry) for entry in entries]


def _form_visits(visits: Mapping[object, int]) -> object:
    """A map where all are names; a pattern can't be the key of one, so then pairs."""
    if all(isinstance(entry, str) for entry in visits):
        return dict(visits)
    return [[form_entry(entry), number] for entry, number in visits.items()]


def _form_results(results: ExpectedResults) -> dict[str, object]:
    if not isinstance(results.mode, str):
        raise InvalidReferenceError(
            f"the mode of results is {describe_value(results.mode)}: a reference file holds no code. Take one of exact,"
            f" subset, superset."
        )
    mode = {} if results.mode == "exact" else {"mode": results.mode}
    return {**mode, "value": results.value}


def _form_model_call(call: Mapping[str, object]) -> dict[str, object]:
    chooses = call["chooses"]
    return {
        "nth": call["nth"],
        "chooses": _form_entries(chooses) if isinstance(chooses, Sequence) else chooses,
    }


def _form_thread(thread: ExpectedThread) -> dict[str, object]:
    return {"mode": thread.mode, "runs": list(thread.runs)}
