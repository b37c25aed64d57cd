from __future__ import annotations

import logging
import os
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from langgraph.types import Command, interrupt
from opentelemetry._logs import SeverityNumber
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.trace import TraceFlags

from otel_traj import LangGraphInstrumentor, read_runs, record_feedback
from otel_traj import semconv as sc
from otel_traj.record import RunEnd, feedback
from tests.record.graphs import build_chain
from tests.record.recording import Recording, read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj import Run

TRACE_ID, SPAN_ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Feedbacks:
    """A logger provider, and the events that came out of it."""

    def __init__(self) -> None:
        """Keep what is emitted in memory."""
        exports = import_module("opentelemetry.sdk._logs.export")
        # Renamed in 1.39; the old name stays and warns.
        names = ("InMemoryLogRecordExporter", "InMemoryLogExporter")
        self.exporter = next(getattr(exports, name) for name in names if hasattr(exports, name))()
        self.provider = LoggerProvider(Resource({"service.name": "desk"}), shutdown_on_exit=False)
        self.provider.add_log_record_processor(SimpleLogRecordProcessor(self.exporter))

    def give(self, run: Any, *judgement: Any, **options: Any) -> bool:  # noqa: ANN401 - anything a user may pass
        """Record a judgement by this provider."""
        return record_feedback(run, *judgement, logger_provider=self.provider, **options)

    @property
    def records(self) -> list[Any]:
        """The events, in order."""
        return [each.log_record for each in self.exporter.get_finished_logs()]

    def read_one(self) -> dict[str, Any]:
        """Return what the one event says, its name aside, wherever that stands."""
        (record,) = self.records
        said = dict(record.attributes)
        name = said.pop(sc.EVENT_NAME, None)
        assert getattr(record, "event_name", None) == (sc.EVALUATION_RESULT if name is None else None)
        assert name in (None, sc.EVALUATION_RESULT)
        return said


@pytest.fixture
def feedbacks() -> Feedbacks:
    """Feedbacks, with every warning still to be given."""
    feedback._warn_once.cache_clear()
    return Feedbacks()


def test_a_judgement_stands_under_the_span_of_its_run(feedbacks: Feedbacks) -> None:
    """What `on_run_end` was told is enough: the event has trace, span, run and thread of the run, and what was said."""
    told: list[RunEnd] = []
    recording = Recording(on_run_end=told.append)
    build_chain("a").invoke({}, recording.config("t1"))
    assert feedbacks.give(told[0], 0.25, "too slow", key="helpful", label="poor")
    assert feedbacks.read_one() == {
        "gen_ai.evaluation.name": "helpful",
        "gen_ai.evaluation.score.value": 0.25,
        "gen_ai.evaluation.score.label": "poor",
        "gen_ai.evaluation.explanation": "too slow",
        "gen_ai.conversation.id": "t1",
        "langgraph.run_id": read(recording.roots[0])[sc.RUN_ID],
    }
    root, (record,) = recording.roots[0].context, feedbacks.records
    assert (record.trace_id, record.span_id) == (root.trace_id, root.span_id)
    assert record.trace_flags == TraceFlags.SAMPLED
    assert record.severity_number is SeverityNumber.INFO
    assert record.timestamp


def test_the_provider_that_was_instrumented_with_is_used(feedbacks: Feedbacks) -> None:
    """What `instrument` was given takes judgements, unless a call names another, until `uninstrument`."""
    instrumentor, other = LangGraphInstrumentor(), Feedbacks()
    instrumentor.instrument(logger_provider=feedbacks.provider)
    try:
        assert record_feedback(TRACE_ID, 1, span_id=SPAN_ID)
        assert record_feedback(TRACE_ID, 0, span_id=SPAN_ID, logger_provider=other.provider)
    finally:
        instrumentor.uninstrument()
    assert instrumentor.logger_provider is None
    assert not record_feedback(TRACE_ID, 0.5, span_id=SPAN_ID)
    assert feedbacks.read_one()[sc.EVALUATION_SCORE_VALUE] == 1
    assert other.read_one()[sc.EVALUATION_SCORE_VALUE] == 0


