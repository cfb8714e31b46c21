"""The parameters of WebGraph's BvGraph format, and what a page's record contains.

The record of page x describes its links, in ascending order, by these parts:

    number of links
    reference       how many pages before x the page is from whose list some links are copied (0: no page)
    blocks          the lengths of successive parts of that list, which are copied and skipped in turn
    intervals       links to consecutive numbers
    residuals       the remaining links, as gaps

Boldi & Vigna, "The WebGraph Framework I" (WWW 2004), section 3.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from hinterland.analysis.graph import OffsetArray
from hinterland.lab.connectivity.bit_codes import DELTA, GAMMA, UNARY, ZETA

MIN_INTERVAL: Final = 0
ZETA_K: Final = 1
OUTDEGREES: Final = 2
REFERENCES: Final = 3
BLOCK_COUNTS: Final = 4
BLOCKS: Final = 5
RESIDUALS: Final = 6
RESTART_INTERVAL: Final = 7
"""Indices in `BvForm.numbers`, for compiled functions."""

RESTART_PROPERTY: Final = "restartinterval"
"""The key of a property that WebGraph does not know, and ignores."""
_CODES: Final = {"UNARY": UNARY, "GAMMA": GAMMA, "DELTA": DELTA, "ZETA": ZETA}
_NAMES: Final = {code: name for name, code in _CODES.items()}
_PARTS: Final = {
    "OUTDEGREES": "outdegrees",
    "REFERENCES": "references",
    "BLOCK_COUNT": "block_counts",
    "BLOCKS": "blocks",
    "RESIDUALS": "residuals",
    "OFFSETS": "offsets",
}


class UnknownForm(Exception):
    """Raised if a graph is written in an unsupported form; the message names the property."""


@dataclass(frozen=True, slots=True)
class BvForm:
    """The form in which a graph is written.

    The defaults are those of WebGraph, except that pages form groups: no list is copied from an earlier group, so only
    the start of each group must be stored. A group is read from its beginning, so long chains of copies within it cost
    nothing. (WebGraph has no groups, and chains of up to 3.)

        window              the number of previous pages whose lists may be copied
        max_references      the maximum length of a chain of copies
        restart_interval    the number of pages in a group
        min_interval        the least number of consecutive numbers that make an interval (0: no intervals)
        zeta_k              the k of ζ

    The other fields are the codes of each part.
    """

    window: int = 7
    max_references: int = 31
    restart_interval: int = 32
    min_interval: int = 4
    zeta_k: int = 3
    outdegrees: int = GAMMA
    references: int = UNARY
    block_counts: int = GAMMA
    blocks: int = GAMMA
    residuals: int = ZETA
    offsets: int = GAMMA

    @property
    def numbers(self) -> OffsetArray:
        """The parameters as numbers, shape (8,). The code of references is -1 if lists are never copied."""
        references = self.references if self.window else -1
        parts = self.outdegrees, references, self.block_counts, self.blocks, self.residuals
        return np.array([self.min_interval, self.zeta_k, *parts, self.restart_interval], np.int64)

    @property
    def flags(self) -> str:
        """The value of `compressionflags`: the codes that differ from the defaults."""
        usual = {field.name: field.default for field in fields(self)}
        chosen = {part: getattr(self, name) for part, name in _PARTS.items() if getattr(self, name) != usual[name]}
        return "|".join(f"{part}_{_NAMES[code]}" for part, code in chosen.items())

    @classmethod
    def read(cls, properties: dict[str, str]) -> BvForm:
        """Read the form from the properties of a file. Raises UnknownForm."""
        codes = {}
        for flag in filter(None, (each.strip() for each in properties.get("compressionflags", "").split("|"))):
            part, _, code = flag.rpartition("_")
            if part not in _PARTS or code not in _CODES:
                raise UnknownForm(f"compressionflags: {flag} is not supported")
            codes[_PARTS[part]] = _CODES[code]
        sizes = {"windowsize": "window", "maxrefcount": "max_references", "zetak": "zeta_k"}
        sizes |= {"minintervallength": "min_interval", RESTART_PROPERTY: "restart_interval"}
        try:
            numbers = {name: int(properties[key]) for key, name in sizes.items() if key in properties}
        except ValueError as error:
            raise UnknownForm(f"a property is not a whole number: {error}") from error
        if numbers.get("restart_interval", 1) < 1:
            raise UnknownForm(f"restart_interval is {numbers['restart_interval']}; a group has at least one page")
        return cls(**numbers, **codes)
