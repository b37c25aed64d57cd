"""What a reference file expects beside supersteps and rules: results, single model calls, the runs of a thread."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, get_args

from otel_traj.evaluate.references.document import complain
from otel_traj.evaluate.references.engine_words import ENGINE_ERRORS, say_of_file, standing_at
from otel_traj.evaluate.references.entries import read_entries
from otel_traj.evaluate.references.expect import (
    check_keys,
    get_needed,
    read_count,
    read_list,
    read_map,
    read_names,
    read_value,
    read_word,
)
from otel_traj.evaluate.references.reference import ExpectedResults, ExpectedThread
from otel_traj.match import RunsMode
from otel_traj.match.reference.model_choices import read_model_calls as check_model_calls
from otel_traj.match.runs import check_runs_mode
from otel_traj.match.values.arguments import read_args_mode
from otel_traj.match.values.values import ValueMode

if TYPE_CHECKING:
    from otel_traj.evaluate.references.document import Node
    from otel_traj.match import ArgsMode

__all__ = ["read_model_calls", "read_results", "read_thread"]

_NAMED: Final = re.compile(r"model_calls\[([0-9]+)\]")


def read_results(node: Node) -> ExpectedResults:
    """Return what a run should result in."""
    results = read_map(node, "results")
    check_keys(results, allowed=("mode", "value"), what="results")
    value = read_value(get_needed(results, "value", "results", "what is compared"), "the value of results")
    mode = results.entries.get("mode")
    if mode is None:
        return ExpectedResults(value=value)
    return ExpectedResults(value=value, mode=read_word(mode, get_args(ValueMode), "mode of results"))


def read_model_calls(node: Node, args: ArgsMode) -> list[dict[str, object]]:
    """Return what single model calls chose, as the engine takes it.

    Args:
        node: The value of `model_calls`.
        args: How arguments are compared that say nothing themselves.
    """
    items = read_list(node, "model_calls").items
    calls = [_read_model_call(item) for item in items]
    try:
        check_model_calls(calls, "model_calls", read_args_mode(args))
    except ENGINE_ERRORS as error:
        named = _NAMED.search(str(error))
        place = node.place if named is None else items[int(named[1])].place
        raise complain(place, say_of_file(error)) from error
    return calls


def _read_model_call(node: Node) -> dict[str, object]:
    call = read_map(node, "a model call")
    check_keys(call, allowed=("nth", "chooses"), what="a model call")
    nth = get_needed(call, "nth", "a model call", "which one of the run, from 1")
    chooses = get_needed(call, "chooses", "a model call", "the tool calls it chose, [] for none")
    return {"nth": read_count(nth, "nth", least=1), "chooses": read_entries(chooses, "chooses", "calls")}


def read_thread(node: Node) -> ExpectedThread:
    """Return what the runs of a thread are compared with; whether the names are there is not looked at."""
    thread = read_map(node, "thread")
    check_keys(thread, allowed=("mode", "runs"), what="thread")
    runs = get_needed(thread, "runs", "thread", "a list of names of references in this file")
    names = tuple(read_names(runs, "reference's name"))
    if not names:
        raise complain(runs.place, "runs are empty; name at least one reference")
    given = thread.entries.get("mode")
    mode: RunsMode = "strict" if given is None else read_word(given, get_args(RunsMode), "mode of thread")
    with standing_at(runs.place if given is None else given.place):
        check_runs_mode(mode, len(names))
    return ExpectedThread(runs=names, mode=mode)
