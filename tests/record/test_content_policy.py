from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest

from otel_traj import ContentPolicy, OtelTrajError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.record.content_policy import CONTENT_KINDS


async def redact_later(kind: object, value: object) -> object:
    """Do what no callback can wait for."""
    return kind, value


def test_policy_records_everything_up_to_8_kib_unless_told() -> None:
    """The defaults: every kind, nothing masked, 8,192 bytes per value."""
    policy = ContentPolicy()
    assert policy.kinds == CONTENT_KINDS == tuple(sorted(CONTENT_KINDS))
    assert (policy.mask_keys, policy.mask_patterns, policy.redact, policy.max_bytes) == ((), (), None, 8_192)


def test_policy_is_a_frozen_value() -> None:
    """Equal choices are equal, can be hashed and pickled, and can't be changed."""
    policy = ContentPolicy(kinds=["state", "messages", "state"], mask_keys=iter(["a*"]), mask_patterns=["b"])
    assert policy == ContentPolicy(kinds=("messages", "state"), mask_keys=("a*",), mask_patterns=("b",))
    assert len({policy, dataclasses.replace(policy), pickle.loads(pickle.dumps(policy))}) == 1  # noqa: S301
    with pytest.raises(dataclasses.FrozenInstanceError):
        policy.mask = "?"  # type: ignore[misc]  # what is refused


@pytest.mark.parametrize(
    ("choice", "error", "message"),
    [
        ({"kinds": "messages"}, TrajectoryTypeError, "kinds is 'messages'.*Pass a tuple"),
        ({"kinds": 5}, TrajectoryTypeError, "kinds is 5.*Pass a tuple"),
        ({"kinds": [None]}, TrajectoryTypeError, "kinds holds None.*as a string"),
        (
            {"kinds": ["message", "state"]},
            TrajectoryValueError,
            "kinds holds 'message', .*Pass some of events,",
        ),
        ({"mask_keys": "api_key"}, TrajectoryTypeError, "mask_keys is 'api_key'.*Pass a tuple"),
        ({"mask_keys": [""]}, TrajectoryValueError, "mask_keys holds an empty string.*Leave it out"),
        ({"mask_patterns": ["(a"]}, TrajectoryValueError, r"mask_patterns holds '\(a'.*Mend it"),
        ({"mask_patterns": [b"a"]}, TrajectoryTypeError, "mask_patterns holds b'a'"),
        ({"mask": None}, TrajectoryTypeError, "mask is None.*Pass a string"),
        ({"mask": "[otel_traj cut: it]"}, TrajectoryValueError, "takes for the mark of a cut"),
        ({"redact": "str"}, TrajectoryTypeError, "redact is 'str'.*plain function"),
        ({"redact": redact_later}, TrajectoryTypeError, "redact is <function redact_later.*plain function"),
        ({"max_bytes": True}, TrajectoryTypeError, "max_bytes is True.*or None"),
        ({"max_bytes": 1.5}, TrajectoryTypeError, "max_bytes is 1.5"),
        ({"max_bytes": 63}, TrajectoryValueError, "max_bytes is 63.*Pass 64 or more"),
    ],
)
def test_what_can_not_be_meant_is_refused(
    choice: dict[str, Any], error: type[Exception], message: str
) -> None:
    """Each message says what was found, why it stops us, and what to pass."""
    with pytest.raises(error, match=message) as caught:
        ContentPolicy(**choice)
    assert isinstance(caught.value, OtelTrajError)