def test_ids_are_enough_in_another_process(feedbacks: Feedbacks) -> None:
    """A trace id and a span id, upper or lower case, are enough; nothing is said that is not known."""
    assert feedbacks.give(TRACE_ID.upper(), 1, span_id=SPAN_ID)
    said = {"gen_ai.evaluation.name": "user_feedback", "gen_ai.evaluation.score.value": 1.0}
    assert feedbacks.read_one() == said
    (record,) = feedbacks.records
    assert (record.trace_id, record.span_id) == (int(TRACE_ID, 16), int(SPAN_ID, 16))


@pytest.mark.parametrize(
    ("judgement", "said"),
    [
        ({"score": True}, {sc.EVALUATION_SCORE_VALUE: 1.0, sc.EVALUATION_SCORE_LABEL: "pass"}),
        ({"score": False}, {sc.EVALUATION_SCORE_VALUE: 0.0, sc.EVALUATION_SCORE_LABEL: "fail"}),
        (
            {"score": True, "label": "thumbs_up"},
            {sc.EVALUATION_SCORE_VALUE: 1.0, sc.EVALUATION_SCORE_LABEL: "thumbs_up"},
        ),
        ({"score": None, "label": "good"}, {sc.EVALUATION_SCORE_LABEL: "good"}),
        ({"score": None, "comment": "so \udc80"}, {sc.EVALUATION_EXPLANATION: "so \\udc80"}),
        ({"score": -3}, {sc.EVALUATION_SCORE_VALUE: -3.0}),
    ],
)
def test_forms_of_a_judgement(
    feedbacks: Feedbacks, judgement: dict[str, Any], said: Mapping[str, object]
) -> None:
    """A thumb is a number and a word, a number is a double, and a word or a comment may stand alone."""
    assert feedbacks.give(TRACE_ID, span_id=SPAN_ID, **judgement)
    assert feedbacks.read_one() == {sc.EVALUATION_NAME: "user_feedback", **said}


def test_long_comments_are_cut(feedbacks: Feedbacks) -> None:
    """A comment has at most 8,192 bytes, head and tail kept, and says that it was cut."""
    assert feedbacks.give(TRACE_ID, 0, "a" * 10_000 + "z", span_id=SPAN_ID)
    comment = feedbacks.read_one()[sc.EVALUATION_EXPLANATION]
    assert len(comment.encode()) <= 8_192
    assert comment.startswith("aaa")
    assert comment.endswith("z")
    assert "[otel_traj cut: " in comment


def test_the_event_is_otlp_of_the_providers_resource(feedbacks: Feedbacks) -> None:
    """OpenTelemetry's own encoder takes the event, with its ids and the service of the logger provider."""
    encoder = import_module("opentelemetry.exporter.otlp.proto.common._log_encoder")
    assert feedbacks.give(TRACE_ID, True, "fine", span_id=SPAN_ID)
    (logs,) = encoder.encode_logs(feedbacks.exporter.get_finished_logs()).resource_logs
    assert [(each.key, each.value.string_value) for each in logs.resource.attributes] == [
        ("service.name", "desk")
    ]
    (scope,) = logs.scope_logs
    assert scope.scope.name == "otel_traj"
    (record,) = scope.log_records
    assert (record.trace_id.hex(), record.span_id.hex()) == (TRACE_ID, SPAN_ID)


def read_resumed_run() -> Run:
    """Return a run that paused and was resumed, read back."""
    recording = Recording()
    graph = build_chain("a", "ask", saved=True, ask=lambda _: {"value": interrupt("sure?")})
    graph.invoke({}, recording.config("t1"))
    graph.invoke(Command(resume="yes"), recording.config("t1"))
    (run,) = read_runs(recording.exporter)
    return run


READ_RUN = read_resumed_run()


def test_a_run_that_was_read_back_is_judged_at_its_end(feedbacks: Feedbacks) -> None:
    """Of a run, resumed or not, the event stands under the graph-run span of its last invocation."""
    assert feedbacks.give(READ_RUN, 1)
    (record,) = feedbacks.records
    last = READ_RUN.invocations[-1]
    assert len(READ_RUN.invocations) == 2
    assert (f"{record.trace_id:032x}", f"{record.span_id:016x}") == (last.trace_id, last.span_id)
    said = feedbacks.read_one()
    assert (said[sc.RUN_ID], said[sc.CONVERSATION_ID]) == (READ_RUN.run_id, "t1")


