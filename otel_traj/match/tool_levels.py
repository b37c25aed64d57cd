"""Runs judged at level `nodes` by what only the other levels see.

A plain trajectory holds what its user wrote, tool calls too, whatever the level. A run at level `nodes` lists no tool
call: a `Tool` expected there is never found, one that is forbidden never seen, and arguments are compared with
nothing. Which of them a user has can be told only when runs come, so it is told then.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from otel_traj.errors import InvalidReferenceError, TrajectoryValueError
from otel_traj.match.reference.items import list_steps
from otel_traj.match.reference.name_patterns import OneOf
from otel_traj.match.reference.tool_patterns import PreparedTool, Tool

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.match.options import MatchOptions
    from otel_traj.match.prepared import PreparedReference
    from otel_traj.match.reference.items import Item
    from otel_traj.match.rules.rules import Rules
    from otel_traj.match.values.arguments import ArgsRules

__all__ = ["find_tool", "refuse_tools_of_nodes"]

_WHY = "level is 'nodes', at which a run lists no tool call"


def refuse_tools_of_nodes(
    references: Sequence[PreparedReference], options: MatchOptions, args: ArgsRules
) -> None:
    """Refuse to judge runs, which no plain trajectories are, by tool calls that are not listed.

    Args:
        references: What is expected.
        options: The options of the comparison.
        args: How arguments are compared.

    Raises:
        InvalidReferenceError: A reference names a `Tool`.
        TrajectoryValueError: The option `args` compares arguments, and no reference says anything of model calls.
    """
    if options.level != "nodes":
        return
    tool = next((each.tool for each in references if each.tool is not None), None)
    if tool is not None:
        raise InvalidReferenceError(
            f"reference_outputs: names the tool {tool}, and {_WHY}: it would never be seen. Pass level='tools' or"
            f" 'both', or write the node's name."
        )
    if not args.compare_nothing and not any(each.model_calls for each in references):
        raise TrajectoryValueError(
            f"args says how arguments of tools are compared, and {_WHY}: nothing would be compared by it. Pass"
            f" level='tools' or 'both', or leave it out."
        )


def find_tool(ways: Sequence[Sequence[Item]], rules: Rules | None) -> str | None:
    """Return the first tool call that the supersteps or rules of a reference name, in words; None for none.

    Args:
        ways: Its trajectories.
        rules: Its rules.
    """
    steps = chain.from_iterable(list_steps(items) for items in ways)
    entries = chain(chain.from_iterable(step.entries for step in steps), _list_of_rules(rules))
    return next(chain.from_iterable(map(_list_tools, entries)), None)


def _list_of_rules(rules: Rules | None) -> Iterator[object]:
    if rules is not None:
        groups = chain(rules.before, rules.follows, rules.same_step)
        yield from chain(rules.forbidden, rules.required, chain.from_iterable(groups))
        yield from chain(rules.max_visits, rules.min_visits)


def _list_tools(entry: object) -> Iterator[str]:
    if isinstance(entry, Tool | PreparedTool):
        yield str(entry)
    elif isinstance(entry, OneOf):
        for choice in entry.choices:
            yield from _list_tools(choice)
