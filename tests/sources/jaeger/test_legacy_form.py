from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.model import Span, SpanEvent, SpanLink
from otel_traj.sources.jaeger.legacy_form import is_legacy_form
from tests.sources.reading import codes, read, read_bytes

PAYLOADS = Path(__file__).parents[1] / "files" / "payloads" / "jaeger-1.76.0"
TRACE = "0000000000000000d8448eb211c80319"
OTHER_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
ROOT = "00f067aa0ba902b7"
START = 1_796_026_887_587_440_636


def cut(time_ns: int) -> int:
    """Return a time as a form that keeps microseconds gives it back."""
    return time_ns // 1_000 * 1_000


def read_payload(name: str) -> list[Span]:
    """Return the spans of an answer with which nothing is wrong."""
    spans, problems = read(PAYLOADS / name)
    assert problems == []
    return spans


def read_document(document: object) -> tuple[list[Span], list[str]]:
    """Return the spans of a document, and the codes of its problems."""
    spans, problems = read_bytes(json.dumps(document).encode())
    return spans, codes(problems)


def make_trace(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """Return a trace with one span, some of whose fields are changed."""
    span = {
        "traceID": "1",
        "spanID": "2",
        "operationName": "x",
        "references": [],
        "startTime": 5,
        "duration": 7,
        "tags": [],
        "logs": [],
        "processID": "p1",
        "warnings": None,
    }
    return {
        "traceID": "1",
        "spans": [span | changes],
        "processes": {"p1": {"serviceName": "shop", "tags": []}},
    }


def read_span(**changes: Any) -> Span:  # noqa: ANN401 - any JSON
    """Return the span of such a trace."""
    spans, problems = read_document({"data": [make_trace(**changes)]})
    assert problems == []
    (span,) = spans
    return span


def test_a_real_answer_of_jaeger() -> None:
    """Kind, status, scope, service, parents, ids and values are where OTLP has them."""
    root, node, chat, unfinished = read_payload("legacy.json")
    assert root == Span(
        trace_id=TRACE,
        span_id=ROOT,
        name="invoke_workflow seven",
        start_ns=cut(START),
        end_ns=cut(START + 5_000_123),
        attributes={
            "langgraph.graph": "seven",
            "otel_traj.task_count": 2,
            "otel_traj.steps": '[["a"],["b"]]',
        },
        resource={"service.name": "shop", "service.version": "1.2", "cores": 2, "tags": '["a","b"]'},
        scope_name="otel_traj",
        scope_version="0.1.0",
        kind=1,
    )
    assert (node.status, node.status_message, node.parent_span_id) == ("error", "ValueError", ROOT)
    assert node.attributes == {
        "langgraph.step": 1,
        "langgraph.triggers": ["branch:to:a", "b"],
        "on": True,
        "half": 0.5,
        "whole": 2.0,
        "big": 2**60,
        "neg": -5,
        "none": "",
        "raw": b"\x00\xff",
        "map": '{"k":[1,null]}',
        "empty": "[]",
        "mixed": '[1,"x",true]',
        "grüße": "✓ \x00x",
        "json": '["text"]',
        "error.type": "ValueError",
        "ids": "007",
    }
    assert isinstance(node.attributes["whole"], float)
    assert node.events == (
        SpanEvent(
            name="exception",
            time_ns=cut(START + 2_001),
            attributes={"exception.type": "ValueError", "n": 1},
        ),
    )
    assert SpanLink(trace_id=OTHER_TRACE, span_id="00f067aa0ba902b8") in node.links
    assert (chat.status, chat.kind, chat.attributes) == (
        "ok",
        3,
        {"gen_ai.response.finish_reasons": ["stop"], "error": True},
    )
    assert (unfinished.name, unfinished.end_ns, unfinished.kind) == ("open", 0, 0)


def test_both_forms_of_one_trace_are_alike() -> None:
    """What the legacy form can't hold (nanoseconds, arrays, maps, null, links' attributes) is all that differs."""
    for legacy, raw in zip(read_payload("legacy.json"), read_payload("raw.json"), strict=True):
        for name in (
            "trace_id",
            "span_id",
            "parent_span_id",
            "name",
            "status",
            "status_message",
            "kind",
            "scope_name",
        ):
            assert getattr(legacy, name) == getattr(raw, name), name
        assert abs(legacy.end_ns - raw.end_ns) < 2_000
        assert legacy.start_ns == cut(raw.start_ns)
        assert legacy.attributes.keys() == raw.attributes.keys()
        for key, value in legacy.attributes.items():
            if key.startswith(("langgraph.", "otel_traj.", "gen_ai.")):
                assert value == raw.attributes[key]


@pytest.mark.parametrize(
    ("name", "told", "words"),
    [
        ("legacy_not_found.json", ["not_spans", "empty_source"], "'trace not found'"),
        ("legacy_nan.json", ["not_spans", "empty_source"], "unsupported value: NaN"),
        ("legacy_services.json", ["not_spans", "empty_source"], "a list of names"),
        ("legacy_no_match.json", ["empty_source"], "not a single span"),
        ("unknown_route.html", ["not_spans"], "an HTML page"),
    ],
)
def test_answers_without_spans_say_what_was_answered(name: str, told: list[str], words: str) -> None:
    """An answer that was saved with curl is read like any file."""
    spans, problems = read(PAYLOADS / name)
    assert spans == []
    assert codes(problems) == told
    assert words in problems[0].message


@pytest.mark.parametrize(
    "wrap", [lambda trace: {"data": [trace]}, lambda trace: trace, lambda trace: [trace]]
)
def test_a_trace_is_read_with_its_answer_or_without(wrap: Any) -> None:  # noqa: ANN401 - any function
    """Also several in a list; ids are padded."""
    spans, problems = read_document(wrap(make_trace()))
    assert [(span.trace_id, span.span_id, span.start_ns, span.end_ns) for span in spans] == [
        ("1".zfill(32), "2".zfill(16), 5_000, 12_000)
    ]
    assert problems == []


@pytest.mark.parametrize(
    ("references", "old_parent", "parent", "links"),
    [
        ([("CHILD_OF", "1", "3"), ("CHILD_OF", "1", "4")], None, "3", ["4"]),
        ([("CHILD_OF", "9", "3"), ("CHILD_OF", "01", "4")], None, "4", ["3"]),
        ([("FOLLOWS_FROM", "1", "5"), ("CHILD_OF", "1", "4")], None, "4", ["5"]),
        ([("FOLLOWS_FROM", "1", "5")], None, "5", ["5"]),
        ([("FOLLOWS_FROM", "9", "5")], None, "", ["5"]),
        ([], "6", "6", []),
        ([], "0", "", []),
        ([("CHILD_OF", "1", "0")], None, "", []),
    ],
)
def test_the_parent_is_the_first_of_its_own_trace(
    references: list[tuple[str, str, str]], old_parent: str | None, parent: str, links: list[str]
) -> None:
    """Other references are links."""
    keys = ("refType", "traceID", "spanID")
    changes: dict[str, Any] = {"references": [dict(zip(keys, item, strict=True)) for item in references]}
    if old_parent is not None:
        changes["parentSpanID"] = old_parent
    span = read_span(**changes)
    assert span.parent_span_id.lstrip("0") == parent
    assert [link.span_id.lstrip("0") for link in span.links] == links


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        ("int64", "9223372036854775807", 2**63 - 1),
        ("int64", 5, 5),
        ("int64", 5.0, 5),
        ("float64", 2, 2.0),
        ("float64", "-Inf", float("-inf")),
        ("bool", "true", True),
        ("BOOL", False, False),
        ("string", "", ""),
        ("binary", "AP8=", b"\x00\xff"),
        (None, "x", "x"),
    ],
)
def test_a_tag_has_the_type_that_it_says(kind: str | None, written: object, value: object) -> None:
    """Whatever JSON made of its value."""
    span = read_span(tags=[{"key": "k", "type": kind, "value": written}])
    assert repr(span.attributes) == repr({"k": value})


