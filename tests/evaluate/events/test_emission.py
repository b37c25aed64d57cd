"""Verdicts as log events: what each says, and where it stands."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from opentelemetry._logs import NoOpLoggerProvider
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor

from otel_traj import Emission, Report, Run, Verdict, emit_verdicts, evaluate_runs, read_runs
from otel_traj import semconv as sc
from otel_traj.evaluate import Reference
from otel_traj.log_event import find_export_class
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from otel_traj.model import Span

SHORT = Reference(name="short path", steps=[["a"], ["b"]])


class Desk:
    """A logger provider, and the events that came out of it."""

    def __init__(self) -> None:
        """Keep what is emitted in memory."""
        self.exporter = find_export_class("InMemoryLogRecordExporter", "InMemoryLogExporter")()
        self.provider = LoggerProvider(shutdown_on_exit=False)
        self.provider.add_log_record_processor(SimpleLogRecordProcessor(self.exporter))

    def emit(self, report: Report) -> Emission:
        """Send the verdicts of a report here."""
        return emit_verdicts(report, logger_provider=self.provider)

    @property
    def records(self) -> list[Any]:
        """The events, in order."""
        return [each.log_record for each in self.exporter.get_finished_logs()]


def _record(name: str, *nodes: str, thread: str | None = "t1", **options: Any) -> list[Span]:  # noqa: ANN401
    run = RecordedRun(name, graph="g", thread=thread, **options)
    for number, node in enumerate(nodes, 1):
        run.task(node, number)
    return run.spans()


def _say(record: Any) -> dict[str, Any]:  # noqa: ANN401 - its class differs from release to release
    said = dict(record.attributes)
    said.pop(sc.EVENT_NAME, None)
    return said


def _make_report(*verdicts: Verdict) -> Report:
    summary: Any = {}
    return Report(verdicts=list(verdicts), summary=summary, exit_code=0, exit_reasons=[], source_problems=[])


def _make_verdict(run: Run, **given: Any) -> Verdict:  # noqa: ANN401 - fields of a verdict
    fields: dict[str, Any] = {
        "verdict": "pass",
        "score": True,
        "comment": None,
        "metadata": None,
        "reference": None,
    } | given
    return Verdict(run_id=run.run_id, thread_id=run.thread_id, runs=(run,), **fields)


def _read_one(spans: list[Span]) -> Run:
    (run,) = read_runs(spans)
    return run


def test_a_fail_stands_under_the_root_span_of_its_run_with_its_reason() -> None:
    """Trace and span are those of the graph-run span; name, label, value and explanation are the conventions' own."""
    spans = _record("one", "a", "c")
    report = evaluate_runs(spans, references=[SHORT])
    desk = Desk()
    assert desk.emit(report) == Emission(sent=1)
    (record,) = desk.records
    (invocation,) = _read_one(spans).invocations
    assert (f"{record.trace_id:032x}", f"{record.span_id:016x}") == (invocation.trace_id, invocation.span_id)
    assert record.timestamp == invocation.ended_ns
    said = _say(record)
    (verdict,) = report.verdicts
    assert verdict.metadata is not None
    assert said.pop(sc.LOG_RECORD_UID)
    assert said == {
        "gen_ai.evaluation.name": "graph_trajectory_match",
        "gen_ai.evaluation.score.value": 0.0,
        "gen_ai.evaluation.score.label": "fail",
        "gen_ai.evaluation.explanation": verdict.comment,
        "gen_ai.conversation.id": "t1",
        "langgraph.run_id": verdict.run_id,
        "otel_traj.evaluation.reference": "short path",
        "otel_traj.evaluation.step_mode": "unordered",
        "otel_traj.evaluation.trajectory_mode": "strict",
        "otel_traj.evaluation.edits": verdict.metadata["edits"],
        "otel_traj.evaluation.fitness": verdict.metadata["fitness"],
    }


def test_what_was_not_evaluated_has_a_label_and_no_value() -> None:
    """A run that lost a span is neither 0 nor 1."""
    spans = [span for span in _record("one", "a", "b") if span.name != "invoke_node b"]
    desk = Desk()
    desk.emit(evaluate_runs(spans, references=[SHORT]))
    said = _say(desk.records[0])
    assert said[sc.EVALUATION_SCORE_LABEL] == "not_evaluated"
    assert sc.EVALUATION_SCORE_VALUE not in said
    assert "b" in said[sc.EVALUATION_EXPLANATION]


def test_an_evaluator_that_broke_is_an_error_and_no_judgement() -> None:
    """`error.type` then stands for label and value."""
    run = _read_one(_record("one", "a"))
    metadata = {"verdict": "not_evaluated", "error_type": "KeyError"}
    broken = _make_verdict(run, verdict="not_evaluated", score=None, comment="it raised", metadata=metadata)
    desk = Desk()
    desk.emit(_make_report(broken))
    said = _say(desk.records[0])
    assert said[sc.ERROR_TYPE] == "KeyError"
    assert said.keys().isdisjoint({sc.EVALUATION_SCORE_LABEL, sc.EVALUATION_SCORE_VALUE})


def test_a_number_of_an_evaluator_is_the_score() -> None:
    """Scores of the user's own evaluators keep their value."""
    desk = Desk()
    desk.emit(_make_report(_make_verdict(_read_one(_record("one", "a")), score=0.25, key="brevity")))
    said = _say(desk.records[0])
    assert (said[sc.EVALUATION_NAME], said[sc.EVALUATION_SCORE_VALUE]) == ("brevity", 0.25)


