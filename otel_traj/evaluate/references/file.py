"""A reference file opened, measured and parsed.

A name ending in `.json` is JSON, everything else YAML. The file is the team's own, but it may come from a pull
request: its size is checked before it is read, and nothing in it can run code (see `yaml_document`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from otel_traj.errors import InvalidReferenceError
from otel_traj.evaluate.references.document import Place, complain
from otel_traj.evaluate.references.json_document import parse_json
from otel_traj.evaluate.references.schema import read_references
from otel_traj.evaluate.references.yaml_document import parse_yaml

if TYPE_CHECKING:
    import os

    from otel_traj.evaluate.references.reference import Reference

__all__ = ["MAX_BYTES", "load_references"]

MAX_BYTES: Final = 16 * 1024 * 1024
"""Size above which a reference file is refused."""

_SPANS = re.compile(r'\s*\{\s*"resourceSpans"')
"""How OTLP JSON begins, a document or a line of one."""


def load_references(path: str | os.PathLike[str]) -> list[Reference]:
    """Return the references of a YAML or JSON file, in its order.

    Args:
        path: The file; a name ending in `.json` is read as JSON, any other as YAML.

    Returns:
        At least one reference; names are distinct.

    Raises:
        InvalidReferenceError: The file can't be read or is not valid; the message begins with
            `file:line:column:` where there is a place.
    """
    shown = str(path)
    text = _read_text(Path(path), shown)
    if _SPANS.match(text):
        message = "this file holds spans; it is a source, and a reference file stands here"
        raise complain(Place(shown, 1, 1), message)
    parse = parse_json if shown.lower().endswith(".json") else parse_yaml
    root = parse(text, path=shown)
    if root is None:
        raise complain(Place(shown, 1, 1), "the file is empty; a reference file holds version and references")
    return read_references(root)


def _read_text(path: Path, shown: str) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        message = f"reference file {shown!r} does not exist, so nothing can be judged; check the path"
        raise InvalidReferenceError(message, path=shown) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = (
            f"reference file {shown!r} can't be read ({reason}), so nothing can be judged; check the path"
        )
        raise InvalidReferenceError(message, path=shown) from error
    if len(data) > MAX_BYTES:
        message = (
            f"reference file {shown!r} is larger than {MAX_BYTES // 1024**2} MiB, which is refused; split it"
        )
        raise InvalidReferenceError(message, path=shown)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        place = Place(shown, before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        raise complain(
            place, "the file is not UTF-8, so its names can't be read; save it as UTF-8"
        ) from error
