"""The name and the columns of the table of statements that pages and their header fields make about their use. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hinterland.storage.values.uses import Use

TABLE: Final = "usage_statements"
COLUMNS: Final[Mapping[Use, str]] = {use: use.replace("-", "_") for use in Use}
"""The column of the table for each use: 1 if it is allowed, 0 if it is disallowed, NULL if nothing is said about it."""
