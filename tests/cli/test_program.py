"""The command line as a process: imports, help, pipes, signals, encodings."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import shlex
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

import otel_traj
from otel_traj import cli
from tests.otlp_lines import encode_line, write_lines
from tests.spans import RecordedRun

_HEAVY = (
    "langchain",
    "langchain_core",
    "langgraph",
    "langsmith",
    "grpc",
    "opentelemetry.exporter",
    "opentelemetry.sdk",
)
_COMMAND = (sys.executable, "-m", "otel_traj")


def _record(name: str = "r", graph: str = "seven") -> RecordedRun:
    run = RecordedRun(name, graph=graph)
    run.task("node1", 1)
    return run


def _run_cli(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [*_COMMAND, *words], capture_output=True, text=True, timeout=60, check=False, **options
    )


@pytest.mark.parametrize(
    "statement",
    [
        "import otel_traj",
        "import otel_traj; [getattr(otel_traj, name) for name in ('read_runs', 'evaluate_runs', 'graph_trajectory_match')]",
        "from otel_traj.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass",
        "from otel_traj.cli import main; main(['show', 'missing.jsonl'])",
    ],
)
def test_reading_starts_without_heavy_packages(statement: str) -> None:
    """The package, its help and its reading commands import neither langchain, langgraph, grpc nor an exporter."""
    program = (
        f"{statement}\nimport sys\n"
        f"heavy = [name for name in sys.modules if name.startswith({_HEAVY!r})]\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, "imported" in done.stderr) == (0, False), done.stderr


def test_the_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` prints name and version, and nothing else."""
    with pytest.raises(SystemExit) as caught:
        cli.main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"otel-traj {otel_traj.__version__}\n"


def test_no_command_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a command the whole help is shown, on stderr, and the code is 2."""
    with pytest.raises(SystemExit) as caught:
        cli.main([])
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.search("demo .*\n.*show .*\n.*eval .*\n.*learn .*\n.*export .*\n.*doctor ", captured.err)
    assert "Start with: otel-traj demo" in captured.err


def test_a_file_in_place_of_a_command_gets_a_hint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever forgets the command is told the one that looks at a file."""
    path = write_lines(tmp_path / "traces.jsonl", _record().spans())
    with pytest.raises(SystemExit) as caught:
        cli.main([str(path)])
    assert caught.value.code == 2
    assert f"otel-traj show {path}" in capsys.readouterr().err


