"""The JSON schema of reference files, for editors and other tools: it completes keys and marks slips while typing.

It is data of the package (draft 2020-12), and weaker than `load_references`: what depends on another place of the file
or on the matching engine is told only there.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

__all__ = ["load_reference_schema"]


def load_reference_schema() -> dict[str, Any]:
    """Return the JSON schema of reference files; it is the caller's own copy."""
    schema: dict[str, Any] = json.loads(
        files(__package__).joinpath("reference.schema.json").read_text("utf-8")
    )
    return schema
