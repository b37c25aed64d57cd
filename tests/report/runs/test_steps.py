"""Runs as plain lines."""

from __future__ import annotations

import pytest

from otel_traj.report import format_steps
from tests.report import scenes
from tests.report.golden import compare_with_gold


@pytest.mark.parametrize("scene", ["seven", "agent", "fan_out", "resumed", "incomplete", "hostile"])
def test_the_layout_is_the_agreed_one(scene: str) -> None:
    """Each scene's lines are its gold file."""
    compare_with_gold(f"steps-{scene}.txt", format_steps(getattr(scenes, f"build_{scene}")()))


def test_one_line_per_superstep() -> None:
    """A run of n supersteps has n + 1 lines, whatever its names hold, and names stand whole."""
    run = scenes.build_hostile()
    text = format_steps(run)
    assert len(text.splitlines()) == 1 + len(run.steps)
    assert "x" * 10_000 in text
    wide = scenes.build_fan_out()
    assert len(format_steps(wide).splitlines()) == 1 + len(wide.steps)
    assert all(char.isprintable() for char in text.replace("\n", ""))