def test_a_float_that_is_none_is_read() -> None:
    """Older ones wrote text."""
    span = read_span(tags=[{"key": "k", "type": "float64", "value": "NaN"}])
    assert repr(span.attributes) == "{'k': nan}"


@pytest.mark.parametrize(
    ("changes", "unreadable"),
    [
        ({"tags": [{"key": "k", "type": "int64", "value": "three"}]}, ("k",)),
        ({"tags": [{"key": "k", "type": "binary", "value": "%"}]}, ("k",)),
        ({"tags": [{"key": "k", "type": "map", "value": {}}]}, ("k",)),
        ({"tags": [5]}, ("",)),
        ({"tags": {}}, ("tags",)),
        ({"tags": [{"key": "otel.status_code", "type": "string", "value": "NEW"}]}, ("status",)),
        ({"startTime": "x"}, ("startTime",)),
        ({"duration": "x"}, ("duration",)),
        ({"processID": "p9"}, ("process",)),
        ({"references": [5]}, ("references",)),
        ({"logs": [5]}, ("logs",)),
    ],
)
def test_what_can_not_be_decoded_is_named(changes: dict[str, Any], unreadable: tuple[str, ...]) -> None:
    """The span is used without it."""
    assert read_span(**changes).unreadable == unreadable


@pytest.mark.parametrize("duration", [None, -5, 2**63])
def test_a_duration_of_no_sense_leaves_a_span_open(duration: int | None) -> None:
    """It never ends before it starts."""
    assert read_span(duration=duration).end_ns == 0


