"""Locks in a forked child: another thread of the parent may have held them, and that thread is not there any more.

All locks of the recorder are reentrant, because the garbage collector may close an abandoned stream, and so end its
run, while the same thread holds one of them. A child that waits for such a lock hangs forever (a server that forks its workers, multiprocessing's `fork`), so
whoever holds a lock registers here and makes a new one in the child. What the lock guards is whole or nearly so:
at worst callback runs of other threads stay open in the child's table, which is bounded.
"""

from __future__ import annotations

import os
import weakref
from typing import Protocol

__all__ = ["LockOwner", "renew_in_child"]


class LockOwner(Protocol):
    """Something that holds locks."""

    def renew_locks(self) -> None:
        """Replace every lock by a new one."""


_owners: weakref.WeakSet[LockOwner] = weakref.WeakSet()


def renew_in_child(owner: LockOwner) -> None:
    """Have the owner's locks renewed in every child that this process forks, as long as the owner lives."""
    _owners.add(owner)


def _renew_all() -> None:
    for owner in tuple(_owners):
        owner.renew_locks()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
