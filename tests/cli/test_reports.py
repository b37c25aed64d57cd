"""`--report`, `--link` and `--prices` on the command line."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from otel_traj import semconv as sc
from otel_traj.cli import main
from tests.missing_api import needs
from tests.otlp_lines import write_lines
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from pathlib import Path

_FORMS = ("text", "json", "junit", "markdown")
_LINK = "https://jaeger.example/trace/{trace_id}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, the current one, with a passing run, a reference and prices."""
    run = RecordedRun("agent", graph="assistant", thread="t")
    run.call(sc.CHAT, "m-1", run.task("model", 1), usage_input_tokens=1_000, usage_output_tokens=100)
    write_lines(tmp_path / "traces.jsonl", run.spans())
    references = "version: 1\nreferences: [{name: answers, steps: [model]}]\n"
    (tmp_path / "refs.yaml").write_text(references, "utf-8")
    (tmp_path / "wrong.yaml").write_text(references.replace("[model]", "[other]"), "utf-8")
    (tmp_path / "prices.yaml").write_text("currency: EUR\nmodels: {m-*: {input: 2, output: 8}}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _eval(*options: str, references: str = "refs.yaml") -> int:
    return main(["eval", "traces.jsonl", "--references", references, *options])


def _report(*reports: str) -> list[str]:
    return [word for report in reports for word in ("--report", report)]


def test_every_form_is_written_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Several reports are written beside the verdict on stdout, each with links and costs."""
    files = [f"{form}=report.{form}" for form in _FORMS]
    assert _eval(*_report(*files), "--link", _LINK, "--prices", "prices.yaml") == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out == (folder / "report.text").read_text("utf-8")
    for form in _FORMS:
        text = (folder / f"report.{form}").read_text("utf-8")
        assert "https://jaeger.example/trace/" in text
        assert "0.0028" in text
    assert json.loads((folder / "report.json").read_text("utf-8"))["summary"]["passed"] == 1
    assert ET.parse(folder / "report.junit").getroot().get("tests") == "1"  # noqa: S314 - what we wrote


@pytest.mark.parametrize(("references", "code"), [("refs.yaml", 2), ("wrong.yaml", 1)])
def test_a_report_that_can_not_be_written(
    folder: Path, capsys: pytest.CaptureFixture[str], references: str, code: int
) -> None:
    """The verdict is still told, and the other reports written; the code is 2, but a fail wins."""
    assert _eval(*_report("junit=absent/r.xml", "text=r.txt"), references=references) == code
    captured = capsys.readouterr()
    assert "1 passed" in captured.out or "1 failed" in captured.out
    assert "the junit report can't be written to 'absent/r.xml' (No such file or directory)" in captured.err
    assert (folder / "r.txt").exists()


@pytest.mark.parametrize(
    "reports",
    [
        ["junit=traces.jsonl"],
        ["junit=./refs.yaml"],
        ["junit=link.yaml"],
        ["text=prices.yaml"],
        ["text=same", "json=./same"],
    ],
)
def test_nothing_that_is_read_is_written_over(
    folder: Path, capsys: pytest.CaptureFixture[str], reports: list[str]
) -> None:
    """A report over the source, the references, the prices or another report is refused before anything is done."""
    (folder / "link.yaml").symlink_to(folder / "refs.yaml")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert _eval(*_report(*reports), "--prices", "prices.yaml") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "name another file" in " ".join(captured.err.split())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--report", "html=x"], "begins with no format; write FORMAT=PATH"),
        (["--report", "junit=-"], "names no file (stdout has --format)"),
        (["--link", "javascript:{trace_id}"], "does not begin with http:// or https://"),
        (["--link", "https://x/{trace}"], "has the placeholder {trace}"),
    ],
)
def test_bad_options_end_with_2(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    """What an option can't mean is refused with what is allowed."""
    with pytest.raises(SystemExit) as ended:
        _eval(*options)
    assert ended.value.code == 2
    assert words in " ".join(capsys.readouterr().err.split())
    assert not (folder / "x").exists()


@pytest.mark.parametrize("command", ["eval", "show"])
def test_prices_that_are_not_understood_end_with_2(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """A mistake in a price file is named with its place."""
    (folder / "bad.yaml").write_text("currency: EUR\nmodels: {m: {input: x}}\n", "utf-8")
    options = ["--references", "refs.yaml"] if command == "eval" else []
    assert main([command, "traces.jsonl", *options, "--prices", "bad.yaml"]) == 2
    assert "bad.yaml:2:" in capsys.readouterr().err
    assert main([command, "traces.jsonl", *options, "--prices", "absent.yaml"]) == 2
    assert "the price file 'absent.yaml' can't be read" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["tree", "steps", "json"])
def test_show_links_each_run(folder: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    """Every form of `show` has the link; tree and JSON have the cost too."""
    assert folder.exists()
    assert main(["show", "traces.jsonl", "--format", form, "--link", _LINK, "--prices", "prices.yaml"]) == 0
    text = capsys.readouterr().out
    assert "https://jaeger.example/trace/" in text
    assert ("0.0028" in text) is (form != "steps")


@needs("reports in colour")
def test_colours_are_for_terminals(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe gets the plain text; a terminal, or FORCE_COLOR, gets colours, with NO_COLOR the marks alone."""
    assert folder.exists()
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert _eval(references="wrong.yaml") == 1
    plain = capsys.readouterr().out
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert _eval(references="wrong.yaml") == 1
    coloured = capsys.readouterr().out
    assert "\x1b[1;31mFAIL" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert _eval(references="wrong.yaml") == 1
    marked = capsys.readouterr().out
    assert "\x1b[31m" not in marked
    assert "~     1  other        1  model" in marked


@needs("reports in colour")
def test_a_dumb_terminal_gets_plain_text(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """TERM=dumb gets what a pipe gets."""
    assert folder.exists()
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert _eval(references="wrong.yaml") == 1
    plain = capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    assert _eval(references="wrong.yaml") == 1
    assert capsys.readouterr().out == plain
