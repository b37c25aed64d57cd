"""Runs of every kind of ending, recorded once, to be kept in every place and read back from it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from otel_traj import TrajectoryCallbackHandler
from otel_traj.record.samples import build_seven_nodes
from tests.oracles import ALL
from tests.record.recording import Recording, read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opentelemetry.sdk.trace import ReadableSpan

    from otel_traj import Run

__all__ = ["LARGE", "has_nan", "outline", "record_runs"]

LARGE: Final = "Grüße, 你好, \U0001f600 " * 5_000
"""An attribute of over 100 kB."""


def record_runs() -> Recording:
    """Return runs of every kind of ending, every second one with content, two large attributes, unicode and a NaN."""
    recording = Recording(content=True, metadata_keys=("note", "score", "case"))
    silent = TrajectoryCallbackHandler(tracer_provider=recording.provider, content=False)
    able = [scenario for scenario in ALL if not scenario.missing and "sync" in scenario.modes]
    for number, scenario in enumerate(able):
        scenario.run([silent if number % 2 else recording.handler])
    graph = build_seven_nodes()
    for number, metadata in enumerate(({"note": LARGE}, {"note": LARGE[::-1]}, {"score": math.nan})):
        graph.invoke(
            {"shortcut": bool(number % 2), "nodes": []},
            config=cast("Any", recording.config(metadata=metadata)),
        )
    return recording


def outline(runs: Iterable[Run], *, times: bool = True) -> list[str]:
    """Return runs in a form in which NaN equals itself, without the place they come from."""
    return [
        repr(_strip(msgspec.to_builtins(run), times=times))
        for run in sorted(runs, key=lambda run: run.run_id)
    ]


def _strip(value: Any, *, times: bool) -> Any:  # noqa: ANN401 - plain data
    if isinstance(value, list):
        return [_strip(item, times=times) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: item for key, item in value.items() if key != "source" and (times or not key.endswith("_ns"))
    }
    return {key: _strip(kept[key], times=times) for key in sorted(kept)}


def has_nan(span: ReadableSpan) -> bool:
    """Whether an attribute of the span is NaN."""
    return any(isinstance(value, float) and math.isnan(value) for value in read(span).values())
