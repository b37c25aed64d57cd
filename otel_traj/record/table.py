"""The bounded table of callback runs; who reads or changes it holds its lock.

Three parts. *Open* runs: an entry leaves at its end, or, above the bound, when it was used least recently (an
abandoned generator never ends). *Ended* runs of trees that still run: their late children ask for them; they go
with their tree. *Ended roots*: the last 1,000 top-level graph runs, for spans that start after their run has
ended, and for the link of a resumed run to the one before it on its thread.

A UUID is kept under its number: it hashes in Python, at each of the four times that a callback run is looked up.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from typing import TYPE_CHECKING
from uuid import UUID

from otel_traj.record.forking import renew_in_child

if TYPE_CHECKING:
    from collections.abc import Hashable

    from otel_traj.record.entry import Entry, Tree

__all__ = ["MAX_ENDED_ROOTS", "CallbackTable"]

MAX_ENDED_ROOTS = 1_000
"""How many ended top-level graph runs are remembered."""


class CallbackTable:
    """Entries by callback run id."""

    def __init__(self, max_open: int) -> None:
        """Make an empty table.

        Args:
            max_open: Most open entries, and most ended ones of trees that still run.
        """
        self.renew_locks()
        renew_in_child(self)
        self._max_open = max_open
        self._open: OrderedDict[Hashable, Entry] = OrderedDict()
        self._ended: OrderedDict[Hashable, Entry] = OrderedDict()
        self._ended_roots: OrderedDict[Hashable, Entry] = OrderedDict()
        self._last_of_thread: dict[str, Entry] = {}

    def renew_locks(self) -> None:
        """Make the lock."""
        self.lock = threading.RLock()
        """Guards the table, and the graph runs that its entries belong to."""

    def __len__(self) -> int:
        """Return how many entries are kept, the bounded table of ended roots apart."""
        with self.lock:
            return len(self._open) + len(self._ended)

    @property
    def ended_root_count(self) -> int:
        """How many ended top-level runs are remembered."""
        with self.lock:
            return len(self._ended_roots)

    def make_ended_ids(self) -> deque[Hashable]:
        """Return the list in which a tree keeps the keys of its ended entries."""
        return deque(maxlen=self._max_open)

    def get_open(self, run_id: Hashable) -> Entry | None:
        """Return an open entry."""
        return self._open.get(_make_key(run_id))

    def find(self, run_id: Hashable) -> Entry | None:
        """Return an entry whether open or ended, None where it is not known (any more)."""
        key = _make_key(run_id)
        return self._open.get(key) or self._ended.get(key) or self._ended_roots.get(key)

    def add(self, entry: Entry) -> list[Entry]:
        """Add an entry that has just started.

        Returns:
            Entries that had to go, already taken out of the table.
        """
        entry.key = key = _make_key(entry.run_id)
        self._open[key] = entry
        if len(self._open) * 2 <= self._max_open:
            return []
        self._touch_callers(entry)
        evicted = []
        while len(self._open) > self._max_open:
            gone = self._open.popitem(last=False)[1]
            if gone.parent is None:
                self._forget_tree(gone.tree)
            evicted.append(gone)
        return evicted

    def _touch_callers(self, entry: Entry) -> None:
        caller = entry.parent
        while caller is not None:
            if caller.key in self._open:
                self._open.move_to_end(caller.key)
            caller = caller.parent
        self._open.move_to_end(entry.key)

    def take(self, entry: Entry) -> bool:
        """Take an entry out of the open ones at its end; False where it is not among them any more."""
        if self._open.get(entry.key) is not entry:
            return False
        del self._open[entry.key]
        return True

    def remember(self, entry: Entry) -> None:
        """Keep an ended entry for its late children, as long as its tree or its root is remembered."""
        if entry.parent is None:
            self._forget_tree(entry.tree)
        elif not entry.tree.ended:
            self._ended[entry.key] = entry
            entry.tree.ended_ids.append(entry.key)
            if len(self._ended) > self._max_open:
                self._ended.popitem(last=False)
        if entry.kind == "graph_run" and entry.graph is not None and entry.graph.parent is None:
            self._remember_root(entry, entry.graph.thread_id)

    def _forget_tree(self, tree: Tree) -> None:
        tree.ended = True
        for key in tree.ended_ids:
            self._ended.pop(key, None)
        tree.ended_ids.clear()

    def _remember_root(self, entry: Entry, thread_id: str | None) -> None:
        self._ended.pop(entry.key, None)
        # A config may give the same run id to one run after the other.
        self._forget_root(self._ended_roots.pop(entry.key, None))
        self._ended_roots[entry.key] = entry
        if thread_id is not None:
            self._last_of_thread[thread_id] = entry
        if len(self._ended_roots) > MAX_ENDED_ROOTS:
            self._forget_root(self._ended_roots.popitem(last=False)[1])

    def _forget_root(self, entry: Entry | None) -> None:
        thread_id = entry.graph.thread_id if entry is not None and entry.graph is not None else None
        if thread_id is not None and self._last_of_thread.get(thread_id) is entry:
            del self._last_of_thread[thread_id]

    def find_last_root(self, thread_id: str) -> Entry | None:
        """Return the top-level graph run that ended last on a thread, None where it is not remembered."""
        return self._last_of_thread.get(thread_id)


def _make_key(run_id: Hashable) -> Hashable:
    return run_id.int if type(run_id) is UUID else run_id
