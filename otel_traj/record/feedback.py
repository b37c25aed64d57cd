"""A person's judgement of a run, as the event that OpenTelemetry's GenAI conventions have for evaluations.

A log event (`gen_ai.evaluation.result`) and no attribute or span event: people judge after the run, when its span has
long ended and can't be written to. It is tied to the run by the trace and span id of the graph-run span, which
`on_run_end` tells and a run that was read back has, and may come from another process. It goes out by a logger provider, not by the tracer provider.
"""

from __future__ import annotations

import functools
import logging
import math
import string
from numbers import Real
from typing import TYPE_CHECKING

from opentelemetry import _logs, trace

import otel_traj
from otel_traj import semconv as sc
from otel_traj.byte_cap import cap_text
from otel_traj.errors import OtelTrajError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.log_event import make_log_event
from otel_traj.model import Run
from otel_traj.record.exception_event import find_place, name_exception
from otel_traj.record.instrumentor import LangGraphInstrumentor
from otel_traj.record.run_end import RunEnd
from otel_traj.rendering import clean_text

if TYPE_CHECKING:
    from opentelemetry._logs import Logger, LoggerProvider
    from opentelemetry.trace import SpanContext
    from opentelemetry.util.types import AttributeValue

__all__ = ["record_feedback"]

_MAX_BYTES = 8_192
_logger = logging.getLogger("otel_traj")


def record_feedback(
    run: RunEnd | Run | str,
    score: float | None,
    comment: str | None = None,
    *,
    key: str = "user_feedback",
    label: str | None = None,
    span_id: str | None = None,
    logger_provider: LoggerProvider | None = None,
) -> bool:
    """Attach a person's judgement to a run that has ended, as a log event `gen_ai.evaluation.result`.

    It never raises: what is wrong with a judgement is logged, once for each kind of mistake.

    Args:
        run: What `on_run_end` was told; a run that was read back; or the trace id of one (32 hex digits), where its
            trace holds no other run or `span_id` says which.
        score: The judgement as a finite number, the higher the better; True is 1 with the label `pass`, False 0 with
            the label `fail`. None where `label` or `comment` says it alone.
        comment: What the person said, written whatever the handler's `content` is; of more than 8,192 bytes the head
            and the tail.
        key: What is judged: the name of the evaluation.
        label: The judgement as a word, of few.
        span_id: The span id of the run (16 hex digits), where `run` is a trace id; without it the event names the
            trace alone.
        logger_provider: Where the event goes; if None, the one that `LangGraphInstrumentor().instrument` was given,
            else the global provider.

    Returns:
        Whether the event was handed to a logger provider. False without an SDK behind it, with `OTEL_SDK_DISABLED`,
        for a run that has no span, and for what can't be meant.
    """
    try:
        span = _find_span(run, span_id)
        attributes = _describe(run, score, comment, key, label)
        logger = _find_logger(logger_provider)
        logger.emit(make_log_event(logger, sc.EVALUATION_RESULT, attributes, span=span))
    except OtelTrajError as error:
        _warn_once(str(error))
        return False
    except Exception as error:  # noqa: BLE001 - judging a run must not hurt the application
        _warn_once(f"it failed with {name_exception(error)} ({find_place(error)}).")
        return False
    return True


def _find_span(run: RunEnd | Run | str, span_id: str | None) -> SpanContext:
    if isinstance(run, Run):
        # A resumed run is judged by its end.
        last = run.invocations[-1] if run.invocations else None
        span_id, run = (last.span_id or None, last.trace_id) if last is not None else (None, "")
    elif isinstance(run, RunEnd):
        if not run.trace_id:
            raise TrajectoryValueError(
                "the run has no span that it could be attached to. Call otel_traj.configure() before the first run."
            )
        span_id, run = run.span_id, run.trace_id
    return trace.SpanContext(
        _read_id("run", run, 32),
        0 if span_id is None else _read_id("span_id", span_id, 16),
        is_remote=True,
        trace_flags=trace.TraceFlags(trace.TraceFlags.SAMPLED),
    )


def _read_id(name: str, text: object, length: int) -> int:
    if isinstance(text, str) and len(text) == length and set(text) <= set(string.hexdigits) and int(text, 16):
        return int(text, 16)
    raise TrajectoryValueError(
        f"{name} is {_name_found(text)}, no id of {length} hex digits, so the run can't be found. Pass the RunEnd "
        f"that on_run_end was told, or its trace_id and span_id=."
    )


def _name_found(value: object) -> str:
    """Say what was found without showing it: it may be what a person said."""
    return f"a text of {len(value)} characters" if isinstance(value, str) else f"a {type(value).__name__}"


def _describe(
    run: object, score: object, comment: object, key: object, label: object
) -> dict[str, AttributeValue]:
    attributes: dict[str, AttributeValue] = {}
    if score is not None:
        attributes[sc.EVALUATION_SCORE_VALUE] = _read_score(score)
        if isinstance(score, bool):
            attributes[sc.EVALUATION_SCORE_LABEL] = "pass" if score else "fail"
    texts = {sc.EVALUATION_SCORE_LABEL: ("label", label), sc.EVALUATION_EXPLANATION: ("comment", comment)}
    for attribute, (name, text) in texts.items():
        if text is not None:
            attributes[attribute] = _read_text(name, text)
    if not attributes:
        raise TrajectoryValueError("there is no judgement in it. Pass a score, a label or a comment.")
    attributes[sc.EVALUATION_NAME] = _read_text("key", key)
    if isinstance(run, RunEnd | Run):
        attributes[sc.RUN_ID] = run.run_id
        if run.thread_id is not None:
            attributes[sc.CONVERSATION_ID] = clean_text(run.thread_id)
    return attributes


def _read_score(score: object) -> float:
    try:
        number = float(score) if isinstance(score, Real) else math.nan
    except OverflowError:
        number = math.inf
    if math.isfinite(number):
        return number
    raise TrajectoryTypeError(
        f"score is of type {type(score).__name__} and no finite number, which backends can't show. Pass a number, True "
        f"or False; a word is a label=."
    )


def _read_text(name: str, text: object) -> str:
    if not isinstance(text, str) or not text:
        raise TrajectoryTypeError(f"{name} is {_name_found(text)}, which says nothing. Pass a text.")
    return cap_text(clean_text(text), _MAX_BYTES)


def _find_logger(provider: LoggerProvider | None) -> Logger:
    # Compared with None: a provider may be anything, and say that it is false.
    chosen = next(
        (each for each in (provider, LangGraphInstrumentor().logger_provider) if each is not None), None
    )
    found = _logs.get_logger_provider() if chosen is None else chosen
    logger = found.get_logger(sc.SCOPE_NAME, otel_traj.__version__)
    # The API's own loggers, of which one is a private class, go nowhere.
    if type(logger).__module__.startswith("opentelemetry._logs"):
        raise TrajectoryValueError(
            "the logger provider has no OpenTelemetry SDK behind it, or one that is disabled. Set one by "
            "opentelemetry._logs.set_logger_provider(), or pass logger_provider=."
        )
    return logger


@functools.lru_cache(maxsize=64)
def _warn_once(reason: str) -> None:
    _logger.warning("record_feedback: the judgement is not recorded: %s", reason)
