"""A price file: what a million tokens of each model cost, as the team pays it.

None is shipped: prices change, and differ by contract. Read like a reference file, with the place of every mistake.
"""

from __future__ import annotations

from decimal import Decimal
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from otel_traj.errors import TrajectoryValueError
from otel_traj.evaluate.references.document import MapNode, Place, ScalarNode, complain
from otel_traj.evaluate.references.expect import check_keys, describe, read_map, read_name
from otel_traj.evaluate.references.json_document import parse_json
from otel_traj.evaluate.references.yaml_document import parse_yaml

if TYPE_CHECKING:
    import os

    from otel_traj.evaluate.references.document import Node

__all__ = ["ModelPrice", "Prices", "load_prices"]

_MAX_BYTES: Final = 1024 * 1024
_KINDS: Final = ("input", "output", "cache_read", "cache_write")
_TOP_KEYS: Final = ("currency", "models")


class ModelPrice(Struct, frozen=True, kw_only=True):
    """What a million tokens of one model cost."""

    input: Decimal
    """Of those that were neither read from a cache nor written to one."""
    output: Decimal
    """Reasoning tokens are among them."""
    cache_read: Decimal | None = None
    """None: not known."""
    cache_write: Decimal | None = None
    """None: not known."""


class Prices(Struct, frozen=True, kw_only=True):
    """The prices of models, in one currency."""

    currency: str
    models: tuple[tuple[str, ModelPrice], ...]
    """A model's name, or a pattern with `*` and `?`, and its price; the first that matches holds."""

    def find(self, model: str) -> ModelPrice | None:
        """Return the price of a model; None where no pattern matches it.

        Args:
            model: Its name, compared case-sensitively.
        """
        return next((price for pattern, price in self.models if fnmatchcase(model, pattern)), None)


def load_prices(path: str | os.PathLike[str]) -> Prices:
    """Return the prices of a YAML or JSON file.

    Args:
        path: The file; a name ending in `.json` is read as JSON, any other as YAML.

    Raises:
        InvalidReferenceError: Something in it is not understood; the message begins with `file:line:column:`.
        TrajectoryValueError: It can't be read.
    """
    shown = str(path)
    text = _read_text(Path(path), shown)
    root = (parse_json if shown.lower().endswith(".json") else parse_yaml)(text, path=shown)
    if root is None:
        raise complain(Place(shown, 1, 1), "the file is empty; a price file holds currency and models")
    top = read_map(root, "a price file")
    check_keys(top, allowed=_TOP_KEYS, what="a price file")
    for key in _TOP_KEYS:
        if key not in top.entries:
            raise complain(top.place, f"a price file needs {key}: {_HINTS[key]}")
    models = read_map(top.entries["models"], "models")
    if not models.entries:
        raise complain(models.place, "models are empty, so that no price is known; name one")
    return Prices(
        currency=read_name(top.entries["currency"], "the currency"),
        models=tuple((name, _read_price(node, name)) for name, node in models.entries.items()),
    )


_HINTS: Final = {"currency": "its code, such as USD", "models": "a map of names to prices per million tokens"}


def _read_text(path: Path, shown: str) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        text = data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "reason", None) or str(error)
        words = f"the price file {shown!r} can't be read ({reason}), so that no cost is known"
        raise TrajectoryValueError(f"{words}; check the path, and that it is UTF-8") from error
    if len(data) > _MAX_BYTES:
        raise TrajectoryValueError(
            f"the price file {shown!r} is larger than 1 MiB, which is refused; shorten it"
        )
    return text


def _read_price(node: Node, name: str) -> ModelPrice:
    what = f"the price of {name!r}"
    price = read_map(node, what)
    check_keys(price, allowed=_KINDS, what=what)
    for kind in ("input", "output"):
        if kind not in price.entries:
            raise complain(price.place, f"{what} needs {kind}: the price of a million such tokens")
    given = {kind: _read_amount(price, kind, what) for kind in price.entries}
    return ModelPrice(**given)


def _read_amount(price: MapNode, kind: str, what: str) -> Decimal:
    node = price.entries[kind]
    value = node.value if isinstance(node, ScalarNode) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise complain(node.place, f"{kind} of {what} must be a number from 0, found {describe(node)}")
    return Decimal(str(value))
