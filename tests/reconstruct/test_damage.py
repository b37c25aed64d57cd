"""The promise, attacked: whatever damage real recordings take, no run is called complete that is not true."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import read_runs
from otel_traj.evaluate import evaluate_runs
from otel_traj.model import NAMED_ONLY
from otel_traj.sources import open_source
from tests.oracles import ALL
from tests.reconstruct.damage import DAMAGES, RENAMINGS, Damage, drop_keys, list_keys
from tests.recorded import record_scenario

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from otel_traj import Run
    from otel_traj.model import SourceProblem, Span

MANY_SIDED = [1, 4, 5, 11, 13, 19, 22, 24, 29, 35, 38]
"""Oracles of every kind: branches, fan-out, entries, interrupts, retries, time travel, functional, agents."""
ALIKE = [1, 4, 11, 19, 22, 24, 29, 35, 38]
"""Those whose runs all have the same supersteps, so that one reference is for each."""
ROUNDS = 120


def ignore(_: SourceProblem) -> None:
    """Take no notice."""


@pytest.fixture(scope="module")
def recordings() -> dict[int, list[Span]]:
    """The spans of every oracle that can run here, by its number."""
    spans: dict[int, list[Span]] = {}
    for scenario in ALL:
        if "sync" in scenario.modes and not scenario.missing:
            exporter = InMemorySpanExporter()
            record_scenario(scenario, "sync", exporter)
            spans[scenario.number] = list(open_source(exporter).read_spans(ignore))
    return spans


def find_lies(spans: Iterable[Span], truth: dict[str, Run]) -> list[str]:
    """Return what a reader would wrongly believe of damaged spans, in words."""
    lies = []
    for run in read_runs(spans, on_problem=ignore):
        # A run whose id was changed alike everywhere is a run all the same.
        known = [truth[run.run_id]] if run.run_id in truth else [*truth.values()]
        if not run.complete:
            if run.verified or not {problem.code for problem in run.problems} - NAMED_ONLY:
                lies.append(f"{run.run_id} is incomplete without a code, or verified")
        elif all((run.steps, run.status) != (true.steps, true.status) for true in known):
            lies.append(f"{run.run_id} is called complete: {run.status} {run.steps}")
    return lies


def tell_truth(spans: Iterable[Span]) -> dict[str, Run]:
    """Return the runs of undamaged spans by id."""
    return {run.run_id: run for run in read_runs(spans, on_problem=ignore)}


def do_damage(chance: random.Random, spans: list[Span], kinds: Iterable[Damage]) -> list[Span]:
    """Return spans after several kinds of damage, in any order of arrival."""
    for damage in kinds:
        spans = damage(chance, spans)
    return chance.sample(spans, len(spans))


@pytest.mark.parametrize("number", MANY_SIDED)
def test_no_pair_of_keys_can_vanish_unseen(number: int, recordings: dict[int, list[Span]]) -> None:
    """Without any one attribute key, or any two, a run is true or says that something is missing."""
    spans = recordings[number]
    truth = tell_truth(spans)
    for keys in itertools.chain.from_iterable(itertools.combinations(list_keys(spans), n) for n in (1, 2)):
        assert find_lies(drop_keys(spans, keys), truth) == [], keys


@pytest.mark.parametrize("seed", range(12))
def test_damage_is_never_believed(seed: int, recordings: dict[int, list[Span]]) -> None:
    """Redaction, limits, copies, clocks, lost envelopes, wrong parents, alone and together, over all oracles."""
    chance = random.Random(seed)
    for _ in range(ROUNDS):
        numbers = chance.sample(sorted(recordings), chance.choice([1, 1, 2]))
        spans = [span for number in numbers for span in recordings[number]]
        kinds = chance.choices(DAMAGES, k=chance.choice([1, 1, 2, 3]))
        damaged = do_damage(chance, spans, kinds)
        assert find_lies(damaged, tell_truth(spans)) == [], (numbers, [kind.__name__ for kind in kinds])


@pytest.mark.parametrize("renaming", RENAMINGS)
def test_other_ids_change_nothing(renaming: Damage, recordings: dict[int, list[Span]]) -> None:
    """Runs in one trace, span ids that repeat over traces, remote parents: the same runs, complete."""
    chance = random.Random(7)
    for numbers in itertools.combinations(MANY_SIDED, 2):
        spans = [span for number in numbers for span in recordings.get(number, [])]
        truth = tell_truth(spans)
        runs = list(read_runs(do_damage(chance, spans, [renaming]), on_problem=ignore))
        assert {run.run_id: run.steps for run in runs} == {key: run.steps for key, run in truth.items()}
        assert all(run.complete and run.verified for run in runs), numbers


def write_references(folder: Path, steps: list[list[str]]) -> tuple[Path, Path]:
    """Return a reference file that a run of these supersteps meets, and one that it does not."""
    listed = [f"      - [{', '.join(names)}]\n" for names in steps if names != ["__start__"]]
    head = "version: 1\nreferences:\n  - name: r\n    status: any\n    steps:\n"
    met, missed = folder / "met.yaml", folder / "missed.yaml"
    met.write_text(head + "".join(listed), "utf-8")
    missed.write_text(head + "".join([*listed, "      - [never]\n"]), "utf-8")
    return met, missed


@pytest.mark.parametrize("number", ALIKE)
def test_damage_neither_fails_nor_passes_a_run(
    number: int, recordings: dict[int, list[Span]], tmp_path: Path
) -> None:
    """The gate is never red because of damage, and never green where the undamaged run fails."""
    spans = recordings[number]
    runs = list(tell_truth(spans).values())
    met, missed = write_references(tmp_path, runs[0].steps)
    chance = random.Random(number)
    for _ in range(60):
        kinds = chance.choices(DAMAGES, k=chance.choice([1, 2]))
        damaged = do_damage(chance, spans, kinds)
        words = [kind.__name__ for kind in kinds]
        assert evaluate_runs(damaged, references=met).exit_code in (0, 2), words
        assert evaluate_runs(damaged, references=missed).exit_code in (1, 2), words
