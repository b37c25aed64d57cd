"""What other programs wrote, by producer and version; `payloads/README.md` says where each came from."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.sources.reading import codes, read

PAYLOADS = Path(__file__).parent / "payloads"
TRACE = "0af7651916cd43dd8448eb211c80319c"
OTHER_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_the_json_file_exporter_of_the_python_sdk() -> None:
    """A line per batch, ASCII escapes, a root without a parent field, NaN as text, null and maps as values."""
    spans, problems = read(PAYLOADS / "opentelemetry-python-0.66b1" / "traces.jsonl")
    assert problems == []
    node, root = spans
    assert (node.trace_id, node.span_id, node.parent_span_id) == (TRACE, "b7ad6b7169203331", root.span_id)
    assert (root.parent_span_id, root.status, node.status, node.status_message) == (
        "",
        "unset",
        "error",
        "ValueError",
    )
    score = node.attributes.pop("score")
    assert isinstance(score, float)
    assert math.isnan(score)
    assert node.attributes == {
        "langgraph.node": "node1",
        "langgraph.step": 1,
        "langgraph.triggers": ["branch:to:node1"],
        "greeting": "grüß dich 👋",
        "state": {"k": [1, None]},
    }
    assert (node.start_ns, node.end_ns) == (1796026887587440636, 1796026887587840929)
    assert [event.attributes for event in node.events] == [{"exception.type": "ValueError"}]
    assert [link.trace_id for link in node.links] == [OTHER_TRACE]
    assert node.resource["service.name"] == "my-agent"
    assert (node.scope_name, node.scope_version) == ("otel_traj", "0.1.0")


def test_the_file_exporter_of_the_collector() -> None:
    """Rotated files in the order of their times, the live one last, several resources in a line."""
    spans, problems = read(PAYLOADS / "otelcol-contrib-0.161.0")
    assert problems == []
    assert [span.name for span in spans] == ["invoke_node node1", "invoke_workflow seven", "GET /", "SELECT"]
    assert [span.resource["service.name"] for span in spans] == ["my-agent", "my-agent", "shop", "shop"]
    assert [span.parent_span_id for span in spans[1:]] == ["", "", "a2fb4a1d1a96d312"]


@pytest.mark.parametrize(
    "name", ["protobuf", "zstd-json", "zstd-protobuf", "native-json", "native-protobuf", "restarted"]
)
def test_the_file_exporter_of_the_collector_packing(name: str) -> None:
    """Lengths before messages, a frame per message, frames of lines, and two of these in one file."""
    spans, problems = read(PAYLOADS / "otelcol-contrib-0.161.0-packed" / name)
    assert problems == []
    assert [(span.name, span.parent_span_id.lstrip("0")) for span in spans] == [
        ("span 1", "3"),
        ("span 2", "3"),
        ("span 3", ""),
    ]
    assert [span.attributes for span in spans] == [
        {"langgraph.step": number, "langgraph.triggers": ["a"]} for number in (1, 2, 3)
    ]
    assert {(span.trace_id, span.start_ns, span.end_ns, span.kind) for span in spans} == {
        ("d8448eb211c80319".zfill(32), 1_796_026_887_587_440_636, 1_796_026_887_587_840_929, 1)
    }


def test_the_example_of_the_protocol() -> None:
    """Upper-case hex is hex."""
    spans, problems = read(PAYLOADS / "opentelemetry-proto-1.11.0" / "trace.json")
    assert problems == []
    (span,) = spans
    assert (span.trace_id, span.span_id, span.parent_span_id) == (
        "5b8efff798038103d269b633813fc60c",
        "eee19b7ec3c1b174",
        "eee19b7ec3c1b173",
    )
    assert (span.name, span.kind, span.attributes) == ("I'm a server span", 2, {"my.span.attr": "some value"})


def test_an_answer_of_jaeger_by_id() -> None:
    """The wrapper, no times, and ids that are zeros but for their end."""
    spans, problems = read(PAYLOADS / "jaeger-api-v3" / "get_trace.json")
    assert problems == []
    (span,) = spans
    assert (span.trace_id, span.span_id) == ("1".zfill(32), "2".zfill(16))
    assert (span.name, span.status, span.end_ns) == ("foobar", "error", 0)


def test_an_adjusted_answer_of_jaeger() -> None:
    """A scope that lost its last span has no `spans` at all."""
    spans, problems = read(PAYLOADS / "jaeger-1.76.0" / "adjusted.json")
    assert problems == []
    assert [span.name for span in spans] == ["invoke_workflow seven"]


def test_an_answer_of_jaeger_that_found_nothing() -> None:
    """What the backend said stands in the problem."""
    spans, problems = read(PAYLOADS / "jaeger-1.76.0" / "not_found.json")
    assert spans == []
    assert codes(problems) == ["not_spans", "empty_source"]
    assert "No traces found" in problems[0].message


def test_an_answer_of_tempo_by_id() -> None:
    """`batches` instead of `resourceSpans`."""
    spans, problems = read(PAYLOADS / "tempo-api-v1" / "trace.json")
    assert problems == []
    assert [span.resource for span in spans] == [{"service.name": "my.service"}]


def test_an_export_of_tempo() -> None:
    """`instrumentationLibrarySpans`, enum names, and times as numbers."""
    spans, problems = read(PAYLOADS / "tempo-export" / "batches.json")
    assert problems == []
    assert {span.kind for span in spans} == {2, 3}
    assert {span.scope_name for span in spans} == {
        "go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp",
        "opentelemetry.instrumentation.httpx",
    }
    assert all(span.start_ns > 1_777_000_000_000_000_000 and not span.unreadable for span in spans)


def test_one_span_id_in_two_batches() -> None:
    """Both copies are yielded: which one counts is decided where runs are rebuilt (promptfoo/promptfoo#10327)."""
    spans, problems = read(PAYLOADS / "agentevals-hand" / "duplicate_span_ids.json")
    assert problems == []
    assert len(spans) == 3
    assert len({(span.trace_id, span.span_id) for span in spans}) == 2


def test_a_root_with_a_remote_parent() -> None:
    """The parent is in another service: the id stays, though no span has it."""
    spans, problems = read(PAYLOADS / "agentevals-hand" / "remote_parent_root.json")
    assert problems == []
    assert spans[0].parent_span_id == "00f067aa0ba902b7"
