"""How a law fails."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.settings import SEED, law


def test_a_law_that_fails_tells_its_seed() -> None:
    """The message names the case, the seed it came of, and a way to run it alone."""

    @law(1)
    @given(number=st.just(7))
    def fails(number: int) -> None:
        assert number == 8

    with pytest.raises(AssertionError) as raised:
        fails()
    notes = "\n".join(raised.value.__notes__)
    assert "number=7" in notes
    assert f"OTEL_TRAJ_LAWS_SEED={SEED}" in notes
    assert "reproduce_failure" in notes
