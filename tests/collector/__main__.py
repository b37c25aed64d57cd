"""Print where a collector for the tests is; build one where there is none yet (`python -m tests.collector`)."""

from __future__ import annotations

import sys

from tests.collector.build import build_collector
from tests.collector.errors import CollectorError
from tests.collector.find import find_collector


def main() -> int:
    """Find or build, then print the executable's path on stdout, or one line on stderr that says why not."""
    try:
        binary = find_collector() or build_collector()
    except CollectorError as error:
        sys.stderr.write(f"collector: {error}\n")
        return 1
    sys.stdout.write(f"{binary}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
