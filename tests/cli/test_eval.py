"""`otel-traj eval`: every row of the exit-code table, and what is printed where."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from otel_traj import semconv as sc
from otel_traj.cli import main
from tests.otlp_lines import encode_line, write_lines
from tests.spans import RecordedRun, change_attributes

if TYPE_CHECKING:
    from pathlib import Path

    from otel_traj.model import Span

_REFERENCES = """\
version: 1
references:
  - name: long path
    applies_to: {graph: seven, case: long}
    steps: [node1, node3, [node4, node5], node6, node7]
  - name: short path
    applies_to: {graph: seven, case: short}
    steps: [node1, node2, node7]
"""
_LONG_ONLY = _REFERENCES.partition("  - name: short path")[0]


def _record(
    name: str, *supersteps: str, graph: str = "seven", case: str = "", outcome: str = "ok"
) -> list[Span]:
    run = RecordedRun(name, graph=graph, thread=f"thread-{name}", outcome=outcome)
    for number, names in enumerate(supersteps, 1):
        interrupted = outcome == "interrupted" and number == len(supersteps)
        for node in names.split():
            run.task(node, number, interrupted=interrupted)
    return run.spans(case=case) if case else run.spans()


def _long(name: str = "long", **options: str) -> list[Span]:
    return _record(name, "node1", "node3", "node4 node5", "node6", "node7", case="long", **options)


def _short(name: str = "short", case: str = "short") -> list[Span]:
    return _record(name, "node1", "node2", "node7", case=case)


def _other() -> list[Span]:
    return _record("other", "x", graph="other")


def _wrong() -> list[Span]:
    return _short("wrong", case="long")


def _waiting() -> list[Span]:
    return _record("waiting", "node1", "node3", case="long", outcome="interrupted")


def _open() -> list[Span]:
    *below, root = _long("open")
    return [*below, replace(root, end_ns=0)]


def _lost_batch() -> list[Span]:
    return [span for span in _long("lost") if span.name != "invoke_node node6"]


def _lost_root() -> list[Span]:
    return _long("rootless")[:-1]


def _without_manifest() -> list[Span]:
    *below, root = _long("bare")
    return [*below, change_attributes(root, steps_sha256="", steps="", task_count="", task_span_count="")]


def _lost_model_span() -> list[Span]:
    run = RecordedRun("model span", graph="seven")
    for number, name in enumerate(("node1", "node2", "node7"), 1):
        run.call(sc.CHAT, "scripted-1", run.task(name, number))
    return [span for span in run.spans(case="short") if not span.name.startswith(sc.CHAT)]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One situation: what the source holds, the options, the exit code, and words of the answer."""

    spans: tuple[list[Span], ...] = ()
    more: tuple[str, ...] = ()
    end: str = ""
    options: tuple[str, ...] = ()
    references: str = _REFERENCES
    code: int
    words: str = ""


_AMBIGUOUS = _LONG_ONLY + "  - {name: all of seven, applies_to: {graph: seven}, steps: [node1]}\n"
_BROKEN = "{nope"
_ALL = ("--require-all",)

