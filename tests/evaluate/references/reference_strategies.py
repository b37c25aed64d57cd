"""References as `load_references` makes them, of any shape and with names of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st
from msgspec.structs import replace

from otel_traj import (
    Any,
    ArgsMatch,
    Gap,
    Glob,
    InvalidReferenceError,
    OneOf,
    ReferenceStep,
    Regex,
    Repeat,
    Rules,
    Tool,
)
from otel_traj.errors import TrajectoryValueError
from otel_traj.evaluate import AppliesTo, Reference
from otel_traj.evaluate.references.matcher import prepare
from otel_traj.evaluate.references.reference import ExpectedResults, ExpectedThread

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    from otel_traj.match.reference.name_patterns import Entry

__all__ = ["HOSTILE", "files", "names", "values"]

HOSTILE = [
    *("no", "y", "N", "null", "~", "true", "1", "1e5", "0o17", "0x1f", "1_000", ".inf", "12:30", "2026-01-01", "=", "<<"),
    *("a: b", "a #b", "# a", "- a", "? a", "*a", "&a", "!a", "%a", "@a", "`a`", "{a", "[a]", "a,b", "'a", '"a', "a\\b"),
    *(" a", "a ", "a  b", "-", "...", "---", ":", "a:", "|", ">", "\ta", "a\nb", "a\r\nb", "\x00", "\x1b[31m", "\x7f"),
    *("\x85", "\xa0", "\u2028", "\u202e", "\ufeff", "\uffff", "\U0001f600", "caf\u00e9", "node>tool", "a/b", "x" * 1_100),
]  # fmt: skip
"""Names that stand for something else, or for nothing, where they are written without care."""

_letters = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
_any_name = st.sampled_from(["a", "b", "c"]) | st.sampled_from(HOSTILE) | _letters


@st.composite
def _build_name(draw: DrawFn) -> str:
    """Stand for the strategy of names, whose repr would otherwise be in that of every other, many times."""
    return draw(_any_name)


names = _build_name()
_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
)
_data = st.recursive(
    _scalars | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=5,
)
values = _data.filter(lambda value: value is not None)
_paths = st.lists(st.lists(names, min_size=1, max_size=3), min_size=1, max_size=2)
_args_rules = st.sampled_from(["exact", "ignore", "subset", "superset"]) | _paths.map(
    lambda keys: ArgsMatch(keys=keys)
)
_modes = st.sampled_from(["exact", "unordered", "subset", "superset", "at_most", "at_least"])
_counts = st.integers(0, 3)


@st.composite
def _build_bounds(draw: DrawFn) -> dict[str, int | None]:
    least = draw(_counts)
    return {"min": least, "max": draw(st.none() | st.integers(max(least, 1), 4))}


def _make_patterns() -> SearchStrategy[Entry]:
    simple: SearchStrategy[Entry] = (
        names | names.map(Glob) | st.sampled_from([Regex("a+|b"), Regex(r"\w: #"), Any()])
    )
    return simple | st.lists(simple, min_size=1, max_size=3).map(lambda choices: OneOf(*choices))


_patterns = _make_patterns()


@st.composite
def _build_tool(draw: DrawFn) -> Tool:
    args = draw(st.none() | st.dictionaries(names, _data, max_size=2) | names)
    return Tool(draw(_patterns), args, None if args is None else draw(st.none() | _args_rules))


def _make_steps(entries: SearchStrategy[Entry]) -> SearchStrategy[list[object]]:
    supersteps = st.lists(entries, max_size=3)
    single = (
        supersteps
        | st.builds(
            lambda nodes, mode, bounds: ReferenceStep(nodes, mode, **bounds),
            supersteps,
            st.none() | _modes,
            _build_bounds(),
        )
        | st.just(Gap())
    )

    def nest(inner: SearchStrategy[object]) -> SearchStrategy[object]:
        rows = st.lists(inner, min_size=1, max_size=2)
        loops = st.builds(lambda steps, bounds: Repeat(steps, **bounds), rows, _build_bounds())
        marked = rows.filter(
            lambda row: any(isinstance(step, list | ReferenceStep | Repeat | Gap) for step in row)
        )
        return loops | st.lists(inner | marked, min_size=1, max_size=3).map(lambda choices: OneOf(*choices))

    # The first superstep sees to it that something is expected.
    return st.lists(st.recursive(single, nest, max_leaves=4), max_size=4).map(
        lambda steps: [["first"], *steps]
    )


def _make_rules(entries: SearchStrategy[Entry]) -> SearchStrategy[Rules]:
    pairs = st.lists(st.lists(entries, min_size=2, max_size=2, unique_by=repr), max_size=1)
    groups = st.lists(st.lists(entries, min_size=2, max_size=3, unique_by=repr), max_size=1)
    some = st.lists(entries, max_size=1)
    visits = st.dictionaries(entries, _counts, max_size=2)
    rules: dict[str, SearchStrategy[object]] = {
        **dict.fromkeys(("forbidden", "required"), some),
        **dict.fromkeys(("before", "follows"), pairs),
        **dict.fromkeys(("max_visits", "min_visits"), visits),
        "same_step": groups,
        "max_supersteps": st.none() | _counts,
    }
    given = st.fixed_dictionaries({}, optional=rules)
    return given.filter(lambda rules: _try_rules(rules) is not None).map(lambda rules: Rules(**rules))  # type: ignore[arg-type]


def _try_rules(given: dict[str, object]) -> Rules | None:
    try:
        return Rules(**given)  # type: ignore[arg-type]
    except InvalidReferenceError:
        return None


_applies_to = st.builds(
    AppliesTo,
    graph=st.none() | names,
    case=st.none() | names,
    thread=st.none() | names,
    tags=st.lists(names, max_size=2).map(tuple),
    inputs=st.none() | values,
    attributes=st.dictionaries(names, values, max_size=2),
)
_status = st.lists(st.sampled_from(["ok", "error", "interrupted", "cancelled"]), min_size=1, unique=True).map(
    tuple
)


_tools = _build_tool()
_steps = {"nodes": _make_steps(_patterns), "tools": _make_steps(_patterns | _tools)}
_rules = {"nodes": _make_rules(_patterns), "tools": _make_rules(_patterns | _patterns.map(Tool))}
_results = st.builds(ExpectedResults, value=values, mode=st.sampled_from(["exact", "subset", "superset"]))
_calls = st.lists(
    st.fixed_dictionaries({"nth": st.integers(1, 9), "chooses": st.lists(_patterns | _tools, max_size=2)}),
    min_size=1,
    max_size=2,
    unique_by=lambda call: call["nth"],
)
_ignored = st.lists(names.map("ignored ".__add__) | st.just(Glob("ignored*")), max_size=2).map(tuple)
_options = st.fixed_dictionaries(
    {},
    optional={
        "depth": st.none() | _counts,
        "status": _status,
        "trajectory_mode": st.sampled_from(["starts_with", "so_far", "contains", "flat_superset"]),
        "step_mode": _modes,
        "duplicates": st.just("ignore"),
        "ignore": _ignored,
        "source": st.lists(names, max_size=2).map(tuple),
        "applies_to": _applies_to,
    },
)
_args = _args_rules | st.dictionaries(names, _args_rules, min_size=1, max_size=2)


@st.composite
def _build_reference(draw: DrawFn) -> Reference:
    level = draw(st.sampled_from(["nodes", "nodes", "tools", "both"]))
    kind = "nodes" if level == "nodes" else "tools"
    fields: dict[str, object] = {**draw(_options)}
    shape = draw(st.sampled_from(["steps", "any_of", "none"]))
    if shape == "steps":
        fields["steps"] = draw(_steps[kind])
    if shape == "any_of":
        fields["any_of"] = draw(st.lists(_steps[kind], min_size=1, max_size=2))
    others: dict[str, SearchStrategy[object]] = {
        "rules": _rules[kind],
        "results": _results,
        "model_calls": _calls,
    }
    for part in draw(
        st.lists(st.sampled_from(sorted(others)), min_size=shape == "none", max_size=2, unique=True)
    ):
        fields[part] = draw(others[part])
    if (level != "nodes" or "model_calls" in fields) and draw(st.booleans()):
        fields["args"] = draw(_args)
    return Reference(name="x", level=level, **fields)  # type: ignore[arg-type]


def _is_comparable(reference: Reference) -> bool:
    if all(
        getattr(reference, part) is None for part in ("steps", "any_of", "rules", "results", "model_calls")
    ):
        return False
    try:
        prepare(reference)
    except (InvalidReferenceError, TrajectoryValueError):
        return False
    return True


_references = _build_reference().filter(_is_comparable)


@st.composite
def files(draw: DrawFn) -> list[Reference]:
    """Return the references of a file: of runs, and perhaps one of threads."""
    said = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    references = [replace(draw(_references), name=name) for name in said]
    if len(references) > 1:
        runs = draw(st.lists(st.sampled_from(said[1:]), min_size=1, max_size=3).map(tuple))
        mode = draw(st.sampled_from(["strict", "each", "any"])) if len(runs) == 1 else "strict"
        thread = ExpectedThread(runs=runs, mode=mode)  # type: ignore[arg-type]
        references[0] = Reference(name=said[0], applies_to=draw(_applies_to), thread=thread)
    return references
