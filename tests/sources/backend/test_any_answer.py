"""Whatever a server answers, with whatever status, a backend's API gives spans or an error of ours, and ends."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.errors import SourceError
from otel_traj.sources.backend.answer import Answer
from otel_traj.sources.backend.window import Window
from otel_traj.sources.jaeger.api import JaegerApi
from otel_traj.sources.jaeger.search import Search
from otel_traj.sources.problems import ProblemLog
from otel_traj.sources.tempo.api import TempoApi

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from otel_traj.sources.backend.client import BackendClient

TRACE: Final = "a" * 32
WINDOW: Final = Window(since_ns=0, until_ns=10**18)
KEYS: Final = (
    *("traces", "traceID", "startTimeUnixNano", "trace", "batches", "resourceSpans", "scopeSpans", "spans"),
    *(
        "traceId",
        "spanId",
        "status",
        "message",
        "result",
        "attributes",
        "key",
        "value",
        "data",
        "errors",
        "error",
    ),
    *("summaries", "services", "processes", "spanID", "references", "startTime", "tags", "msg", "code"),
)
LEAVES: Final = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from([TRACE, "a" * 16, "PARTIAL"])
)
DOCUMENTS: Final = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=15,
)
NESTED: Final = st.builds(
    lambda opening, count: opening * count,
    st.sampled_from([b"[", b'{"a":', b'{"traces":[{"a":', b'{"result":', b'{"trace":{"a":', b'{"data":[']),
    st.sampled_from([500, 3_000, 50_000]),
)
BODIES: Final = (
    st.binary(max_size=60) | DOCUMENTS.map(lambda document: json.dumps(document).encode()) | NESTED
)


class OneAnswer:
    """A client whose server answers everything alike."""

    def __init__(self, status: int, body: bytes) -> None:
        """Take the answer."""
        self.answer = Answer(status=status, body=body)

    def get(self, *_: object, **__: object) -> Answer:
        """Answer."""
        return self.answer

    def refuse(self, answer: Answer, advice: str) -> SourceError:
        """Return the error of an answer that is of no use."""
        return SourceError(f"it answered {answer.describe()}; {advice}", source="place")


def make_api(kind: str, answer: OneAnswer) -> Any:  # noqa: ANN401 - one of two with the same methods
    """Return an API that gets this answer."""
    client, log = cast("BackendClient", answer), ProblemLog("place", lambda _: None)
    return TempoApi(client, log) if kind == "tempo" else JaegerApi(client, log, is_legacy=kind == "legacy")


@pytest.mark.parametrize("kind", ["tempo", "jaeger", "legacy"])
@given(status=st.sampled_from([200, 200, 200, 204, 400, 404, 422, 500]), body=BODIES)
def test_any_answer_gives_spans_or_an_error(kind: str, status: int, body: bytes) -> None:
    """Searched and by id: nothing else is raised, and nothing goes on for ever."""
    question = "{}" if kind == "tempo" else Search(service="s", attributes={"a": "b"})
    calls: list[Callable[[Any], Iterable[object]]] = [
        lambda api: [api.find(question, WINDOW, 5)],
        lambda api: list(api.fetch(TRACE)),
    ]
    for call in calls:
        with contextlib.suppress(SourceError):
            call(make_api(kind, OneAnswer(status, body)))
