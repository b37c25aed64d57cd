"""`otel-traj show`: the runs of a source, in three forms."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from otel_traj import read_runs
from otel_traj.cli import main
from otel_traj.report import format_steps, format_tree
from tests.otlp_lines import write_lines
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from pathlib import Path

    from otel_traj.model import Span

_HOUR_NS = 3_600_000_000_000
_DAY_NS = 24 * _HOUR_NS
_START_NS = 1_764_460_800_000_000_000


def _record(name: str, *, graph: str = "seven", days: int = 0, outcome: str = "ok") -> list[Span]:
    start = _START_NS + days * _DAY_NS
    run = RecordedRun(
        name, graph=graph, thread=f"thread-{name}", start=start, outcome=outcome, service=f"svc-{graph}"
    )
    run.task("node1", 1)
    run.task("node2", 2)
    return run.spans(case=f"case-{name}")


@pytest.fixture
def source(tmp_path: Path) -> str:
    """Four runs, a day apart, of two graphs, one of which failed."""
    spans = [
        *_record("c", days=2, outcome="error"),
        *_record("a"),
        *_record("d", graph="other", days=3),
        *_record("b", days=1),
    ]
    return str(write_lines(tmp_path / "traces.jsonl", spans))


def _list_threads(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["show", *words, "--format", "json"]) == 0
    return [run["thread_id"].removeprefix("thread-") for run in json.loads(capsys.readouterr().out)]


def test_runs_stand_by_start(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All runs are shown in the order in which they started, whatever the order of the file."""
    assert _list_threads(capsys, source) == ["a", "b", "c", "d"]


def test_the_three_forms_are_those_of_the_library(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Tree (the default) and steps are what `otel_traj.report` gives; nothing else is on stdout."""
    runs = list(read_runs(source))
    assert main(["show", source]) == 0
    assert capsys.readouterr().out == "\n\n".join(format_tree(run) for run in runs) + "\n"
    assert main(["show", source, "--format", "steps"]) == 0
    assert capsys.readouterr() == ("".join(format_steps(run) + "\n" for run in runs), "")


@pytest.mark.parametrize(
    ("options", "threads"),
    [
        (["--graph", "other"], ["d"]),
        (["--service", "svc-seven"], ["a", "b", "c"]),
        (["--thread", "thread-b"], ["b"]),
        (["--status", "error"], ["c"]),
        (["--status", "ok", "--status", "error"], ["a", "b", "c", "d"]),
        (["--attribute", "otel_traj.case=case-a"], ["a"]),
        (["--attribute", "service.name=svc-other", "--attribute", "otel_traj.task_count=2"], ["d"]),
        (["--since", "2025-12-01T00:00:00Z"], ["b", "c", "d"]),
        (["--until", "2025-12-01T00:00:00Z"], ["a", "b"]),
        (["--until", "1h", "--graph", "seven"], ["a", "b", "c"]),
        (["--last", "2"], ["c", "d"]),
        (["--last", "1", "--graph", "seven"], ["c"]),
        (["--last", "9"], ["a", "b", "c", "d"]),
    ],
)
def test_runs_are_selected(
    source: str, capsys: pytest.CaptureFixture[str], options: list[str], threads: list[str]
) -> None:
    """What is given must all hold; `--last` keeps those that started last."""
    assert _list_threads(capsys, source, *options) == threads


def test_ids_select(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A run id and a trace id each select their run, in the forms that people paste."""
    run = list(read_runs(source))[1]
    assert _list_threads(capsys, source, "--run", run.run_id) == ["b"]
    assert _list_threads(capsys, source, "--trace", "0x" + run.trace_ids[0].upper()) == ["b"]


@pytest.mark.parametrize("form", ["tree", "steps", "json"])
def test_a_selection_that_meets_none_is_2(source: str, capsys: pytest.CaptureFixture[str], form: str) -> None:
    """Nothing to show is 2, with the reason on stderr; the JSON form is an empty array."""
    assert main(["show", source, "--thread", "nobody", "--format", form]) == 2
    captured = capsys.readouterr()
    assert captured.out == ("[]\n" if form == "json" else "")
    assert captured.err == f"otel-traj: no run meets the selection in {source!r}\n"


def test_a_graph_that_no_run_is_of_is_told_from_those_that_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who asks for a graph that runs only inside another is told, with the graphs that there are."""
    outer = RecordedRun("outer", graph="outer")
    inner = RecordedRun("inner", graph="inner", parent=outer, parent_task=outer.task("call", 1))
    inner.task("x", 1)
    path = str(write_lines(tmp_path / "traces.jsonl", outer.spans(below=[inner])))
    assert main(["show", path, "--graph", "inner"]) == 2
    assert capsys.readouterr().err == (
        f"otel-traj: no run meets the selection in {path!r}: no run is of the graph inner; graphs there: outer;"
        " only as subgraphs: inner\n"
    )
    assert main(["show", path, "--graph", "outer", "--thread", "nobody"]) == 2
    assert capsys.readouterr().err == f"otel-traj: no run meets the selection in {path!r}\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [("", "is empty"), ("hello\n", "not OTLP"), ('{"resourceSpans": []}\n', "no run was found")],
)
def test_a_source_without_runs_is_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, words: str
) -> None:
    """An empty file, a file of another kind and a file without runs are 2, each with its words."""
    path = tmp_path / "traces.jsonl"
    path.write_text(content, encoding="utf-8")
    assert main(["show", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err


def test_a_missing_source_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A source that is not there is 2 and named, without a traceback."""
    missing = str(tmp_path / "missing.jsonl")
    assert main(["show", missing]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert repr(missing) in captured.err
    assert captured.err.count("\n") == 1


def test_a_reference_file_as_source_gets_a_hint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever shows a reference file is told where it belongs."""
    path = tmp_path / "references.yaml"
    path.write_text("version: 1\nreferences: []\n", encoding="utf-8")
    assert main(["show", str(path)]) == 2
    assert "a reference file stands after --references" in capsys.readouterr().err


def test_what_can_be_read_is_shown_with_its_problems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A broken line does not hide the runs of the others: they are shown, the line is named, the code is 0."""
    path = write_lines(tmp_path / "traces.jsonl", _record("a"), "{nope")
    assert main(["show", str(path), "--format", "steps"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("seven ")
    assert captured.err.startswith(f"{path}:4: ")


@pytest.mark.parametrize("number", ["0", "-1", "x", "99999999999"])
def test_last_counts_from_one(capsys: pytest.CaptureFixture[str], number: str) -> None:
    """`--last` takes a number of runs and nothing else."""
    with pytest.raises(SystemExit) as caught:
        main(["show", "traces.jsonl", f"--last={number}"])
    assert caught.value.code == 2
    assert "it counts from 1" in capsys.readouterr().err


def test_hostile_names_are_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Control and bidirectional characters of names reach the terminal in no form of output."""
    run = RecordedRun("evil", graph="\x1b[2J\u202egraph", thread="a\nb")
    run.task("\x1b]0;owned\x07\u2066" + "x" * 10_000, 1)
    path = write_lines(tmp_path / "traces.jsonl", run.spans(), "\x1b[31m{nope")
    for form in ("tree", "steps", "json"):
        assert main(["show", str(path), "--format", form]) == 0
        captured = capsys.readouterr()
        assert all(char.isprintable() for char in (captured.out + captured.err).replace("\n", ""))
