from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from google.protobuf.json_format import MessageToJson
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import INVALID_SPAN, Link, SpanKind, Status, StatusCode

from otel_traj.errors import TrajectoryTypeError
from otel_traj.model import Span
from otel_traj.sources.sdk_spans import SdkSpanConverter, is_sdk_span
from tests.sources.reading import codes, fingerprint, read, read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.util.types import AttributeValue


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    """Return an in-memory exporter that keeps what `record` records."""
    return InMemorySpanExporter()


def record(exporter: InMemorySpanExporter, attributes: Mapping[str, AttributeValue] | None = None) -> None:
    """Record a root, a failed child with an event and a link, as a program would."""
    provider = TracerProvider(resource=Resource({"service.name": "shop", "tags": ("a", "b")}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("otel_traj", "0.1.0")
    with tracer.start_as_current_span("root", kind=SpanKind.CLIENT, attributes=attributes) as root:
        links = [Link(root.get_span_context(), {"why": "because"})]
        with tracer.start_as_current_span("child", links=links) as child:
            child.set_status(Status(StatusCode.ERROR, "boom"))
            child.add_event("exception", {"exception.type": "ValueError"})


def test_what_the_sdk_recorded_reads_as_what_its_exporter_writes(exporter: InMemorySpanExporter) -> None:
    """From memory and as OTLP the same spans come out, in protobuf's JSON form too, with base64 ids and enum names."""
    record(exporter, {"s": "x", "n": 3, "f": 0.5, "b": True, "list": ("a", "b"), "numbers": [1, 2]})
    spans, problems = read(exporter)
    written = encode_spans(exporter.get_finished_spans())
    for text in (MessageToJson(written), MessageToJson(written, preserving_proto_field_name=True)):
        assert fingerprint(read_bytes(text.encode())[0]) == fingerprint(spans)
    assert problems == []


def test_every_field_of_an_sdk_span_is_read(exporter: InMemorySpanExporter) -> None:
    """Ids, times, kind, status, attributes, events, links, resource and scope."""
    record(exporter, {"list": ("a", "b")})
    child, root = read(exporter)[0]
    recorded_child, recorded_root = exporter.get_finished_spans()
    context = recorded_root.get_span_context()
    assert context is not None
    assert (root.trace_id, root.span_id) == (f"{context.trace_id:032x}", f"{context.span_id:016x}")
    assert (root.parent_span_id, child.parent_span_id) == ("", root.span_id)
    assert (root.start_ns, root.end_ns) == (recorded_root.start_time, recorded_root.end_time)
    assert (root.kind, child.kind) == (3, 1)
    assert (root.status, child.status, child.status_message) == ("unset", "error", "boom")
    assert root.attributes == {"list": ["a", "b"]}
    assert [(event.name, event.attributes) for event in child.events] == [
        ("exception", {"exception.type": "ValueError"})
    ]
    assert child.events[0].time_ns == recorded_child.events[0].timestamp
    assert [(link.span_id, link.attributes) for link in child.links] == [(root.span_id, {"why": "because"})]
    assert root.resource == {"service.name": "shop", "tags": ["a", "b"]}
    assert (root.scope_name, root.scope_version) == ("otel_traj", "0.1.0")


def test_a_live_span_is_open() -> None:
    """A span that has not ended reads as one without an end."""
    tracer = TracerProvider().get_tracer("t")
    span = tracer.start_span("live")
    (converted,), _ = read([span])
    assert (converted.name, converted.end_ns) == ("live", 0)
    span.end()


def test_dropped_attributes_are_counted(exporter: InMemorySpanExporter) -> None:
    """The SDK drops the oldest at its limit, and the record says so."""
    record(exporter, {f"k{number}": number for number in range(200)})
    assert [span.dropped_attributes for span in read(exporter)[0]] == [0, 72]


def test_a_span_without_a_valid_context_is_a_problem() -> None:
    """It belongs to no trace; the list goes on."""
    good = TracerProvider().get_tracer("t").start_span("good")
    spans, problems = read([ReadableSpan("no context"), good])
    assert [span.name for span in spans] == ["good"]
    assert codes(problems) == ["bad_span"]
    assert "item 0" in problems[0].message


def test_a_value_that_is_no_attribute_is_named() -> None:
    """What other packages put on their spans may be anything."""
    converter = SdkSpanConverter()
    span = TracerProvider().get_tracer("t").start_span("x")
    assert is_sdk_span(span)
    values: dict[str, Any] = {"good": 1, "bad": object(), "deep": [{"k": object()}]}
    stranger = ReadableSpan("x", context=span.get_span_context(), attributes=values)
    converted = converter.convert(stranger)
    assert converted is not None
    assert (converted.attributes, converted.unreadable) == ({"good": 1}, ("bad", "deep"))


class Lookalike:
    """A span of another package's making: right ids, and anything anywhere else."""

    def __init__(self, **fields: object) -> None:
        """Take fields beside or instead of those of a span."""
        self.attributes: object = {"k": 1}
        self.__dict__ |= {"name": "x", "start_time": 1, "end_time": 2, **fields}

    def get_span_context(self) -> object:
        """Return valid ids."""
        return SimpleNamespace(trace_id=1, span_id=2)


@pytest.mark.parametrize(
    ("fields", "unreadable"),
    [
        ({"attributes": 5}, ("attributes",)),
        ({"attributes": ["k"]}, ("attributes",)),
        ({"attributes": None}, ()),
        ({"resource": SimpleNamespace(attributes=5)}, ("resource",)),
        ({"name": b"x"}, ("name",)),
        ({"start_time": "1"}, ("start_time",)),
        ({"end_time": -1}, ("end_time",)),
        ({"end_time": True}, ("end_time",)),
        ({"end_time": 2.5}, ("end_time",)),
        ({"dropped_attributes": "3"}, ("dropped_attributes",)),
        ({"events": 5}, ("events",)),
        ({"events": [None]}, ("events",)),
        ({"events": [SimpleNamespace(name=None, timestamp="x", attributes=None)]}, ("events",)),
        ({"links": 5}, ("links",)),
        ({"links": [None]}, ()),
        ({"links": [SimpleNamespace(context=None)]}, ()),
        ({"instrumentation_scope": SimpleNamespace(name=5, version=6)}, ("instrumentation_scope",)),
        ({"status": SimpleNamespace(status_code="ERROR", description=5)}, ("status",)),
        ({"kind": SimpleNamespace(name=[])}, ()),
        ({"parent": 5}, ()),
    ],
    ids=repr,
)
def test_a_field_of_a_wrong_type_costs_only_itself(
    fields: dict[str, object], unreadable: tuple[str, ...]
) -> None:
    """The span is used without it, and names it where something is lost."""
    (span,), problems = read([Lookalike(**fields)])
    assert span.unreadable == unreadable
    assert read([span]) == ([span], [])
    assert problems == []


@pytest.mark.parametrize("context", [None, 5, lambda: None, lambda: 5, lambda: 1 / 0])
def test_a_span_whose_ids_can_not_be_asked_for_is_a_problem(context: object) -> None:
    """It belongs to no trace."""
    stranger = Lookalike()
    stranger.__dict__["get_span_context"] = context
    spans, problems = read([stranger])
    assert (spans, codes(problems)) == ([], ["bad_span", "empty_source"])


@pytest.mark.parametrize(
    "fields",
    [
        {"trace_id": None},
        {"trace_id": "1" * 31},
        {"span_id": "G" * 16},
        {"span_id": 7},
        {"parent_span_id": None},
        {"name": None},
        {"start_ns": "1"},
        {"attributes": None},
        {"resource": []},
        {"links": None},
    ],
    ids=repr,
)
def test_a_record_that_breaks_its_contract_is_a_type_error(fields: dict[str, Any]) -> None:
    """Whoever makes records by hand learns which field is wrong, and in which of them."""
    good = Span(trace_id="1" * 32, span_id="2" * 16)
    (name,) = fields
    with pytest.raises(TrajectoryTypeError, match=f"item 1 .*{name}"):
        read([good, msgspec.structs.replace(good, **fields)])


@pytest.mark.parametrize("kept", [None, 5])
def test_an_exporter_that_keeps_no_spans_is_a_type_error(kept: object) -> None:
    """What it answers with can't be gone through."""
    with pytest.raises(TrajectoryTypeError, match="get_finished_spans"):
        read(SimpleNamespace(get_finished_spans=lambda: kept))


def test_what_is_no_sdk_span_is_told() -> None:
    """A span that records nothing has no attributes to read."""
    assert not is_sdk_span(INVALID_SPAN)
    assert not is_sdk_span("span")


@given(
    st.dictionaries(
        st.text(max_size=3),
        st.one_of(
            st.text(max_size=3),
            st.booleans(),
            st.integers(-(2**63), 2**63 - 1),
            st.floats(allow_nan=False),
            st.lists(st.text(max_size=3), max_size=3),
        ),
        max_size=4,
    )
)
def test_any_attributes_of_a_recorded_span_come_out(attributes: dict[str, AttributeValue]) -> None:
    """Memory gives what was set, as JSON would."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    provider.get_tracer("t").start_span(
        "x", attributes={key: value for key, value in attributes.items() if key}
    ).end()
    (span,), _ = read(exporter)
    assert json.dumps(span.attributes) == json.dumps({key: value for key, value in attributes.items() if key})
