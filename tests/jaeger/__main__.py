"""Print where a Jaeger for the tests is; build one where there is none yet (`python -m tests.jaeger`)."""

from __future__ import annotations

import sys

from tests.backends.build import build
from tests.backends.need import print_path
from tests.jaeger.find import find_jaeger
from tests.jaeger.recipe import JAEGER

if __name__ == "__main__":
    sys.exit(print_path(JAEGER.name, lambda: find_jaeger() or build(JAEGER)))
