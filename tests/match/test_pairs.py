from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest
from msgspec.structs import replace

from otel_traj.match import (
    Gap,
    Glob,
    OneOf,
    Regex,
    Repeat,
    Tool,
    TrajectoryMatcher,
    TrajectoryMode,
    graph_trajectory_match,
)
from otel_traj.model import ChosenTool, ModelCall, Problem
from tests.match.judging import decide, explained, make_run

if TYPE_CHECKING:
    from otel_traj.match import MatchOutcome, References
    from otel_traj.model import Run

ALL_MODES: tuple[TrajectoryMode, ...] = get_args(TrajectoryMode)
LEAVE_OPEN = ("contains", "subsequence", "flat_in_order", "flat_superset")
SLOW = Regex("(a|aa)+$")
LONG_NAME = "a" * 60 + "b"
"""A name on which the expression takes for ever."""


def make_waiting(*nodes: str) -> Run:
    """Return a run that waits in the last of its nodes, one per superstep."""
    steps = [["__start__"], *([node] for node in nodes), ["__interrupt__"]]
    return make_run(steps, status="interrupted", ended={nodes[-1]: "interrupted"})


def choose(run: Run, *chosen: tuple[ChosenTool, ...] | None) -> Run:
    """Return a run whose first tasks each made one model call."""
    calls = [
        ModelCall(
            superstep=task.superstep,
            node=task.node,
            model="m",
            usage=run.usage,
            task_id=task.task_id,
            span_id=f"call{at}",
            tool_calls=tools,
        )
        for at, (task, tools) in enumerate(zip(run.tasks, chosen, strict=False))
    ]
    return replace(run, model_calls=calls)


@pytest.mark.parametrize("mode", ALL_MODES)
def test_a_run_that_follows_waits_in_every_mode(mode: TrajectoryMode) -> None:
    """A run that has done what its reference begins with waits, and is not failed for what it has not done yet."""
    outcome = decide(make_waiting("a", "ask"), [["a"], ["ask"], ["z"]], trajectory_mode=mode)
    if mode == "so_far":
        assert outcome.score is True
        return
    assert (outcome.verdict, outcome.comment) == ("not_evaluated", "waiting at ask")
    assert outcome.metadata is not None
    assert outcome.metadata["reason"] == "waiting"


@pytest.mark.parametrize("mode", ALL_MODES)
def test_a_waiting_run_that_left_its_reference_fails_where_it_can_not_come_back(mode: TrajectoryMode) -> None:
    """What a waiting run did wrong fails it, but for the modes in which everything may still come."""
    outcome = decide(make_waiting("a", "ask"), [["a"], ["z"]], trajectory_mode=mode)
    assert outcome.verdict == ("not_evaluated" if mode in LEAVE_OPEN else "fail")


@pytest.mark.parametrize("steps", [[["a"], ["ask"], ["__interrupt__"]], [["a"], ["ask"]]])
def test_so_far_is_for_runs_that_wait(steps: list[list[str]]) -> None:
    """In so_far a paused run passes, with or without its marker, as a record and as a plain trajectory."""
    record = make_run([["__start__"], *steps], status="interrupted", ended={"ask": "interrupted"})
    for actual in (record, [["__start__"], *steps]):
        expected = [["a"], ["ask"], ["z"]]
        assert decide(actual, expected, trajectory_mode="so_far").score is True
        assert decide(actual, [["a"], ["b"]], trajectory_mode="so_far").score is False
    only_ok = decide(record, [["a"], ["ask"], ["z"]], trajectory_mode="so_far", status="ok")
    assert (only_ok.score, only_ok.comment and only_ok.comment[:7]) == (None, "waiting")


def test_so_far_still_sees_earlier_markers() -> None:
    """Only the marker at the end is left out: one that was answered counts."""
    steps = [["ask"], ["__interrupt__"], ["b"], ["__interrupt__"]]
    assert decide([{"steps": steps}], [["ask"], ["b"], ["c"]], trajectory_mode="so_far").score is False
    whole = [["ask"], ["__interrupt__"], ["b"], ["c"]]
    assert decide([{"steps": steps}], whole, trajectory_mode="so_far").score is True


