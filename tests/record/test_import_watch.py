from __future__ import annotations

import importlib
import sys
import uuid
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

from otel_traj.record.import_watch import ImportWatch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType


@pytest.fixture
def late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a module that can be imported and has not been yet."""
    name = f"late_{uuid.uuid4().hex}"
    (tmp_path / f"{name}.py").write_text("ready = True\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    finders = list(sys.meta_path)
    yield name
    sys.modules.pop(name, None)
    assert sys.meta_path == finders


def test_a_module_is_told_of_when_it_has_been_executed(late: str) -> None:
    """The function gets the whole module, once, and the watch is gone from the finders."""
    finders = list(sys.meta_path)
    told: list[bool] = []
    watch = ImportWatch(late, lambda module: told.append(module.ready))
    watch.start()
    assert (late in sys.modules, told) == (False, [])
    importlib.import_module(late)
    assert told == [True]
    assert sys.meta_path == finders
    importlib.reload(sys.modules[late])
    assert told == [True]


def test_the_module_is_as_if_nobody_had_watched(late: str) -> None:
    """Its loader is the finders' own, so that sources, resources and reloads work as ever."""
    importlib.import_module(late)
    plain = sys.modules.pop(late)
    watch = ImportWatch(late, lambda _module: None)
    watch.start()
    module = importlib.import_module(late)
    assert module is not plain
    assert (type(module.__loader__), vars(module.__spec__).keys()) == (
        type(plain.__loader__),
        vars(plain.__spec__).keys(),
    )
    assert module.__spec__ is not None
    assert module.__spec__.loader is module.__loader__


def test_what_is_there_already_is_told_of_at_once(late: str) -> None:
    """A module that the program has imported before is not waited for."""
    module = importlib.import_module(late)
    told: list[ModuleType] = []
    ImportWatch(late, told.append).start()
    assert told == [module]


def test_a_stopped_watch_tells_nothing(late: str) -> None:
    """After `stop` the finders are as before, and the import passes unnoticed."""
    finders = list(sys.meta_path)
    told: list[ModuleType] = []
    watch = ImportWatch(late, told.append)
    watch.start()
    watch.stop()
    assert sys.meta_path == finders
    importlib.import_module(late)
    assert told == []


def test_a_module_that_is_not_there_is_missed_as_ever() -> None:
    """Its import fails as without the watch, which goes on waiting."""
    watch = ImportWatch("no_such_module_anywhere", lambda _module: None)
    watch.start()
    try:
        with pytest.raises(ModuleNotFoundError, match="no_such_module_anywhere"):
            importlib.import_module("no_such_module_anywhere")
        assert watch in sys.meta_path
    finally:
        watch.stop()


def test_a_module_that_fails_fails_as_ever(late: str, tmp_path: Path) -> None:
    """What the module raises is the importer's, nothing is told, and a second try that succeeds is."""
    path = tmp_path / f"{late}.py"
    path.write_text("raise LookupError('not yet')\n", "utf-8")
    told: list[ModuleType] = []
    watch = ImportWatch(late, told.append)
    watch.start()
    with pytest.raises(LookupError):
        importlib.import_module(late)
    assert told == []
    path.write_text("ready = 'at last'\n", "utf-8")
    importlib.invalidate_caches()
    assert told == [importlib.import_module(late)]


def test_an_import_under_way_in_another_thread_is_not_missed(late: str, tmp_path: Path) -> None:
    """A watch that starts while the module is being executed waits for its end."""
    (tmp_path / f"{late}.py").write_text(
        "import sys, threading\nsys.under_way.set()\nsys.go_on.wait(30)\nready = True\n", "utf-8"
    )
    sys.under_way, sys.go_on = Event(), Event()  # type: ignore[attr-defined]  # the module's way to them
    importer = Thread(target=importlib.import_module, args=(late,))
    importer.start()
    try:
        assert sys.under_way.wait(30)  # type: ignore[attr-defined]  # as above
        told: list[bool] = []
        starter = Thread(target=ImportWatch(late, lambda module: told.append(module.ready)).start)
        starter.start()
        sys.go_on.set()  # type: ignore[attr-defined]  # as above
        for thread in (importer, starter):
            thread.join(30)
        assert told == [True]
    finally:
        del sys.under_way, sys.go_on  # type: ignore[attr-defined]  # as above
