from __future__ import annotations

import pytest

from otel_traj.errors import PatternTimeoutError
from otel_traj.match.reference.name_patterns import Any, Entry, Glob, OneOf, Regex
from otel_traj.match.rules.rule_checks import BrokenRule, check_rules
from otel_traj.match.rules.rules import Rules, read_rules
from otel_traj.match.supersteps import ActualStep, number_supersteps

LONG = [["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]]
SERIALISED = [["node1"], ["node3"], ["node4"], ["node5"], ["node6"], ["node7"]]
WAIT = ["__interrupt__"]


def number(steps: list[list[str]]) -> list[ActualStep]:
    """Make supersteps ready to check, `__start__` left out as it is by default."""
    return [
        ActualStep(number, tuple(names), position)
        for position, (names, number) in enumerate(zip(steps, number_supersteps(steps), strict=True))
        if names != ["__start__"]
    ]


def check(given: dict[str, object], steps: list[list[str]]) -> list[BrokenRule]:
    """Check one run."""
    return check_rules(read_rules(given, "rules"), number(steps))


def texts(given: dict[str, object], steps: list[list[str]]) -> list[str]:
    """Check one run, for the sentences alone."""
    return [broken.text for broken in check(given, steps)]


def test_a_broken_rule_says_where_and_how() -> None:
    """The record has the rule, its names, the supersteps, the places of the tasks at fault, and a sentence."""
    steps = [["__start__"], ["node1"], ["node2"], ["node7"]]
    assert check({"forbidden": ["node2", "node3"]}, steps) == [
        BrokenRule(
            rule="forbidden",
            nodes=("node2",),
            supersteps=(2,),
            places=((2, ("node2",)),),
            text="rule forbidden: node2 ran in superstep 2",
            may_recover=False,
        )
    ]


@pytest.mark.parametrize(
    ("entry", "steps", "said"),
    [
        ("x", [], []),
        ("x", LONG, []),
        ("x", [["a"], ["x", "x"], ["x"]], ["rule forbidden: x ran in supersteps 2 and 3"]),
        (Glob("node[45]"), LONG, ["rule forbidden: node4 and node5 (glob(node[45])) ran in superstep 3"]),
        (OneOf("node7", "x"), LONG, ["rule forbidden: node7 (one of (node7 | x)) ran in superstep 5"]),
        ("node*", LONG, []),
    ],
)
def test_forbidden_names_never_run(entry: Entry, steps: list[list[str]], said: list[str]) -> None:
    """A forbidden name may stand in no superstep; a plain string is never a pattern."""
    assert texts({"forbidden": [entry]}, steps) == said


def test_required_names_run_at_least_once() -> None:
    """Each required name that never ran is one broken rule of the whole run, which a waiting run may still mend."""
    assert texts({"required": ["node1", Glob("node4*")]}, LONG) == []
    broken = check({"required": ["node1", "x", Regex("node[89]")]}, LONG)
    assert [rule.text for rule in broken] == [
        "rule required: x never ran",
        "rule required: regex(node[89]) never ran",
    ]
    assert [(rule.supersteps, rule.places, rule.may_recover) for rule in broken] == [((), (), True)] * 2


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], []),
        ([["x"]], []),
        ([["a"]], []),
        ([["a"], ["b"]], []),
        ([["a"], ["x"], ["b"], ["b"]], []),
        ([["b"]], ["rule before: b ran in superstep 1, and a in none before it"]),
        ([["a", "b"]], ["rule before: b ran in superstep 1, and a in none before it, first in superstep 1"]),
        (
            [["a", "b"], ["b"]],
            ["rule before: b ran in superstep 1, and a in none before it, first in superstep 1"],
        ),
        (
            [["b"], ["b"], ["a"], ["b"]],
            ["rule before: b ran in supersteps 1 and 2, and a in none before them, first in superstep 3"],
        ),
    ],
)
def test_before_asks_for_an_earlier_superstep(steps: list[list[str]], said: list[str]) -> None:
    """Each superstep with b has an earlier one with a; the same one is not earlier; without b the rule holds."""
    assert texts({"before": [["a", "b"]]}, steps) == said


