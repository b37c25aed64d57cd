from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import TrajectoryValueError
from otel_traj.otlp_exporters import make_exporters
from tests.record.configured_process import run_python
from tests.record.otlp_receiver import receiving

if TYPE_CHECKING:
    from pathlib import Path


SENDING = """
configure(service_name="s")
run()
"""
NAMES = ["invoke_node a", "invoke_workflow chain"]


def test_otlp_over_http(tmp_path: Path) -> None:
    """OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf sends the spans by HTTP, in one request, at exit at the latest."""
    with receiving(tmp_path / "received.jsonl", "http/protobuf") as receiver:
        run_python(SENDING, **receiver.variables)
    assert receiver.list_names() == NAMES
    assert len(receiver.path.read_text("utf-8").splitlines()) == 1


@pytest.mark.parametrize(
    "protocols",
    [{}, {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "grpc"}],
    ids=["default", "traces win"],
)
def test_otlp_over_grpc(protocols: dict[str, str], tmp_path: Path) -> None:
    """GRPC is the default, and the variable for traces wins over the general one."""
    with receiving(tmp_path / "received.jsonl", "grpc") as receiver:
        endpoint = receiver.variables["OTEL_EXPORTER_OTLP_ENDPOINT"]
        run_python(SENDING, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint, **protocols)
    assert receiver.list_names() == NAMES


@pytest.mark.parametrize("variable", ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"])
def test_unknown_protocol_is_refused_by_name(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A protocol that can't be spoken is named, with its variable and what is allowed."""
    monkeypatch.setenv(variable, "http/json")
    with pytest.raises(TrajectoryValueError, match=f"{variable} is 'http/json'.*'grpc' or 'http/protobuf'"):
        make_exporters()


def test_standard_exporter_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """OTEL_TRACES_EXPORTER=none makes none, console the console's, in any case of letters; else it is refused."""
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "none")
    assert make_exporters() == []
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    assert [type(each).__name__ for each in make_exporters()] == ["ConsoleSpanExporter"]
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", " Console, otlp_proto_http,console,")
    assert [type(each).__name__ for each in make_exporters()] == ["ConsoleSpanExporter", "OTLPSpanExporter"]
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp,zipkin")
    with pytest.raises(TrajectoryValueError, match="zipkin"):
        make_exporters()


def test_protocol_is_the_same_in_any_case_of_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the specification asks of values that are names."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", " HTTP/Protobuf ")
    (exporter,) = make_exporters()
    assert ".http." in type(exporter).__module__


def test_variable_that_the_exporter_refuses_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the exporter says of it is part of the error."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "squeeze")
    with pytest.raises(TrajectoryValueError, match="squeeze"):
        make_exporters()