_TABLE = {
    "all pass": Case(spans=(_long(), _short()), code=0, words="2 passed, 0 failed, 0 not evaluated"),
    "one fails": Case(spans=(_long(), _wrong()), code=1, words="exit code 1: 1 run failed"),
    "a failed run fails": Case(
        spans=(_long(outcome="error"),), references=_LONG_ONLY, code=1, words="ended in error"
    ),
    "a cancelled run fails": Case(
        spans=(_long(outcome="cancelled"),), references=_LONG_ONLY, code=1, words="was cancelled"
    ),
    "a fail wins over an incomplete run": Case(spans=(_wrong(), _lost_batch()), code=1),
    "a fail wins over a lost root": Case(spans=(_wrong(), _lost_root()), code=1),
    "a fail wins over an unreadable line": Case(spans=(_wrong(),), more=(_BROKEN,), code=1),
    "a fail wins over a run without a reference": Case(spans=(_wrong(), _other()), code=1),
    "a fail wins over ambiguity": Case(spans=(_long(), _short()), references=_AMBIGUOUS, code=1),
    "incomplete: lost batch": Case(
        spans=(_long(), _short(), _lost_batch()), code=2, words="1 run could not be judged"
    ),
    "incomplete: open run": Case(spans=(_short(), _open()), code=2),
    "no root, none can be chosen": Case(
        spans=(_long(), _short(), _lost_root()), code=2, words="can't be told"
    ),
    "no root: the graph that is asked for may be its own": Case(
        spans=(_long(), _short(), _lost_root()), options=("--graph", "seven"), code=2
    ),
    "no root: of another thread than is asked for": Case(
        spans=(_long(), _lost_root()), options=("--thread", "thread-long"), code=0
    ),
    "no root, but one reference for all": Case(
        spans=(_long(), _lost_root()),
        references="version: 1\nreferences: [{name: all, steps: [node1, node3, [node4, node5], node6, node7]}]",
        code=2,
        words="not evaluated all",
    ),
    "ambiguous": Case(spans=(_long(),), references=_AMBIGUOUS, code=2, words="2 references apply"),
    "waiting": Case(spans=(_long(), _short(), _waiting()), code=2, words="waiting at node3"),
    "no manifest": Case(spans=(_long(), _without_manifest()), code=2),
    "an unreadable line": Case(
        spans=(_long(), _short()), more=(_BROKEN,), code=2, words="parts of the source could not be read"
    ),
    "an unreadable line, accepted": Case(
        spans=(_long(), _short()), more=(_BROKEN,), options=("--allow-unreadable",), code=0
    ),
    "an unfinished last line": Case(spans=(_long(), _short()), end='{"resourceSpans": [{"res', code=2),
    "an unfinished last line, accepted": Case(
        spans=(_long(), _short()), end='{"resourceSpans": [{"res', options=("--allow-unreadable",), code=0
    ),
    "accepted lines do not hide an incomplete run": Case(
        spans=(_long(), _short(), _lost_batch()), more=(_BROKEN,), options=("--allow-unreadable",), code=2
    ),
    "no run was judged": Case(spans=(_other(),), code=2, words="no run was judged"),
    "the selection meets none": Case(spans=(_long(),), options=("--graph", "none"), code=2),
    "a wrong time window": Case(
        spans=(_long(),), options=("--since", "15m"), code=2, words="no run was judged"
    ),
    "an empty source": Case(code=2, words="the source holds no run"),
    "a source that is no OTLP": Case(more=("hello", "world"), code=2),
    "a run without a reference": Case(
        spans=(_long(), _short(), _other()), code=0, words="1 not evaluated (1 run without a reference)"
    ),
    "a reference without a run": Case(
        spans=(_long(),), code=0, words='references that no run met: "short path"'
    ),
    "require-all: a run without a reference": Case(
        spans=(_long(), _short(), _other()), options=_ALL, code=1, words="no reference applies to 1 run"
    ),
    "require-all: a reference without a run": Case(
        spans=(_long(),), options=_ALL, code=1, words="no run met the reference 'short path'"
    ),
    "require-all: all met": Case(spans=(_long(), _short()), options=_ALL, code=0),
    "require-all wins over an incomplete run": Case(spans=(_long(), _lost_batch()), options=_ALL, code=1),
    "require-all wins over an unreadable line": Case(spans=(_long(),), more=(_BROKEN,), options=_ALL, code=1),
    "require-all wins over nothing judged": Case(spans=(_other(),), options=_ALL, code=1),
    "require-all: a selection that meets none": Case(
        spans=(_long(),), options=(*_ALL, "--graph", "none"), code=1
    ),
    "require-all: met by a run that was not judged": Case(
        spans=(_short(), _lost_batch()), options=_ALL, code=2, words="1 run could not be judged"
    ),
    "require-all: met by an ambiguous run": Case(
        spans=(_long(),), references=_AMBIGUOUS, options=_ALL, code=2
    ),
    "require-all: an empty source": Case(options=_ALL, code=2),
    "require-all: a source that is no OTLP": Case(more=("hello",), options=_ALL, code=2),
    "min-evaluated: enough": Case(spans=(_long(), _short()), options=("--min-evaluated", "2"), code=0),
    "min-evaluated: too few": Case(
        spans=(_long(), _other()), options=("--min-evaluated", "2"), code=1, words="at least 2 wanted"
    ),
    "min-evaluated wins over an incomplete run": Case(
        spans=(_long(), _lost_batch()), options=("--min-evaluated", "2"), code=1
    ),
    "min-evaluated: an empty source": Case(options=("--min-evaluated", "2"), code=2),
    "min-evaluated: none wanted, none judged": Case(
        spans=(_other(),), options=("--min-evaluated", "0"), code=2
    ),
    "require-manifest: a model span is lost": Case(
        spans=(_long(), _lost_model_span()),
        options=("--require-manifest",),
        code=2,
        words="no manifest of its recorder was met",
    ),
    "a lost model span leaves a verdict on nodes": Case(spans=(_long(), _lost_model_span()), code=0),
    "require-manifest: there and met": Case(
        spans=(_long(), _short()), options=("--require-manifest",), code=0
    ),
}


