"""What records the runs of one test in memory, gives them back, and judges them.

It has a provider of its own, so that no test sees the runs of another, whatever their order and in however many
processes, and nothing of the program's own telemetry is touched. Content is recorded unless a handler is made
without: it stays in the memory of the test, and results and arguments can be compared. No sampler of the environment
counts here.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, Unpack

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from otel_traj.errors import NotEvaluatedError, TrajectoryValueError
from otel_traj.reconstruct import read_runs
from otel_traj.report.escape import shorten
from otel_traj.testing.judging import choose_references, judge_by_references, judge_expected, read_references
from otel_traj.testing.missed_verdicts import raise_missed
from otel_traj.testing.repeated_runs import Attempt, RepeatedRuns, read_number

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator
    from types import TracebackType

    from otel_traj.evaluate import Reference, Verdict
    from otel_traj.match import References
    from otel_traj.match.options import GivenOptions
    from otel_traj.model import Run
    from otel_traj.record import TrajectoryCallbackHandler

__all__ = ["RunRecorder"]

_NO_RUN = (
    "NOT EVALUATED no run was recorded; pass the recorder's `handler` as a callback of the agent, or call its "
    "`instrument()` before the agent runs (a run that is passed another TrajectoryCallbackHandler is that one's)"
)
_IS_DISABLED = "NOT EVALUATED no run was recorded, for OTEL_SDK_DISABLED is set; unset it for the tests"
_INSTRUMENTED = (
    "LangGraphInstrumentor().instrument() was called before, so that runs go where it was told; call uninstrument() "
    "first, or pass the recorder's `handler` as a callback"
)


class RunRecorder:
    """Records runs in memory; the pytest fixture `run_recorder` gives one to each test.

    Without pytest it is a context manager, or is closed by `close`.
    """

    def __init__(
        self,
        *,
        references: str | os.PathLike[str] | Iterable[Reference] | None = None,
        path: str | os.PathLike[str] | None = None,
        on_verdict: Callable[[Verdict], object] | None = None,
    ) -> None:
        """Begin to record.

        Args:
            references: A reference file, or references, for `assert_meets`; read when it is first called.
            path: A file to which every span is appended as well, as OTLP JSON lines; any number of processes may.
            on_verdict: Called with each verdict of an assertion, before that raises.

        Raises:
            SinkError: The file can't be opened.
        """
        self._given = references
        self._on_verdict = on_verdict or (lambda _: None)
        self._memory = InMemorySpanExporter()
        self._provider = TracerProvider(sampler=ALWAYS_ON, shutdown_on_exit=False)
        self._provider.add_span_processor(SimpleSpanProcessor(self._memory))
        if path is not None:
            from otel_traj.record import JsonLinesSpanExporter

            self._provider.add_span_processor(SimpleSpanProcessor(JsonLinesSpanExporter(path)))
        self._has_instrumented = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def handler(self) -> TrajectoryCallbackHandler:
        """What to pass as a callback; it records content."""
        return self.make_handler()

    def make_handler(self, **options: Any) -> TrajectoryCallbackHandler:  # noqa: ANN401 - the handler's own
        """Return another handler that records here.

        Args:
            **options: Those of `TrajectoryCallbackHandler`, save `tracer_provider`; `content` is True unless given.

        Raises:
            TrajectoryTypeError: An option is of a wrong type.
            TrajectoryValueError: An option has a value that can't be meant.
        """
        from otel_traj.record import TrajectoryCallbackHandler

        return TrajectoryCallbackHandler(**self._complete(options))

    def instrument(self, **options: Any) -> None:  # noqa: ANN401 - the handler's own
        """Record every graph run of this process from now on, until `close`: for agents that take no callbacks.

        Args:
            **options: As for `make_handler`.

        Raises:
            TrajectoryValueError: The process is instrumented already, or an option has a value that can't be meant.
            TrajectoryTypeError: An option is of a wrong type.
        """
        from otel_traj.record import LangGraphInstrumentor

        if LangGraphInstrumentor().is_instrumented_by_opentelemetry:
            raise TrajectoryValueError(_INSTRUMENTED)
        LangGraphInstrumentor().instrument(**self._complete(options))
        self._has_instrumented = True

    def close(self) -> None:
        """Record nothing more; what was recorded can still be read."""
        if self._has_instrumented:
            from otel_traj.record import LangGraphInstrumentor

            self._has_instrumented = False
            if LangGraphInstrumentor().is_instrumented_by_opentelemetry:
                LangGraphInstrumentor().uninstrument()
        self._provider.shutdown()

    def clear(self) -> None:
        """Forget the runs so far, those of the test's preparations say."""
        self._memory.clear()

    @property
    def runs(self) -> list[Run]:
        """The runs so far, by start, complete or not."""
        spans = self._memory.get_finished_spans()
        return list(read_runs(spans)) if spans else []

    @property
    def run(self) -> Run:
        """The one run so far.

        Raises:
            NotEvaluatedError: There is none.
            AssertionError: There are several.
        """
        __tracebackhide__ = True
        runs = self._list_runs()
        if len(runs) > 1:
            graphs = ", ".join("?" if run.graph is None else shorten(run.graph) for run in runs[:10])
            raise AssertionError(f"{len(runs)} runs were recorded, of {graphs}; `runs` holds them all")
        return runs[0]

    def assert_matches(self, expected: References, **options: Unpack[GivenOptions]) -> None:
        """Assert that the runs so far went as expected.

        Args:
            expected: One reference, or one for each run, as for `assert_trajectory`.
            **options: Those of `graph_trajectory_match`.

        Raises:
            AssertionError: They did not; the message is the explanation, superstep by superstep.
            NotEvaluatedError: There is no run, or one that could not be judged.
            TrajectoryTypeError: Something that is no reference, or an option of a wrong type.
            TrajectoryValueError: An option is not allowed.
            InvalidReferenceError: A reference can't be compared with.
        """
        __tracebackhide__ = True
        self._settle(judge_expected(self._list_runs(), expected, options))

    def assert_meets(self, reference: str | None = None) -> None:
        """Assert that every run so far meets its reference.

        Args:
            reference: Name of the reference that all of them are compared with, whatever its `applies_to`; None
                leaves the choice for each to `applies_to`.

        Raises:
            AssertionError: Some run does not; the message is the explanation, superstep by superstep.
            NotEvaluatedError: There is no run, or one that could not be judged, or that no reference applies to.
            InvalidReferenceError: There are no references, or none of that name, or one is not valid.
            TrajectoryTypeError: The name is no string.
        """
        __tracebackhide__ = True
        chosen = choose_references(self._references, reference)
        self._list_runs()
        self._settle(judge_by_references(self._memory.get_finished_spans(), chosen, reference))

    def repeat(self, call: Callable[[], object], *, times: int) -> RepeatedRuns:
        """Make a call several times, and return what each recorded; then assert that enough of them went well.

        Args:
            call: Runs the agent, with this recorder's handler. What it raises counts as its outcome.
            times: How many times, from 1.

        Raises:
            TrajectoryTypeError: `times` is no whole number.
            TrajectoryValueError: `times` is below 1.
        """
        attempts: list[Attempt] = []
        for _ in range(read_number(times, "times")):
            with self._make_attempt(attempts):
                call()
        return self._make_repeated(attempts)

    async def repeat_async(self, call: Callable[[], Awaitable[object]], *, times: int) -> RepeatedRuns:
        """Do as `repeat` with a call that is awaited, one after another.

        Args:
            call: As for `repeat`.
            times: As for `repeat`.

        Raises:
            TrajectoryTypeError: `times` is no whole number.
            TrajectoryValueError: `times` is below 1.
        """
        attempts: list[Attempt] = []
        for _ in range(read_number(times, "times")):
            with self._make_attempt(attempts):
                await call()
        return self._make_repeated(attempts)

    @cached_property
    def _references(self) -> list[Reference]:
        return read_references(self._given)

    def _complete(self, options: dict[str, Any]) -> dict[str, Any]:
        return {"content": True} | options | {"tracer_provider": self._provider}

    def _list_runs(self) -> list[Run]:
        __tracebackhide__ = True
        runs = self.runs
        if not runs:
            is_disabled = os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
            raise NotEvaluatedError(_IS_DISABLED if is_disabled else _NO_RUN)
        return runs

    @contextmanager
    def _make_attempt(self, attempts: list[Attempt]) -> Iterator[None]:
        start = len(self._memory.get_finished_spans())
        error = None
        try:
            yield
        except Exception as raised:  # noqa: BLE001 - the outcome of the attempt
            error = raised
        spans = self._memory.get_finished_spans()[start:]
        attempts.append(Attempt(spans=spans, runs=tuple(read_runs(spans)) if spans else (), error=error))

    def _make_repeated(self, attempts: list[Attempt]) -> RepeatedRuns:
        return RepeatedRuns(attempts, lambda: self._references, self._on_verdict)

    def _settle(self, verdicts: list[Verdict]) -> None:
        __tracebackhide__ = True
        for verdict in verdicts:
            self._on_verdict(verdict)
        raise_missed(verdicts)