def test_a_waiting_run_may_still_be_in_a_loop() -> None:
    """Loops, gaps and alternatives are followed as far as the run has come."""
    run = make_waiting("a", "b", "a")
    loop = [Repeat([["a"], ["b"]], 2, None), ["z"]]
    assert decide(run, loop).comment == "waiting at a"
    assert decide(run, [["a"], Gap(), ["z"]]).comment == "waiting at a"
    assert decide(run, [["a"], OneOf([["b"], ["a"], ["z"]], ["c"])]).comment == "waiting at a"
    assert decide(run, [Repeat([["a"], ["b"]], 1, 1), ["z"]]).verdict == "fail"


RULES: References = {"rules": {"forbidden": ["x"], "required": ["z"]}}


@pytest.mark.parametrize(
    ("run", "verdict", "comment"),
    [
        (make_run([["a"], ["z"]]), "pass", None),
        (make_run([["a"], ["x"], ["z"]]), "fail", "rule forbidden: x ran in superstep 2"),
        (make_run([["a"]]), "fail", "rule required: z never ran"),
        (make_waiting("a", "ask"), "not_evaluated", "waiting at ask"),
        (
            make_waiting("x", "ask"),
            "fail",
            "rule forbidden: x ran in superstep 1\nrule required: z never ran",
        ),
        (make_run([["a"], ["z"]], status="error", ended={"z": "error"}), "fail", "run ended in error at z"),
        (
            make_run([["a"]], status="error", ended={"a": "error"}),
            "fail",
            "run ended in error at a\nrule required: z never ran",
        ),
    ],
)
def test_rules_alone(run: Run, verdict: str, comment: str | None) -> None:
    """A reference of rules judges any run: broken ones fail it, what may still come lets it wait, status counts."""
    outcome = decide(run, RULES)
    assert (outcome.verdict, outcome.comment) == (verdict, comment)


def test_rules_beside_supersteps() -> None:
    """Supersteps and rules are judged each for itself, and both are explained; the op of a rule has its spans."""
    reference: References = {"steps": [["a"], Gap(), ["z"]], "rules": {"max_visits": {"w": 1}}}
    assert decide(make_run([["a"], ["w"], ["z"]]), reference).score is True
    twice = make_run([["__start__"], ["a"], ["w", "w"], ["z"]])
    outcome = decide(twice, reference)
    assert outcome.comment == "rule max_visits: w ran 2 times, at most 1 allowed (superstep 2)"
    assert outcome.metadata is not None
    [op] = outcome.metadata["ops"]
    assert (op["op"], op["rule"], op["nodes"], op["supersteps"]) == ("rule", "max_visits", ["w"], [2])
    assert (op["actual_superstep"], op["span_ids"]) == (2, ["span1", "span2"])
    assert (outcome.metadata["edits"], outcome.metadata["fitness"]) == (0, 1.0)
    both = decide(make_run([["a"], ["w", "w"]]), reference)
    assert both.comment == (
        "superstep 2: expected {z}, got nothing; missing z\n"
        "rule max_visits: w ran 2 times, at most 1 allowed (superstep 2)"
    )


def test_visits_are_counted_before_duplicates_are_ignored() -> None:
    """With duplicates ignored two tasks are one in a superstep, and still two for a rule."""
    reference: References = {"steps": [["w"]], "rules": {"max_visits": {"w": 1}}}
    assert decide([["w", "w"]], reference, duplicates="ignore").comment == (
        "rule max_visits: w ran 2 times, at most 1 allowed (superstep 1)"
    )


def test_ignored_names_are_no_matter_of_rules() -> None:
    """What is ignored is seen by no rule."""
    rules: References = {"rules": {"forbidden": [Glob("l*")]}}
    assert decide([["a"], ["log"]], rules).score is False
    assert decide([["a"], ["log"]], rules, ignore=["log"]).score is True


SEARCH = {"tool": "search", "args": {"q": "rain"}}


def judge_tools(reference: list[object], *calls: object, mode: TrajectoryMode = "strict") -> MatchOutcome:
    """Judge tool calls, each in a superstep of its own."""
    return decide([{"steps": [[call] for call in calls]}], {"steps": reference}, trajectory_mode=mode)


