"""`configure` sets a global that a process has once, so each case runs in a process of its own."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from tests.record.configured_process import run_python

if TYPE_CHECKING:
    from pathlib import Path


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the resource spans of a file of lines."""
    return [json.loads(line)["resourceSpans"][0] for line in path.read_text().splitlines()]


def list_names(path: Path) -> list[str]:
    """Return the names of the spans in a file of lines."""
    return [span["name"] for each in read_lines(path) for span in each["scopeSpans"][0]["spans"]]


def read_resource(path: Path) -> dict[str, str]:
    """Return the resource of the first line."""
    attributes = read_lines(path)[0]["resource"]["attributes"]
    return {each["key"]: each["value"].get("stringValue") for each in attributes}


def test_file_holds_what_had_ended_when_the_process_was_killed(tmp_path: Path) -> None:
    """With `path=` the spans of a run are in the file when it returns; nothing is flushed or shut down."""
    path = tmp_path / "new" / "traces.jsonl"
    run_python(f"""
        import os
        configure(service_name="my-agent", path={os.fspath(path)!r})
        run()
        os._exit(0)
    """)
    assert list_names(path) == ["invoke_node a", "invoke_workflow chain"]
    assert read_resource(path)["service.name"] == "my-agent"


def test_file_under_the_home_directory_is_fed_once(tmp_path: Path) -> None:
    """`path="~/traces.jsonl"` is the file in the home directory, the same one as by its whole name."""
    path = tmp_path / "traces.jsonl"
    run_python(
        f"""
        configure(path="~/traces.jsonl")
        configure(path={os.fspath(path)!r})
        run()
        """,
        HOME=os.fspath(tmp_path),
        USERPROFILE=os.fspath(tmp_path),
    )
    assert len(list_names(path)) == 2


def test_handler_made_before_configure_records_too(tmp_path: Path) -> None:
    """A handler looks its provider up at each run."""
    path = tmp_path / "traces.jsonl"
    run_python(f"""
        handler = TrajectoryCallbackHandler()
        configure(path={os.fspath(path)!r})
        run(handler)
    """)
    assert len(list_names(path)) == 2


def test_resource_comes_from_the_environment(tmp_path: Path) -> None:
    """OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME fill the resource; the argument wins over them."""
    path = tmp_path / "traces.jsonl"
    run_python(
        f"""
        configure(path={os.fspath(path)!r})
        run()
        """,
        OTEL_RESOURCE_ATTRIBUTES="deployment.environment=test,service.version=7",
        OTEL_SERVICE_NAME="from-env",
    )
    resource = read_resource(path)
    assert resource["service.name"] == "from-env"
    assert resource["service.version"] == "7"


def test_memory_exporter_has_the_spans_at_once() -> None:
    """With an in-memory exporter the spans are there when the run returns, without a flush."""
    printed = run_python("""
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
        exporter = InMemorySpanExporter()
        configure(exporter=exporter)
        run()
        print([span.name for span in exporter.get_finished_spans()])
    """)
    assert printed.strip() == "['invoke_node a', 'invoke_workflow chain']"


def test_other_exporters_get_batches_unless_told_otherwise() -> None:
    """An exporter of anybody else's waits for a batch, or gets each span with `batch=False`."""
    printed = run_python("""
        from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
        class Mine(SpanExporter):
            def __init__(self):
                self.spans = []
            def export(self, spans):
                self.spans += spans
                return SpanExportResult.SUCCESS
        waiting, at_once = Mine(), Mine()
        provider = configure(exporter=waiting)
        assert configure(exporter=at_once, batch=False) is provider
        run()
        print(len(waiting.spans), len(at_once.spans))
        provider.force_flush()
        print(len(waiting.spans))
    """)
    assert printed.split() == ["0", "2", "2"]


def test_file_is_written_in_the_background_where_that_is_asked_for(tmp_path: Path) -> None:
    """With `batch=True` the end of a span writes nothing: the file gets batches, the last one at exit."""
    path = tmp_path / "traces.jsonl"
    told = run_python(f"""
        import pathlib
        path = pathlib.Path({os.fspath(path)!r})
        provider = configure(path=path, batch=True)
        assert configure(path=path) is provider
        run()
        print(path.read_text().count("invoke_"))
        provider.force_flush()
        print(path.read_text().count('"invoke_workflow chain"'))
        run()
    """)
    assert told.split() == ["0", "1"]
    assert list_names(path) == ["invoke_node a", "invoke_workflow chain"] * 2


def test_provider_that_is_there_is_kept_and_fed(tmp_path: Path) -> None:
    """A global SDK provider is returned with our processor added; its own goes on."""
    path = tmp_path / "traces.jsonl"
    printed = run_python(f"""
        from opentelemetry import trace
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
        own = InMemorySpanExporter()
        provider = TracerProvider(resource=Resource({{"service.name": "theirs"}}))
        provider.add_span_processor(SimpleSpanProcessor(own))
        trace.set_tracer_provider(provider)
        assert configure(path={os.fspath(path)!r}, service_name="theirs") is provider
        run()
        print(len(own.get_finished_spans()))
    """)
    assert printed.strip() == "2"
    assert len(list_names(path)) == 2
    assert read_resource(path)["service.name"] == "theirs"


def test_service_name_that_comes_too_late_is_warned_of(tmp_path: Path) -> None:
    """A name that the provider's resource can't take any more is warned of, with what to do; spans still flow."""
    path = tmp_path / "traces.jsonl"
    printed = run_python(f"""
        import warnings
        provider = configure(path={os.fspath(path)!r})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert configure(path={os.fspath(path)!r}, service_name="late") is provider
        print(*[str(each.message) for each in caught], sep="|")
        run()
    """)
    assert "late" in printed
    assert "OTEL_SERVICE_NAME" in printed
    assert "|" not in printed
    assert len(list_names(path)) == 2


