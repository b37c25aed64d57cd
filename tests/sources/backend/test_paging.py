from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from otel_traj.sources.backend.paging import PAGE, Found, Page, find_newest
from otel_traj.sources.backend.window import Scope, Window

SECOND = 10**9
starts = st.lists(st.integers(0, 3_600 * SECOND), max_size=60)


class Store:
    """Answers searches as a backend does: the newest so many, without a word on the rest."""

    def __init__(self, times: list[int], *, most: int = PAGE) -> None:
        """Keep traces that begin at these times; give no more than so many at once."""
        self.traces = [
            Found(trace_id=f"{number:032x}", start_ns=time) for number, time in enumerate(times, 1)
        ]
        self.most = most
        self.windows: list[Window] = []

    def ask(self, window: Window, size: int) -> Page:
        """Return one page."""
        self.windows.append(window)
        size = min(size, self.most)
        inside = [trace for trace in self.traces if window.since_ns <= trace.start_ns <= window.until_ns]
        newest = sorted(inside, key=lambda trace: -trace.start_ns)[:size]
        return Page(found=tuple(newest), is_full=len(newest) >= size)


def scope(limit: int, until_ns: int = 3_600 * SECOND) -> Scope:
    """Return an hour with a limit."""
    return Scope(window=Window(since_ns=0, until_ns=until_ns), limit=limit)


@given(starts, st.integers(1, 30))
def test_the_newest_are_found_however_small_the_pages(times: list[int], limit: int) -> None:
    """P24: a place that gives only a few at once is paged by time, and nothing is left out or given twice."""
    store = Store(times, most=3)
    # Traces that begin in the same two seconds can't be told apart by time.
    crowded = any(sum(abs(one - two) <= 2 * SECOND for two in times) > 2 for one in times)
    found, is_cut = find_newest(store.ask, scope(limit))
    assert len({trace.trace_id for trace in found}) == len(found) <= limit
    if not crowded:
        wanted = sorted(store.traces, key=lambda trace: (-trace.start_ns, trace.trace_id))[:limit]
        assert [trace.start_ns for trace in found] == [trace.start_ns for trace in wanted]
        assert is_cut or len(found) == len(times)


def test_what_may_have_been_left_out_is_said() -> None:
    """At the limit; and where more begin at one moment than the place gives at once."""
    assert find_newest(Store([1, 2]).ask, scope(3))[1] is False
    assert find_newest(Store([1, 2, 3]).ask, scope(3))[1] is True
    assert find_newest(Store([SECOND] * 9, most=3).ask, scope(20))[1] is True


def test_one_question_is_enough_for_a_few() -> None:
    """The newest 20 are one answer; time is not halved for what was not asked for."""
    store = Store([number * SECOND for number in range(100)])
    assert len(find_newest(store.ask, scope(20))[0]) == 20
    assert len(store.windows) == 1


def test_a_large_limit_is_asked_for_in_pages() -> None:
    """P06: however many are wanted, no single question asks for more than a page."""
    sizes: list[int] = []
    store = Store([number * SECOND for number in range(1_200)])

    def ask(window: Window, size: int) -> Page:
        sizes.append(size)
        return store.ask(window, size)

    found, is_cut = find_newest(ask, scope(100_000))
    assert (len(found), is_cut) == (1_200, False)
    assert max(sizes) == PAGE


def test_a_long_time_is_cut_where_the_place_takes_only_shorter_ones() -> None:
    """The pieces cover all of it, the newest first."""
    store = Store([0, 5_000 * SECOND, 10_000 * SECOND])
    found, _ = find_newest(store.ask, scope(20, 10_000 * SECOND), longest_ns=3_000 * SECOND)
    assert [trace.start_ns for trace in found] == [10_000 * SECOND, 5_000 * SECOND, 0]
    assert all(window.until_ns - window.since_ns <= 3_000 * SECOND for window in store.windows)
    assert store.windows[0].until_ns == 10_000 * SECOND


def test_questions_come_to_an_end() -> None:
    """A place that always says there is more is not asked for ever."""
    asked = 0

    def ask(_: Window, __: int) -> Page:
        nonlocal asked
        asked += 1
        return Page(found=(), is_full=True)

    assert find_newest(ask, scope(20, 10**18)) == ([], True)
    assert asked <= 2_000