@pytest.mark.parametrize("mode", ALL_MODES)
def test_arguments_that_were_not_recorded_are_not_guessed(mode: TrajectoryMode) -> None:
    """In every mode a pass that only unknown arguments could give is not evaluated; what is known decides."""
    assert judge_tools([[Tool("search", {"q": "rain"})]], SEARCH, mode=mode).score is True
    unknown = judge_tools([[Tool("search", {"q": "rain"})]], {"tool": "search"}, mode=mode)
    assert (unknown.score, unknown.comment) == (
        None,
        "arguments of tool calls were not recorded, or not whole: record content (content=True)",
    )
    assert unknown.metadata is not None
    assert unknown.metadata["reason"] == "not_recorded"
    other = judge_tools([[Tool("search", {"q": "rain"})]], {"tool": "other"}, mode=mode)
    assert other.score is False


def test_unknown_arguments_matter_only_where_they_decide() -> None:
    """A fail for something else stays a fail; a call without expected arguments, or another way, still passes."""
    wanted = Tool("search", {"q": "rain"})
    assert judge_tools([[wanted], ["cite"]], {"tool": "search"}).score is False
    assert judge_tools([[Tool("search")]], {"tool": "search"}).score is True
    assert judge_tools([[OneOf(wanted, "search")]], {"tool": "search"}).score is True
    either: References = {"any_of": [[[wanted]], [["search"]]]}
    assert decide([{"steps": [[{"tool": "search"}]]}], either).score is True
    broken: References = {"steps": [[wanted]], "rules": {"max_visits": {"search": 1}}}
    twice = decide([{"steps": [[{"tool": "search"}], [{"tool": "search"}]]}], broken)
    assert twice.score is False


def test_one_unknown_call_among_known_ones_is_matched_by_what_is_left() -> None:
    """Where known calls already fill the places the unknown ones are spare; where they don't, nobody can tell."""
    both = [[Tool("s", {"q": 1}), "s"]]
    assert decide([{"steps": [[{"tool": "s", "args": {"q": 1}}, {"tool": "s"}]]}], both).score is True
    assert decide([{"steps": [[{"tool": "s", "args": {"q": 2}}, {"tool": "s"}]]}], both).score is None


CHOICES: References = {"model_calls": [{"nth": 1, "chooses": [SEARCH]}, {"nth": 2, "chooses": []}]}


@pytest.mark.parametrize(
    ("first", "verdict", "comment"),
    [
        (ChosenTool(name="search", args={"q": "rain"}), "pass", None),
        (
            ChosenTool(name="search", args={"q": "snow"}),
            "fail",
            "model call 1: expected {search(q)}, chose {search}; arguments of search: at q: differs",
        ),
        (ChosenTool(name="book"), "fail", "model call 1: expected {search(q)}, chose {book}"),
        (
            ChosenTool(name="search"),
            "not_evaluated",
            "model call 1: arguments of search: arguments were not recorded",
        ),
    ],
)
def test_what_a_model_call_chose(first: ChosenTool, verdict: str, comment: str | None) -> None:
    """The k-th call is held to what it should choose; arguments that nobody recorded are not evaluated."""
    run = choose(make_run([["model"], ["tools"]]), (first,), ())
    outcome = decide(run, CHOICES)
    assert (outcome.verdict, outcome.comment) == (verdict, comment)
    if verdict == "fail":
        assert outcome.metadata is not None
        [op] = outcome.metadata["ops"]
        assert (op["op"], op["nth"], op["missing"], op["span_ids"]) == (
            "model_call",
            1,
            ["search(q)"],
            ["call0"],
        )


def test_choices_are_a_multiset_in_any_order() -> None:
    """Parallel calls have no order, and each expected one needs one of its own."""
    run = choose(make_run([["model"]]), (ChosenTool(name="b"), ChosenTool(name="a"), ChosenTool(name="a")))
    for chooses, passes in (
        (["a", "a", "b"], True),
        (["a", "b"], False),
        (["a", "b", "b"], False),
        ([], False),
    ):
        assert decide(run, {"model_calls": [{"nth": 1, "chooses": chooses}]}).score is passes


def test_a_call_that_was_not_made() -> None:
    """Too few calls fail a run that has ended; one that waits may still make them."""
    ended = choose(make_run([["model"]]), (ChosenTool(name="search", args={"q": "rain"}),))
    outcome = decide(ended, CHOICES)
    assert outcome.comment == "model call 2: expected {}, the run made 1 model call"
    waits = choose(make_waiting("model"), (ChosenTool(name="search", args={"q": "rain"}),))
    assert decide(waits, CHOICES).comment == "waiting at model"
    wrong = choose(make_waiting("model"), (ChosenTool(name="book"),))
    assert decide(wrong, CHOICES).verdict == "fail"


