from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.errors import PatternTimeoutError
from otel_traj.match import Any, Glob, OneOf, Regex
from otel_traj.match.reference.name_patterns import accepts, show_entry, write_entry
from tests.match.judging import decide

if TYPE_CHECKING:
    from otel_traj.match.reference.name_patterns import Entry


@pytest.mark.parametrize(
    ("entry", "name", "fits"),
    [
        ("node*", "node*", True),
        ("node*", "node1", False),
        ("a|b", "a", False),
        (Glob("node*"), "node", True),
        (Glob("node*"), "anode", False),
        (Glob("node?"), "node12", False),
        (Glob("[ab]x"), "bx", True),
        (Glob("[!ab]x"), "bx", False),
        (Glob("Node*"), "node1", False),
        (Glob("*"), "a\nb/c>d", True),
        (Glob("a.b"), "axb", False),
        (Glob("sub/*"), "sub/l1", True),
        (Regex("node[0-9]+"), "node12", True),
        (Regex("node"), "node1", False),
        (Regex("node.*"), "node\n", False),
        (Regex("a|ab"), "ab", True),
        (Regex("(?i)node"), "NODE", True),
        (Any(), "anything", True),
        (OneOf("a", Glob("b*")), "bb", True),
        (OneOf("a", OneOf("c", Regex("d+"))), "dd", True),
        (OneOf("a", "b"), "c", False),
    ],
)
def test_what_an_entry_accepts(entry: Entry, name: str, fits: bool) -> None:
    """A plain string is itself alone; a pattern must accept the whole name, upper and lower case told apart."""
    assert accepts(entry, name) is fits
    assert decide([[name]], [[entry]]).score is fits


@given(st.text(min_size=1))
def test_a_literal_is_never_a_pattern(name: str) -> None:
    """Whatever a name holds, a reference with it accepts it and no longer one."""
    assert accepts(name, name)
    assert not accepts(name, name + "x")


@pytest.mark.parametrize(
    ("entry", "shown", "written"),
    [
        ("a", "a", "a"),
        (Glob("a*"), "glob(a*)", {"glob": "a*"}),
        (Regex("a+"), "regex(a+)", {"regex": "a+"}),
        (Any(), "any", {"any": True}),
        (OneOf("a", Glob("b*")), "one of (a | glob(b*))", {"one_of": ["a", {"glob": "b*"}]}),
    ],
)
def test_words_and_data(entry: Entry, shown: str, written: object) -> None:
    """An entry is shown in words and written as in a reference file; it is a value that can be copied."""
    assert (show_entry(entry), write_entry(entry)) == (shown, written)
    for twin in (copy.deepcopy(entry), pickle.loads(pickle.dumps(entry))):  # noqa: S301 - our own
        assert twin == entry
        assert hash(twin) == hash(entry)


def test_an_expression_has_a_time_limit() -> None:
    """An expression that takes exponential time ends in an error that names it, not in a hang."""
    with pytest.raises(PatternTimeoutError, match=r'"\(a\|aa\)\+\$" took longer than 0\.5 s'):
        Regex("(a|aa)+$").accepts("a" * 60 + "b")


def test_entries_are_assigned_as_well_as_they_can_be() -> None:
    """A pattern that stands first leaves a name to the entry that has no other."""
    reference = [[Any(), Glob("n*"), OneOf("n1", "x"), "n1"]]
    assert decide([["n1", "x", "n2", "q"]], reference).score is True
    outcome = decide([["n1", "x", "q", "r"]], reference)
    assert outcome.comment is not None
    assert outcome.comment.endswith("missing glob(n*); extra q") or outcome.comment.endswith("extra r")