@pytest.mark.parametrize(
    ("steps", "said", "may_recover"),
    [
        ([], [], []),
        ([["b"], ["x"]], [], []),
        ([["a"], ["b", "x"]], [], []),
        (
            [["a"], ["x"], ["b"]],
            ["rule follows: a ran in superstep 1 without b in the next superstep"],
            [False],
        ),
        ([["a", "b"]], ["rule follows: a ran in superstep 1, the last one, and b not after it"], [True]),
        ([["a"], WAIT], ["rule follows: a ran in superstep 1, the last one, and b not after it"], [True]),
        ([["a"], WAIT, ["b"]], [], []),
        (
            [["a"], WAIT, ["x"]],
            ["rule follows: a ran in superstep 1 without b in the next superstep"],
            [False],
        ),
        (
            [["a"], ["a"], ["b"], ["a"]],
            ["rule follows: a ran in supersteps 1 and 4 without b in the next superstep"],
            [False],
        ),
    ],
)
def test_follows_asks_for_the_next_superstep(
    steps: list[list[str]], said: list[str], may_recover: list[bool]
) -> None:
    """The superstep right after each with a holds b, markers skipped; only a missing end may still come."""
    broken = check({"follows": [["a", "b"]]}, steps)
    assert [rule.text for rule in broken] == said
    assert [rule.may_recover for rule in broken] == may_recover


def test_same_step_asks_for_all_or_none() -> None:
    """A superstep with one of a group has all of it; a group that never ran holds."""
    given: dict[str, object] = {"same_step": [["node4", "node5"]]}
    assert texts(given, LONG) == []
    assert texts(given, [["node1"], ["node2"], ["node7"]]) == []
    broken = check(given, SERIALISED)
    assert [rule.text for rule in broken] == [
        "rule same_step: node4 ran in superstep 3 without node5; node5 ran in superstep 4 without node4"
    ]
    assert broken[0].supersteps == (3, 4)
    assert broken[0].places == ((2, ("node4",)), (3, ("node5",)))


def test_same_step_groups_supersteps_that_break_it_alike() -> None:
    """Supersteps in which the same names lack the same names share a sentence, and many sentences are counted."""
    given: dict[str, object] = {"same_step": [["a", "b", "c"]]}
    assert texts(given, [["a", "x", "b"], ["c"], ["a", "b"]]) == [
        "rule same_step: a and b ran in supersteps 1 and 3 without c; c ran in superstep 2 without a and b"
    ]
    broken = check(given, [["a"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]])
    assert broken[0].text == (
        "rule same_step: a ran in superstep 1 without b and c; b ran in superstep 2 without a and c;"
        " c ran in superstep 3 without a and b; 3 more"
    )
    assert broken[0].supersteps == (1, 2, 3, 4, 5, 6)


def test_same_step_takes_patterns() -> None:
    """A pattern is there when any name that it means is; its other names are no fault."""
    given: dict[str, object] = {"same_step": [[Glob("write_*"), "audit"]]}
    assert texts(given, [["write_a", "write_b", "audit"], ["audit", "write_c"]]) == []
    broken = check(given, [["write_a", "write_b"], ["audit"]])
    assert broken[0].text == (
        "rule same_step: write_a and write_b ran in superstep 1 without audit; audit ran in superstep 2 without"
        " glob(write_*)"
    )


@pytest.mark.parametrize(
    ("steps", "broken"),
    [
        ([], False),
        ([["w", "w"]], False),
        ([["w"], ["w"]], False),
        ([["w", "w", "w"]], True),
        ([["w", "w"], ["w"]], True),
    ],
)
def test_visits_are_tasks(steps: list[list[str]], broken: bool) -> None:
    """Each task of a fan-out is a visit, in whatever superstep it ran."""
    assert bool(check({"max_visits": {"w": 2}}, steps)) is broken
    assert bool(check({"min_visits": {"w": 3}}, steps)) is not broken


