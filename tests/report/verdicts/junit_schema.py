"""What a reader of JUnit XML may find: the facts of Jenkins' schema junit-10.xsd (xunit-plugin), as a check.

One thing is allowed beside them: `properties` inside a case, which pytest writes as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET

__all__ = ["check_junit"]

_COUNTS = {"tests", "failures", "errors"}
_REASON = (set[str](), {"message", "type"}, set[str]())
_ELEMENTS: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", *_COUNTS}, {"testsuite"}),
    "testsuite": (
        {"name", *_COUNTS},
        {"time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url", "group"},
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": (
        {"name"},
        {"time", "classname", "group"},
        {"skipped", "error", "failure", "system-out", "system-err", "properties"},
    ),
    "failure": _REASON,
    "error": _REASON,
    "skipped": _REASON,
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "system-out": (set(), set(), set()),
    "system-err": (set(), set(), set()),
}
"""By element: attributes that it needs, others that it may have, elements in it."""

_SECONDS = re.compile(r"(?:[0-9]{0,3},)*[0-9]{0,}(?:\.[0-9]*)?")


def check_junit(root: ET.Element) -> None:
    """Assert that a document is one that readers take, and that its counts are those of its cases."""
    assert root.tag == "testsuites"
    for element in root.iter():
        needed, allowed, inside = _ELEMENTS[element.tag]
        names = set(element.attrib)
        assert needed <= names <= needed | allowed, (element.tag, names)
        assert {child.tag for child in element} <= inside
        if "time" in names:
            assert _SECONDS.fullmatch(element.attrib["time"])
    for counted in (root, *root.findall("testsuite")):
        assert int(counted.attrib["tests"]) == len(list(counted.iter("testcase")))
        assert int(counted.attrib["failures"]) == len(list(counted.iter("failure")))
        assert int(counted.attrib["errors"]) == len(list(counted.iter("error")))
    names_of_cases = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(names_of_cases)) == len(names_of_cases)
