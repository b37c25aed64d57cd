"""Reports as files."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import SinkError, TrajectoryValueError
from otel_traj.report import (
    ReportFile,
    format_junit,
    format_markdown,
    format_report,
    format_report_json,
    read_report_option,
    write_report,
)
from tests.report.verdicts.judged import build_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from otel_traj import Report
    from otel_traj.report.verdicts.files import ReportForm

_FORMS: dict[ReportForm, Callable[[Report], str]] = {
    "text": format_report,
    "json": format_report_json,
    "junit": format_junit,
    "markdown": format_markdown,
}


@pytest.mark.parametrize("form", _FORMS)
def test_each_form_is_written_over_what_is_there(tmp_path: Path, form: ReportForm) -> None:
    """The file holds the form and a newline, and nothing else is left in the folder."""
    path = tmp_path / "a=b.out"
    path.write_text("old", "utf-8")
    file = read_report_option(f"{form}={path}")
    assert file == ReportFile(form=form, path=str(path))
    write_report(build_report(), file)
    assert path.read_text("utf-8") == _FORMS[form](build_report()) + "\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    """A folder that is not there, or is in the way: refused in words, nothing left behind."""
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "absent" / "r.xml", tmp_path / "folder"):
        with pytest.raises(SinkError, match="the junit report can't be written to") as raised:
            write_report(build_report(), ReportFile(form="junit", path=str(path)))
        assert raised.value.path == str(path)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """A symbolic link is followed, not replaced."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old", "utf-8")
    link.symlink_to(target)
    write_report(build_report(), ReportFile(form="text", path=str(link)))
    assert link.is_symlink()
    assert target.read_text("utf-8").startswith("FAIL")


def test_a_pipe_is_written_straight(tmp_path: Path) -> None:
    """What is no regular file gets the text, and stays what it is."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(path.read_text("utf-8")))
    reader.start()
    write_report(build_report(), ReportFile(form="text", path=str(path)))
    reader.join(timeout=60)
    assert read == [format_report(build_report()) + "\n"]
    assert path.is_fifo()


@pytest.mark.parametrize("text", ["", "junit", "junit=", "junit=-", "html=r.html", "=r.xml", "JUNIT=r.xml"])
def test_what_names_no_report_is_refused(text: str) -> None:
    """Another format, none, or no file: refused with what is allowed."""
    with pytest.raises(TrajectoryValueError, match="FORMAT one of text, json, junit, markdown"):
        read_report_option(text)
