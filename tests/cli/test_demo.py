"""`otel-traj demo`: what a newcomer sees first."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from opentelemetry import trace

from otel_traj import evaluate_runs, read_runs
from otel_traj.cli import main
from otel_traj.evaluate import load_references
from tests.otlp_lines import write_lines
from tests.spans import RecordedRun

_OFFLINE = """
import socket, sys
from otel_traj.cli import main

reached = []
def refuse(self, address, *rest):
    reached.append(address)
    raise OSError("this test has no network")
socket.socket.connect = socket.socket.connect_ex = refuse
code = main(["demo", "--out", sys.argv[1]])
sys.exit(f"reached for {reached}" if reached else code)
"""


def _run_demo(capsys: pytest.CaptureFixture[str], folder: Path) -> str:
    assert main(["demo", "--out", str(folder)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_it_shows_trees_a_pass_and_a_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The four runs stand as trees; one fails, with an explanation; it fits on a screen or two, at 80 columns."""
    output = _run_demo(capsys, tmp_path / "demo")
    for words in (
        "graph seven  ok",
        "├─ superstep 3\n│  ├─ node4  ok",
        "│  ├─ tool call get_weather  ok",
        "├─ interrupt after superstep 2\n",
        'pass "long path": seven',
        'FAIL "long path": seven',
        "superstep 2: expected {node3}, got {node2}",
        "3 passed, 1 failed, 0 not evaluated",
    ):
        assert words in output
    lines = output.splitlines()
    assert len(lines) < 80
    assert all(len(line) <= 80 or str(tmp_path) in line for line in lines)


def test_it_leaves_files_to_go_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The spans and the reference file stay behind, hold the runs that were shown, and judge them alike."""
    folder = tmp_path / "demo"
    _run_demo(capsys, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["references.yaml", "traces.jsonl"]
    runs = list(read_runs(folder / "traces.jsonl"))
    assert [(run.graph, run.status, run.verified, run.steps) for run in runs] == [
        (
            "seven",
            "ok",
            True,
            [["__start__"], ["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]],
        ),
        ("seven", "ok", True, [["__start__"], ["node1"], ["node2"], ["node7"]]),
        ("assistant", "ok", True, [["__start__"], ["model"], ["tools"], ["model"]]),
        ("approval", "ok", True, [["__start__"], ["draft"], ["ask"], ["__interrupt__"], ["send"]]),
    ]
    report = evaluate_runs(folder / "traces.jsonl", references=folder / "references.yaml", require_all=True)
    assert [verdict.verdict for verdict in report.verdicts] == ["pass", "fail", "pass", "pass"]
    assert len(load_references(folder / "references.yaml")) == 3


_SCRIPT = Path(sysconfig.get_path("scripts")) / "otel-traj"
_BIN = str(_SCRIPT.parent)
_SYSTEM_PATH = os.pathsep.join(
    folder for folder in os.environ["PATH"].split(os.pathsep) if not (Path(folder) / "otel-traj").exists()
)


@pytest.mark.parametrize(
    ("start", "search", "program"),
    [
        ([str(_SCRIPT)], _SYSTEM_PATH, shlex.quote(str(_SCRIPT))),
        (["{cwd}/bin/otel-traj"], _SYSTEM_PATH, "bin/otel-traj"),
        ([sys.executable, "-m", "otel_traj"], _SYSTEM_PATH, shlex.join([sys.executable, "-m", "otel_traj"])),
        ([str(_SCRIPT)], _BIN + os.pathsep + _SYSTEM_PATH, "otel-traj"),
    ],
)
def test_the_two_commands_that_it_prints_run(
    tmp_path: Path, start: list[str], search: str, program: str
) -> None:
    """The last two lines can be typed as they stand, also where the program is not on the PATH."""
    (tmp_path / "bin").symlink_to(_BIN)
    environment = os.environ | {"PATH": search}
    command = [word.format(cwd=tmp_path) for word in start]
    _, output = _run([*command, "demo", "--out", "my first demo"], tmp_path, environment)
    lines = [line.strip() for line in output.splitlines()[-2:]]
    assert [line.partition(" show ")[0].partition(" eval ")[0] for line in lines] == [program] * 2
    done = [_run(["sh", "-c", line], tmp_path, environment) for line in lines]
    assert [code for code, _ in done] == [0, 1]
    assert all(output for _, output in done)


def test_a_program_in_the_current_folder_is_named_as_one(tmp_path: Path) -> None:
    """A shell looks on the PATH for a name without a slash, so one is there."""
    (tmp_path / "otel-traj").symlink_to(_SCRIPT)
    environment = os.environ | {"PATH": _SYSTEM_PATH}
    _, output = _run(["./otel-traj", "demo", "--out", "demo"], tmp_path, environment)
    assert output.splitlines()[-2].strip() == "./otel-traj show demo/traces.jsonl"


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_a_second_run_starts_afresh(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Run again, the demo replaces its own files, and leaves others in the folder alone."""
    folder = tmp_path / "demo"
    _run_demo(capsys, folder)
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    first = [run.run_id for run in read_runs(folder / "traces.jsonl")]
    _run_demo(capsys, folder)
    second = [run.run_id for run in read_runs(folder / "traces.jsonl")]
    assert len(second) == 4
    assert not set(first) & set(second)
    assert (folder / "notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["traces.jsonl", "references.yaml"])
@pytest.mark.parametrize("changed", ["replaced", "appended"])
def test_it_deletes_nothing_that_it_did_not_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, changed: str
) -> None:
    """Where a file is the user's own, or has grown since, the demo says so and touches nothing."""
    folder = tmp_path / "demo"
    _run_demo(capsys, folder)
    path = folder / name
    run = RecordedRun("mine")
    run.task("a", 1)
    mine = write_lines(tmp_path / "mine", run.spans()).read_bytes()
    path.write_bytes(mine if changed == "replaced" else path.read_bytes() + mine)
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    assert main(["demo", "--out", str(folder)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert str(path) in captured.err
    assert captured.err.endswith('otel-traj demo --out DIR, or make demo ARGS="--out DIR"\n')
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("folder", "reason"),
    [
        ("taken", "it is no folder"),
        ("taken/demo", "Not a directory"),
        ("x" * 300, "File name too long"),
    ],
)
def test_a_folder_that_can_not_be_made_is_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    folder: str,
    reason: str,
) -> None:
    """Where there is no place for the files the demo says so in our words, with what to do."""
    monkeypatch.chdir(tmp_path)
    Path("taken").write_text("mine", encoding="utf-8")
    assert main(["demo", "--out", folder]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        f"otel-traj: {folder!r} can't be written to ({reason}), so that the demo has no place for its files;"
        ' give the demo another folder: otel-traj demo --out DIR, or make demo ARGS="--out DIR"\n'
    )
    assert Path("taken").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["traces.jsonl", "references.yaml"])
