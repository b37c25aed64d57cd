"""`otel-traj doctor`: exit codes, forms, and what is printed where."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from otel_traj import diagnose
from otel_traj.cli import main
from otel_traj.report import format_diagnosis, format_diagnosis_json
from tests.otlp_lines import write_lines
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from otel_traj.model import Span


def _record(name: str) -> list[Span]:
    run = RecordedRun(name, graph="seven", thread=f"thread-{name}")
    run.task("a", 1)
    run.task("b", 2)
    return run.spans()


@pytest.fixture
def whole(tmp_path: Path) -> str:
    """A file with two whole runs."""
    return str(write_lines(tmp_path / "whole.jsonl", _record("p") + _record("q")))


@pytest.fixture
def lossy(tmp_path: Path) -> str:
    """The same runs, one of which lost a node."""
    spans = _record("p") + [span for span in _record("q") if span.name != "invoke_node b"]
    return str(write_lines(tmp_path / "lossy.jsonl", spans))


def test_whole_is_0_and_lossy_is_1(whole: str, lossy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The text is what the library gives; nothing is on stderr."""
    assert main(["doctor", whole]) == 0
    assert capsys.readouterr() == (format_diagnosis(diagnose(whole)) + "\n", "")
    assert main(["doctor", lossy]) == 1
    assert capsys.readouterr() == (format_diagnosis(diagnose(lossy)) + "\n", "")


@pytest.mark.parametrize("form", ["text", "json"])
def test_each_run_has_its_link(whole: str, capsys: pytest.CaptureFixture[str], form: str) -> None:
    """`--link` puts an address beside each run, as in `show` and `eval`."""
    link = "https://jaeger.example/trace/{trace_id}"
    assert main(["doctor", whole, "--link", link, "--format", form]) == 0
    printed = capsys.readouterr().out
    assert printed.count("https://jaeger.example/trace/") == 2


def test_several_sources_are_compared(whole: str, lossy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Alike is 0, different is 1."""
    assert main(["doctor", whole, whole]) == 0
    assert "Compared: 2 runs in 2 sources, 2 alike in all" in capsys.readouterr().out
    assert main(["doctor", whole, lossy]) == 1
    assert "DIFFERENT: seven" in capsys.readouterr().out
    assert main(["doctor", whole, lossy, "--thread", "thread-p"]) == 0


def test_json_is_the_library_s(whole: str, lossy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One object on stdout; why the code is not 0 is on stderr too."""
    assert main(["doctor", whole, lossy, "--format", "json"]) == 1
    captured = capsys.readouterr()
    assert captured.out == format_diagnosis_json(diagnose(whole, lossy)) + "\n"
    reasons = json.loads(captured.out)["exit_reasons"]
    assert captured.err == "".join(f"otel-traj: {reason}\n" for reason in reasons)


def test_a_demanded_proof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--require-manifest` makes a run that is complete but not verified 1."""
    run = RecordedRun("r")
    run.call("chat", "m", run.task("a", 1))
    spans = [span for span in run.spans() if span.name != "chat m"]
    path = str(write_lines(tmp_path / "traces.jsonl", spans))
    assert main(["doctor", path]) == 0
    assert "complete, not verified: g " in capsys.readouterr().out
    assert main(["doctor", path, "--require-manifest"]) == 1


@pytest.mark.parametrize("form", ["text", "json"])
def test_nothing_to_look_at_is_2(whole: str, capsys: pytest.CaptureFixture[str], form: str) -> None:
    """A selection that meets none, and a source that is not there: of it only the error is told, as by `show`."""
    assert main(["doctor", whole, "--thread", "nobody", "--format", form]) == 2
    captured = capsys.readouterr()
    assert "no run meets the selection in" in captured.out
    assert main(["doctor", whole + ".missing", "--format", form]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert ".missing" in captured.err


@pytest.fixture
def refusing() -> Iterator[str]:
    """The name of a Jaeger that nobody answers for: the port is taken, and nothing listens on it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"jaeger+http://ann:pa55word@127.0.0.1:{taken.getsockname()[1]}"


def test_what_can_t_be_read_does_not_hide_the_others(
    whole: str, lossy: str, refusing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each source that can't be read is named with its error, the others are told and compared, and the code is 2."""
    unreadable = [f"{whole}.missing", refusing, "jaegr://localhost", f"{refusing}?nonsense=1"]
    assert main(["doctor", unreadable[0], whole, *unreadable[1:], lossy]) == 2
    out, err = capsys.readouterr()
    words = " ".join(out.split())
    assert words.count(": UNREADABLE ") == 4
    assert "No such file or directory" in words
    assert "Connection refused" in words
    assert "no source with the scheme 'jaegr'" in words
    assert "no parameter 'nonsense'" in words
    assert "2 runs, 1 complete" in words
    assert "Compared: 2 runs in 2 sources, 1 alike in all, 0 not in all, 1 different" in words
    assert "pa55word" not in out + err


def test_json_tells_why_a_source_can_t_be_read(
    whole: str, lossy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its `error` says it, and the comparison has null in its place."""
    missing = f"{whole}.missing"
    assert main(["doctor", whole, missing, lossy, "--format", "json"]) == 2
    captured = capsys.readouterr()
    told = json.loads(captured.out)
    assert [source["source"] for source in told["sources"]] == [whole, missing, lossy]
    assert [source["error"] is None for source in told["sources"]] == [True, False, True]
    assert "No such file or directory" in told["sources"][1]["error"]
    assert [run["present"] for run in told["comparison"]] == [[True, None, True]] * 2
    assert {"name": "tasks", "values": [2, None, 1]} in told["comparison"][1]["differences"]
    assert told["exit_reasons"][0] == f"{missing!r} could not be read"
    assert captured.err.startswith(f"otel-traj: {missing!r} could not be read\n")


def test_what_the_command_would_overwrite_ends_it(whole: str, tmp_path: Path) -> None:
    """A wrong argument is no unreadable source: nothing else is read."""
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(b"")
    words = [sys.executable, "-m", "otel_traj", "doctor", whole, str(copy)]
    with copy.open("ab") as output:
        done = subprocess.run(words, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, copy.read_bytes()) == (2, b"")
    assert str(copy) in done.stderr


def test_a_source_without_runs_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of another kind is told what it is, and a reference file where it belongs."""
    path = tmp_path / "references.yaml"
    path.write_text("version: 1\nreferences: []\n", encoding="utf-8")
    assert main(["doctor", str(path)]) == 2
    captured = capsys.readouterr()
    assert "problem not_spans: " in " ".join(captured.out.split())
    assert "exit code 2: no run was found in" in " ".join(captured.out.split())
    assert "a reference file stands after --references" in captured.err


def test_no_source_is_a_wrong_argument(capsys: pytest.CaptureFixture[str]) -> None:
    """With the usage."""
    with pytest.raises(SystemExit) as caught:
        main(["doctor"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("usage: otel-traj doctor SOURCE [SOURCE]... [OPTION]...\n")