def _write(folder: Path, case: Case) -> tuple[str, str]:
    source = write_lines(
        folder / "traces.jsonl", [span for spans in case.spans for span in spans], *case.more
    )
    with source.open("a", encoding="utf-8") as file:
        file.write(case.end)
    references = folder / "references.yaml"
    references.write_text(case.references, encoding="utf-8")
    return str(source), str(references)


@pytest.mark.parametrize("situation", _TABLE)
def test_each_row_of_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str], situation: str) -> None:
    """The exit code is that of the table, and the text says why."""
    case = _TABLE[situation]
    source, references = _write(tmp_path, case)
    code = main(["eval", source, "--references", references, *case.options])
    output = capsys.readouterr().out
    assert code == case.code
    assert case.words in " ".join(output.split())
    assert (f"exit code {code}: " in output) is (code != 0)


@pytest.mark.parametrize("situation", _TABLE)
def test_json_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str], situation: str) -> None:
    """With `--format json` the code is the same, and stdout is one JSON document whatever happens."""
    case = _TABLE[situation]
    source, references = _write(tmp_path, case)
    code = main(["eval", source, "--references", references, *case.options, "--format", "json"])
    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert code == case.code
    words = [verdict["verdict"] for verdict in report["verdicts"]]
    assert report["summary"]["passed"] == words.count("pass")
    assert report["summary"]["failed"] == words.count("fail")
    assert report["summary"]["not_evaluated"] == words.count("not_evaluated")
    assert bool(captured.err) is (code != 0 or bool(case.more or case.end))


def test_a_graph_that_no_run_is_of_is_a_hint_of_the_text_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reference for a graph without runs of its own gets a hint; the JSON stays in its form, stderr empty."""
    references = _LONG_ONLY + "  - {name: misnamed, applies_to: {graph: sevn}, steps: [a]}\n"
    source, path = _write(tmp_path, Case(spans=(_long(),), references=references, code=0))
    assert main(["eval", source, "--references", path]) == 0
    assert capsys.readouterr().out.endswith(
        "references that no run met: misnamed\nhint: no run is of the graph sevn; graphs there: seven\n"
    )
    assert main(["eval", source, "--references", path, "--format", "json"]) == 0
    captured = capsys.readouterr()
    assert "graphs there" not in captured.out
    assert captured.err == ""


def test_an_incomplete_run_is_told_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The text says what is the matter with a run that can't be judged, not only its code."""
    source, path = _write(tmp_path, Case(spans=(_lost_batch(),), code=2))
    assert main(["eval", source, "--references", path]) == 2
    text = " ".join(capsys.readouterr().out.split())
    assert "run is incomplete (manifest_mismatch): the recorder of 'invoke_workflow seven' (" in text
    assert "saw 6 tasks, 5 arrived. Read the source" in text