def test_an_unknown_command_lists_the_known(capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt command is 2, with the commands there are."""
    with pytest.raises(SystemExit) as caught:
        cli.main(["shwo"])
    assert caught.value.code == 2
    assert re.search("demo.*show.*eval.*doctor", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("words", "usage", "complaint"),
    [
        (
            ["eval", "x", "--references", "y", "--nope", "z"],
            "otel-traj eval SOURCE --references FILE [OPTION]...",
            "unknown arguments: --nope z; see otel-traj eval --help",
        ),
        (
            ["eval", "x"],
            "otel-traj eval SOURCE --references FILE [OPTION]...",
            "the following arguments are required: --references; see otel-traj eval --help",
        ),
        (
            ["show", "x", "y"],
            "otel-traj show SOURCE [OPTION]...",
            "unknown arguments: y; see otel-traj show --help",
        ),
        (
            ["jaeger+http://ann:secret@h"],
            "otel-traj [-h] [--version] COMMAND ...",
            "'jaeger+http://h' is no command; to look at it: otel-traj show jaeger+http://h; see otel-traj --help",
        ),
        (
            ["show", "x", "jaeger+http://ann:secret@h?limit=5"],
            "otel-traj show SOURCE [OPTION]...",
            "unknown arguments: jaeger+http://h?limit=5; see otel-traj show --help",
        ),
        (
            ["demo", "--last", "1"],
            "otel-traj demo [--out DIR]",
            "unknown arguments: --last 1; see otel-traj demo --help",
        ),
        (
            ["--nope"],
            "otel-traj [-h] [--version] COMMAND ...",
            "unknown arguments: --nope; see otel-traj --help",
        ),
        (
            ["--nope", "show", "x"],
            "otel-traj show SOURCE [OPTION]...",
            "unknown arguments: --nope; see otel-traj show --help",
        ),
    ],
)
def test_a_wrong_argument_is_told_in_two_lines(
    capsys: pytest.CaptureFixture[str], words: list[str], usage: str, complaint: str
) -> None:
    """One line of usage, and one that says what is wrong and where the help is."""
    with pytest.raises(SystemExit) as caught:
        cli.main(words)
    assert caught.value.code == 2
    assert capsys.readouterr().err == f"usage: {usage}\notel-traj: {complaint}\n"


def test_a_name_too_long_for_a_file_is_an_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Nonsense of any length in place of a command is 2, without a traceback."""
    with pytest.raises(SystemExit) as caught:
        cli.main(["x" * 10_000])
    assert caught.value.code == 2
    assert "invalid choice" in capsys.readouterr().err


def test_standard_input_is_a_source(tmp_path: Path) -> None:
    """`-` reads spans from a pipe."""
    path = write_lines(tmp_path / "traces.jsonl", _record().spans())
    with path.open("rb") as file:
        done = _run_cli("show", "-", "--format", "steps", stdin=file)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("   1 node1\n")


@pytest.mark.parametrize("command", ["show", "doctor"])
def test_p20_an_output_among_the_inputs_is_refused(tmp_path: Path, command: str) -> None:
    """Led into a directory that is read, into the file itself, or behind what is piped in, an answer is not written."""
    (tmp_path / "in").mkdir()
    path = write_lines(tmp_path / "in" / "traces.jsonl", _record().spans())
    written = path.read_bytes()
    for source, output in ((path.parent, path.with_name("out.json")), (path, path), ("-", path)):
        with output.open("ab") as stdout, path.open("rb") as stdin:
            done = subprocess.run(
                [*_COMMAND, command, str(source)],
                stdin=stdin,
                stdout=stdout,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == 2
        assert "is read as a part of" in " ".join(done.stderr.split())
    assert path.read_bytes() == written
    assert path.with_name("out.json").read_bytes() == b""
    with (tmp_path / "out.json").open("wb") as stdout:
        assert subprocess.run([*_COMMAND, command, str(path)], stdout=stdout, check=False).returncode == 0


def test_a_reader_that_goes_away_leaves_no_traceback(tmp_path: Path) -> None:
    """Where the reader of the pipe ends early, nothing is printed about it, and the code is that of SIGPIPE."""
    spans = [span for index in range(2_000) for span in _record(f"run {index}").spans()]
    path = write_lines(tmp_path / "traces.jsonl", spans)
    process = subprocess.Popen(
        [*_COMMAND, "show", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith("graph seven")
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=60) == 141


def test_ctrl_c_leaves_no_traceback(tmp_path: Path) -> None:
    """Ctrl-C while a source is read ends the command quietly with 130."""
    fifo = tmp_path / "traces.jsonl"
    os.mkfifo(fifo)
    process = subprocess.Popen([*_COMMAND, "show", str(fifo)], stderr=subprocess.PIPE, text=True)
    with fifo.open("w", encoding="utf-8") as writer:  # opens once the command reads
        writer.write(encode_line(_record().spans()[0]) + "\n")
        writer.flush()
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=30)
    assert process.stderr is not None
    errors = process.stderr.read()
    process.stderr.close()
    assert (code, errors) == (130, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no output that is always full")
def test_an_output_that_is_full_is_2() -> None:
    """Where the answer can't be written that is said in our words, once, and the code is 2."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [*_COMMAND, "show", "-", "--format", "json"],
            input='{"resourceSpans": []}\n',
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2
    assert "the answer can't be written (No space left on device)" in done.stderr
    assert "Errno" not in done.stderr
    assert "Exception ignored" not in done.stderr


def _show_on_terminal(source: str, columns: int, **environment: str) -> list[str]:
    """Return what `show` writes to stderr where that is a terminal of a width, stdout being none."""
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    base = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    process = subprocess.run(
        [*_COMMAND, "show", source],
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        env=base | environment,
        timeout=60,
        check=False,
    )
    os.close(terminal)
    assert process.returncode == 2
    written = b""
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while chunk := os.read(reader, 4_096):
            written += chunk
    os.close(reader)
    return written.decode().splitlines()


@pytest.mark.parametrize(
    ("columns", "environment", "width"), [(40, {}, 40), (0, {}, 80), (40, {"COLUMNS": "60"}, 60)]
)
def test_a_long_error_is_wrapped_on_a_terminal(columns: int, environment: dict[str, str], width: int) -> None:
    """On a terminal an error has lines of its width, all its words, and a hanging indent; else it is one line."""
    whole = _run_cli("show", "missing.jsonl").stderr
    assert whole.count("\n") == 1
    assert len(whole) > 80
    lines = _show_on_terminal("missing.jsonl", columns, **environment)
    assert len(lines) > 1
    assert max(map(len, lines)) <= width
    assert all(line.startswith("    ") for line in lines[1:])
    assert " ".join(lines).split() == whole.split()


def test_a_problem_of_the_source_is_wrapped_on_a_terminal(tmp_path: Path) -> None:
    """On a terminal a problem keeps its place in front and is wrapped like an error."""
    path = tmp_path / "traces.jsonl"
    path.write_text('{"resourceSpans": []}\n{nope\n', encoding="utf-8")
    problem = _run_cli("show", str(path)).stderr.splitlines()[0]
    assert problem.startswith(f"{path}:2: ")
    lines = _show_on_terminal(str(path), 60)
    assert lines[0].startswith(str(path)[:20])
    assert " ".join(" ".join(lines).split()).startswith(" ".join(problem.split()))


def test_an_output_without_unicode_is_ascii(tmp_path: Path) -> None:
    """On an output that can't encode box characters or a name, glyphs are ASCII and the name is escaped."""
    path = write_lines(tmp_path / "traces.jsonl", _record(graph="gr\u00fcn\u2192").spans())
    done = _run_cli("show", str(path), env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "graph gr\\xfcn\\u2192  ok" in done.stdout
    assert "\n`- superstep 1: node1  ok" in done.stdout


def _list_examples() -> dict[str, str]:
    """Return the example at the end of each command's help."""
    parser, commands = cli.make_parser()
    epilogs = {name: command.epilog or "" for name, command in commands.items()}
    return {"": parser.epilog or "", **epilogs}


def test_an_example_fits_a_terminal() -> None:
    """No example of the help is wider than 80 columns."""
    for epilog in _list_examples().values():
        assert all(len(line) <= 80 for line in epilog.splitlines())


def test_each_help_ends_in_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    """Every command's help, and the help of all, ends in a line that can be typed as it stands."""
    for command, epilog in _list_examples().items():
        with pytest.raises(SystemExit) as caught:
            cli.main([command, "--help"] if command else ["--help"])
        assert caught.value.code == 0
        assert capsys.readouterr().out.rstrip().endswith(epilog.splitlines()[-1])
        assert re.search(r"otel-traj \w+", epilog.splitlines()[-1])


def test_the_examples_of_the_help_run(tmp_path: Path) -> None:
    """The examples, typed in an empty folder in the order of the help, work."""
    codes = {}
    for command, epilog in _list_examples().items():
        _, _, words = epilog.splitlines()[-1].partition("otel-traj ")
        done = _run_cli(*shlex.split(words), cwd=tmp_path)
        codes[command] = done.returncode
        assert done.stdout, done.stderr
    assert codes == {"": 0, "demo": 0, "show": 0, "eval": 1, "learn": 0, "export": 0, "doctor": 0}


def test_reading_commands_take_the_same_selection() -> None:
    """Every command that reads takes the same options to select runs."""
    _, commands = cli.make_parser()
    wanted = {
        "--trace",
        "--run",
        "--thread",
        "--graph",
        "--service",
        "--status",
        "--attribute",
        "--since",
        "--until",
    }
    for name in ("show", "eval", "doctor"):
        assert wanted <= set(commands[name].format_help().replace("=", " ").split())