def test_a_trace_id_alone_names_the_trace(feedbacks: Feedbacks) -> None:
    """Where no span id is known the event has the trace id, and in OTLP no span id."""
    assert feedbacks.give(TRACE_ID, 1)
    encoder = import_module("opentelemetry.exporter.otlp.proto.common._log_encoder")
    (logs,) = encoder.encode_logs(feedbacks.exporter.get_finished_logs()).resource_logs
    ((record,),) = (scope.log_records for scope in logs.scope_logs)
    assert (record.trace_id.hex(), record.span_id) == (TRACE_ID, b"")


NO_SPAN = RunEnd(run_id="r", trace_id="", span_id="", thread_id=None, graph="g", outcome="ok")


@pytest.mark.parametrize(
    ("run", "judgement", "reason"),
    [
        (NO_SPAN, {"score": 1}, "the run has no span"),
        (msgspec.structs.replace(READ_RUN, invocations=[]), {"score": 1}, "run is a text of 0 characters"),
        (TRACE_ID, {"score": 1, "span_id": "0" * 16}, "span_id is a text of 16 characters"),
        ("0af76519-16cd-43dd-8448-eb211c80319c", {"score": 1, "span_id": SPAN_ID}, "run is a text of 36"),
        (" " + TRACE_ID[1:], {"score": 1, "span_id": SPAN_ID}, "run is a text of 32 characters"),
        (None, {"score": 1, "span_id": SPAN_ID}, "run is a NoneType"),
        (TRACE_ID, {"score": "planted", "span_id": SPAN_ID}, "score is of type str"),
        (
            TRACE_ID,
            {"score": float("nan"), "span_id": SPAN_ID},
            "score is of type float and no finite number",
        ),
        (TRACE_ID, {"score": 10**400, "span_id": SPAN_ID}, "score is of type int and no finite number"),
        (TRACE_ID, {"score": None, "span_id": SPAN_ID}, "there is no judgement"),
        (TRACE_ID, {"score": 1, "comment": ["planted"], "span_id": SPAN_ID}, "comment is a list"),
        (TRACE_ID, {"score": 1, "label": "", "span_id": SPAN_ID}, "label is a text of 0 characters"),
        (TRACE_ID, {"score": 1, "key": None, "span_id": SPAN_ID}, "key is a NoneType"),
    ],
)
def test_what_can_not_be_meant_is_refused_and_logged_once(
    feedbacks: Feedbacks,
    caplog: pytest.LogCaptureFixture,
    run: object,
    judgement: dict[str, Any],
    reason: str,
) -> None:
    """Nothing is raised and nothing emitted; one line of the log says why, without what was said."""
    for _ in range(2):
        assert not feedbacks.give(run, **judgement)
    assert feedbacks.records == []
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith(f"record_feedback: the judgement is not recorded: {reason}")
    assert "planted" not in line


def test_a_provider_that_raises_is_not_felt(feedbacks: Feedbacks, caplog: pytest.LogCaptureFixture) -> None:
    """What a logger provider raises becomes False and one line of the log, without its text."""

    class Broken(LoggerProvider):
        def get_logger(self, *_names: object, **_options: object) -> Any:  # noqa: ANN401 - never returns
            raise ZeroDivisionError("planted")

    broken = Broken(shutdown_on_exit=False)
    assert not record_feedback(TRACE_ID, 1, span_id=SPAN_ID, logger_provider=broken)
    assert feedbacks.records == []
    (line,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "it failed with ZeroDivisionError (" in line
    assert "planted" not in line


GLOBAL = """
import sys
from opentelemetry import _logs
from opentelemetry.sdk._logs import LoggerProvider
from otel_traj import LangGraphInstrumentor, read_runs, record_feedback

ids = {"run": sys.argv[1], "span_id": sys.argv[2]}
print(record_feedback(score=1, **ids))
_logs.set_logger_provider(LoggerProvider())
print(record_feedback(score=1, **ids))
print([name for name in ("langchain_core", "langgraph") if name in sys.modules])
"""


@pytest.mark.parametrize(("disabled", "recorded"), [("", True), ("true", False)])
def test_the_global_provider_counts_once_it_is_set(disabled: str, recorded: bool) -> None:
    """Without a provider, or with OpenTelemetry disabled, the answer is False; LangChain is not needed for it."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", GLOBAL, TRACE_ID, SPAN_ID],
        env=os.environ | {"OTEL_SDK_DISABLED": disabled},
        check=False,
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert done.stdout == f"False\n{recorded}\n[]\n", done.stderr