def test_provider_that_takes_no_processors_is_warned_of() -> None:
    """A foreign global provider stays; the one that is returned works when it is passed on."""
    printed = run_python("""
        import warnings
        from opentelemetry import trace
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
        class Theirs(trace.NoOpTracerProvider):
            pass
        trace.set_tracer_provider(Theirs())
        exporter = InMemorySpanExporter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            provider = configure(exporter=exporter)
        assert "tracer_provider=" in str(caught[0].message), caught
        handler = TrajectoryCallbackHandler(tracer_provider=provider)
        run(handler)
        print(len(exporter.get_finished_spans()))
    """)
    assert printed.strip() == "2"


def test_provider_beside_a_foreign_one_is_made_once(tmp_path: Path) -> None:
    """A second call returns the provider of the first, and says nothing more."""
    path = tmp_path / "traces.jsonl"
    run_python(f"""
        import warnings
        from opentelemetry import trace
        trace.set_tracer_provider(trace.NoOpTracerProvider())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            provider = configure(path={os.fspath(path)!r})
            assert configure(path={os.fspath(path)!r}) is provider
        assert len(caught) == 1, caught
        run(TrajectoryCallbackHandler(tracer_provider=provider))
    """)
    assert len(list_names(path)) == 2


def test_nothing_is_fed_twice(tmp_path: Path) -> None:
    """The same file, however it is named, the same exporter and the same variables are one destination each."""
    path = tmp_path / "traces.jsonl"
    printed = run_python(
        f"""
        import os
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
        os.chdir({os.fspath(tmp_path)!r})
        exporter = InMemorySpanExporter()
        for name in ("traces.jsonl", "./traces.jsonl", {os.fspath(path)!r}):
            configure(path=name, exporter=exporter)
        configure()
        configure()
        run()
        print(len(exporter.get_finished_spans()))
        """,
        OTEL_TRACES_EXPORTER="console,Console",
    )
    assert len(list_names(path)) == 2
    assert printed.count('"name": "invoke_node a"') == 1
    assert printed.splitlines()[-1] == "2"


def test_what_was_shut_down_is_fed_anew(tmp_path: Path) -> None:
    """After the provider's shutdown the next call makes file and standard exporters again."""
    path = tmp_path / "traces.jsonl"
    printed = run_python(
        f"""
        configure()
        configure(path={os.fspath(path)!r}).shutdown()
        configure()
        configure(path={os.fspath(path)!r})
        run()
        """,
        OTEL_TRACES_EXPORTER="console",
    )
    assert printed.count('"name": "invoke_node a"') == 1
    assert len(list_names(path)) == 2


def test_provider_that_can_not_be_hashed_is_fed() -> None:
    """Some providers that wrap the SDK's are dataclasses without a hash (logfire's)."""
    printed = run_python("""
        import dataclasses
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
        @dataclasses.dataclass
        class Wrapper(trace.TracerProvider):
            provider: TracerProvider
            def get_tracer(self, *args, **kwargs):
                return self.provider.get_tracer(*args, **kwargs)
            def add_span_processor(self, processor):
                self.provider.add_span_processor(processor)
        wrapper = Wrapper(TracerProvider())
        trace.set_tracer_provider(wrapper)
        exporter = InMemorySpanExporter()
        assert configure(exporter=exporter) is wrapper
        run()
        print(len(exporter.get_finished_spans()))
    """)
    assert printed.strip() == "2"


def test_options_that_can_not_be_meant_are_refused_and_leave_no_provider() -> None:
    """Each is named with what to pass, and no global provider is set or changed."""
    printed = run_python("""
        from opentelemetry import trace
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
        from otel_traj import OtelTrajError
        exporter = InMemorySpanExporter()
        for wrong in (
            {"service_name": 5}, {"path": 5}, {"path": b"traces.jsonl"}, {"path": ""}, {"path": "a\\0b"},
            {"exporter": 5}, {"exporter": InMemorySpanExporter}, {"exporter": SimpleSpanProcessor(exporter)},
            {"exporter": exporter, "path": ""},
        ):
            try:
                configure(**wrong)
            except OtelTrajError as error:
                print(type(error).__name__, error)
        assert isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
    """)
    lines = printed.splitlines()
    assert [line.split()[0].removeprefix("Trajectory") for line in lines] == [
        *["TypeError"] * 3,
        *["ValueError"] * 2,
        *["TypeError"] * 3,
        "ValueError",
    ]
    assert all("Pass" in line for line in lines)


def test_provider_that_can_not_be_loaded_is_named_by_its_variable() -> None:
    """OTEL_PYTHON_TRACER_PROVIDER with a name that nobody installed is refused."""
    printed = run_python(
        """
        from otel_traj import OtelTrajError
        try:
            configure()
        except OtelTrajError as error:
            print(error)
        """,
        OTEL_PYTHON_TRACER_PROVIDER="nobody",
    )
    assert "OTEL_PYTHON_TRACER_PROVIDER is 'nobody'" in printed


def test_configure_imports_neither_langchain_nor_grpc(tmp_path: Path) -> None:
    """Writing to a file needs none of the heavy packages."""
    printed = run_python(
        f"""
        import sys
        from otel_traj.record import configure
        configure(path={os.fspath(tmp_path / "t.jsonl")!r})
        print([name for name in ("langchain_core", "langgraph", "grpc", "requests") if name in sys.modules])
        """,
        setup="",
    )
    assert printed.strip() == "[]"
