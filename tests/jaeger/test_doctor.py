"""The doctor on a real Jaeger v1.76.0 and on a file of the same runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from otel_traj import JsonLinesSpanExporter
from otel_traj.cli import main
from otel_traj.record.samples import build_seven_nodes
from tests.jaeger.test_reading import send
from tests.record.recording import Recording

if TYPE_CHECKING:
    from pathlib import Path

    from tests.jaeger.running import Jaeger

pytestmark = pytest.mark.jaeger


def test_jaeger_and_a_file_are_compared(
    jaeger: Jaeger, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where both got all they agree; a node that the file lost is named, with its superstep."""
    recording = Recording()
    for shortcut in (False, True):
        build_seven_nodes().invoke({"shortcut": shortcut, "nodes": []}, config=recording.config())
    spans = recording.exporter.get_finished_spans()
    send(jaeger, spans)
    whole, lossy = tmp_path / "whole.jsonl", tmp_path / "lossy.jsonl"
    JsonLinesSpanExporter(whole).export(spans)
    JsonLinesSpanExporter(lossy).export([span for span in spans if span.name != "invoke_node node4"])
    place = f"jaeger+http://{jaeger.query_address}?since=1h"
    assert main(["doctor", place, str(whole)]) == 0
    assert "2 runs in 2 sources, 2 alike in all" in capsys.readouterr().out
    assert main(["doctor", place, str(lossy)]) == 1
    assert "missing in superstep 3: node4" in capsys.readouterr().out
