"""The command line on places that are asked over HTTP."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from otel_traj.cli import main
from tests.otlp_lines import write_lines
from tests.sources.jaeger.stand_in import JaegerStandIn
from tests.sources.serving import Reply, serve
from tests.sources.tempo.stand_in import TempoStandIn
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from otel_traj.model import Span
    from tests.sources.serving import Request

REFERENCES = """\
version: 1
references:
  - {name: both, applies_to: {graph: seven}, steps: [a, b]}
"""


def record(name: str, *, graph: str = "seven") -> list[Span]:
    """Return the spans of a run that ended a moment ago."""
    run = RecordedRun(name, graph=graph, start=time.time_ns() - 10**10)
    run.task("a", 1)
    run.task("b", 2)
    return run.spans()


@pytest.fixture(params=["stand-in for jaeger", "stand-in for newer jaeger", "stand-in for tempo"])
def place(request: pytest.FixtureRequest) -> Iterator[str]:
    """Return the name of a place that holds two runs, with a user and password in it."""
    spans = record("one") + record("two", graph="other")
    apps: dict[str, Callable[[Request], Reply]] = {
        "stand-in for jaeger": JaegerStandIn(spans),
        "stand-in for newer jaeger": JaegerStandIn(spans, line="newer"),
        "stand-in for tempo": TempoStandIn(spans),
    }
    kind = str(request.param).rpartition(" ")[2]
    with serve(apps[request.param]) as served:
        yield f"{kind}+http://ann:pa55word@{served.place}"


def test_a_bare_name_is_shown_and_what_it_reads_is_said_once(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The runs on stdout; on stderr one note, without the password."""
    assert main(["show", place, "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert len(json.loads(out)) == 2
    shown = place.replace("ann:pa55word@", "")
    assert err == (
        f"otel-traj: {shown}: the newest 20 traces of the last hour over all services are read; widen or narrow it "
        "with ?since=, ?limit= and the like, or with the options that select runs\n"
    )
    assert "pa55word" not in out


def test_what_says_how_far_to_read_says_it_instead(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No note where the name or an option does."""
    for words in ([f"{place}?since=2h"], [place, "--since", "2h"]):
        assert main(["show", *words]) == 0
        assert capsys.readouterr().err == ""


def test_options_select(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As on a file."""
    assert main(["show", f"{place}?since=1h", "--graph", "other", "--format", "json"]) == 0
    assert [run["graph"] for run in json.loads(capsys.readouterr().out)] == ["other"]


def test_runs_are_judged(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`eval` on a backend, with the exit codes that it has on a file."""
    references = tmp_path / "references.yaml"
    references.write_text(REFERENCES)
    assert main(["eval", place, "--references", str(references), "--graph", "seven"]) == 0
    assert "1 passed, 0 failed" in capsys.readouterr().out
    references.write_text(REFERENCES.replace("[a, b]", "[a]"))
    assert main(["eval", place, "--references", str(references), "--graph", "seven"]) == 1


def test_a_place_is_compared_with_a_file(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`doctor` finds the same runs in both; what the file lost is told, the password is not."""
    path = write_lines(tmp_path / "traces.jsonl", record("one") + record("two", graph="other"))
    assert main(["doctor", f"{place}?since=1h", str(path)]) == 0
    path = write_lines(tmp_path / "traces.jsonl", [*record("one")[1:], *record("two", graph="other")])
    assert main(["doctor", f"{place}?since=1h", str(path), "--graph", "seven"]) == 1
    out, err = capsys.readouterr()
    assert "missing in superstep 1: a" in out
    assert "pa55word" not in out + err


def test_nothing_found_is_code_2_and_shows_no_password(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor does an error."""
    assert main(["show", place, "--thread", "none", "--wait", "0"]) == 2
    assert main(["show", f"{place}/wrong/base", "--wait", "0"]) == 2
    assert main(["show", f"{place}?nonsense=1"]) == 2
    out, err = capsys.readouterr()
    assert "no run was found in" in err
    assert "no parameter 'nonsense'" in err
    assert "pa55word" not in out + err


def test_wait_is_how_long_is_waited(capsys: pytest.CaptureFixture[str]) -> None:
    """`--wait 0` asks once; with time, what arrives late is read."""
    spans = record("one")
    jaeger = JaegerStandIn(spans[:1])

    def arrive(request: Request) -> Reply:
        reply = jaeger(request)
        if "/api/v3/traces/" in request.path:
            jaeger.spans = spans
        return reply

    with serve(arrive) as served:
        assert main(["show", f"jaeger+http://{served.place}", "--format", "json", "--wait", "0"]) == 0
        assert json.loads(capsys.readouterr().out)[0]["complete"] is False
        jaeger.spans = spans[:1]
        assert main(["show", f"jaeger+http://{served.place}", "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)[0]["complete"] is True


@pytest.mark.parametrize("wait", ["soon", "-1", "nan"])
def test_a_wait_that_is_none_is_refused(wait: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With code 2, before anything is read."""
    try:
        code = main(["show", "-", "--wait", wait])
    except SystemExit as end:
        code = int(str(end.code))
    assert code == 2
    assert capsys.readouterr().err


def test_files_are_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty file is an answer at once."""
    path = tmp_path / "traces.jsonl"
    path.write_bytes(b"")
    began = time.monotonic()
    assert main(["show", str(path)]) == 2
    assert time.monotonic() - began < 25
    assert "no run was found" in capsys.readouterr().err
