"""What runs cost, by the tokens of their model calls and the user's prices.

Input tokens include those read from a cache and those written to one, output tokens include reasoning (GenAI
conventions, October 2026). What is not known is never counted as nothing: a model without a price, a call that said
no tokens, or calls that were not recorded make the sum a lower bound that names them.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from otel_traj.match.names import escape
from otel_traj.report.escape import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otel_traj.model import ModelCall, Run
    from otel_traj.report.prices import ModelPrice, Prices

__all__ = ["Cost", "add_costs", "cost_call", "cost_run", "format_cost"]

_MILLION: Final = 1_000_000
_MAX_REASONS: Final = 3


class Cost(Struct, frozen=True, kw_only=True):
    """What something cost, as far as that is known."""

    amount: Decimal
    """Of what is known."""
    currency: str
    unknown: tuple[str, ...] = ()
    """Why there is more that is not known, each reason once, in words; empty where the amount is whole."""
    is_nothing_known: bool = False
    """No part of it is known, so that the amount says nothing."""


def cost_call(call: ModelCall, prices: Prices) -> Cost:
    """Return what a model call cost.

    Args:
        call: The call.
        prices: By model.
    """
    price = None if call.model is None else prices.find(call.model)
    if price is None:
        model = "a model that was not named" if call.model is None else shorten(call.model)
        return _unknown(f"no price for {model}", prices)
    usage = call.usage
    read, written = usage["cache_read_input_tokens"] or 0, usage["cache_write_input_tokens"] or 0
    incoming, outgoing = usage["input_tokens"], usage["output_tokens"]
    model = shorten(call.model or "")
    if incoming is None or outgoing is None:
        return _unknown(f"a call of {model} without tokens", prices)
    if read + written > incoming or min(read, written, outgoing) < 0:
        return _unknown(f"more cached than input tokens of {model}", prices)
    for tokens, kind in ((read, "cache_read"), (written, "cache_write")):
        if tokens and getattr(price, kind) is None:
            return _unknown(f"no {kind} price for {model}", prices)
    return Cost(
        amount=_sum(price, incoming - read - written, outgoing, read, written), currency=prices.currency
    )


def cost_run(run: Run, prices: Prices) -> Cost | None:
    """Return what a run cost, its subgraph runs included.

    Args:
        run: The run.
        prices: By model.

    Returns:
        None where it called no model.
    """
    parts = [cost_call(call, prices) for call in run.model_calls]
    parts += [_unknown(reason, prices) for reason in _say_unseen(run)]
    return add_costs(parts)


def add_costs(costs: Iterable[Cost]) -> Cost | None:
    """Return the sum of costs in one currency; None where there are none.

    Args:
        costs: What to add.
    """
    parts = list(costs)
    if not parts:
        return None
    return Cost(
        amount=sum((part.amount for part in parts), Decimal(0)),
        currency=parts[0].currency,
        unknown=tuple(dict.fromkeys(reason for part in parts for reason in part.unknown)),
        is_nothing_known=all(part.is_nothing_known for part in parts),
    )


def format_cost(cost: Cost) -> str:
    """Return `0.0123 USD`, `at least 0.0123 USD (no price for x)` or `cost unknown (no price for x)`.

    Args:
        cost: What to say, to a millionth.
    """
    reasons = list(cost.unknown[:_MAX_REASONS])
    hidden = len(cost.unknown) - len(reasons)
    because = f" ({'; '.join([*reasons, f'{hidden} more'] if hidden else reasons)})"
    if cost.is_nothing_known:
        return f"cost unknown{because}"
    number = f"{cost.amount:.6f}".rstrip("0").rstrip(".")
    words = f"{'under 0.000001' if number == '0' and cost.amount else number} {escape(cost.currency)}"
    return f"at least {words}{because}" if cost.unknown else words


def _sum(price: ModelPrice, plain: int, outgoing: int, read: int, written: int) -> Decimal:
    total = price.input * plain + price.output * outgoing
    total += (price.cache_read or Decimal(0)) * read + (price.cache_write or Decimal(0)) * written
    return total / _MILLION


def _unknown(reason: str, prices: Prices) -> Cost:
    return Cost(amount=Decimal(0), currency=prices.currency, unknown=(reason,), is_nothing_known=True)


def _say_unseen(run: Run) -> Iterator[str]:
    """Yield why there may be model calls that are not known."""
    if "models" in run.omitted:
        yield "model calls were not recorded"
    if not run.complete:
        yield "the run is incomplete"
    elif any(problem.code == "spans_missing" for problem in run.problems):
        yield "spans are missing"
