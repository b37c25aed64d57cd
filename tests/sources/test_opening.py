from __future__ import annotations

import io
import os
import threading
from pathlib import Path

import pytest

from otel_traj.errors import SourceError, TrajectoryTypeError
from otel_traj.model import Span
from otel_traj.sources import Source, open_source
from tests.sources.encoding import encode_lines
from tests.sources.reading import read

SPAN = Span(trace_id="0af7651916cd43dd8448eb211c80319c", span_id="b7ad6b7169203331")
LINE = encode_lines([SPAN])


def test_a_source_is_its_own_source(tmp_path: Path) -> None:
    """What is open is not opened again."""
    (tmp_path / "x.jsonl").write_bytes(LINE)
    source = open_source(tmp_path / "x.jsonl")
    assert isinstance(source, Source)
    assert open_source(source) is source


def test_a_place_is_called_as_the_user_named_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative name stays relative."""
    monkeypatch.chdir(tmp_path)
    Path("x.jsonl").write_bytes(LINE)
    assert [open_source(name).name for name in ("x.jsonl", Path("x.jsonl"), ".", "*.jsonl", "-")] == [
        "x.jsonl",
        "x.jsonl",
        ".",
        "*.jsonl",
        "-",
    ]
    assert open_source([SPAN]).name == "<list of spans>"
    assert open_source(["x.jsonl", [SPAN]]).name == "x.jsonl, <list of spans>"


@pytest.mark.parametrize("name", ["~/x.jsonl", Path("~/x.jsonl"), "~/*.jsonl", "~"])
def test_a_leading_tilde_is_the_home_directory(
    name: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shell takes it, in Python and in a quoted pattern too; the source is still called as it was named."""
    monkeypatch.setenv("HOME", os.fspath(tmp_path))
    monkeypatch.setenv("USERPROFILE", os.fspath(tmp_path))
    (tmp_path / "x.jsonl").write_bytes(LINE)
    assert read(name) == ([SPAN], [])
    assert open_source(name).name == os.fspath(name)


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    """What exists by its name is meant by its name."""
    (tmp_path / "traces[1].jsonl").write_bytes(LINE)
    assert read(str(tmp_path / "traces[1].jsonl")) == ([SPAN], [])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_read(tmp_path: Path) -> None:
    """As a shell gives it for `<(...)`; it is opened once only."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    source = open_source(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(LINE,))
    writer.start()
    assert list(source.read_spans(lambda _: None)) == [SPAN]
    writer.join()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.jsonl", "'missing.jsonl' can't be read (No such file or directory)"),
        ("missing-*.jsonl", "'missing-*.jsonl' meets no file"),
        ("https://example.com/traces.json", "no source with the scheme 'https'"),
        ("", "empty name"),
        ("x\0y", "no name of a file"),
        ("x" * 5_000, "can't be read"),
        ("*" * 5_000, "meets no file"),
    ],
)
def test_what_is_not_there_is_an_error_with_three_parts(
    name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found, why it stops us, what to do; and the source as it was named."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError) as raised:
        open_source(name)
    assert words in str(raised.value)
    assert str(raised.value).count(";") == 2
    assert raised.value.source == name


@pytest.mark.skipif(
    os.name == "nt" or getattr(os, "geteuid", lambda: 1)() == 0, reason="the user may read everything"
)
def test_a_file_without_rights_is_refused_at_once(tmp_path: Path) -> None:
    """Before a long reading begins."""
    path = tmp_path / "secret.jsonl"
    path.touch(mode=0o000)
    with pytest.raises(SourceError, match="Permission denied"):
        open_source(path)


def test_a_file_without_rights_is_refused_in_our_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever runs the tests: the operating system's refusal is translated."""
    path = tmp_path / "secret.jsonl"
    path.touch()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SourceError, match="Permission denied"):
        open_source(path)


