"""References of a file that can't be compared with, or that every run would meet."""

from __future__ import annotations

import pytest

from otel_traj import Rules
from tests.evaluate.references.reference_files import HEAD, complain, complain_of, read_one, read_yaml

OPEN_MODES = ["starts_with", "contains", "subsequence", "flat_in_order", "flat_superset"]
CLOSED_MODES = ["strict", "so_far", "steps_any_order", "flat_unordered", "flat_subset"]
MET_BY_NOTHING = ["[{nodes: [a], min: 0}]", "[{repeat: [a, b], min: 0, max: ~}]", "[]"]


@pytest.mark.parametrize("mode", OPEN_MODES)
@pytest.mark.parametrize("steps", MET_BY_NOTHING)
def test_what_the_empty_run_would_meet_is_refused_in_open_modes(mode: str, steps: str) -> None:
    """In a mode that leaves the rest open, a reference that a run of nothing meets is met by every run."""
    for part in (f"steps: {steps}", f"any_of: [[z], {steps}]"):
        place, message = complain_of(f"trajectory_mode: {mode}, {part}")
        assert place == part.partition(": ")[2]
        if steps != "[]" or "any_of" in part:
            assert f"a run in which nothing ran would pass, since trajectory_mode {mode} leaves" in message
    assert read_one(f"trajectory_mode: {mode}, any_of: [[z], [y]]").any_of == [[["z"]], [["y"]]]


@pytest.mark.parametrize("mode", OPEN_MODES)
def test_a_rule_that_the_empty_run_breaks_makes_it_an_expectation(mode: str) -> None:
    """What else is expected counts: beside a rule that wants a node, the empty run does not pass."""
    with_rule = f"trajectory_mode: {mode}, steps: [{{nodes: [a], min: 0}}], rules: {{required: [b]}}"
    assert read_one(with_rule).rules == Rules(required=["b"])
    with_results = f"trajectory_mode: {mode}, steps: [{{nodes: [a], min: 0}}], results: {{value: 1}}"
    assert "nothing ran would pass" in complain_of(with_results)[1]


@pytest.mark.parametrize("mode", CLOSED_MODES)
def test_other_modes_may_be_met_by_the_empty_run(mode: str) -> None:
    """Where nothing else may run, an optional superstep expects something."""
    assert read_one(f"trajectory_mode: {mode}, steps: [{{nodes: [a], min: 0}}]").trajectory_mode == mode


@pytest.mark.parametrize(
    ("keys", "place", "words"),
    [
        (
            "applies_to: {}",
            "{name: x, applies_to: {}",
            "a reference needs at least one of steps, any_of, rules",
        ),
        ("steps: []", "[]", "steps are empty; name at least one superstep"),
        ("any_of: [[], []]", "[[], []]", "steps are empty; name at least one superstep"),
        (
            "steps: [__start__, [__end__]]",
            "[__start__, [__end__]]",
            "nothing but ignored names (__start__, __end__)",
        ),
        (
            "ignore: [{glob: 'a*'}], steps: [{repeat: [a1]}, {nodes: [a2]}]",
            "[{repeat: [a1]}, {nodes: [a2]}]",
            "nothing but ignored names (glob(a*))",
        ),
        ("steps: [{gap: true}]", "[{gap: true}]", "steps hold nothing but gaps"),
        ("any_of: [[a], [__start__, {gap: true}]]", "[[a], [__start__, {gap: true}]]", "nothing but gaps"),
        (
            "steps: [{gap: true}], rules: {forbidden: [a]}",
            "[{gap: true}], rules: {forbidden: [a]}",
            "leave them out beside other expectations",
        ),
    ],
)
def test_what_expects_nothing_is_refused(keys: str, place: str, words: str) -> None:
    """A reference that no run can fail is a mistake."""
    found, message = complain_of(keys)
    assert words in message
    assert found == place


