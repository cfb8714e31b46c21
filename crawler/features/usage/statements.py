"""Reads statements about the use of a page, in each of the forms that sites write. Pure.

| form | where it stands | source |
|---|---|---|
| Content-Usage: train-ai=n, search=y | robots.txt, header field | draft-ietf-aipref-vocab, draft-ietf-aipref-attach |
| Content-Signal: search=yes, ai-train=no | robots.txt, header field | contentsignals.org |
| noai, noimageai | robots meta element, X-Robots-Tag | DeviantArt, 2022 |
| tdm-reservation: 1 | header field, meta element, /.well-known/tdmrep.json | W3C TDM Reservation Protocol |

Text that cannot be read counts as no statement. A use that no statement names is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import http_sf

from hinterland.crawler.features.usage.statement import NOTHING
from hinterland.storage.values.uses import Use

_SIGNALS: Final = {"search": Use.SEARCH, "ai-input": Use.AI_INPUT, "ai-train": Use.TRAIN_AI}
_SIGNAL_VALUES: Final = {"yes": True, "no": False}
_LABELS: Final = {"search": Use.SEARCH, "train-ai": Use.TRAIN_AI, "ai-use": Use.AI_INPUT}
"""The labels of the draft; its later versions have ai-use."""
_TOKENS: Final = {"y": True, "n": False}
_BETWEEN_WORDS: Final = re.compile(r"[\s,;]+")
TDM_RESERVATION: Final = "tdm-reservation"
MOST_CHARACTERS: Final = 2_000
"""Longer statements are not read: no honest one is that long."""


def content_usage(value: str) -> Mapping[Use, bool]:
    """Return the preferences in a Content-Usage value, a dictionary of structured fields (RFC 9651).

    Only the tokens y and n state a preference. If the dictionary cannot be parsed, nothing is known (section 6.5).
    """
    if len(value) > MOST_CHARACTERS:
        return NOTHING
    try:
        found = http_sf.parse(value.encode("ascii"), tltype="dictionary")
    except (http_sf.StructuredFieldError, UnicodeEncodeError):
        return NOTHING
    assert isinstance(found, dict)
    preferences: dict[Use, bool] = {}
    for label, use in _LABELS.items():
        member = found.get(label)
        item = member[0] if isinstance(member, tuple) else None
        if isinstance(item, http_sf.Token) and str(item) in _TOKENS:
            preferences[use] = _TOKENS[str(item)]
    return preferences


def content_signal(value: str) -> Mapping[Use, bool]:
    """Return the preferences in a Content-Signal value: pairs such as `ai-train=no`, separated by commas.

    Case and white space do not matter. If two pairs have the same name, the more restrictive pair counts.
    """
    found: dict[Use, bool] = {}
    for pair in value[:MOST_CHARACTERS].lower().split(","):
        name, _, word = (part.strip() for part in pair.partition("="))
        if name in _SIGNALS and word in _SIGNAL_VALUES:
            use = _SIGNALS[name]
            found[use] = found.get(use, True) and _SIGNAL_VALUES[word]
    return found


def robots_words(value: str) -> Mapping[Use, bool]:
    """Return the preferences in a robots meta element or X-Robots-Tag: `noai` disallows training.

    The name of a crawler before `noai` is ignored, because the word is meant for all of them. `noimageai` is only about
    the images of the page, so it says nothing about the page itself.
    """
    words = _BETWEEN_WORDS.split(value[:MOST_CHARACTERS].lower().replace(":", " "))
    return {Use.TRAIN_AI: False} if "noai" in words else NOTHING


def tdm_reservation(value: str) -> Mapping[Use, bool]:
    """Return the preferences in the value of `tdm-reservation`: 1 reserves the rights to text and data mining.

    A reservation disallows training, and says nothing about search. The value 0 reserves no rights, but does not allow
    anything either.
    """
    return {Use.TRAIN_AI: False} if value.strip() == "1" else NOTHING
