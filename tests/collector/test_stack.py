"""`examples/stack/`, as far as it can be held against something without a container engine: see each test."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from langchain_core.messages import HumanMessage
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_traj import TrajectoryCallbackHandler, read_runs
from otel_traj import semconv as sc
from otel_traj.record.samples import build_tool_agent
from tests.collector.running import CONFIG, running_collector
from tests.collector.scraping import parse_series, scrape, scrape_until
from tests.collector.test_config import validate
from tests.collector.test_metrics import OFTEN, record

if TYPE_CHECKING:
    from tests.collector.scraping import Series

STACK = CONFIG.parent / "examples" / "stack"
# What is pinned are releases that were seen: in this project's tests (the collector), or in public repositories.
IMAGES = {
    "otel/opentelemetry-collector-contrib:0.161.0",
    "jaegertracing/jaeger:2.20.0",
    "grafana/tempo:3.0.3",
    "prom/prometheus:v3.7.3",
    "grafana/grafana:13.2.2",
}
# Core panels of Grafana that its documentation describes.
PANELS = {"stat", "table", "timeseries"}
# What Prometheus itself adds to what it fetches.
ADDED_BY_PROMETHEUS = {"job", "instance"}


def load(name: str) -> dict[str, Any]:
    """Return a YAML file of the stack."""
    document: dict[str, Any] = yaml.safe_load((STACK / name).read_text("utf-8"))
    return document


def load_dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    document: dict[str, Any] = json.loads((STACK / "grafana" / "agents.json").read_text("utf-8"))
    return document


SERVICES: dict[str, dict[str, Any]] = load("compose.yaml")["services"]
ENVIRONMENT: dict[str, str] = SERVICES["collector"]["environment"]


def list_mounts() -> list[tuple[str, str, str]]:
    """Return service, source and target of every mount."""
    return [
        (name, *mount.split(":")[:2])
        for name, service in SERVICES.items()
        for mount in service.get("volumes", ())
    ]


def list_queries() -> list[str]:
    """Return every PromQL expression of the dashboard."""
    return [
        target["expr"]
        for panel in load_dashboard()["panels"]
        for target in panel["targets"]
        if target["datasource"]["type"] == "prometheus"
    ]


def test_images_are_pinned() -> None:
    """No image follows a moving tag."""
    assert {service["image"] for service in SERVICES.values()} == IMAGES


def test_every_mount_is_there() -> None:
    """A mounted file exists, or is a volume that is declared; nothing is mounted over another."""
    volumes = set(load("compose.yaml")["volumes"])
    for _, source, _ in list_mounts():
        assert source in volumes or (STACK / source).exists(), source
    targets = [(service, target) for service, _, target in list_mounts()]
    assert len(set(targets)) == len(targets)
    assert (STACK / "../../collector-config.yaml").resolve() == CONFIG.resolve()
    named = {
        part
        for service in SERVICES.values()
        for part in re.findall(r"file=(\S+)", " ".join(service.get("command", ())))
    }
    assert named <= {target for _, _, target in list_mounts()}


def test_ports_are_of_this_machine_and_do_not_clash() -> None:
    """Nothing is published to the outside, and no port twice."""
    published = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert {port.split(":")[0] for port in published} == {"127.0.0.1"}
    hosts = [port.split(":")[1] for port in published]
    assert len(set(hosts)) == len(hosts)


def test_services_find_one_another() -> None:
    """Each address names a service of the file, and a port that this service is told to listen on."""
    listening = {
        ("collector", "9464"): ENVIRONMENT["OTEL_TRAJ_SPAN_METRICS"],
        ("collector", "8888"): f"{ENVIRONMENT['OTEL_TRAJ_METRICS_HOST']}:8888",
        ("tempo", "4318"): load("tempo.yaml")["distributor"]["receivers"]["otlp"]["protocols"]["http"][
            "endpoint"
        ],
        ("tempo", "3200"): f"0.0.0.0:{load('tempo.yaml')['server']['http_listen_port']}",
        # Jaeger and Prometheus as their documentation says.
        ("jaeger", "4317"): f"{SERVICES['jaeger']['environment']['JAEGER_LISTEN_HOST']}:4317",
        ("jaeger", "16686"): f"{SERVICES['jaeger']['environment']['JAEGER_LISTEN_HOST']}:16686",
        ("prometheus", "9090"): "0.0.0.0:9090",
    }
    asked = [ENVIRONMENT["OTEL_TRAJ_JAEGER"], ENVIRONMENT["OTEL_TRAJ_TEMPO"]]
    asked += [each["url"] for each in load("grafana/datasources.yaml")["datasources"]]
    jobs = load("prometheus.yaml")["scrape_configs"]
    asked += [target for job in jobs for each in job["static_configs"] for target in each["targets"]]
    addresses = {tuple(address.removeprefix("http://").split(":")) for address in asked}
    assert addresses == set(listening)
    assert all(listening[address].split(":") == ["0.0.0.0", address[1]] for address in listening)  # noqa: S104
    assert all(set(service.get("depends_on", ())) <= set(SERVICES) for service in SERVICES.values())


def test_environment_sets_variables_that_the_configuration_reads() -> None:
    """None is misspelt."""
    known = set(re.findall(r"\$\{env:(\w+):-", CONFIG.read_text("utf-8")))
    assert set(ENVIRONMENT) <= known
    assert ENVIRONMENT["OTEL_TRAJ_TRACES"].startswith("/traces/")


@pytest.mark.collector
def test_collector_takes_the_configuration(collector_binary: Path) -> None:
    """The configuration is valid with exactly the environment of the compose file."""
    answer = validate(collector_binary, CONFIG, **ENVIRONMENT)
    assert (answer.returncode, answer.stderr) == (0, "")


def test_dashboard_is_what_grafana_documents() -> None:
    """The classic JSON model: schema version, panels inside 24 columns that do not overlap, targets named once."""
    dashboard = load_dashboard()
    assert {"uid", "title", "schemaVersion", "panels", "time", "templating"} <= set(dashboard)
    assert isinstance(dashboard["schemaVersion"], int)
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert {panel["type"] for panel in panels} == PANELS
    for panel in panels:
        place = panel["gridPos"]
        assert place["x"] >= 0
        assert place["x"] + place["w"] <= 24
        references = [target["refId"] for target in panel["targets"]]
        assert len(set(references)) == len(references) > 0
    for one, other in combinations([panel["gridPos"] for panel in panels], 2):
        assert (
            one["x"] + one["w"] <= other["x"]
            or other["x"] + other["w"] <= one["x"]
            or one["y"] + one["h"] <= other["y"]
            or other["y"] + other["h"] <= one["y"]
        )


def test_dashboard_asks_datasources_that_are_provisioned() -> None:
    """Type and uid of every panel, target and variable are those of a datasource; the provider's folder is mounted."""
    provisioned = {(each["type"], each["uid"]) for each in load("grafana/datasources.yaml")["datasources"]}
    dashboard = load_dashboard()
    users = [*dashboard["panels"], *dashboard["templating"]["list"]]
    users += [target for panel in dashboard["panels"] for target in panel["targets"]]
    assert {(user["datasource"]["type"], user["datasource"]["uid"]) for user in users} == provisioned
    (provider,) = load("grafana/dashboards.yaml")["providers"]
    (mounted,) = (target for _, source, target in list_mounts() if source.endswith("agents.json"))
    assert str(Path(mounted).parent) == provider["options"]["path"]
    assert SERVICES["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] == mounted


def test_dashboard_searches_by_keys_that_are_written() -> None:
    """Every attribute in the TraceQL of the dashboard is one of ours."""
    (query,) = (
        target["query"]
        for panel in load_dashboard()["panels"]
        for target in panel["targets"]
        if target.get("queryType") == "traceql"
    )
    written = {value for key in sc.__all__ if isinstance(value := getattr(sc, key), str)}
    named = set(re.findall(r"span\.([a-z_.]+)", query))
    assert named
    assert named <= written


def is_counted(series: list[Series]) -> bool:
    """Say whether the last span of what was recorded is counted."""
    return any(
        each.labels.get("langgraph_graph") == "assistant" and each.labels.get("otel_traj_outcome") == "ok"
        for each in series
    ) and any(each.labels.get("error_type") == "ValueError" for each in series)


@pytest.mark.collector
def test_dashboard_asks_for_metrics_that_the_collector_shows(tmp_path: Path, collector_binary: Path) -> None:
    """Live: every metric name is scraped from a collector with the compose file's exporters, with every label asked for."""
    environment = {
        "OTEL_TRAJ_EXPORTERS": ENVIRONMENT["OTEL_TRAJ_EXPORTERS"],
        "OTEL_TRAJ_JAEGER": "127.0.0.1:1",
        "OTEL_TRAJ_TEMPO": "http://127.0.0.1:1",
    }
    with running_collector(
        tmp_path, binary=collector_binary, environment=environment, arguments=[OFTEN]
    ) as collector:
        record(collector.grpc_endpoint)
        provider = TracerProvider(resource=Resource({"service.name": "shop"}), shutdown_on_exit=False)
        exporter = OTLPSpanExporter(endpoint=collector.grpc_endpoint, insecure=True)
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        handler = TrajectoryCallbackHandler(tracer_provider=provider)
        question = HumanMessage("Weather and time?")
        build_tool_agent().invoke({"messages": [question]}, {"callbacks": [handler]})
        provider.shutdown()
        shown = scrape_until(collector.span_metrics_address, is_counted) + scrape(collector.metrics_address)
        assert collector.stop() == 0
    assert {run.graph for run in read_runs(collector.traces_path)} == {"seven", "failing", "assistant"}
    for query in [*list_queries(), load_dashboard()["templating"]["list"][0]["query"]["query"]]:
        check_query(query, shown)


def check_query(query: str, shown: list[Series]) -> None:
    """Find one series that has the metric's name, the labels and values in braces, and the labels grouped by."""
    found = re.search(r"\b((?:traces_span_metrics|otelcol)_\w+)(?:\{([^}]*)\})?", query)
    assert found, query
    wanted = dict(re.findall(r'(\w+)=~?"([^"]*)"', found[2] or ""))
    wanted |= {label: ".+" for group in re.findall(r"by \(([^)]*)\)", query) for label in group.split(", ")}
    wanted |= dict.fromkeys(re.findall(r"label_values\(\w+, (\w+)\)", query), ".+")
    wanted = {key: value.replace("$service", ".+") for key, value in wanted.items()}
    assert any(
        series.name == found[1]
        and all(
            re.fullmatch(value, series.labels.get(label, ""))
            for label, value in wanted.items()
            if label not in ADDED_BY_PROMETHEUS
        )
        for series in shown
    ), query


@pytest.mark.parametrize(
    "query",
    [
        'rate(traces_span_metrics_call_total{langgraph_node="node1"}[1m])',
        'rate(traces_span_metrics_calls_total{node="node1"}[1m])',
        "sum by (langgraph_run_id) (rate(traces_span_metrics_calls_total[1m]))",
    ],
)
def test_a_query_for_what_is_not_shown_is_found_out(query: str) -> None:
    """The check above is no formality."""
    shown = parse_series('traces_span_metrics_calls_total{langgraph_node="node1"} 1')
    check_query('rate(traces_span_metrics_calls_total{langgraph_node="node1"}[1m])', shown)
    with pytest.raises(AssertionError):
        check_query(query, shown)
