"""What other emitters recorded, sent as it was exported to a real Jaeger v1.76.0, is read as from its file.

What Jaeger itself changes stands in `keep` and `keep_for_legacy`; nothing else may differ. None of the corpora has a NaN
or a null, which `test_reading` sends.
"""

from __future__ import annotations

import json
import urllib.request
from collections import Counter
from datetime import UTC, datetime
from itertools import product
from typing import TYPE_CHECKING

import msgspec
import pytest

from otel_traj import read_runs
from otel_traj.sources import open_source
from tests.jaeger.running import running_jaeger
from tests.reconstruct.dialects.corpora import (
    EMITTERS,
    SCENARIOS,
    list_recorded_steps,
    load_spans,
    load_truth,
    name_corpus,
)
from tests.recorded_runs import outline
from tests.sources.reading import fingerprint, refuse
from tests.sources.real_jaeger import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from otel_traj.model import AttributeValue, Span
    from tests.jaeger.running import Jaeger

pytestmark = pytest.mark.jaeger

WITHOUT_NODES = "otel-genai-1.3b0"
EVERY = [*product((*EMITTERS, WITHOUT_NODES), SCENARIOS)]


def keep(span: Span) -> Span:
    """Return a span as Jaeger keeps it: a service without a name (mlflow writes none) is given one."""
    return msgspec.structs.replace(span, resource={"service.name": "missing-service-name"} | span.resource)


def keep_for_legacy(span: Span) -> Span:
    """Return a span as Jaeger's legacy API tells it: besides, in microseconds, and with JSON texts for arrays."""

    def tell(value: AttributeValue) -> AttributeValue:
        return json.dumps(value, separators=(",", ":")) if isinstance(value, list) else value

    span = keep(span)
    start_ns = span.start_ns // 1_000 * 1_000
    return msgspec.structs.replace(
        span,
        start_ns=start_ns,
        end_ns=start_ns + (span.end_ns - span.start_ns) // 1_000 * 1_000,
        attributes={key: tell(value) for key, value in span.attributes.items()},
    )


@pytest.fixture(scope="module")
def filled(jaeger_binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jaeger]:
    """A Jaeger that keeps every corpus, sent byte by byte as the file has it."""
    with running_jaeger(tmp_path_factory.mktemp("corpora"), binary=jaeger_binary) as jaeger:
        for corpus in EVERY:
            for line in name_corpus(*corpus).read_bytes().splitlines():
                send(jaeger, line)
        wait_for(jaeger, Counter(span.trace_id for corpus in EVERY for span in load_spans(*corpus)))
        yield jaeger


def send(jaeger: Jaeger, request: bytes) -> None:
    """Send one export request as OTLP JSON."""
    post = urllib.request.Request(  # noqa: S310 - an address of this machine
        f"{jaeger.http_endpoint}/v1/traces", data=request, headers={"content-type": "application/json"}
    )
    with urllib.request.urlopen(post, timeout=30) as answer:  # noqa: S310 - the same
        assert answer.status == 200, answer.read()


def name_place(jaeger: Jaeger, emitter: str, scenario: str, *options: str) -> str:
    """Return the place of a corpus: a Jaeger that is asked for the corpus's traces."""
    traces = dict.fromkeys(span.trace_id for span in load_spans(emitter, scenario))
    query = "&".join([*options, *(f"trace={trace_id}" for trace_id in traces)])
    return f"jaeger+http://{jaeger.query_address}?{query}"


@pytest.mark.parametrize(("emitter", "scenario"), EVERY)
def test_a_corpus_gives_its_truth(filled: Jaeger, emitter: str, scenario: str) -> None:
    """Every run is that of the file to the last token and nanosecond, its supersteps are those that ran."""
    runs = list(read_runs(name_place(filled, emitter, scenario), on_problem=refuse))
    kept = [keep(span) for span in load_spans(emitter, scenario)]
    assert outline(runs) == outline(read_runs(kept, on_problem=refuse))
    if emitter == WITHOUT_NODES:
        assert [problem.code for run in runs for problem in run.problems] == ["no_node_tasks"] * len(runs)
        assert not any(run.complete or run.steps for run in runs)
    else:
        assert list_recorded_steps(runs) == load_truth(emitter, scenario)
        assert all(run.complete and not run.verified for run in runs)


@pytest.mark.parametrize(("emitter", "scenario"), EVERY)
def test_the_legacy_api_loses_nanoseconds_and_no_superstep(
    filled: Jaeger, emitter: str, scenario: str
) -> None:
    """Every run is that of the file, but for what that API can't say."""
    runs = list(read_runs(name_place(filled, emitter, scenario, "api=legacy"), on_problem=refuse))
    told = [keep_for_legacy(span) for span in load_spans(emitter, scenario)]
    assert outline(runs) == outline(read_runs(told, on_problem=refuse))
    assert list_recorded_steps(runs) == list_recorded_steps(read_runs(name_corpus(emitter, scenario)))


def test_one_search_finds_all_that_was_sent(filled: Jaeger) -> None:
    """Of all emitters at once: no attribute, type, event or link of a span differs, and the runs are those of all files."""
    together = [keep(span) for corpus in EVERY for span in load_spans(*corpus)]
    since, until = (
        datetime.fromtimestamp(find(span.start_ns for span in together) // 1_000_000_000 + more, tz=UTC)
        for find, more in ((min, 0), (max, 1))
    )
    place = f"jaeger+http://{filled.query_address}?limit=1000&since={since:%FT%TZ}&until={until:%FT%TZ}"
    found = list(open_source(place).read_spans(refuse))
    assert fingerprint(map(sort_attributes, found)) == fingerprint(map(sort_attributes, together))
    assert outline(read_runs(place, on_problem=refuse)) == outline(read_runs(together, on_problem=refuse))


def sort_attributes(span: Span) -> Span:
    """Return a span with its attributes in a fixed order, which Jaeger does not keep."""
    return msgspec.structs.replace(
        span,
        resource=dict(sorted(span.resource.items())),
        attributes=dict(sorted(span.attributes.items())),
    )
