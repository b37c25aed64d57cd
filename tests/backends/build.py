"""Build a backend of the tests from its recipe, once per machine.

The finished binary lies in the user's cache folder. It is built in a folder beside it and moved into place whole: what
stands under the final name is complete. A file lock lets one process build while others wait; the kernel drops the
lock with the process, so a killed build blocks nobody, and the next one clears its remains away. Go's own module and
build caches are left where Go keeps them.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tests.backends.errors import BackendError
from tests.backends.log import read_last_line
from tests.backends.parts import find_missing_parts
from tests.backends.recipe import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.backends.recipe import Recipe

__all__ = ["build"]

LIMIT_SECONDS = 1800


def build(recipe: Recipe) -> Path:
    """Build what a recipe says unless it is built already; progress goes to stderr.

    Returns:
        The executable in the cache folder.

    Raises:
        BackendError: Go is not there, the build failed, or the cache folder can't be written.
    """
    if built := recipe.find_built():
        return built
    go = shutil.which("go")
    if go is None:
        raise BackendError("Go is not on the PATH: install Go (https://go.dev/dl)")
    final = recipe.locate()
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        with _locked(final.with_name(f"{final.name}.lock"), recipe):
            if not recipe.find_built():
                _build_into(final, go, recipe)
    except OSError as error:
        raise BackendError(f"the cache folder {final.parent} can't be used ({error})") from error
    return final


@contextmanager
def _locked(path: Path, recipe: Recipe) -> Iterator[None]:
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _report(recipe, "another process is building it; waiting")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build_into(final: Path, go: str, recipe: Recipe) -> None:
    for remains in final.parent.glob(f"{final.name}.partial-*"):
        shutil.rmtree(remains, ignore_errors=True)
    _report(
        recipe,
        f"building {recipe.version} with Go, once for this machine; the first build takes {recipe.minutes}",
    )
    partial = Path(tempfile.mkdtemp(prefix=f"{final.name}.partial-", dir=final.parent))
    try:
        for path in recipe.files:
            shutil.copyfile(path, partial / path.name)
        log = final.with_name(f"{final.name}.log")
        with log.open("wb") as output:
            status = _run([go, *recipe.arguments], directory=partial, output=output)
        binary = partial / recipe.output
        if status or not binary.is_file():
            raise BackendError(f"Go could not build it ({read_last_line(log)}); all it said is in {log}")
        if missing := find_missing_parts(binary, recipe.parts):
            names = " or ".join(path.name for path in recipe.files)
            raise BackendError(f"built without {', '.join(missing)}: add what is missing to {names}")
        binary.replace(final)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _run(command: list[str], *, directory: Path, output: IO[bytes]) -> int | None:
    environment = os.environ | SETTINGS | {"HOME": str(Path.home())}
    with subprocess.Popen(
        command,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            return process.wait(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            return None
        finally:
            # `go run` starts the builder, which starts compilers; ending only the first would leave the rest at work.
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _report(recipe: Recipe, message: str) -> None:
    sys.stderr.write(f"{recipe.name}: {message}\n")
    sys.stderr.flush()
