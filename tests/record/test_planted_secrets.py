"""No secret leaves: searched for in the exported bytes, wherever a program can put one."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

from otel_traj import ContentPolicy, read_runs
from otel_traj import semconv as sc
from otel_traj.record.content_option import CAPTURE_VARIABLE
from tests.missing_api import list_missing
from tests.record.leaks import KEYED, PLANTED, WAYS, Way, record_agent, record_everything
from tests.record.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Callable

MASKED = ContentPolicy(
    mask_keys=("api_*", "authorization"), mask_patterns=("pl4nt[a-z]+",), mask="***", max_bytes=None
)
every_way = pytest.mark.parametrize("way", WAYS)
every_program = pytest.mark.parametrize("record", [record_everything, record_agent], ids=["graph", "agent"])


def list_found(recording: Recording) -> list[str]:
    """Return the secrets that stand in the exported spans, as they are or as base64."""
    exported = encode_spans(recording.spans).SerializeToString()
    shown = exported + "".join(span.to_json() for span in recording.spans).encode()
    encoded = [base64.b64encode(secret.encode()).decode() for secret in (PLANTED, KEYED)]
    return [secret for secret in (PLANTED, KEYED, *encoded) if secret.encode() in shown]


def record_program(record: Callable[[Recording, Way], None], recording: Recording, way: Way) -> None:
    """Run a program; skip the agents where LangChain has none."""
    if record is record_agent:
        missing = list_missing("agent spans")
        if missing:
            pytest.skip(f"agent spans: the installed versions lack {', '.join(missing)}")
    record(recording, way)
    kinds = {sc.INVOKE_NODE, sc.CHAT, sc.EXECUTE_TOOL}
    assert kinds <= {(span.attributes or {}).get(sc.OPERATION_NAME) for span in recording.spans}


@every_way
@every_program
def test_without_content_no_secret_leaves(
    record: Callable[[Recording, Way], None], way: Way, caplog: pytest.LogCaptureFixture
) -> None:
    """By default no string of content is in the exported bytes or in our log, whatever way a program runs."""
    recording = Recording()
    record_program(record, recording, way)
    assert list_found(recording) == []
    assert PLANTED not in caplog.text
    assert KEYED not in caplog.text


@every_way
@every_program
def test_masks_hide_every_secret(record: Callable[[Recording, Way], None], way: Way) -> None:
    """With content on and masks set, no secret is there at any depth; what is no secret is."""
    recording = Recording(content=MASKED)
    record_program(record, recording, way)
    assert list_found(recording) == []
    shown = "".join(span.to_json() for span in recording.spans)
    assert shown.count("***") > 20
    assert sc.INPUTS in shown
    assert recording.handler.counters == dict.fromkeys(recording.handler.counters, 0)


@every_program
def test_the_secrets_are_really_there(record: Callable[[Recording, Way], None]) -> None:
    """Content without masks shows both secrets: the searches above would find them."""
    recording = Recording(content=ContentPolicy(max_bytes=None))
    record_program(record, recording, "invoke")
    assert {PLANTED, KEYED} <= set(list_found(recording))


@every_program
def test_masks_and_caps_change_no_trajectory(record: Callable[[Recording, Way], None]) -> None:
    """Runs read back are the same, and verified, with content off, whole, masked, and cut to nearly nothing."""
    policies = [False, ContentPolicy(max_bytes=None), MASKED, ContentPolicy(mask_keys=["*"], max_bytes=64)]
    read = []
    for policy in policies:
        recording = Recording(content=policy)
        record_program(record, recording, "invoke")
        runs = list(read_runs(recording.spans))
        assert all(run.verified for run in runs)
        chosen = [
            [(call.name, call.id) for call in each.tool_calls or ()]
            for run in runs
            for each in run.model_calls
        ]
        read.append(([run.steps for run in runs], [run.status for run in runs], chosen))
    assert read[1:] == [read[0]] * 3


def test_environment_does_not_reach_a_handler_that_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """`content=False` holds where the environment asks for content."""
    monkeypatch.setenv(CAPTURE_VARIABLE, "SPAN_AND_EVENT")
    recording = Recording(content=False)
    record_everything(recording, "invoke")
    assert list_found(recording) == []
