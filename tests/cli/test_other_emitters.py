"""The command line on what other emitters recorded: judged where nodes are known, named and not judged where not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from otel_traj.cli import main
from tests.reconstruct.dialects.corpora import EMITTERS, SCENARIOS, name_corpus

if TYPE_CHECKING:
    from pathlib import Path

FAN_OUT = """\
version: 1
references:
  - name: fan out
    steps: [plan, [worker, worker, worker, worker], reduce]
"""
WITHOUT_NODES = "otel-genai-1.3b0"


def judge(corpus: Path, folder: Path, *options: str) -> int:
    """Return the exit code of `eval` on a corpus."""
    references = folder / "references.yaml"
    references.write_text(FAN_OUT, "utf-8")
    return main(["eval", str(corpus), "--references", str(references), *options])


@pytest.mark.parametrize("emitter", EMITTERS)
def test_runs_of_others_are_judged(emitter: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What ran passes, and what ran otherwise fails."""
    assert judge(name_corpus(emitter, "s02_send"), tmp_path) == 0
    assert "1 passed, 0 failed, 0 not evaluated" in capsys.readouterr().out
    assert judge(name_corpus(emitter, "s09_cycle"), tmp_path) == 1
    assert "0 passed, 1 failed, 0 not evaluated" in capsys.readouterr().out


@pytest.mark.parametrize("emitter", EMITTERS)
def test_who_asks_for_a_manifest_does_not_get_a_pass(
    emitter: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No run of another emitter is verified: with `--require-manifest` none is evaluated."""
    assert judge(name_corpus(emitter, "s02_send"), tmp_path, "--require-manifest") == 2
    assert "0 passed, 0 failed, 1 not evaluated" in capsys.readouterr().out


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_an_emitter_without_nodes_is_named_and_not_evaluated(
    scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No run passes or fails, the exit code says that none was judged, and the words say who recorded no node."""
    assert judge(name_corpus(WITHOUT_NODES, scenario), tmp_path) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "0 passed, 0 failed," in said
    assert "no_node_tasks" in said
    assert "otel-genai recorded" in said
    assert main(["show", str(name_corpus(WITHOUT_NODES, scenario))]) == 0
    assert "otel-genai recorded" in " ".join(capsys.readouterr().out.split())