def test_before_opentelemetry_an_error_was_a_tag() -> None:
    """A status is made of it, and the tag stays."""
    span = read_span(tags=[{"key": "error", "type": "bool", "value": True}])
    assert (span.status, span.attributes) == ("error", {"error": True})


def test_a_span_without_usable_ids_is_left_out_alone() -> None:
    """The others of its trace are used, and the problem names it."""
    trace = make_trace()
    trace["spans"].append({"traceID": "1", "spanID": "oops", "operationName": "bad"})
    spans, problems = read_bytes(json.dumps({"data": [trace]}).encode())
    assert [span.name for span in spans] == ["x"]
    assert codes(problems) == ["bad_span"]
    assert "'bad'" in problems[0].message


def test_an_error_beside_traces_makes_the_answer_partial() -> None:
    """The trace that it names is named."""
    document = {"data": [make_trace()], "errors": [{"code": 500, "msg": "shard down", "traceID": "9"}]}
    spans, problems = read_bytes(json.dumps(document).encode())
    assert len(spans) == 1
    assert [(problem.code, problem.trace_ids) for problem in problems] == [
        ("partial_response", ("9".zfill(32),))
    ]
    assert "shard down" in problems[0].message


WARNING = "Trace truncated: only first 2 spans loaded"


@pytest.mark.parametrize(
    "changes",
    [
        {"warnings": [WARNING]},
        {"tags": [{"key": "jaeger.warning", "type": "string", "value": WARNING}]},
        {"tags": [{"key": "@jaeger@warnings", "type": "string", "value": json.dumps([WARNING])}]},
    ],
)
def test_a_trace_that_jaeger_cut_is_named(changes: dict[str, Any]) -> None:
    """Its spans are used, without Jaeger's words among their attributes."""
    spans, problems = read_bytes(json.dumps({"data": [make_trace(**changes)]}).encode())
    assert [span.attributes for span in spans] == [{}]
    assert [(problem.code, problem.trace_ids) for problem in problems] == [
        ("partial_response", ("1".zfill(32),))
    ]
    assert WARNING in problems[0].message


def test_a_warning_about_clocks_is_no_problem() -> None:
    """It costs no span."""
    assert read_span(warnings=["clock skew adjustment skipped"]).attributes == {}


@pytest.mark.parametrize(
    "document", [{"data": [{"a": 1}]}, {"data": [], "x": 1}, {"spans": []}, [], None, {"data": 5}]
)
def test_other_documents_are_not_taken_for_it(document: object) -> None:
    """A list called data is anybody's."""
    assert not is_legacy_form(document)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["key", "type", "value", "traceID", "spanID", "tags", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@given(
    st.dictionaries(
        st.sampled_from([*make_trace()["spans"][0], "process", "parentSpanID"]), _json, max_size=4
    ),
    _json,
    _json,
)
def test_no_document_makes_the_decoder_crash(span: dict[str, Any], processes: object, errors: object) -> None:
    """Whatever stands in the fields."""
    trace = make_trace(**span) | {"processes": processes}
    read_document({"data": [trace], "errors": errors})


def test_a_trace_without_its_spans_is_told() -> None:
    """Beside others too."""
    document = {"data": [make_trace(), {"traceID": "3"}]}
    spans, problems = read_document(document)
    assert (len(spans), problems) == (1, ["not_spans"])


def test_a_trace_that_was_cut_is_told() -> None:
    """By the trace itself, not by a span of it."""
    trace = make_trace() | {"warnings": ["clock skew", "trace truncated to 1 span", 5]}
    spans, problems = read_bytes(json.dumps({"data": [trace]}).encode())
    assert len(spans) == 1
    assert [(problem.code, problem.trace_ids) for problem in problems] == [
        ("partial_response", ("1".zfill(32),))
    ]


@pytest.mark.parametrize("name", ["references", "logs"])
@pytest.mark.parametrize("value", [{"a": 1}, "x", [5]])
def test_what_should_be_a_list_and_is_none_is_named(name: str, value: object) -> None:
    """Nobody takes the span for one without them."""
    assert read_span(**{name: value}).unreadable == (name,)


def test_the_low_bits_of_a_trace_id_are_that_trace() -> None:
    """Old clients wrote only them into references."""
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    reference = {"refType": "CHILD_OF", "traceID": trace_id[16:], "spanID": "7"}
    span = read_span(traceID=trace_id, references=[reference])
    assert (span.parent_span_id, span.links) == ("7".zfill(16), ())
