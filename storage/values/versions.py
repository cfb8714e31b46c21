"""Earlier texts of a page, each kept as what it differs in from the one that followed. Pure.

A text is a zstd frame that refers to the next version as its dictionary (RFC 8878, section 6: raw content), so what
both have in common takes next to nothing, and from the text that is stored one gets to the earlier ones step by step.
"""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_LEAST_DICTIONARY = 8
"""Bytes; zstd takes none that is shorter."""


class VersionLost(Exception):
    """An earlier version cannot be had, or not any more; the message says why."""


def difference_from(text: bytes, after: bytes) -> bytes:
    """What brings `text` back once `after` is at hand."""
    dictionary = _dictionary(after)
    return zstd.compress(text, options=_options(text, after), zstd_dict=dictionary)


def text_before(difference: bytes, after: bytes) -> bytes:
    """Raises VersionLost if `after` is not the text that followed."""
    try:
        return zstd.decompress(difference, zstd_dict=_dictionary(after))
    except zstd.ZstdError as error:
        raise VersionLost(f"the text before cannot be made from the one after: {error}") from error


def _dictionary(after: bytes) -> zstd.ZstdDict | None:
    return None if len(after) < _LEAST_DICTIONARY else zstd.ZstdDict(after, is_raw=True)


def _options(text: bytes, after: bytes) -> dict[int, int]:
    """A window that reaches from the end of the text to the beginning of the dictionary, and a checksum, since a wrong
    dictionary goes unnoticed otherwise.
    """
    window = max((len(text) + len(after)).bit_length(), 10)
    return {
        zstd.CompressionParameter.window_log: min(window, 27),
        zstd.CompressionParameter.checksum_flag: 1,
        zstd.CompressionParameter.enable_long_distance_matching: 1,
    }
