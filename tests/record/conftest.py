"""What every test of the recorder is held to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from opentelemetry import trace

from otel_traj import LangGraphInstrumentor
from otel_traj.record.content_option import CAPTURE_VARIABLE
from tests.record.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def recording() -> Recording:
    """A recording with the handler's own defaults."""
    return Recording()


@pytest.fixture
def instrumented(recording: Recording) -> Iterator[Recording]:
    """A recording whose provider gets what the instrumentor records; its own handler is passed to nobody."""
    LangGraphInstrumentor().instrument(tracer_provider=recording.provider)
    yield recording
    if LangGraphInstrumentor().is_instrumented_by_opentelemetry:
        LangGraphInstrumentor().uninstrument()


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is set around the tests does not decide what handlers record."""
    monkeypatch.delenv(CAPTURE_VARIABLE, raising=False)


@pytest.fixture(autouse=True)
def _leave_nothing_behind(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing stays current after a test, and nobody fails to detach a context or complains of attributes."""
    before = trace.get_current_span().get_span_context()
    yield
    assert trace.get_current_span().get_span_context() == before
    records = [*caplog.get_records("setup"), *caplog.get_records("call")]
    complaints = [each for each in records if each.name.startswith("opentelemetry")]
    assert [each.getMessage() for each in complaints] == []
