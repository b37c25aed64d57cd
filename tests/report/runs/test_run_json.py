"""A run as JSON."""

from __future__ import annotations

import json

import pytest

from otel_traj.report import format_run_json
from tests.report import scenes

_KEYS = [
    "run_id",
    "graph",
    "thread_id",
    "trace_ids",
    "status",
    "complete",
    "verified",
    "problems",
    "steps",
    "started_ns",
    "ended_ns",
    "usage",
    "children",
]


@pytest.mark.parametrize("scene", ["seven", "agent", "subgraphs", "resumed", "incomplete", "hostile"])
def test_the_form_is_pinned(scene: str) -> None:
    """The object has exactly the documented keys in order, children too, on one line of ASCII."""
    run = getattr(scenes, f"build_{scene}")()
    text = format_run_json(run)
    assert text.isascii()
    assert "\n" not in text
    decoded = json.loads(text)
    assert list(decoded) == _KEYS
    assert all(list(child) == _KEYS for child in decoded["children"])
    assert decoded["steps"] == run.steps
    assert decoded["trace_ids"] == list(run.trace_ids)
    assert decoded["usage"] == run.usage
    assert (decoded["started_ns"], decoded["ended_ns"]) == (run.started_ns, run.ended_ns)


def test_problems_are_objects() -> None:
    """A problem is its code, its words and the spans concerned."""
    problem = json.loads(format_run_json(scenes.build_incomplete()))["problems"][0]
    assert list(problem) == ["code", "message", "span_ids"]
    assert problem["code"] == "root_missing"
