"""How a run ended is told from its exceptions: LangGraph's control flow is no error, whatever status was written."""

from __future__ import annotations

import msgspec
import pytest

from otel_traj import semconv as sc
from otel_traj.model import AttributeValue, Span, SpanEvent, SpanStatus
from otel_traj.reconstruct.dialects.endings import Ending, read_ending
from tests.reconstruct.dialects.corpora import EMITTERS, load_spans, read_quietly

QUESTION = "(Interrupt(value='go on?', id='1'),)"


def end(error_type: str, message: str, status: SpanStatus = "error", *, end_ns: int = 2) -> Ending:
    """Return the ending of a span with an exception."""
    attributes: dict[str, AttributeValue] = {}
    if error_type:
        attributes[sc.EXCEPTION_TYPE] = error_type
    if message:
        attributes[sc.EXCEPTION_MESSAGE] = message
    event = SpanEvent(name=sc.EXCEPTION_EVENT, attributes=attributes)
    return read_ending(
        Span(trace_id="1" * 32, span_id="1" * 16, start_ns=1, end_ns=end_ns, status=status, events=(event,))
    )


@pytest.mark.parametrize("status", ["ok", "error", "unset"])
@pytest.mark.parametrize(
    ("error_type", "message", "ending"),
    [
        ("langgraph.errors.GraphInterrupt", QUESTION, Ending(outcome="interrupted", interrupted=True)),
        ("GraphInterrupt", QUESTION, Ending(outcome="interrupted", interrupted=True)),
        ("GraphInterrupt", "", Ending(outcome="interrupted", interrupted=True)),
        ("GraphInterrupt", "()", Ending(outcome="interrupted")),
        (
            "Exception",
            f"GraphInterrupt({QUESTION})Traceback",
            Ending(outcome="interrupted", interrupted=True),
        ),
        ("", QUESTION, Ending(outcome="interrupted", interrupted=True)),
        ("langgraph.errors.ParentCommand", "Command(graph='__parent__')", Ending(outcome="ok")),
        ("Exception", "ParentCommand(Command(goto='b'))Traceback", Ending(outcome="ok")),
        ("asyncio.exceptions.CancelledError", "", Ending(outcome="cancelled")),
        ("GeneratorExit", "", Ending(outcome="cancelled")),
    ],
)
def test_control_flow_is_no_error(error_type: str, message: str, ending: Ending, status: SpanStatus) -> None:
    """Interrupts, commands to the parent, cancellation and closed streams are told from errors by their type."""
    assert end(error_type, message, status) == ending


@pytest.mark.parametrize(
    ("error_type", "message", "known"),
    [
        ("ValueError", "no", "ValueError"),
        ("my.errors.Broken", "no", "Broken"),
        ("Exception", "ValueError('no')Traceback", "ValueError"),
        ("Exception", "no", "Exception"),
        ("", "no", None),
    ],
)
def test_errors_keep_their_type(error_type: str, message: str, known: str | None) -> None:
    """An error names its class, which langsmith writes into the text only."""
    assert end(error_type, message) == Ending(outcome="error", error_type=known)


def test_an_open_span_has_no_ending() -> None:
    """What was recorded before its end tells nothing of it."""
    assert end("ValueError", "no", end_ns=0) == Ending(outcome="open")


def test_an_exception_that_was_caught_is_no_ending() -> None:
    """A span whose status is not an error ended well, whatever happened before."""
    assert end("ValueError", "no", "unset") == Ending(outcome="ok")


@pytest.mark.parametrize("emitter", [name for name in EMITTERS if not name.startswith("langfuse")])
def test_a_run_that_was_closed_or_cancelled_is_cancelled(emitter: str) -> None:
    """A caller that stops reading a stream leaves a cancelled run, whose steps are those that ran."""
    event = SpanEvent(name=sc.EXCEPTION_EVENT, attributes={sc.EXCEPTION_TYPE: "GeneratorExit"})
    spans = load_spans(emitter, "s09_cycle")
    [whole] = read_quietly(spans)
    root = whole.invocations[0].span_id
    [run] = read_quietly(
        msgspec.structs.replace(span, status="error", events=(event,)) if span.span_id == root else span
        for span in spans
    )
    assert (run.status, run.steps, run.complete) == ("cancelled", whole.steps, True)
