"""What runs cost."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from otel_traj.report import Prices, format_tree
from otel_traj.report.cost import Cost, add_costs, cost_call, cost_run, format_cost
from otel_traj.report.prices import ModelPrice
from tests.report import scenes

if TYPE_CHECKING:
    from otel_traj.model import ModelCall, Usage

_WHOLE = ModelPrice(
    input=Decimal(2), output=Decimal(8), cache_read=Decimal("0.5"), cache_write=Decimal("2.5")
)
_PRICES = Prices(
    currency="USD",
    models=(("scripted-*", _WHOLE), ("plain", ModelPrice(input=Decimal(2), output=Decimal(8)))),
)


def _call(model: str | None, **usage: int | None) -> ModelCall:
    empty: Usage = {
        "input_tokens": None,
        "output_tokens": None,
        "cache_read_input_tokens": None,
        "cache_write_input_tokens": None,
        "reasoning_output_tokens": None,
    }
    return replace(scenes.build_agent().model_calls[0], model=model, usage={**empty, **usage})


def test_cached_tokens_are_part_of_the_input() -> None:
    """Tokens read from a cache and written to one are taken out of the input, reasoning is not added to the output."""
    call = _call(
        "scripted-1",
        input_tokens=1_000,
        output_tokens=100,
        cache_read_input_tokens=600,
        cache_write_input_tokens=300,
        reasoning_output_tokens=90,
    )
    cost = cost_call(call, _PRICES)
    assert cost.amount == Decimal("0.000200") + Decimal("0.000800") + Decimal("0.000300") + Decimal(
        "0.000750"
    )
    assert not cost.unknown


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (_call("other", input_tokens=1, output_tokens=1), "no price for other"),
        (_call(None, input_tokens=1, output_tokens=1), "no price for a model that was not named"),
        (_call("plain", output_tokens=1), "a call of plain without tokens"),
        (_call("plain", input_tokens=1), "a call of plain without tokens"),
        (
            _call("plain", input_tokens=9, output_tokens=1, cache_read_input_tokens=3),
            "no cache_read price for plain",
        ),
        (
            _call("plain", input_tokens=9, output_tokens=1, cache_write_input_tokens=3),
            "no cache_write price for plain",
        ),
        (
            _call("scripted-1", input_tokens=1, output_tokens=1, cache_read_input_tokens=3),
            "more cached than input tokens of scripted-1",
        ),
    ],
)
def test_what_is_not_known_is_not_nothing(call: ModelCall, words: str) -> None:
    """A call that can't be priced has no cost, and says why."""
    assert format_cost(cost_call(call, _PRICES)) == f"cost unknown ({words})"


def test_a_sum_with_something_unknown_is_a_lower_bound() -> None:
    """The known part is told, and what is missing from it, each reason once."""
    known = cost_call(_call("plain", input_tokens=1_000_000, output_tokens=0), _PRICES)
    unknown = cost_call(_call("other"), _PRICES)
    cost = add_costs([known, unknown, unknown])
    assert cost is not None
    assert format_cost(cost) == "at least 2 USD (no price for other)"


def test_many_reasons_are_counted() -> None:
    """Three reasons are told, the others counted; hostile names are escaped."""
    cost = Cost(amount=Decimal(0), currency="U\x1bD", unknown=tuple("abcde"))
    assert format_cost(cost) == "at least 0 U\\x1bD (a; b; c; 2 more)"
    assert "\x1b" not in format_cost(cost_call(_call("\x1b[2J"), _PRICES))


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        ("0", "0 USD"),
        ("0.0000004", "under 0.000001 USD"),
        ("0.000809", "0.000809 USD"),
        ("1.5", "1.5 USD"),
        ("1200", "1200 USD"),
        ("1e30", f"1{'0' * 30} USD"),
    ],
)
def test_amounts_read_as_written(amount: str, words: str) -> None:
    """Amounts stand without exponents, to a millionth; what is less is not called nothing."""
    assert format_cost(Cost(amount=Decimal(amount), currency="USD")) == words


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=30))
def test_sums_are_exact(amounts: list[int]) -> None:
    """A sum of costs is the sum of the tokens' prices, whatever the order."""
    costs = [cost_call(_call("plain", input_tokens=each, output_tokens=0), _PRICES) for each in amounts]
    forwards, backwards = add_costs(costs), add_costs(reversed(costs))
    assert forwards is not None
    assert forwards == backwards
    assert forwards.amount * 1_000_000 == 2 * sum(amounts)


def test_calls_that_may_be_missing_are_named() -> None:
    """A recorder that leaves model calls out, lost spans, an incomplete run: the cost is a lower bound."""
    run = scenes.build_agent()
    assert cost_run(scenes.build_seven(), _PRICES) is None
    omitted = cost_run(replace(run, model_calls=[], omitted=("models",)), _PRICES)
    assert omitted is not None
    assert format_cost(omitted) == "cost unknown (model calls were not recorded)"
    lost = cost_run(replace(run, complete=False, model_calls=run.model_calls[:1]), _PRICES)
    assert lost is not None
    assert format_cost(lost) == "at least 0.001172 USD (the run is incomplete)"


def test_the_tree_tells_costs() -> None:
    """Each model call and the run have their cost in the tree."""
    text = format_tree(scenes.build_agent(), width=200, prices=_PRICES)
    assert "1,200 tokens in (1,000 cached), 34 out, 0.001172 USD" in text
    assert "41 out (5 reasoning), at least 0.001172 USD (no price for thinking-1)" in text
