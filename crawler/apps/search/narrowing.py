"""Conditions added to a query and taken away again, as the links beside its results do. Pure."""

from __future__ import annotations

import re
from typing import Final

_CONDITION: Final = re.compile(r'(?<!\S)(site|lang|type|year|topic|since):("[^"]*"|\S+)', re.IGNORECASE)


def narrowed(query: str, operator: str, value: str) -> str:
    """The query with one more condition, in place of the site that it may name."""
    kept = re.sub(r"(?<!\S)site:\S+\s*", "", query).strip() if operator == "site" else query.strip()
    quoted = f'"{value}"' if re.search(r"\s", value) else value
    return f"{kept} {operator}:{quoted}".strip()


def narrowed_by(query: str) -> list[tuple[str, str]]:
    """Each condition as it is written, and the query without it."""
    return [
        (found[0], " ".join((query[: found.start()] + query[found.end() :]).split()))
        for found in _CONDITION.finditer(query)
    ]
