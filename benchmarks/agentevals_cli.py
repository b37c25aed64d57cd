"""Does `agentevals-cli`, another evaluator, score our agent traces as they are?

Two agents (LangChain's `create_agent`, and one built by hand) are recorded into a file with their content. The
evaluator, in an environment of its own (`environments.py`), reads that file and compares the tool calls it finds with
two golden sets: one says what was called, one leaves a call out. The first has to pass, the second to fail: for both
agents, from spans that nothing was added to or changed in. Its other figures (tokens, calls) are held against what
the scripted models said.

    python benchmarks/agentevals_cli.py --json benchmarks/agentevals_cli.json > benchmarks/agentevals_cli.txt

The exit code is 1 where anything is not as it has to be.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from environments import make_environment, read_versions

if TYPE_CHECKING:
    from otel_traj.record.scripted_chat import ScriptedChat

__all__ = ["main", "record_agents", "score"]

EVALUATOR = "agentevals-cli"
METRIC = "tool_trajectory_avg_score"
CITY = {"city": "Oslo"}
CALLS = [("get_weather", CITY), ("get_local_time", CITY)]
QUESTION = "What is it like in Oslo now?"
ANSWER = "It is 07:40 in Oslo, 8 degrees, and it rains: take a coat."
TOKENS = ((82, 34), (141, 19))
TOLD = {"llm_calls": 2, "tool_calls": 2, "total_prompt": 223, "total_output": 53}
"""What both agents do in a run: their model calls, tool calls and tokens."""
PACKAGES = ("otel-traj", "langgraph", "langchain-core", "langchain", "opentelemetry-sdk")


def record_agents(path: Path) -> dict[str, str]:
    """Run the agents, record them into a file, and return which agent each trace is of, by its id."""
    from langchain.agents import create_agent
    from langchain_core.messages import HumanMessage
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    from otel_traj import TrajectoryCallbackHandler
    from otel_traj.record import JsonLinesSpanExporter
    from otel_traj.record.samples import build_tool_agent, get_local_time, get_weather

    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(JsonLinesSpanExporter(path)))
    ended: list[str] = []
    handler = TrajectoryCallbackHandler(
        tracer_provider=provider, content=True, on_run_end=lambda run: ended.append(run.trace_id)
    )
    agents: dict[str, Any] = {
        "create_agent": create_agent(make_model(), [get_weather, get_local_time]),
        "by hand": build_tool_agent(model=make_model()),
    }
    for name, agent in agents.items():
        config = {"callbacks": [handler], "configurable": {"thread_id": name}}
        agent.invoke({"messages": [HumanMessage(QUESTION)]}, config)
    provider.shutdown()
    return dict(zip(ended, agents, strict=True))


def make_model() -> ScriptedChat:
    """Return a model that calls both tools at once, and then answers."""
    from langchain_core.messages import AIMessage

    from otel_traj.record.scripted_chat import ScriptedChat

    calls: list[Any] = [{"name": name, "args": given, "id": f"call-{name}"} for name, given in CALLS]
    usage: list[Any] = [
        {"input_tokens": given, "output_tokens": said, "total_tokens": given + said} for given, said in TOKENS
    ]
    asked = AIMessage("", tool_calls=calls, usage_metadata=usage[0])
    return ScriptedChat(turns=[asked, AIMessage(ANSWER, usage_metadata=usage[1])])


def write_golden_set(path: Path, calls: list[tuple[str, dict[str, str]]]) -> None:
    """Write a set of one case in which these tools are called."""
    case = {
        "invocation_id": "1",
        "user_content": {"role": "user", "parts": [{"text": QUESTION}]},
        "intermediate_data": {"tool_uses": [{"name": name, "args": given} for name, given in calls]},
    }
    golden = {"eval_set_id": path.stem, "eval_cases": [{"eval_id": "1", "conversation": [case]}]}
    path.write_text(json.dumps(golden), "utf-8")


def score(python: Path, traces: Path, golden: Path) -> list[dict[str, Any]]:
    """Return what the evaluator says of each trace in a file."""
    command = [str(python.with_name("agentevals")), "run", str(traces)]
    command += ["--eval-set", str(golden), "--metric", METRIC, "--output", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout.lstrip().startswith("{"):
        sys.exit(f"{EVALUATOR} ended with {done.returncode}:\n{done.stderr}")
    return list(json.loads(done.stdout)["traces"])


def summarize(agent: str, golden: str, trace: dict[str, Any]) -> dict[str, Any]:
    """Return what of a trace's score is shown."""
    (metric,) = trace["metrics"]
    found = trace["performance_metrics"]
    counted = {**found["counts"], **found["tokens"]}
    return {
        "agent": agent,
        "golden": golden,
        "score": metric["score"],
        "status": metric["eval_status"],
        "turns": trace["num_invocations"],
        "warnings": trace["conversion_warnings"],
        **{key: counted[key] for key in TOLD},
    }


def is_right(row: dict[str, Any]) -> bool:
    """Whether a row is as it has to be."""
    expected = ("PASSED", 1.0) if row["golden"] == "both calls" else ("FAILED", 0.0)
    told = {key: row[key] for key in TOLD}
    is_read_whole = told == TOLD and row["turns"] == 1 and not row["warnings"]
    return (row["status"], row["score"]) == expected and is_read_whole


def main() -> int:
    """Record, have it scored, print, and write JSON where asked to."""
    parser = argparse.ArgumentParser(description=f"Have {EVALUATOR} score agent traces of ours.")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the same as JSON, too")
    given = parser.parse_args()
    python = make_environment(EVALUATOR, [EVALUATOR], shared=())
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        traces = Path(folder) / "agents.jsonl"
        agents = record_agents(traces)
        for golden, calls in (("both calls", CALLS), ("one call", CALLS[:1])):
            path = Path(folder) / f"{golden.replace(' ', '_')}.json"
            write_golden_set(path, calls)
            scored = score(python, traces, path)
            rows += [summarize(agents[trace["trace_id"]], golden, trace) for trace in scored]
    facts = {"date": datetime.now(UTC).date().isoformat(), "python": platform.python_version()}
    facts |= {name: version(name) for name in PACKAGES} | read_versions(python, (EVALUATOR,))
    print(", ".join(f"{key} {value}" for key, value in facts.items()))
    print(
        f"\n| agent | golden set | {METRIC} | turns | model calls | tool calls | tokens in, out | as it must be |"
    )
    print("|---|---|---|---:|---:|---:|---:|---|")
    for row in rows:
        counts = " | ".join(str(row[key]) for key in ("turns", "llm_calls", "tool_calls"))
        tokens = f"{row['total_prompt']}, {row['total_output']}"
        verdict = "yes" if is_right(row) else "NO"
        print(
            f"| {row['agent']} | {row['golden']} | {row['score']:g} {row['status']} | {counts} | {tokens} | {verdict} |"
        )
    if given.json is not None:
        given.json.write_text(json.dumps({**facts, "rows": rows}, indent=1) + "\n", "utf-8")
    return int(not all(map(is_right, rows)))


if __name__ == "__main__":
    sys.exit(main())
