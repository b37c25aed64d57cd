"""`python -m otel_traj` is the command `otel-traj`."""

from __future__ import annotations

import sys

from otel_traj.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
