"""An agent as a team has it: it knows nothing of tests.

Run: python agent.py; where its spans go is said by the OTEL_* variables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from langgraph.graph import END, START, StateGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.runnables import RunnableConfig


class Question(TypedDict, total=False):
    """The state: what was asked, what was found, what is answered."""

    text: str
    order: str
    policy: str
    answer: str


def understand(state: Question) -> Question:
    """Read the question; a model would do it."""
    return {"text": state["text"].strip().lower()}


def choose(state: Question) -> list[str]:
    """Look up order and policy side by side, where the question is about an order."""
    return ["find_order", "find_policy"] if "order" in state["text"] else ["write"]


def find_order(state: Question) -> Question:
    """Look up the order."""
    return {"order": f"the order of {state['text']!r} is on its way"}


def find_policy(state: Question) -> Question:  # noqa: ARG001 - LangGraph passes the state
    """Look up the policy."""
    return {"policy": "returns are free"}


def write(state: Question) -> Question:
    """Write the answer; another model would do it."""
    return {"answer": f"{state.get('order', 'hello')}; {state.get('policy', 'how can we help?')}"}


builder = StateGraph(Question)
builder.add_node("understand", understand)
builder.add_node("find_order", find_order)
builder.add_node("find_policy", find_policy)
builder.add_node("write", write)
builder.add_edge(START, "understand")
builder.add_conditional_edges("understand", choose, ["find_order", "find_policy", "write"])
builder.add_edge("find_order", "write")
builder.add_edge("find_policy", "write")
builder.add_edge("write", END)
agent = builder.compile(name="shop")


def answer(text: str, *, case: str | None = None, callbacks: Sequence[BaseCallbackHandler] = ()) -> str:
    """Answer a question."""
    config: RunnableConfig = {"callbacks": list(callbacks), "metadata": {"case": case}}
    return str(agent.invoke({"text": text}, config=config)["answer"])


if __name__ == "__main__":
    from otel_traj import LangGraphInstrumentor, configure

    provider = configure(service_name="shop")
    LangGraphInstrumentor().instrument()
    print(answer("Where is my order?", case="order"))
    print(answer("Hello", case="greeting"))
    provider.shutdown()