@pytest.mark.parametrize(
    "keys",
    [
        "steps: [], rules: {forbidden: [a]}",
        "steps: [], results: {value: 1}",
        "any_of: [[], [a]]",
        "steps: [[]]",
        "steps: [a, {gap: true}]",
        "ignore: [], steps: [__start__, a]",
        "results: {value: 1}",
        "rules: {max_supersteps: 0}",
    ],
)
def test_what_some_run_fails_is_read(keys: str) -> None:
    """One expectation is enough, and no supersteps may be one beside another."""
    assert read_one(keys).name == "x"


@pytest.mark.parametrize(
    ("keys", "place", "words"),
    [
        (
            "trajectory_mode: flat_exact, steps: [a, {nodes: [b], min: 0}, c]",
            "{nodes: [b], min: 0}, c]",
            "the reference holds a superstep with min 0 and max 1 at superstep 2, and trajectory_mode is flat_exact",
        ),
        (
            "trajectory_mode: steps_any_order, any_of: [[a], [{repeat: [a, b], max: ~}]]",
            "[{repeat: [a, b], max: ~}]]",
            "the reference holds a loop (repeat) with min 1 and max null at superstep 1",
        ),
        (
            "trajectory_mode: flat_subset, steps: [{one_of: [[a, b], [c]]}]",
            "{one_of: [[a, b], [c]]}]",
            "the reference holds alternatives (one_of) at superstep 1",
        ),
        (
            "steps: [a, {repeat: [{repeat: [a], max: 90000}], max: 90000}]",
            "{repeat: [{repeat: [a], max: 90000}], max: 90000}]",
            "loops in loops multiply. Write smaller bounds, or null as max for no bound",
        ),
        ("steps: [a], rules: {required: [b]}", "[b]}", "rule required wants b once at least"),
        ("steps: [a, b], rules: {max_supersteps: 1}", "1}", "rule max_supersteps allows 1"),
        ("ignore: [a], steps: [b], rules: {required: [a]}", "[a]}", "or write an ignore without it"),
    ],
)
def test_what_the_engine_refuses_has_its_place(keys: str, place: str, words: str) -> None:
    """What only the matching engine can tell is told in its words, at the superstep or rule that it is about."""
    found, message = complain_of(keys)
    assert words in message
    assert found == place


def test_the_place_is_in_its_own_line() -> None:
    """In a file of many lines the complaint is in the line of the superstep."""
    steps = "      - a\n      - [b, c]\n      - {gap: true}\n"
    text = f"{HEAD}  - name: x\n    trajectory_mode: flat_exact\n    steps:\n{steps}"
    assert complain(text)[:2] == (8, 9)
    assert read_yaml(text.replace("flat_exact", "strict"))


_LONG = "k" * 10_000


@pytest.mark.parametrize(
    "keys",
    [
        f"steps: [{{regex: '({_LONG}'}}]",
        f"steps: [{{{_LONG}: 1}}]",
        f"steps: [{{tool: '{_LONG}'}}]",
        f"steps: [{{nodes: [a], mode: {_LONG}}}]",
        f"rules: {{required: [{_LONG}, {_LONG}]}}",
        f"rules: {{required: [{_LONG}], forbidden: [{_LONG}]}}",
        f"rules: {{max_visits: {{{_LONG[:1_000]}: -1}}}}",
        f"rules: {{forbidden: [{_LONG}]}}, ignore: [{_LONG}]",
        f"steps: [{_LONG}], ignore: [{_LONG}]",
        f"level: tools, steps: [a], args: {{{_LONG[:1_000]}: b}}",
        f"thread: {{runs: [{_LONG}]}}",
        f"applies_to: {{attributes: {{{_LONG[:1_000]}: ~}}}}, steps: [a]",
    ],
)
def test_complaints_are_short_whatever_they_are_about(keys: str) -> None:
    """A name of 10 kB is shown by its beginning, on one line."""
    message = complain_of(keys)[1]
    assert len(message) < 600
    assert "\n" not in message