def test_a_file_that_is_gone_when_it_is_read_is_an_error(tmp_path: Path) -> None:
    """Rotation may remove it between opening and reading."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(LINE)
    source = open_source(path)
    path.unlink()
    with pytest.raises(SourceError, match="No such file"):
        list(source.read_spans(lambda _: None))


def test_a_list_that_holds_itself_is_a_type_error() -> None:
    """Its members would never end."""
    members: list[object] = ["-"]
    members += [members, members, members]
    with pytest.raises(TrajectoryTypeError, match="nested more than 8 deep"):
        open_source(members)


@pytest.mark.parametrize(
    "source",
    [
        None,
        5,
        1.5,
        object(),
        b"traces.jsonl",
        bytearray(),
        {"resourceSpans": []},
        SPAN,
        io.StringIO("{}"),
        io.BytesIO(b"{}"),
        [5],
        ["-", 5],
        (SPAN, "-"),
        int,
    ],
    ids=repr,
)
def test_what_holds_no_spans_is_a_type_error(source: object) -> None:
    """The message lists what can be read; a list is looked through at once."""
    with pytest.raises(TrajectoryTypeError, match="is no source of spans"):
        open_source(source)


def test_an_empty_list_is_a_source_without_spans() -> None:
    """It is a place with nothing in it, not a wrong type."""
    spans, problems = read([])
    assert (spans, [problem.code for problem in problems]) == ([], ["empty_source"])


def test_what_turns_out_to_be_no_span_is_a_type_error() -> None:
    """An iterator can be looked at only while it is read."""
    reading = open_source(iter([SPAN, "x"])).read_spans(lambda _: None)
    assert next(reading) is SPAN
    with pytest.raises(TrajectoryTypeError, match=r"item 1 .* is a str"):
        next(reading)


def test_one_empty_file_among_others_is_no_problem(tmp_path: Path) -> None:
    """A collector that has just rotated has an empty live file."""
    (tmp_path / "traces-2026-11-30T09-48-52.188-size.jsonl").write_bytes(LINE)
    (tmp_path / "traces.jsonl").touch()
    assert read(tmp_path) == ([SPAN], [])


def test_a_packed_file_in_a_directory_that_is_cut_is_told(tmp_path: Path) -> None:
    """Its spans are not read, and not in silence."""
    (tmp_path / "a.jsonl").write_bytes(LINE)
    (tmp_path / "b.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00")
    spans, problems = read(tmp_path)
    assert spans == [SPAN]
    assert [(problem.code, problem.source, problem.offset) for problem in problems] == [
        ("unfinished_line", str(tmp_path / "b.jsonl.gz"), 0)
    ]


@pytest.mark.parametrize("pattern", ["", "/*.jsonl"])
def test_one_file_of_several_that_can_not_be_opened_costs_only_itself(tmp_path: Path, pattern: str) -> None:
    """It is a problem that names the file; the others are read."""
    (tmp_path / "a.jsonl").write_bytes(LINE)
    (tmp_path / "b.jsonl").symlink_to("nowhere.jsonl")
    (tmp_path / "c.jsonl").write_bytes(LINE)
    spans, problems = read(f"{tmp_path}{pattern}")
    assert spans == [SPAN, SPAN]
    assert [(problem.code, problem.source) for problem in problems] == [
        ("unreadable_file", str(tmp_path / "b.jsonl"))
    ]
    assert "No such file" in problems[0].message


def test_files_none_of_which_can_be_opened_are_an_error(tmp_path: Path) -> None:
    """There is nothing to read, and that is no empty source."""
    (tmp_path / "b.jsonl").symlink_to("nowhere.jsonl")
    with pytest.raises(SourceError, match="No such file"):
        read(tmp_path)


def test_a_file_that_grows_while_it_is_read_ends_where_it_ended_when_it_was_opened(tmp_path: Path) -> None:
    """A writer that is faster than the reader does not keep it for ever; the line it was in is read to its end."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(LINE + LINE[:50])
    with path.open("ab") as writer:
        reading = open_source(path).read_spans(lambda _: None)
        assert next(reading) == SPAN
        writer.write(LINE[50:] + LINE * 5_000)
        writer.flush()
        assert list(reading) == [SPAN]
        assert len(list(open_source(path).read_spans(lambda _: None))) == 5_002


def test_a_directory_is_listed_at_each_reading(tmp_path: Path) -> None:
    """Files that come later are read later."""
    (tmp_path / "a.jsonl").write_bytes(LINE)
    source = open_source(tmp_path)
    (tmp_path / "b.jsonl").write_bytes(LINE)
    assert list(source.read_spans(lambda _: None)) == [SPAN, SPAN]


def test_a_closed_stdin_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service without stdin gets a sentence, no traceback."""
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(SourceError, match="stdin is closed"):
        read("-")
