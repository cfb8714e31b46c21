"""The numbers of a report, for programs. Pure."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from math import isfinite
from typing import Any

import numpy as np

from hinterland.lab.structure.components import Region
from hinterland.lab.structure.report import StructureReport


def as_json(report: StructureReport) -> dict[str, Any]:
    """Return the report as JSON values; NaN becomes null, and regions are given by name."""
    found: dict[str, Any] = _plain(report)
    regions = dict(zip((region.name.lower() for region in Region), report.regions, strict=True))
    found["regions"] = regions
    if found["hosts"] is not None:
        del found["hosts"]["tie"]["regions"]  # one number for each host, which nobody needs
    return found


def _plain(value: Any) -> Any:
    match value:
        case Enum():
            return value.name.lower()
        case float() | np.floating():
            return float(value) if isfinite(value) else None
        case np.integer():
            return int(value)
        case np.ndarray():
            return [_plain(each) for each in value.tolist()]
        case dict():
            return {str(key): _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case _ if is_dataclass(value):
            return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        case _:
            return value
