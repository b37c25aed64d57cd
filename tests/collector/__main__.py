"""Print where a collector for the tests is; build one where there is none yet (`python -m tests.collector`)."""

from __future__ import annotations

import sys

from tests.backends.build import build
from tests.backends.need import print_path
from tests.collector.find import find_collector
from tests.collector.recipe import COLLECTOR

if __name__ == "__main__":
    sys.exit(print_path(COLLECTOR.name, lambda: find_collector() or build(COLLECTOR)))
