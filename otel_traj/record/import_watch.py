"""Learn that a module is imported, at once or whenever a program first needs it.

An instrumentation that is loaded before the program must not import what the program may never use: langgraph takes
a second, in every Python process that the environment starts. So a finder stands in `sys.meta_path` until the module
has been executed once, and then goes. It asks the other finders for the module and only adds a call after its
execution; the module itself keeps the loader that they gave (`importlib`'s protocol, Python 3.11).
"""

from __future__ import annotations

import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

__all__ = ["ImportWatch"]


class ImportWatch(MetaPathFinder):
    """Calls a function once with a module, as soon as that is there."""

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        """Keep what is watched for; nothing is watched before `start`.

        Args:
            name: The module's full name.
            then: Called with the executed module, in the thread that imports it. Must not raise.
        """
        self._name = name
        self._then = then
        self._is_waiting = False

    def start(self) -> None:
        """Call the function now where the module is there, else when it has been imported."""
        self._is_waiting = True
        sys.meta_path.insert(0, self)
        # After the finder stands, so that an import that goes on in another thread is not missed.
        if self._name in sys.modules:
            self.deliver(importlib.import_module(self._name))

    def stop(self) -> None:
        """Watch no longer."""
        self._is_waiting = False
        # Not by `remove`: finders of others may be equal to anything, or change the list meanwhile.
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]

    def deliver(self, module: ModuleType) -> None:
        """Pass the module on, the first time and only while it is waited for."""
        if self._is_waiting:
            self.stop()
            self._then(module)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return what the other finders say of the module, with a loader that tells when it has been executed."""
        if fullname != self._name:
            return None
        for finder in list(sys.meta_path):
            find_spec = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = None if find_spec is None else find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _TellingLoader(spec.loader, self)
                return spec
        return None


class _TellingLoader(Loader):
    def __init__(self, loader: Loader, watch: ImportWatch) -> None:
        self._loader = loader
        self._watch = watch

    def __getattr__(self, name: str) -> object:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._watch.deliver(module)
