from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING

import pytest

from otel_traj.sources.shared_resource import SharedResource

if TYPE_CHECKING:
    from otel_traj.model import AttributeValue


def test_the_same_resource_is_one_dict() -> None:
    """Of two that follow one another; behind another one it begins anew."""
    resources = SharedResource()
    first = resources.share({"service.name": "shop"})
    assert resources.share({"service.name": "shop"}) is first
    assert resources.share({"service.name": "mail"}) == {"service.name": "mail"}
    assert resources.share({"service.name": "shop"}) is not first


LOOKALIKES: list[AttributeValue] = [
    1,
    True,
    1.0,
    0,
    False,
    0.0,
    -0.0,
    math.nan,
    None,
    "1",
    b"1",
    [1],
    [True],
    [1.0],
    [1, 1],
]
LOOKALIKES += [{"k": 1}, {"k": True}, {"j": 1}, {"k": [1]}, {"k": [True]}]


@pytest.mark.parametrize("value", LOOKALIKES, ids=repr)
def test_what_python_calls_equal_is_not_the_same(value: AttributeValue) -> None:
    """1, True and 1.0 are different attributes, inside of lists and maps too; only the very same is shared."""
    for other in copy.deepcopy(LOOKALIKES):
        resources = SharedResource()
        last = resources.share({"cores": other})
        found = resources.share({"cores": value})
        assert repr(found) == repr({"cores": value})
        assert (found is last) is (repr(other) == repr(value))