def test_too_many_visits_name_all_their_supersteps() -> None:
    """The sentence has the number, what is allowed, and where; patterns add up all names that they mean."""
    steps = [["a"], ["node3"], ["a"], ["node3"], ["a"], ["node3"]]
    broken = check({"max_visits": {"node3": 2, "a": 3, Any(): 5, "x": 0}}, steps)
    assert [rule.text for rule in broken] == [
        "rule max_visits: node3 ran 3 times, at most 2 allowed (supersteps 2, 4, 6)",
        "rule max_visits: a and node3 (any) ran 6 times, at most 5 allowed (supersteps 1, 2, 3, 4, 5, 6)",
    ]
    assert broken[0].supersteps == (2, 4, 6)
    assert broken[0].places == ((1, ("node3",)), (3, ("node3",)), (5, ("node3",)))
    assert not broken[0].may_recover


def test_many_supersteps_are_shortened_in_the_sentence_alone() -> None:
    """Ten numbers and how many more; the record has them all."""
    broken = check({"forbidden": ["a"], "max_visits": {"a": 1}}, [["a"]] * 40)
    assert [rule.text for rule in broken] == [
        "rule forbidden: a ran in supersteps 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 30 more",
        "rule max_visits: a ran 40 times, at most 1 allowed (supersteps 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 30 more)",
    ]
    assert broken[0].supersteps == broken[1].supersteps == tuple(range(1, 41))


def test_too_few_visits_may_still_come() -> None:
    """A waiting run may visit again, so nothing is lost yet."""
    broken = check({"min_visits": {"a": 2, "b": 1, Glob("c*"): 2, "d": 1}}, [["a", "c1"], ["d"]])
    assert [rule.text for rule in broken] == [
        "rule min_visits: a ran 1 time, at least 2 expected (superstep 1)",
        "rule min_visits: b ran 0 times, at least 1 expected",
        "rule min_visits: c1 (glob(c*)) ran 1 time, at least 2 expected (superstep 1)",
    ]
    assert [(rule.supersteps, rule.places, rule.may_recover) for rule in broken] == [((), (), True)] * 3


def test_supersteps_are_counted_without_markers() -> None:
    """A marker is no superstep; those beyond the bound are named, an empty one too."""
    assert texts({"max_supersteps": 2}, [["__start__"], ["a"], WAIT, ["b"], WAIT]) == []
    broken = check({"max_supersteps": 2}, [["__start__"], ["a"], WAIT, ["b"], ["c", "c"], []])
    assert [rule.text for rule in broken] == ["rule max_supersteps: 4 supersteps ran, at most 2 allowed"]
    assert (broken[0].nodes, broken[0].supersteps, broken[0].may_recover) == ((), (3, 4), False)
    assert broken[0].places == ((4, ("c", "c")), (5, ()))
    assert texts({"max_supersteps": 0}, []) == []
    assert texts({"max_supersteps": 0}, [["a"]]) == [
        "rule max_supersteps: 1 superstep ran, at most 0 allowed"
    ]


def test_patterns_do_not_mean_markers() -> None:
    """Waiting is no task: no pattern counts it, requires it or forbids it, unless it is written out."""
    steps = [["a"], WAIT, ["b"]]
    assert texts({"max_visits": {Any(): 2}}, steps) == []
    assert texts({"forbidden": [Glob("__*"), Regex("__.*")]}, steps) == []
    assert texts({"same_step": [["b", OneOf("b", Any())]]}, steps) == [
        "rule same_step: a ran in superstep 1 without b"
    ]
    assert texts({"forbidden": ["__interrupt__"]}, steps) == [
        "rule forbidden: __interrupt__ ran in superstep 1"
    ]
    assert texts({"max_visits": {OneOf("a", "__interrupt__"): 1}}, steps) == [
        "rule max_visits: a and __interrupt__ (one of (a | __interrupt__)) ran 2 times, at most 1 allowed (superstep 1)"
    ]


