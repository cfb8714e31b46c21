"""The parameters of WebGraph's BvGraph format, and its record of a page.

The links of page x, ascending, are written as: their number; how far back the page is from whose list some are copied
(0: none); of that list the lengths of blocks, copied and skipped by turns; intervals of consecutive numbers; the rest,
as gaps. Boldi & Vigna, "The WebGraph Framework I" (WWW 2004), section 3.
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
"""Places in `BvForm.numbers`, as compiled functions read them."""

RESTART_PROPERTY: Final = "restartinterval"
"""A line that WebGraph does not know, and leaves alone."""
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
    """A graph is written in a way that is not understood here; the message names what."""


@dataclass(frozen=True, slots=True)
class BvForm:
    """How a graph is written. The defaults are those of WebGraph, but for the groups of pages: nothing is copied from
    the group before, so that only where groups begin has to be kept. As a group is read from its beginning, chains of
    copies within it cost nothing more and may be as long as they will (WebGraph has no groups, and chains of 3).

    window: how far back a list may be copied from. max_references: the longest chain of copies. restart_interval: pages
    in a group. min_interval: of so many consecutive numbers; 0 for no intervals. zeta_k: the k of ζ. The others are the
    codes of each part.
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
        """Shape (8,); the code of references is -1 if there are none."""
        references = self.references if self.window else -1
        parts = self.outdegrees, references, self.block_counts, self.blocks, self.residuals
        return np.array([self.min_interval, self.zeta_k, *parts, self.restart_interval], np.int64)

    @property
    def flags(self) -> str:
        """`compressionflags`: the codes that are not the default ones."""
        usual = {field.name: field.default for field in fields(self)}
        chosen = {part: getattr(self, name) for part, name in _PARTS.items() if getattr(self, name) != usual[name]}
        return "|".join(f"{part}_{_NAMES[code]}" for part, code in chosen.items())

    @classmethod
    def read(cls, properties: dict[str, str]) -> BvForm:
        """From the properties of a file. Raises UnknownForm."""
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
            raise UnknownForm(f"a property that should be a whole number is not: {error}") from error
        if numbers.get("restart_interval", 1) < 1:
            raise UnknownForm(f"restart_interval is {numbers['restart_interval']}; a group has a page at least")
        return cls(**numbers, **codes)
