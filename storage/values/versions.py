"""Earlier texts of a page, each stored as its difference from the text that replaced it. Pure.

A text is a zstd frame that uses the next version as its dictionary (RFC 8878, section 6: raw content), so the common
part takes almost no space. Beginning with the stored text, the earlier ones are reconstructed step by step.
"""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_LEAST_DICTIONARY = 8
"""The least length of a dictionary in bytes; zstd accepts no shorter ones."""


class VersionLost(Exception):
    """An earlier version of a page is not available; the message says why."""


def difference_from(text: bytes, after: bytes) -> bytes:
    """Return a frame from which `text` can be restored if `after`, the text that replaced it, is at hand."""
    dictionary = _dictionary(after)
    return zstd.compress(text, options=_options(text, after), zstd_dict=dictionary)


def text_before(difference: bytes, after: bytes) -> bytes:
    """Return the earlier text, given the text that replaced it.

    Raises VersionLost if `after` is not that text.
    """
    try:
        return zstd.decompress(difference, zstd_dict=_dictionary(after))
    except zstd.ZstdError as error:
        raise VersionLost(f"the earlier text cannot be reconstructed from the later one: {error}") from error


def _dictionary(after: bytes) -> zstd.ZstdDict | None:
    return None if len(after) < _LEAST_DICTIONARY else zstd.ZstdDict(after, is_raw=True)


def _options(text: bytes, after: bytes) -> dict[int, int]:
    """Return options for compression: a window that spans the text and its dictionary, and a checksum.

    Without the checksum, a wrong dictionary would go unnoticed.
    """
    window = max((len(text) + len(after)).bit_length(), 10)
    return {
        zstd.CompressionParameter.window_log: min(window, 27),
        zstd.CompressionParameter.checksum_flag: 1,
        zstd.CompressionParameter.enable_long_distance_matching: 1,
    }