def test_a_resumed_run_is_judged_at_its_last_call() -> None:
    """The event of a run that was interrupted and resumed stands under the graph-run span of the resuming call."""
    first = RecordedRun("one", graph="g", thread="t1", outcome="interrupted")
    first.task("a", 1)
    first.task("ask", 2, id="asked", interrupted=True)
    second = RecordedRun("two", graph="g", thread="t1", resumed=True, start=2_000)
    second.task("ask", 2, id="asked")
    run = _read_one(first.spans() + second.spans())
    desk = Desk()
    desk.emit(_make_report(_make_verdict(run)))
    (record,) = desk.records
    assert len(run.invocations) == 2
    assert f"{record.span_id:016x}" == run.invocations[1].span_id


def test_a_thread_is_judged_at_its_last_run() -> None:
    """The event of a thread's verdict stands under the graph-run span of its last run."""
    runs = list(read_runs(_record("one", "a") + _record("two", "a", start=2_000)))
    ids = tuple(run.run_id for run in runs)
    verdict = replace(_make_verdict(runs[0]), run_id=None, run_ids=ids, runs=tuple(runs))
    desk = Desk()
    desk.emit(_make_report(verdict))
    (record,) = desk.records
    assert f"{record.span_id:016x}" == runs[1].invocations[0].span_id
    assert sc.RUN_ID not in _say(record)


def test_the_same_judgement_has_the_same_uid_and_another_one_another() -> None:
    """Judging twice gives equal events; another verdict on the same run is told from a repetition."""
    spans = _record("one", "a", "c") + _record("two", "a", "b", thread="t2", start=2_000)
    first, again, other = Desk(), Desk(), Desk()
    first.emit(evaluate_runs(spans, references=[SHORT]))
    again.emit(evaluate_runs(spans[::-1], references=[SHORT]))
    other.emit(evaluate_runs(spans, references=[Reference(name="short path", steps=[["a"], ["c"]])]))
    says = [
        [(record.timestamp, record.trace_id, record.span_id, _say(record)) for record in desk.records]
        for desk in (first, again, other)
    ]
    assert says[0] == says[1]
    uids = [[said[sc.LOG_RECORD_UID] for *_, said in each] for each in says]
    assert len({*uids[0], *uids[2]}) == 4


def test_a_long_explanation_says_that_it_was_cut() -> None:
    """What is longer than backends keep is cut here, with a mark."""
    run = _read_one(_record("one", "a"))
    desk = Desk()
    desk.emit(_make_report(_make_verdict(run, verdict="fail", score=False, comment="ä" * 5_000)))
    explanation = _say(desk.records[0])[sc.EVALUATION_EXPLANATION]
    assert len(explanation.encode()) <= 2_048
    assert "bytes]" in explanation


def test_hostile_names_are_data() -> None:
    """Lone surrogates, which no exporter can encode, are replaced; the rest stands as it is."""
    run = replace(_read_one(_record("one", "a")), thread_id="t\ud800\x1b[31m")
    desk = Desk()
    assert desk.emit(_make_report(_make_verdict(run, key="k\udfff"))) == Emission(sent=1)
    for text in _say(desk.records[0]).values():
        assert not isinstance(text, str) or text.encode()


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("OTEL_SDK_DISABLED", "true", "OTEL_SDK_DISABLED"),
        ("OTEL_LOGS_EXPORTER", "none", "OTEL_LOGS_EXPORTER"),
        ("OTEL_LOGS_EXPORTER", "carrier_pigeon", "carrier_pigeon"),
        ("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "smoke", "smoke"),
    ],
)
def test_what_keeps_events_from_going_out_is_said(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, words: str
) -> None:
    """A switch that is off, or a variable that can't be meant, is named and never raised."""
    monkeypatch.setenv(variable, value)
    emission = emit_verdicts(evaluate_runs(_record("one", "a"), references=[SHORT]))
    assert emission.sent == 0
    assert words in (emission.failure or "")


def test_a_backend_that_is_away_is_said_and_never_raised(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing listens: the exporter's own reason is told, and no handler of ours stays behind.

    That of the oldest supported releases raises instead of saying it (seen with 1.33.0).
    """
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    before = list(logging.getLogger("opentelemetry.exporter").handlers)
    emission = emit_verdicts(evaluate_runs(_record("one", "a"), references=[SHORT]))
    assert emission.sent == 0
    assert emission.failure is not None
    assert emission.failure in caplog.messages or "ConnectionError" in emission.failure
    assert logging.getLogger("opentelemetry.exporter").handlers == before


def test_a_provider_without_an_sdk_takes_nothing() -> None:
    """The API's own provider would lose the events without a word."""
    report = evaluate_runs(_record("one", "a"), references=[SHORT])
    emission = emit_verdicts(report, logger_provider=NoOpLoggerProvider())
    assert emission.sent == 0
    assert emission.failure


class _BrokenProvider(NoOpLoggerProvider):
    """A provider of the user's own that raises."""

    def get_logger(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401 - whatever the API has
        raise RuntimeError("out of order")


@pytest.mark.parametrize("provider", [_BrokenProvider(), "no provider"])
def test_whatever_breaks_is_said_and_never_raised(provider: Any) -> None:  # noqa: ANN401 - that is the point
    """A gate goes on to its exit code, though what was given to send with is broken, or no such thing."""
    emission = emit_verdicts(evaluate_runs(_record("one", "a"), references=[SHORT]), logger_provider=provider)
    assert emission.sent == 0
    assert "Error: " in (emission.failure or "")


def test_a_report_without_verdicts_sends_nothing() -> None:
    """There is nothing to send, which is no failure."""
    assert Desk().emit(_make_report()) == Emission(sent=0)
