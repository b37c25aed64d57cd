"""The command line: parse, call one library function, print; a module per command.

stdout is the answer and nothing else, so that it can be piped; problems, hints and errors go to stderr. Exit
codes: 0, and for `eval` and `doctor` 1 and 2 as the library decides; 2 for whatever kept a command from answering;
130 after Ctrl-C, 141 where the reader of the pipe has gone, as a shell reports the two signals.

Nothing that records is imported unless `demo` runs: the other commands start without langchain and langgraph.
"""

from __future__ import annotations

from otel_traj.cli.program import main, make_parser

__all__ = ["main", "make_parser"]
