"""Build the collector of the tests from its manifest, once per machine.

The finished binary lies in the user's cache folder under a name that holds a hash of all that went into it, so a
changed manifest is another binary and never an old one under a new name. It is built in a folder beside it and
moved into place whole: what stands under the final name is complete. A file lock lets one process build while
others wait; the kernel drops the lock with the process, so a killed build blocks nobody, and the next one clears
its remains away. Go's own module and build caches are left where Go keeps them.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import yaml

from tests.collector.errors import CollectorError
from tests.collector.log import read_last_line
from tests.collector.parts import find_missing_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MANIFEST", "build_collector", "cached_path", "is_built"]

MANIFEST = Path(__file__).with_name("collector-builder.yaml")
"""The builder manifest."""

BUILDER = "go.opentelemetry.io/collector/cmd/builder"
# Without cgo the binary is static, and a cache folder shared between systems holds nothing that runs on one only.
SETTINGS = {"CGO_ENABLED": "0", "GOWORK": "off"}
LIMIT_SECONDS = 1800


def cached_path() -> Path:
    """Return where the collector of this manifest and this machine lies, or would lie, in the cache folder."""
    configured = os.environ.get("XDG_CACHE_HOME", "")
    # A relative XDG_CACHE_HOME is to be ignored (XDG Base Directory Specification 0.8).
    root = Path(configured) if configured.startswith("/") else Path.home() / ".cache"
    inputs = [MANIFEST.read_text(encoding="utf-8"), BUILDER, SETTINGS, sys.platform, platform.machine()]
    return root / "otel-traj" / f"otelcol-{hashlib.sha256(repr(inputs).encode()).hexdigest()[:16]}"


def is_built() -> bool:
    """Say whether the collector of this manifest is in the cache folder."""
    return os.access(cached_path(), os.X_OK)


def build_collector() -> Path:
    """Build the collector unless it is built already; progress goes to stderr.

    Returns:
        The executable in the cache folder.

    Raises:
        CollectorError: Go is not there, the build failed, or the cache folder can't be written.
    """
    final = cached_path()
    if is_built():
        return final
    go = shutil.which("go")
    if go is None:
        raise CollectorError(
            "Go is not on the PATH: install Go (https://go.dev/dl), or put otelcol-contrib on the PATH"
        )
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        with _locked(final.with_name(f"{final.name}.lock")):
            if not is_built():
                _build_into(final, go)
    except OSError as error:
        raise CollectorError(f"the cache folder {final.parent} can't be used ({error})") from error
    return final


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _report("another process is building it; waiting")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build_into(final: Path, go: str) -> None:
    for remains in final.parent.glob(f"{final.name}.partial-*"):
        shutil.rmtree(remains, ignore_errors=True)
    distribution = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))["dist"]
    _report(
        f"building {distribution['version']} with Go, once for this machine; the first build takes 2 to 4 minutes"
    )
    partial = Path(tempfile.mkdtemp(prefix=f"{final.name}.partial-", dir=final.parent))
    try:
        command = [go, "run", f"{BUILDER}@v{distribution['version']}", f"--config={MANIFEST}"]
        log = final.with_name(f"{final.name}.log")
        with log.open("wb") as output:
            status = _run(command, directory=partial, output=output)
        binary = partial / distribution["output_path"] / distribution["name"]
        if status or not binary.is_file():
            raise CollectorError(f"Go could not build it ({read_last_line(log)}); all it said is in {log}")
        if missing := find_missing_parts(binary):
            raise CollectorError(
                f"built without {', '.join(missing)}: add what is missing to {MANIFEST.name}"
            )
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


def _report(message: str) -> None:
    sys.stderr.write(f"collector: {message}\n")
    sys.stderr.flush()
