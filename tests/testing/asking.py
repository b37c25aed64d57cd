"""A graph to record, and ways to ask it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.evaluate import AppliesTo, Reference
from otel_traj.record.samples import build_seven_nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from otel_traj.testing import RunRecorder

__all__ = ["LONG", "REFERENCES", "SHORT", "ask", "ask_in_turn"]

LONG = [["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]]
SHORT = [["node1"], ["node2"], ["node7"]]
REFERENCES = [
    Reference(name="long path", steps=LONG, applies_to=AppliesTo(case="long")),
    Reference(name="short path", steps=SHORT, applies_to=AppliesTo(case="short")),
]

_graph = build_seven_nodes()


def ask(recorder: RunRecorder, *, shortcut: bool = False, case: str | None = None) -> None:
    """Run the seven nodes once, the long way unless told otherwise."""
    metadata = {} if case is None else {"case": case}
    _graph.invoke(
        {"shortcut": shortcut, "nodes": []}, config={"callbacks": [recorder.handler], "metadata": metadata}
    )


def ask_in_turn(recorder: RunRecorder, words: str) -> Callable[[], None]:
    """Return a call that does at each calling what the next letter says.

    Args:
        recorder: What records.
        words: `l` runs the long way, `s` the short one, `r` the long one and raises then, `x` raises at once, `-`
            runs nothing.
    """
    letters = iter(words)

    def call() -> None:
        letter = next(letters)
        if letter in "lsr":
            ask(recorder, shortcut=letter == "s", case="short" if letter == "s" else "long")
        if letter in "rx":
            raise ValueError("no \x1b[31manswer")

    return call