def test_choices_that_nobody_can_know() -> None:
    """Choices that were not recorded, calls that may be missing and plain trajectories are not evaluated."""
    run = make_run([["model"], ["model"]])
    reference: dict[str, object] = {"model_calls": [{"nth": 1, "chooses": ["a"]}]}
    assert decide(choose(run, None), reference).comment == "what model call 1 chose was not recorded"
    lost = replace(
        choose(run, ()), problems=[Problem(code="spans_missing", message="run 'run' (trace 0): x")]
    )
    assert decide(lost, reference).comment == "spans of model calls may be missing (spans_missing)"
    left_out = replace(choose(run, ()), model_calls=[], omitted=("models",))
    for nth, chooses in ((1, ["a"]), (1, []), (3, ["a"])):
        outcome = decide(left_out, {"model_calls": [{"nth": nth, "chooses": chooses}]})
        assert outcome.verdict == "not_evaluated"
        assert outcome.comment == "its recorder was told to leave out model calls"
    assert decide([["model"]], reference).comment == "a plain trajectory holds no model calls: pass runs"
    assert decide([["other"]], {"steps": [["model"]], **reference}).score is False


def test_calls_of_subgraphs_are_not_counted() -> None:
    """Only calls of the run's own tasks have a number."""
    run = choose(make_run([["model"]]), (ChosenTool(name="a"),))
    inner = replace(run.model_calls[0], task_id="of a subgraph", tool_calls=())
    both = replace(run, model_calls=[inner, *run.model_calls])
    assert decide(both, {"model_calls": [{"nth": 1, "chooses": ["a"]}]}).score is True


def test_an_expression_that_takes_too_long_is_not_evaluated() -> None:
    """A regular expression without end is no fail: it is named, with what to do."""
    outcome = decide([[LONG_NAME]], [[SLOW]])
    assert (outcome.verdict, outcome.comment) == (
        "not_evaluated",
        (
            'the regular expression "(a|aa)+$" took longer than 0.5 s on one name: nested repetition takes exponential'
            " time. Write it without, or list the names."
        ),
    )
    assert outcome.metadata is not None
    assert outcome.metadata["reason"] == "broken"
    assert not TrajectoryMatcher([[SLOW]]).matches([[LONG_NAME]])
    two = decide([[["a"]], [[LONG_NAME]]], [[["a"]], [[SLOW]]])
    assert two.comment is not None
    assert two.comment.startswith('run 1: the regular expression "(a|aa)+$" took longer')


def test_a_verdict_that_is_certain_stands_where_its_explanation_breaks() -> None:
    """Where the number of supersteps decides, or the pairs in their order, what only an alignment asks breaks nothing."""
    certain = graph_trajectory_match(outputs=[[LONG_NAME]], reference_outputs={"steps": [[SLOW], ["b"]]})
    assert certain["score"] is False
    assert certain["comment"] is not None
    assert certain["comment"].startswith(
        "supersteps differ, and what differs can't be said: the regular expression"
    )
    metadata = explained(certain)
    assert (metadata["ops"], metadata["edits"], metadata["precision"]) == ([], None, None)
    outcome, _ = TrajectoryMatcher({"steps": [[LONG_NAME], [SLOW]]}).judge([[LONG_NAME], ["aa"]])
    assert (outcome.score, outcome.comment) == (True, None)


def test_a_callable_that_breaks_is_not_evaluated() -> None:
    """A comparison of arguments that raises is named by its type alone, whether the verdict or its words ask it."""

    def raise_error(_actual: object, _expected: object) -> bool:
        raise KeyError("secret")

    wanted = Tool("search", {"q": "rain"}, raise_error)
    outcome = judge_tools([[wanted]], SEARCH)
    assert outcome.comment == (
        "args: the callable raised KeyError, so nothing can be said. Mend it, or have it return False."
    )
    certain = judge_tools([[wanted], ["cite"]], SEARCH)
    assert certain.score is False
    assert certain.comment is not None
    assert "secret" not in certain.comment
    several = decide([{"steps": [[SEARCH]]}, {"steps": [[SEARCH]]}], [{"steps": [[wanted]]}])
    assert several.comment is not None
    assert several.comment.startswith("expected 1 run, got 2")
