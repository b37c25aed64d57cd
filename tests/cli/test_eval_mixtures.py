"""`otel-traj eval`: what is the matter, two things at a time."""

from __future__ import annotations

import json
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from otel_traj.cli import main
from tests.cli.situations import SITUATIONS, expect_code, write_situations

if TYPE_CHECKING:
    from pathlib import Path

_PAIRS = list(combinations(SITUATIONS, 2))


def _holds_runs(*names: str) -> bool:
    return any(SITUATIONS[name].spans for name in names)


@pytest.mark.parametrize(
    ("one", "other"), [pair for pair in _PAIRS if _holds_runs(*pair)], ids=lambda name: name
)
def test_each_is_told_and_a_fail_wins_over_a_doubt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], one: str, other: str
) -> None:
    """Mixed with any other, a situation keeps its words, and the code is that of the table."""
    mixed = [SITUATIONS[one], SITUATIONS[other]]
    code = main(["eval", *write_situations(tmp_path, mixed)])
    answer = " ".join(capsys.readouterr().out.split())
    assert code == expect_code(mixed)
    assert (f"exit code {code}: " in answer) is (code != 0)
    for each in mixed:
        if each.effect == "damage" and any(other.effect == "accepts damage" for other in mixed):
            assert each.words not in answer
        else:
            assert each.words in answer


@pytest.mark.parametrize("pair", [pair for pair in _PAIRS if not _holds_runs(*pair)], ids=" and ".join)
def test_a_source_without_runs_is_2_whatever_is_demanded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pair: tuple[str, str]
) -> None:
    """Where there is no run nothing can be held against references: the code is 2, and says so."""
    assert main(["eval", *write_situations(tmp_path, [SITUATIONS[name] for name in pair])]) == 2
    assert "the source holds no run" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("situation", SITUATIONS)
def test_beside_a_pass_each_has_its_own_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], situation: str
) -> None:
    """Text and JSON have the same code, and the JSON counts what it holds."""
    mixed = [SITUATIONS[name] for name in dict.fromkeys(("a pass", situation))]
    arguments = ["eval", *write_situations(tmp_path, mixed)]
    code = main(arguments)
    capsys.readouterr()
    assert main([*arguments, "--format", "json"]) == code == expect_code(mixed)
    report = json.loads(capsys.readouterr().out)
    words = [verdict["verdict"] for verdict in report["verdicts"]]
    counts = [report["summary"][key] for key in ("passed", "failed", "not_evaluated")]
    assert counts == [words.count(word) for word in ("pass", "fail", "not_evaluated")]


def test_everything_at_once_is_a_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All situations together are told together, the decisive reasons first."""
    mixed = [each for each in SITUATIONS.values() if each.effect != "accepts damage"]
    assert main(["eval", *write_situations(tmp_path, mixed)]) == 1
    answer = " ".join(capsys.readouterr().out.split())
    assert [each.words for each in mixed if each.words not in answer] == []
    assert "exit code 1: 3 runs and 1 thread failed;" in answer


def test_a_part_of_a_thread_is_no_thread(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who asks for one run of a thread gets that run's verdict, and is told why the thread has none."""
    arguments = write_situations(tmp_path, [SITUATIONS["a thread that fails"]])
    run = SITUATIONS["a thread that fails"].spans[0].attributes["langgraph.run_id"]
    assert main(["eval", *arguments, "--run", str(run)]) == 2
    answer = " ".join(capsys.readouterr().out.split())
    assert "not evaluated: bad-talk graph" in answer.replace('"', "")
    assert "only a part of its runs is selected: thread 'bad-talk'; select by thread" in answer
    assert "exit code 2: no run was judged" in answer
    assert main(["eval", *arguments, "--thread", "bad-talk"]) == 1
    assert "exit code 1: 1 thread failed" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "wrong", [["--wait", "-1"], ["--wait", "nan"], ["--since", "soon"], ["--references", "nowhere.yaml"]]
)
def test_a_wrong_option_is_told_before_the_source_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: list[str]
) -> None:
    """With an option that can't be meant nothing is read: a line that can't be is not even complained of."""
    arguments = write_situations(tmp_path, [SITUATIONS["a pass"], SITUATIONS["an unreadable line"]])
    assert main(["eval", *arguments, *wrong]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "traces.jsonl:" not in captured.err
