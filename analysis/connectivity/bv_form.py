"""The parameters of WebGraph's BvGraph format, and its record of a page.

The links of page x, ascending, are written as: their number; how far back the page is from whose list some are copied
(0: none); of that list the lengths of blocks, copied and skipped by turns; intervals of consecutive numbers; the rest,
as gaps. Boldi & Vigna, "The WebGraph Framework I" (WWW 2004), section 3.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from analysis.connectivity.bit_codes import DELTA, GAMMA, UNARY, ZETA
from analysis.graph import OffsetArray

MIN_INTERVAL: Final = 0
ZETA_K: Final = 1
OUTDEGREES: Final = 2
REFERENCES: Final = 3
BLOCK_COUNTS: Final = 4
BLOCKS: Final = 5
RESIDUALS: Final = 6
"""Places in `BvForm.numbers`, as compiled functions read them."""

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
    """How a graph is written. The defaults are those of WebGraph, but for chains of 5 instead of 3: 4 % fewer bits a
    link, for a tenth more time at random.

    window: how far back a list may be copied from. max_references: the longest chain of copies, which bounds what
    access at random costs. min_interval: of so many consecutive numbers; 0 for no intervals. zeta_k: the k of ζ. The
    others are the codes of each part.
    """

    window: int = 7
    max_references: int = 5
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
        """Shape (7,); the code of references is -1 if there are none."""
        references = self.references if self.window else -1
        parts = self.outdegrees, references, self.block_counts, self.blocks, self.residuals
        return np.array([self.min_interval, self.zeta_k, *parts], np.int64)

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
        sizes["minintervallength"] = "min_interval"
        try:
            numbers = {name: int(properties[key]) for key, name in sizes.items() if key in properties}
        except ValueError as error:
            raise UnknownForm(f"a property that should be a whole number is not: {error}") from error
        return cls(**numbers, **codes)
