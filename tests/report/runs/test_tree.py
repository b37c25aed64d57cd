"""The execution tree."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from otel_traj.report import ASCII_GLYPHS, format_tree
from tests.report import scenes
from tests.report.golden import compare_with_gold

_SCENES = ["seven", "agent", "subgraphs", "resumed", "incomplete", "hostile"]


@pytest.mark.parametrize("scene", _SCENES)
def test_the_layout_is_the_agreed_one(scene: str) -> None:
    """Each scene's tree is its gold file, at 80 columns."""
    text = format_tree(getattr(scenes, f"build_{scene}")())
    compare_with_gold(f"tree-{scene}.txt", text)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("scene", _SCENES)
def test_a_narrow_terminal_loses_nothing(scene: str) -> None:
    """At 40 columns lines wrap, and every word is still there."""
    run = getattr(scenes, f"build_{scene}")()
    wide, narrow = (format_tree(run, width=width, glyphs=ASCII_GLYPHS) for width in (500, 40))

    def list_words(text: str) -> list[str]:
        return [word for word in text.split() if word not in ("|-", "`-", "|")]

    assert list_words(narrow) == list_words(wide)


def test_ascii_glyphs_are_ascii() -> None:
    """For an output without box characters the tree is plain ASCII, names included."""
    for scene in _SCENES:
        assert format_tree(getattr(scenes, f"build_{scene}")(), glyphs=ASCII_GLYPHS).isascii()


def test_hostile_names_are_data() -> None:
    """No control or bidirectional character of a name reaches the terminal, and no name forges a line."""
    text = format_tree(scenes.build_hostile())
    assert all(char.isprintable() for char in text.replace("\n", ""))
    assert not any(line.lstrip("│├└─ ").startswith(("superstep 9", "FAKE")) for line in text.splitlines())


def test_calls_without_a_shown_task_hang_below_the_run() -> None:
    """A call whose task is not there, or was never named, is shown below the run itself."""
    run = scenes.build_agent()
    calls = [replace(run.model_calls[0], task_id=None, run_id=None, model=None)]
    text = format_tree(
        replace(run, model_calls=calls, tool_calls=[replace(run.tool_calls[0], task_id="gone")])
    )
    assert "├─ model call  ok" in text
    assert "└─ tool call get_weather  ok" in text


def test_a_subgraph_run_without_a_shown_task_hangs_below_the_run() -> None:
    """A child whose calling task is not there is shown below the run itself, with all of its own."""
    run = scenes.build_subgraphs()
    child = replace(run.children[1], parent_task_id=None)
    text = format_tree(replace(run, children=[run.children[0], child]))
    assert "\n└─ graph inner  ok" in text
    assert "second" in text


def test_a_run_that_no_manifest_proves_says_so() -> None:
    """A complete run without a manifest is shown as what it is."""
    assert "no manifest proves it" in format_tree(replace(scenes.build_seven(), verified=False))