def test_a_folder_in_place_of_a_file_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """A folder where the demo would write a file is 2, named, and still there."""
    (tmp_path / name).mkdir()
    assert main(["demo", "--out", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert str(tmp_path / name) in captured.err
    assert "Errno" not in captured.err
    assert (tmp_path / name).is_dir()


def test_a_global_provider_is_not_disturbed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The demo brings its own tracer provider: the global one is the same afterwards, and nothing is current."""
    before = trace.get_tracer_provider()
    _run_demo(capsys, tmp_path / "demo")
    assert trace.get_tracer_provider() is before
    assert not trace.get_current_span().get_span_context().is_valid


def test_it_reaches_for_no_network(tmp_path: Path) -> None:
    """Whatever the environment says about LangSmith and OTLP, no connection is tried and all is recorded."""
    environment = os.environ | {
        "LANGSMITH_TRACING": "true",
        "LANGCHAIN_TRACING_V2": "true",
        "LANGSMITH_API_KEY": "none",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://192.0.2.1:4317",
        "OTEL_TRACES_SAMPLER": "always_off",
        "OTEL_SERVICE_NAME": "something-else",
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _OFFLINE, str(tmp_path / "demo")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 passed, 1 failed" in done.stdout


def test_a_disabled_sdk_is_said(tmp_path: Path) -> None:
    """With OTEL_SDK_DISABLED nothing is recorded: the demo says what is the matter and ends with 2."""
    done = subprocess.run(
        [sys.executable, "-m", "otel_traj", "demo", "--out", str(tmp_path / "demo")],
        env=os.environ | {"OTEL_SDK_DISABLED": "true"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "OTEL_SDK_DISABLED" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_content_is_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The demo records as users do by default: what the agents said is not in the file."""
    folder = tmp_path / "demo"
    _run_demo(capsys, folder)
    text = (folder / "traces.jsonl").read_text(encoding="utf-8")
    assert "Oslo" not in text
    assert all(json.loads(line)["resourceSpans"] for line in text.splitlines())
