"""The language that a URL names, as in /docs/tr/index.html. Pure.

Many sites serve untranslated pages under all their languages.
"""

from __future__ import annotations

import re
import zlib
from typing import Final

_CODES = """
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo
es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg
ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn
no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta
te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
CODES: Final = frozenset(_CODES.split())
"""ISO 639-1."""
_TAG: Final = re.compile(r"(?<=[/.=])([a-z]{2})(?:[-_][a-z]{2,4})?(?=[/.&]|$)", re.IGNORECASE)

NONE: Final = 0
"""The number that stands for no language."""


def language_number(tag: str) -> int:
    """Return a number for each primary tag of two or three letters; NONE for anything else."""
    if not 2 <= len(tag) <= 3 or not (tag.isascii() and tag.isalpha()):
        return NONE
    number = 0
    for letter in tag.lower():
        number = 27 * number + ord(letter) - ord("a") + 1
    return number


def named_language(url: str) -> tuple[int, int]:
    """Return the number of the language that a URL names, NONE if it names none, and a hash of the rest of the URL.

    The hash is the same for all URLs that differ only in the language. The first language tag in the path or query
    counts or, if there is none, the first label of the host.
    """
    host, slash, path = url.partition("://")[2].partition("/")
    for tag in _TAG.finditer(slash + path):
        if tag[1].lower() in CODES:
            rest = f"{host}{(slash + path)[: tag.start()]}*{(slash + path)[tag.end() :]}"
            return language_number(tag[1]), zlib.crc32(rest.encode())
    label, _, domain = host.partition(".")
    if label.lower() in CODES and "." in domain:
        return language_number(label), zlib.crc32(f"*.{domain}{slash}{path}".encode())
    return NONE, 0
