"""Price files."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from otel_traj.errors import InvalidReferenceError, TrajectoryValueError
from otel_traj.report import load_prices

_YAML = """\
currency: USD
models:
  big-1: {input: 2.5, output: 10, cache_read: 0.25, cache_write: 3.125}
  big-*: {input: 5, output: 20}
"""
_JSON = """\
{"currency": "USD", "models": {
  "big-1": {"input": 2.5, "output": 10, "cache_read": 0.25, "cache_write": 3.125},
  "big-*": {"input": 5, "output": 20}}}
"""


@pytest.mark.parametrize(("name", "text"), [("prices.yaml", _YAML), ("prices.json", _JSON)])
def test_prices_are_exact(tmp_path: Path, name: str, text: str) -> None:
    """YAML and JSON give the same prices, as decimal numbers; the first pattern that matches holds."""
    (tmp_path / name).write_text(text, "utf-8")
    prices = load_prices(tmp_path / name)
    assert prices.currency == "USD"
    big = prices.find("big-1")
    assert big is not None
    assert [big.input, big.output, big.cache_read, big.cache_write] == [
        Decimal("2.5"),
        Decimal(10),
        Decimal("0.25"),
        Decimal("3.125"),
    ]
    other = prices.find("big-2")
    assert other is not None
    assert (other.input, other.cache_read) == (Decimal(5), None)
    assert prices.find("BIG-1") is None
    assert prices.find("small") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "prices.yaml:1:1: the file is empty"),
        ("[]", "prices.yaml:1:1: a price file must be a map"),
        ("currency: USD\n", "prices.yaml:1:1: a price file needs models"),
        ("models: {m: {input: 1, output: 1}}\n", "a price file needs currency"),
        (
            "currency: 7\nmodels: {m: {input: 1, output: 1}}\n",
            "prices.yaml:1:11: the currency must be a text",
        ),
        ("currency: USD\nmodels: {}\n", "prices.yaml:2:9: models are empty"),
        ("currency: USD\nmodels: {m: 3}\n", "prices.yaml:2:13: the price of 'm' must be a map"),
        ("currency: USD\nmodels: {m: {input: 1}}\n", "the price of 'm' needs output"),
        ("currency: USD\nmodels: {m: {input: 1, output: 1, reasoning: 2}}\n", "reasoning"),
        (
            "currency: USD\nmodels: {m: {input: -1, output: 1}}\n",
            "prices.yaml:2:21: input of the price of 'm' must",
        ),
        (
            "currency: USD\nmodels: {m: {input: '1', output: 1}}\n",
            "must be a number from 0, found the text '1'",
        ),
        (
            "currency: USD\nmodels: {m: {input: true, output: 1}}\n",
            "must be a number from 0, found the boolean",
        ),
        ("currency: USD\nmodels: {m: {input: 1, output: .nan}}\n", "'.nan' without quotes"),
        ("currency: USD\nmodels: {m: {input: 1, output: [1]}}\n", "must be a number from 0, found a list"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    """What is not understood is refused with file, line and column."""
    path = tmp_path / "prices.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidReferenceError, match=r"prices\.yaml:") as raised:
        load_prices(path)
    assert words in str(raised.value)


def test_the_file_of_the_docs_is_one(tmp_path: Path) -> None:
    """The price file that docs/reports.md shows can be read."""
    page = (Path(__file__).parents[2] / "docs" / "reports.md").read_text("utf-8")
    text = page.partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "prices.yaml").write_text(text, "utf-8")
    prices = load_prices(tmp_path / "prices.yaml")
    large = prices.find("large-2")
    assert large is not None
    assert large.output == 15


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """No file, a folder, no UTF-8, or too much of it: refused in words."""
    (tmp_path / "latin.yaml").write_bytes(b"currency: \xa3")
    (tmp_path / "large.yaml").write_bytes(b" " * (1024 * 1024 + 1))
    for name in ("absent.yaml", ".", "latin.yaml", "large.yaml"):
        with pytest.raises(TrajectoryValueError, match="the price file"):
            load_prices(tmp_path / name)
