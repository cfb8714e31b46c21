"""The main content of a page: what is left without the menus, headers and footers that its host puts everywhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.lang import detect_fast

from hinterland.crawler.parsing.charset.encoding import decode, sniff_encoding
from hinterland.crawler.parsing.html.markup import as_html
from hinterland.search.definitions import defined_names
from hinterland.search.near_duplicates import signature
from hinterland.search.page_dates import page_date
from hinterland.search.store.values.documents import Digest, RawContent
from hinterland.storage.values.compression import packed, unpacked, unpacked_bytes

MAX_HTML_CHARACTERS: Final = 4_000_000
"""Of a longer page the rest is not looked at: its main content is found in the beginning or nowhere."""
MAX_TEXT_CHARACTERS: Final = 1_000_000

DIGEST_VERSION: Final = 4
"""Raise it when pages are read otherwise than before, so that they are read again."""
EXTRACTOR: Final = f"{DIGEST_VERSION}, Resiliparse {version('resiliparse')}"
"""What reads pages."""

_LEAST_WORDS: Final = 12
"""If less is found than that, and a tenth of the visible text, the extraction has missed the content."""
_LEAST_PAGES: Final = 8
_COMMON: Final = 0.25
_LONGEST_BLOCK: Final = 200
_LONGEST_TAG: Final = 3
_DEEPEST: Final = 1000
"""Nested elements: so many take 0.2 s, four times as many 3 s."""
_NESTING: Final = re.compile(
    r"<(/?)(?!(?:p|li|t[rdh]|tbody|thead|tfoot|colgroup|d[td]|option|br|img|input|meta|link|hr|col|wbr|area|source|track"
    r"|embed|param|base|a|b|i|u|s|em|strong|font|small|big|code|tt|nobr|strike)\b(?!-))[a-z]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class HostProfile:
    """What the pages of a host have in common."""

    common_blocks: frozenset[str] = frozenset()
    """Blocks of text that a quarter of its pages have, of at least eight: its templates (Bar-Yossef & Rajagopalan
    2002)."""
    languages: tuple[str, ...] = ()
    """Detected in at least a tenth of its pages, the most frequent first. Detection errs on one page of code and
    tables in five, but not on most of them."""


def digest(raw: RawContent, profile: HostProfile) -> Digest:
    """Read out of a page's content what an index and the search for near-duplicates need.

    From the body if it was kept: what Resiliparse takes for the main content (Bevendorff, Gupta, Kiesel & Stein 2023).
    Else from the visible text, without the blocks that the pages of the host have in common.
    """
    everything = unpacked(raw.text)
    text, extraction, names, dated = "", "all", list[str](), None
    if raw.body is not None:
        html = _html(raw, raw.body)
        if html and not _is_too_deep(html):
            text = extract_plain_text(html, main_content=True, alt_texts=False, links=False)
        names = defined_names(html)
        dated = page_date(html)
        extraction = "main"
        everything = everything or extract_plain_text(html)
    elif profile.common_blocks:
        text = without_blocks(everything, profile.common_blocks)
        extraction = "blocks"
    words = len(text.split())
    if words < _LEAST_WORDS and words * 10 < len(everything.split()):
        text, extraction = everything, "all"
    return _digest(raw, text, extraction, profile, names, dated)


def digest_of_visible_text(raw: RawContent) -> Digest:
    """For a page whose body brought the extraction down."""
    return _digest(raw, unpacked(raw.text), "failed", HostProfile())


def host_profile(texts: Sequence[str]) -> HostProfile:
    """The profile of a host, from the visible texts of some of its pages."""
    blocks, languages = Counter[str](), Counter[str]()
    for text in texts:
        blocks.update(
            {
                block
                for line in set(text.split("\n"))  # written out: a tenth of all of `index` was spent here
                if (block := " ".join(line.split())) and len(block) <= _LONGEST_BLOCK
            }
        )
        languages[detect_fast(text)[0]] += 1
    del languages["unknown"]
    common = max(_LEAST_PAGES, _COMMON * len(texts))
    return HostProfile(
        frozenset(block for block, count in blocks.items() if count >= common),
        tuple(language for language, count in languages.most_common() if count * 10 >= len(texts)),
    )


def without_blocks(text: str, blocks: frozenset[str]) -> str:
    """The text, a block a line, without some of its blocks."""
    return "\n".join(block for block in _blocks(text) if block not in blocks)


def primary_tag(language: str) -> str:
    """The primary tag of a declared language: "en" for "en-US"; "" for what is none."""
    tag = language.strip().replace("_", "-").partition("-")[0].lower()
    return tag if 2 <= len(tag) <= _LONGEST_TAG and tag.isascii() and tag.isalpha() else ""


def _blocks(text: str) -> Iterable[str]:
    return (block for line in text.split("\n") if (block := " ".join(line.split())))


def _html(raw: RawContent, frame: bytes) -> str:
    body = unpacked_bytes(frame)[: 4 * MAX_HTML_CHARACTERS]
    charset = raw.charset or sniff_encoding(body, None).name
    return as_html(decode(body, charset)[:MAX_HTML_CHARACTERS], raw.content_type)


def _is_too_deep(html: str) -> bool:
    """Whether elements are nested so deeply that finding the main content, whose time grows with the square of the
    depth, would take seconds. Elements that may be left open do not nest and are not counted.
    """
    if html.count("<") <= _DEEPEST:
        return False
    depth = 0
    for closing in _NESTING.findall(html):
        depth = max(depth - 1, 0) if closing else depth + 1
        if depth > _DEEPEST:
            return True
    return False


def _digest(
    raw: RawContent,
    text: str,
    extraction: str,
    profile: HostProfile,
    names: Sequence[str] = (),
    dated: float | None = None,
) -> Digest:
    text = text[:MAX_TEXT_CHARACTERS]
    return Digest(
        page=raw.page,
        key=raw.key,
        language=primary_tag(raw.language) or _detected(text, profile.languages),
        signature=signature(text).astype("<u2").tobytes(),
        text=packed(text),
        extraction=extraction,
        definitions=names,
        dated=dated,
    )


def _detected(text: str, languages: tuple[str, ...]) -> str:
    """The likeliest language of a page that declares none, of those that its host has."""
    if len(languages) < 2:
        return "".join(languages)
    found = detect_fast(text, langs=list(languages))[0]
    return found if found in languages else languages[0]
