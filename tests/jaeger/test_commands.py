"""The commands on a real Jaeger v1.76.0, on a directory, and on a file of the same runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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


REFERENCES: Final = """\
version: 1
references:
  - name: long way
    applies_to: {graph: seven}
    steps: [[node1], [node3], {nodes: [node4, node5], mode: unordered}, [node6], [node7]]
"""


@pytest.fixture(params=["Jaeger", "directory"])
def place(request: pytest.FixtureRequest, jaeger: Jaeger, tmp_path: Path) -> str:
    """The name of a place that keeps one run of the seven nodes."""
    recording = Recording()
    build_seven_nodes().invoke({"shortcut": False, "nodes": []}, config=recording.config())
    spans = recording.exporter.get_finished_spans()
    if request.param == "Jaeger":
        send(jaeger, spans)
        return f"jaeger+http://{jaeger.query_address}"
    (tmp_path / "traces").mkdir()
    for number, span in enumerate(spans):
        JsonLinesSpanExporter(tmp_path / "traces" / f"{number % 3}.jsonl").export([span])
    return str(tmp_path / "traces")


def test_show(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`show` prints the run by its supersteps, of a bare address too."""
    assert main(["show", place, "--format", "steps"]) == 0
    assert "node4, node5" in capsys.readouterr().out


def test_eval(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`eval` passes what follows its reference, and fails what does not."""
    references = tmp_path / "references.yaml"
    references.write_text(REFERENCES, "utf-8")
    assert main(["eval", place, "--references", str(references), "--require-all"]) == 0
    references.write_text(REFERENCES.replace("[node3]", "[node2], [node3]"), "utf-8")
    assert main(["eval", place, "--references", str(references)]) == 1
    assert "node2" in capsys.readouterr().out


def test_doctor(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`doctor` finds everything there."""
    assert main(["doctor", place]) == 0
    assert "complete" in capsys.readouterr().out


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
