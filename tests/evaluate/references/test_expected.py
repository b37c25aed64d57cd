"""Results, single model calls and threads of a reference file."""

from __future__ import annotations

import pytest

from otel_traj import Glob, Tool
from otel_traj.evaluate.references.reference import ExpectedResults, ExpectedThread
from tests.evaluate.references.reference_files import HEAD, complain, complain_of, read_one, read_yaml


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("{value: {a: [1, null]}}", ExpectedResults(value={"a": [1, None]}, mode="exact")),
        ("{mode: subset, value: 0}", ExpectedResults(value=0, mode="subset")),
        ("{value: false}", ExpectedResults(value=False)),
        ("{value: ''}", ExpectedResults(value="")),
    ],
)
def test_results_are_any_value(written: str, read: ExpectedResults) -> None:
    """Any value may be expected, nulls inside it too."""
    assert read_one(f"results: {written}").results == read


def test_model_calls_are_what_the_engine_takes() -> None:
    """Single calls may be written as names, patterns and tool calls, at every level."""
    written = (
        "model_calls: [{nth: 2, chooses: [a, {glob: 'b*'}, {tool: c, args: {d: 1}}]}, {nth: 1, chooses: []}]"
    )
    assert read_one(written).model_calls == [
        {"nth": 2, "chooses": ["a", Glob("b*"), Tool("c", {"d": 1})]},
        {"nth": 1, "chooses": []},
    ]


@pytest.mark.parametrize(
    ("keys", "place", "words"),
    [
        ("results: superset", "superset", "results must be a map, found the text 'superset'"),
        ("results: {mode: exact}", "{mode: exact}", "results needs value: what is compared"),
        ("results: {value: ~}", "~}", "the value of results must be a value, found nothing"),
        ("results: {value: 1, mode: ignore}", "ignore}", "mode of results must be one of exact, subset, superset"),
        ("results: {value: 1, values: 2}", "values: 2}", "(did you mean 'value'?)"),
        ("model_calls: []", "[]", "model_calls is empty: every run would pass"),
        ("model_calls: {nth: 1}", "{nth: 1}", "model_calls must be a list, found a map"),
        ("model_calls: [a]", "a]", "a model call must be a map, found the text 'a'"),
        ("model_calls: [{nth: 1}]", "{nth: 1}]", "a model call needs chooses: the tool calls it chose, [] for none"),
        ("model_calls: [{chooses: []}]", "{chooses: []}]", "a model call needs nth: which one of the run, from 1"),
        ("model_calls: [{nth: 0, chooses: []}]", "0, chooses: []}]", "nth must be a whole number from 1 on, found the number 0"),
        ("model_calls: [{nth: 1, chooses: a}]", "a}]", "chooses must be a list, found the text 'a'"),
        ("model_calls: [{nth: 1, chooses: [], n: 2}]", "n: 2}]", "unknown key 'n'; a model call may hold: nth, chooses"),
        ("model_calls: [{nth: 1, chooses: []}, {nth: 1, chooses: []}]", "[{nth", "model_calls has nth 1 twice"),
        ("thread: a", "a", "thread must be a map, found the text 'a'"),
        ("thread: {}", "{}", "thread needs runs: a list of names of references in this file"),
        ("thread: {runs: []}", "[]}", "runs are empty; name at least one reference"),
        ("thread: {runs: a}", "a}", "must be a list, found the text 'a'"),
        ("thread: {runs: [a], mode: all}", "all}", "mode of thread must be one of strict, each, last, first, any"),
        ("thread: {runs: [a, b], mode: each}", "each}", "which compares with one reference, and there are 2. Name one, or take strict"),
        ("thread: {runs: [a], run: b}", "run: b}", "(did you mean 'runs'?)"),
        ("thread: {runs: [y]}", "y]}", "no reference of a run in this file is named 'y'; there are none"),
        ("thread: {runs: [x]}", "x]}", "'x' is itself a reference of a thread; name references of runs"),
        ("thread: {runs: [x]}, steps: [a]", "steps: [a]", "steps stands beside thread, whose runs are compared as their own references say"),
        ("status: any, thread: {runs: [x]}", "status: any, thread", "status stands beside thread"),
    ],
)  # fmt: skip
def test_complaints_about_what_else_is_expected(keys: str, place: str, words: str) -> None:
    """What can't be expected is refused where it stands."""
    found, message = complain_of(keys)
    assert words in message
    assert found.startswith(place)


_RUNS = f"{HEAD}  - {{name: one, steps: [a]}}\n  - {{name: two, rules: {{required: [a]}}}}\n"


def test_a_thread_names_references_of_the_file() -> None:
    """The names may stand in any order, several times, and before what they name."""
    thread = "  - {name: t, applies_to: {graph: g}, source: ['0'], thread: {runs: [two, one, two]}}\n"
    last = read_yaml(_RUNS + thread)[-1]
    assert last.thread == ExpectedThread(runs=("two", "one", "two"), mode="strict")
    assert (last.applies_to.graph, last.source) == ("g", ("0",))
    first = read_yaml(_RUNS.replace(HEAD, HEAD + thread))[0]
    assert first == last


def test_a_name_that_is_not_there_is_told_from_the_ones_that_are() -> None:
    """A slip in a name is told with the name that is near, else with what there is."""
    line, column, words = complain(_RUNS + "  - {name: t, thread: {runs: [one, twp]}}\n")
    assert (line, column, words.partition("; ")[2]) == (5, 36, "did you mean 'two'?")
    words = complain(_RUNS + "  - {name: t, thread: {runs: [zzz], mode: any}}\n")[2]
    assert words.endswith("; there are one, two")
