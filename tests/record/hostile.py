"""Values whose own code raises, each in another place: what a recorder meets in the state of other people's agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, computed_field, field_serializer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["HOSTILE", "Message", "make_hostile"]

_ORDINARY: Final = frozenset({"__class__", "__init__", "__new__", "__dict__", "__doc__", "__slots__"})


class BoomError(RuntimeError):
    """What they raise: its text is what must not be logged."""


def _raise(*_: object, **__: object) -> Any:  # noqa: ANN401 - it never returns
    raise BoomError("planted")


def _break(base: type, *names: str) -> type:
    """Return a subclass whose methods of these names raise."""
    return type(f"Broken{base.__name__.title()}", (base,), dict.fromkeys(names, _raise))


class Everything:
    """Raises from every method, and whenever an attribute is asked for that it does not have."""

    __repr__ = __str__ = __eq__ = __bool__ = __len__ = __iter__ = __getattr__ = __format__ = _raise
    __hash__ = __contains__ = __getitem__ = __lt__ = __bytes__ = __index__ = __reduce_ex__ = _raise


class Closed:
    """Raises whatever is asked for, its class too."""

    def __getattribute__(self, name: str) -> object:
        raise BoomError(name)


class Liar:
    """Says that it is of a class that raises to be asked for."""

    @property
    def __class__(self) -> Any:  # noqa: ANN401 - it never returns
        raise BoomError("planted")

    @__class__.setter
    def __class__(self, value: object) -> None:
        raise BoomError(value)


class Model(BaseModel):
    """A model whose serializer, computed field, property and representation raise."""

    model_config = ConfigDict(extra="allow")
    note: str = "planted"

    @field_serializer("note")
    def serialize_note(self, value: str) -> str:
        """Raise."""
        raise BoomError(value)

    @computed_field  # type: ignore[prop-decorator]  # as pydantic wants it
    @property
    def shout(self) -> str:
        """Raise."""
        raise BoomError("planted")

    def __repr__(self) -> str:
        raise BoomError("planted")

    __str__ = __repr__


class Message:
    """Looks like a message, until its content is asked for."""

    type = "ai"
    additional_kwargs: Mapping[str, object] = {}

    @property
    def content(self) -> str:
        """Raise."""
        raise BoomError("planted")

    tool_calls = usage_metadata = response_metadata = content


class Array:
    """Looks like an array, until it is asked for its values."""

    shape = (2,)
    dtype = "float64"

    def tolist(self) -> list[float]:
        """Raise."""
        raise BoomError("planted")


def _nest(depth: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


HOSTILE: Final[Mapping[str, Callable[[], Any]]] = {
    "everything": Everything,
    "closed": Closed,
    "liar": Liar,
    "model": Model,
    "message": Message,
    "array": Array,
    "deep": lambda: _nest(5_000),
    "text": lambda: _break(str, "__str__", "__len__", "encode", "isascii", "__iter__", "__eq__", "__hash__")(
        "planted"
    ),
    "number": lambda: _break(
        int, "__int__", "__repr__", "__str__", "bit_length", "__index__", "__eq__", "__lt__"
    )(7),
    "fraction": lambda: _break(float, "__float__", "__repr__", "is_integer", "__eq__")(1.5),
    "bytes": lambda: _break(bytes, "__len__", "decode", "__iter__", "__bytes__")(b"planted"),
    "mapping": lambda: _break(dict, "items", "keys", "get", "__iter__", "__len__", "__contains__")(planted=1),
    "list": lambda: _break(list, "__iter__", "__len__", "__getitem__", "__bool__")([1]),
    "tuple": lambda: _break(tuple, "__iter__", "__len__", "__getitem__", "_fields")((1, 2)),
    "set": lambda: _break(set, "__iter__", "__len__", "__contains__")({1}),
    "key": lambda: {_break(object, "__str__", "__repr__")(): "planted"},
    "generator": lambda: (_raise() for _ in range(1)),
}
"""By what raises; each call makes a new one."""


def make_hostile(name: str) -> Any:  # noqa: ANN401 - anything
    """Return a new value of a kind."""
    return HOSTILE[name]()
