"""Supersteps, entries and rules for arguments as the plain data that stand for them in a reference file.

Not what the engine puts into metadata (`match.reference.written`): there both sides of an explanation read alike, and
modes are left out; here nothing is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from otel_traj.errors import InvalidReferenceError
from otel_traj.match import Any, ArgsMatch, Gap, Glob, OneOf, ReferenceStep, Regex, Repeat, Tool
from otel_traj.match.reference.reference import list_row
from otel_traj.match.reference.tool_patterns import read_tool
from otel_traj.match.values_in_words import describe_value

__all__ = ["form_args_rule", "form_entry", "form_steps"]


def form_steps(steps: Sequence[object]) -> list[object]:
    """Return supersteps, and what stands in place of one, as a list of a reference file.

    Args:
        steps: As `graph_trajectory_match` takes them.

    Raises:
        InvalidReferenceError: One holds what no file can hold.
    """
    return [_form_step(step) for step in steps]


def form_entry(entry: object) -> object:
    """Return an entry of a superstep or rule as it stands in a reference file: a name or a map.

    Raises:
        InvalidReferenceError: A pattern of the user's own, or something that is no entry.
    """
    if isinstance(entry, str):
        return str.__str__(entry)
    if isinstance(entry, Mapping):
        return form_entry(read_tool(entry, "an entry"))
    if isinstance(entry, Tool):
        return _form_tool(entry)
    if isinstance(entry, OneOf):
        return {"one_of": [form_entry(choice) for choice in entry.choices]}
    if isinstance(entry, Glob | Regex | Any):
        return entry.write()
    raise InvalidReferenceError(
        f"{describe_value(entry)} has no form in a reference file. Write a name, or one of Glob, Regex, Any(), OneOf, Tool."
    )


def form_args_rule(rule: object) -> object:
    """Return how the arguments of a tool are compared as it stands in a reference file.

    Raises:
        InvalidReferenceError: A callable.
    """
    if isinstance(rule, str):
        return rule
    if isinstance(rule, Sequence):
        return form_args_rule(ArgsMatch(keys=rule))
    if isinstance(rule, ArgsMatch) and not (rule.tolerance or rule.relative_tolerance):
        if rule.keys is None:
            return rule.mode
        if rule.mode == "exact":
            return [_form_path(path) for path in rule.keys]
    raise InvalidReferenceError(
        f"arguments are compared by {describe_value(rule)}, which has no form in a reference file. Take a mode, or a"
        f" list of key paths."
    )


def _form_step(step: object) -> object:
    if isinstance(step, Gap):
        return {"gap": True}
    if isinstance(step, Repeat):
        return {"repeat": form_steps(step.steps), **_form_bounds(step)}
    if isinstance(step, OneOf):
        return {"one_of": [_form_choice(choice) for choice in step.choices]}
    if isinstance(step, ReferenceStep):
        mode = {} if step.match_mode is None else {"mode": step.match_mode}
        return {"nodes": _form_entries(step.steps), **mode, **_form_bounds(step)}
    if not isinstance(step, Sequence) or isinstance(step, str):
        raise InvalidReferenceError(
            f"{describe_value(step)} has no form in a reference file. Write a list of names, ReferenceStep, Repeat, Gap or"
            f" OneOf."
        )
    # One that is alone and reads as something else in place of a superstep stays in its list.
    return form_entry(step[0]) if len(step) == 1 and not isinstance(step[0], OneOf) else _form_entries(step)


def _form_choice(choice: object) -> object:
    """One of several supersteps; of a row of them each is a list, which tells it from one superstep."""
    row = list_row(choice)
    if row is not choice:
        return _form_step(row[0])
    return [_form_entries(step) if isinstance(step, list | tuple) else _form_step(step) for step in row]


def _form_entries(entries: Sequence[object]) -> list[object]:
    return [form_entry(entry) for entry in entries]


def _form_bounds(step: ReferenceStep | Repeat) -> dict[str, object]:
    return {key: bound for key, bound in (("min", step.min), ("max", step.max)) if bound != 1}


def _form_tool(tool: Tool) -> dict[str, object]:
    form: dict[str, object] = {"tool": form_entry(tool.name)}
    if tool.args is not None:
        form["args"] = tool.args
        if tool.args_mode is not None:
            form["args_mode"] = form_args_rule(tool.args_mode)
    return form


def _form_path(path: Sequence[str]) -> object:
    """With dots between the keys, where no key holds one."""
    return list(path) if any(not key or "." in key for key in path) else ".".join(path)