def test_problems_of_the_source_go_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each problem is a line `file:line: words`; stdout holds the verdicts alone."""
    case = Case(spans=(_short(),), more=(_BROKEN, encode_line(_long()[0])), code=2)
    source, references = _write(tmp_path, case)
    main(["eval", source, "--references", references])
    captured = capsys.readouterr()
    assert captured.err.startswith(f"{source}:5: ")
    assert _BROKEN not in captured.out


@pytest.mark.parametrize(
    ("references", "words"),
    [
        ("version: 1\nreferences: []\n", "references.yaml:2:13: references are empty"),
        (
            "version: 1\nreferences:\n  - {name: x, rules: {}}\n",
            "references.yaml:3:22: the rules hold no rule",
        ),
        ("version: 1\nversion: 1\n", "references.yaml:2:1: the key 'version' stands here twice"),
        ("a: [", "references.yaml:1:5: not valid YAML"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--require-all"], ["--min-evaluated", "1"]])
def test_a_bad_reference_file_is_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], references: str, words: str, options: list[str]
) -> None:
    """A reference file that is not valid is 2 with its place, whatever is demanded, and nothing is judged."""
    source, path = _write(tmp_path, Case(spans=(_long(),), references=references, code=2))
    assert main(["eval", source, "--references", path, *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("options", [[], ["--require-all"], ["--min-evaluated", "1"]])
def test_a_missing_file_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    """A source or reference file that is not there is 2 and named, whatever is demanded."""
    source, references = _write(tmp_path, Case(spans=(_long(),), code=2))
    missing = str(tmp_path / "missing")
    assert main(["eval", missing, "--references", references, *options]) == 2
    assert repr(missing) in capsys.readouterr().err
    assert main(["eval", source, "--references", missing, *options]) == 2
    assert repr(missing) in capsys.readouterr().err


def test_mixed_up_files_get_a_hint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A reference file given as the source, and spans given as references, are told apart."""
    source, references = _write(tmp_path, Case(spans=(_long(), _short()), code=2))
    assert main(["eval", references, "--references", references]) == 2
    assert "a reference file stands after --references" in capsys.readouterr().err
    assert main(["eval", source, "--references", source]) == 2
    assert "this file holds spans" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--references"),
        (["--references", "r.yaml", "--min-evaluated", "-1"], "--min-evaluated"),
        (["--references", "r.yaml", "--min-evaluated", "many"], "it counts from 0"),
        (["--references", "r.yaml", "--status", "finished"], "finished"),
        (["--references", "r.yaml", "--attribute", "novalue"], "is no KEY=VALUE"),
        (["--references", "r.yaml", "--format", "xml"], "xml"),
        (["--references", "r.yaml", "--no-such-option"], "--no-such-option"),
    ],
)
def test_bad_arguments_are_2(capsys: pytest.CaptureFixture[str], options: list[str], words: str) -> None:
    """Arguments that are not valid are 2 and named."""
    with pytest.raises(SystemExit) as caught:
        main(["eval", "traces.jsonl", *options])
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--since", "yesterday"], ["--until", "2026-01-01"], ["--trace", "xyz"]])
def test_bad_selections_are_2(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: list[str]) -> None:
    """A time or id that is none is 2, with what is allowed."""
    source, references = _write(tmp_path, Case(spans=(_long(),), code=2))
    assert main(["eval", source, "--references", references, *option]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert repr(option[1]) in captured.err


def test_two_readings_give_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same source judged twice gives byte-identical reports."""
    source, references = _write(tmp_path, Case(spans=(_long(), _wrong(), _other(), _lost_root()), code=1))
    outputs = []
    for _ in range(2):
        main(["eval", source, "--references", references, "--format", "json"])
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