def test_a_person_was_asked_before() -> None:
    """`before` with the marker written out says that the run waited before a node ran."""
    given: dict[str, object] = {"before": [["__interrupt__", "delete"]]}
    assert texts(given, [["plan"], WAIT, ["delete"]]) == []
    assert texts(given, [["plan"], ["delete"], WAIT]) == [
        "rule before: delete ran in superstep 2, and __interrupt__ in none before it, first in superstep 2"
    ]


def test_a_marker_that_is_written_out_follows() -> None:
    """`follows` with the marker written out looks at what stands right after, and after the marker."""
    asks: dict[str, object] = {"follows": [["ask", "__interrupt__"]]}
    assert texts(asks, [["ask"], WAIT, ["b"]]) == []
    assert texts(asks, [["ask"], ["b"], WAIT]) == [
        "rule follows: ask ran in superstep 1 without __interrupt__ in the next superstep"
    ]
    goes_on: dict[str, object] = {"follows": [["__interrupt__", "b"]]}
    assert texts(goes_on, [["ask"], WAIT, ["b"]]) == []
    broken = check(goes_on, [["ask"], WAIT])
    assert [(rule.supersteps, rule.may_recover) for rule in broken] == [((1,), True)]


def test_numbers_and_places_are_those_of_the_whole_run() -> None:
    """Numbers count `__start__` as 0 and no marker; positions are indices into the trajectory as it was given."""
    broken = check({"forbidden": ["c"]}, [["__start__"], ["a"], WAIT, ["b"], ["c", "x", "c"]])
    assert broken[0].supersteps == (3,)
    assert broken[0].places == ((4, ("c", "c")),)


def test_each_entry_is_reported_once_in_the_order_of_the_rules() -> None:
    """However often and in whatever order they are written, broken rules come in the order of the fields."""
    given: dict[str, object] = {
        "max_supersteps": 1,
        "min_visits": {"m": 2},
        "max_visits": {"b": 1, "a": 1},
        "same_step": [["a", "b"]],
        "follows": [["a", "z"], ["b", "z"]],
        "before": [["z", "a"], ["z", "b"]],
        "required": ["z2", "z1"],
        "forbidden": ["b", "a"],
    }
    broken = check(given, [["a"], ["b"], ["a"], ["b"]])
    assert [(rule.rule, rule.nodes) for rule in broken] == [
        ("forbidden", ("b",)),
        ("forbidden", ("a",)),
        ("required", ("z2",)),
        ("required", ("z1",)),
        ("before", ("z", "a")),
        ("before", ("z", "b")),
        ("follows", ("a", "z")),
        ("follows", ("b", "z")),
        ("same_step", ("a", "b")),
        ("max_visits", ("b",)),
        ("max_visits", ("a",)),
        ("min_visits", ("m",)),
        ("max_supersteps", ()),
    ]


def test_sentences_are_printable_and_records_whole() -> None:
    """A hostile name is escaped in the sentence and stays as it is in the record."""
    name = "a\x1b[2J\n"
    broken = check({"forbidden": [name], "required": ["\u202e"]}, [[name]])
    assert broken[0].nodes == (name,)
    assert broken[0].text == 'rule forbidden: "a\\x1b[2J\\n" ran in superstep 1'
    assert all(rule.text.isprintable() for rule in broken)


def test_an_expression_without_end_is_an_error() -> None:
    """An expression that takes too long is neither a broken nor a held rule."""
    with pytest.raises(PatternTimeoutError, match="took longer"):
        check({"forbidden": [Regex("(a|aa)+$")]}, [["a" * 60 + "b"]])


def test_ten_thousand_supersteps_are_checked_in_one_pass() -> None:
    """Each rule looks at each superstep a fixed number of times, and asks a pattern once per name."""
    steps = [["plan"], ["worker", "worker"], WAIT] * 10_000
    rules = Rules(
        forbidden=[Regex("x+")],
        follows=[["plan", "worker"], ["plan", Any()]],
        same_step=[["worker", Glob("work*")]],
        max_visits={Glob("*"): 40_000},
    )
    assert [rule.rule for rule in check_rules(rules, number(steps))] == []
