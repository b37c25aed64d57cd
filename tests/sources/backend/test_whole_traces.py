"""Traces that a real server answers for with an error, beside others that it gives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from otel_traj.errors import SourceError
from otel_traj.sources import open_source
from tests.sources.contract_spans import OTHER_TRACE, SPANS, TRACE
from tests.sources.jaeger.stand_in import PAGE, JaegerStandIn
from tests.sources.places import WINDOW
from tests.sources.serving import Reply, serve
from tests.sources.tempo.stand_in import TempoStandIn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from otel_traj.model import SourceProblem
    from tests.sources.serving import Request

KINDS: Final[dict[str, tuple[str, Callable[[], Callable[[Request], Reply]]]]] = {
    "jaeger": ("jaeger+http", lambda: JaegerStandIn(SPANS)),
    "newer jaeger": ("jaeger+http", lambda: JaegerStandIn(SPANS, line="newer")),
    "tempo": ("tempo+http", lambda: TempoStandIn(SPANS)),
}
BROKEN: Final = [
    Reply(500, b'{"error": {"httpCode": 500, "message": "boom"}}'),
    Reply(500, b"boom"),
    Reply(400, b"no"),
    Reply(200, b'{"result": {"resourceSpans": ['),
    Reply(200, PAGE),
]


def read(
    kind: str, parameters: str, reply: Reply, broken: Iterable[str]
) -> tuple[set[str], list[SourceProblem]]:
    """Return the traces that came from a server that answers so for some of them, and what was said."""
    scheme, make = KINDS[kind]
    app = make()
    problems: list[SourceProblem] = []
    with serve(lambda request: reply if request.path.endswith(tuple(broken)) else app(request)) as served:
        source = open_source(f"{scheme}://{served.place}?{parameters}")
        return {span.trace_id for span in source.read_spans(problems.append)}, problems


@pytest.mark.parametrize("reply", BROKEN, ids=["500", "500 text", "400", "cut", "page"])
@pytest.mark.parametrize("parameters", [WINDOW, f"trace={TRACE}&trace={OTHER_TRACE}"], ids=["found", "named"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_error_for_one_trace_costs_only_that_trace(kind: str, parameters: str, reply: Reply) -> None:
    """The others are read, and the one is known to be missing, with what was answered."""
    traces, problems = read(kind, parameters, reply, [TRACE])
    assert traces == {OTHER_TRACE}
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", (TRACE,))]
    assert f"trace {TRACE} is not read, the others are used" in problems[0].message
    assert f"it answered {reply.status}" in problems[0].message


@pytest.mark.parametrize("parameters", [WINDOW, f"trace={TRACE}", f"trace={TRACE}&trace={TRACE}"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_error_for_every_trace_is_an_error_of_the_place(kind: str, parameters: str) -> None:
    """It is broken, or not what it was taken for: nothing of it could be read."""
    with pytest.raises(SourceError, match="it answered 500"):
        read(kind, parameters, BROKEN[0], [TRACE, OTHER_TRACE])


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_about_who_asks_ends_the_reading(kind: str) -> None:
    """It would be answered to every other question as well."""
    with pytest.raises(SourceError, match="it answered 401"):
        read(kind, WINDOW, Reply(401, b"no"), [TRACE])


@pytest.mark.parametrize(
    ("kind", "path", "key", "entry"),
    [
        ("newer jaeger", "/api/v3/trace-summaries", "summaries", {"traceId": None}),
        ("tempo", "/api/search", "traces", {"traceID": 5}),
        ("tempo", "/api/search", "traces", None),
    ],
)
def test_an_entry_of_a_search_that_cannot_be_read_costs_only_itself(
    kind: str, path: str, key: str, entry: object
) -> None:
    """It is told, for a trace may be missing; the others are read. So is an error that the answer holds."""
    scheme, make = KINDS[kind]
    app = make()

    def answer(request: Request) -> Reply:
        reply = app(request)
        if request.path != path:
            return reply
        document: dict[str, Any] = json.loads(reply.body)
        document[key].insert(0, entry)
        return Reply(200, json.dumps({**document, "error": "storage gone"}).encode())

    problems: list[SourceProblem] = []
    with serve(answer) as served:
        source = open_source(f"{scheme}://{served.place}?{WINDOW}")
        assert len(list(source.read_spans(problems.append))) == len(SPANS)
    assert [problem.code for problem in problems] == ["partial_response", "not_spans"]
    assert "storage gone" in problems[0].message
    assert problems[1].message.startswith("entries of the answer to a search can't be read (1)")
