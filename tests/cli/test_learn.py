"""`otel-traj learn` and `otel-traj export`: what good runs teach, and runs taken out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from otel_traj import read_runs
from otel_traj.cli import main
from tests.otlp_lines import write_lines
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from pathlib import Path

    from otel_traj.model import Span


def _record(name: str, *nodes: str, outcome: str = "ok", start: int = 1_000) -> list[Span]:
    run = RecordedRun(name, graph="g", outcome=outcome, start=start)
    for number, node in enumerate(nodes, 1):
        run.task(node, number)
    return run.spans(case="c")


@pytest.fixture
def source(tmp_path: Path) -> str:
    """Three runs of one case, of which one failed."""
    spans = _record("one", "a", "b") + _record("two", "a", "c", start=2_000)
    spans += _record("three", "a", outcome="error", start=3_000)
    return str(write_lines(tmp_path / "traces.jsonl", spans))


def test_what_is_learned_passes_what_taught_it(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`learn`, then `eval` on the same runs: the good ones pass, the one that failed fails."""
    out = str(tmp_path / "references.yaml")
    assert main(["learn", source, "--name", "good", "--out", out]) == 0
    said = capsys.readouterr()
    assert "good: 2 runs, 2 trajectories" in said.out
    assert "1 run left out" in said.err
    assert main(["eval", source, "--references", out, "--status", "ok", "--require-all"]) == 0
    assert main(["eval", source, "--references", out]) == 1


def test_learning_again_writes_over_references_and_nothing_else(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An earlier reference file is written anew; any other file is kept."""
    out, notes = tmp_path / "references.yaml", tmp_path / "notes.txt"
    notes.write_text("mine", "utf-8")
    for _ in range(2):
        assert main(["learn", source, "--name", "good", "--out", str(out)]) == 0
    assert main(["learn", source, "--name", "good", "--out", str(notes)]) == 2
    assert "holds no references" in capsys.readouterr().err
    assert notes.read_text("utf-8") == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "notes.txt",
        "references.yaml",
        "traces.jsonl",
    ]


def test_an_empty_file_is_nothing_to_lose(source: str, tmp_path: Path) -> None:
    """`mktemp` makes one before anything is written."""
    out = tmp_path / "references.yaml"
    out.touch()
    assert main(["learn", source, "--name", "good", "--out", str(out)]) == 0
    assert "good" in out.read_text("utf-8")


def test_an_export_never_replaces_the_references_that_it_judges_by(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody wrote them by hand; a link to them is the same file."""
    references, link = tmp_path / "references.yaml", tmp_path / "link.yaml"
    references.write_text("version: 1\nreferences: [{name: r, steps: [a, b]}]\n", "utf-8")
    link.symlink_to(references)
    for out in (references, link):
        assert main(["export", source, "--references", str(references), "--out", str(out)]) == 2
        assert "over the references" in capsys.readouterr().err
    assert references.read_text("utf-8").startswith("version: 1")


def test_nothing_to_learn_from_is_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No file is written then, and the reason is told."""
    source = str(write_lines(tmp_path / "traces.jsonl", _record("one", "a", outcome="cancelled")))
    out = tmp_path / "references.yaml"
    assert main(["learn", source, "--name", "good", "--out", str(out)]) == 2
    assert "cancelled" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("command", [["learn", "--name", "n"], ["export"], ["export", "--as", "otlp"]])
def test_the_source_is_never_written_over(
    command: list[str], source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the file that is read nor one in the folder that is read."""
    for place, out in ((source, source), (str(tmp_path), str(tmp_path / "new.jsonl"))):
        assert main([command[0], place, "--out", out, *command[1:]]) == 2
        assert "is read as a part of" in capsys.readouterr().err
    assert len(list(read_runs(source))) == 3


@pytest.mark.parametrize("command", [["learn", "--name", "n"], ["export"]])
def test_a_file_that_can_not_be_written_is_an_error(
    command: list[str], source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder is not there: code 2, with the path."""
    out = str(tmp_path / "missing" / "file")
    assert main([command[0], source, "--out", out, *command[1:]]) == 2
    assert out in capsys.readouterr().err


@pytest.mark.parametrize("form", ["cases", "langsmith"])
def test_an_export_has_a_line_per_run(
    form: str, source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON lines, by the start of the runs."""
    out = tmp_path / "cases.jsonl"
    assert main(["export", source, "--out", str(out), "--as", form]) == 0
    assert capsys.readouterr().out == f"{out}: 3 lines\n"
    assert [len(json.loads(line)) for line in out.read_text("utf-8").splitlines()] == [
        6 if form == "cases" else 4
    ] * 3


def test_an_export_of_spans_is_a_source(source: str, tmp_path: Path) -> None:
    """One run taken out reads back as that run."""
    out = str(tmp_path / "one.jsonl")
    (first, *_) = read_runs(source)
    assert main(["export", source, "--out", out, "--as", "otlp", "--run", first.run_id]) == 0
    (run,) = read_runs(out)
    assert (run.run_id, run.steps, run.verified) == (first.run_id, first.steps, True)


def test_a_selection_that_meets_nothing_is_code_2(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written."""
    out = tmp_path / "cases.jsonl"
    assert main(["export", source, "--out", str(out), "--graph", "other"]) == 2
    assert "no run" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("command", [["learn", "--name", "good"], ["export"]])
def test_a_dash_is_stdout(command: list[str], source: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What would be in the file is the answer, and nothing else is; what there is to say stands on stderr."""
    assert main([command[0], source, "--out", "-", *command[1:]]) == 0
    said = capsys.readouterr()
    assert said.err
    if command[0] == "learn":
        assert said.out.startswith("version: 1\n")
    else:
        assert [json.loads(line)["graph"] for line in said.out.splitlines()] == ["g"] * 3
