"""What holds for all tests: hypothesis measures no time, because machines are busy in ways that no test is about."""

from __future__ import annotations

import hypothesis

hypothesis.settings.register_profile("tests", deadline=None)
hypothesis.settings.load_profile("tests")
