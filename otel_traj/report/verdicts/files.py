"""Reports as files: which form goes under which name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from msgspec import Struct

from otel_traj.errors import TrajectoryValueError
from otel_traj.report.verdicts.junit import format_junit
from otel_traj.report.verdicts.markdown import format_markdown
from otel_traj.report.verdicts.report_json import format_report_json
from otel_traj.report.verdicts.verdicts import format_report
from otel_traj.report.whole_file import write_whole_file

if TYPE_CHECKING:
    from otel_traj.evaluate import Report
    from otel_traj.report.prices import Prices
    from otel_traj.report.trace_link import TraceLink

__all__ = ["ReportFile", "ReportForm", "read_report_option", "write_report"]

ReportForm: TypeAlias = Literal["text", "json", "junit", "markdown"]

_FORMS: Final = get_args(ReportForm)


class ReportFile(Struct, frozen=True, kw_only=True):
    """A form of a report, and the file it goes to."""

    form: ReportForm
    path: str


def read_report_option(text: str) -> ReportFile:
    """Return what `FORMAT=PATH` means.

    Args:
        text: As typed.

    Raises:
        TrajectoryValueError: The form is none, or no file is named.
    """
    form, separator, path = text.partition("=")
    for known in _FORMS:
        if separator and form == known and path not in ("", "-"):
            return ReportFile(form=known, path=path)
    reason = "names no file (stdout has --format)" if form in _FORMS else "begins with no format"
    raise TrajectoryValueError(f"{text!r} {reason}; write FORMAT=PATH with FORMAT one of {', '.join(_FORMS)}")


def write_report(
    report: Report, file: ReportFile, *, link: TraceLink | None = None, prices: Prices | None = None
) -> None:
    """Write a report into a file, over what is there.

    Args:
        report: What `evaluate_runs` returned.
        file: Where, and in which form.
        link: Makes the links of each run.
        prices: What model calls cost.

    Raises:
        SinkError: The file can't be written; what was there is still there.
    """
    if file.form == "text":
        text = format_report(report, link=link, prices=prices)
    elif file.form == "json":
        text = format_report_json(report, link=link, prices=prices)
    elif file.form == "junit":
        text = format_junit(report, link=link, prices=prices)
    else:
        text = format_markdown(report, link=link, prices=prices)
    write_whole_file(file.path, f"{text}\n", what=f"the {file.form} report")
