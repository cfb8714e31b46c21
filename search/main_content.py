"""Main-content extraction: the text of a page without the menus, headers and footers that its host repeats."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.lang import detect_fast

from hinterland.crawler.parsing.blocks.main_blocks import BETWEEN_BLOCKS, main_blocks
from hinterland.crawler.parsing.charset.encoding import decode, sniff_encoding
from hinterland.crawler.parsing.html.markup import as_html
from hinterland.crawler.parsing.html.nesting import is_too_deep
from hinterland.search.definitions import defined_names
from hinterland.search.near_duplicates import signature
from hinterland.search.page_dates import page_date
from hinterland.search.sections import as_stored, sections_of
from hinterland.search.store.values.documents import Digest, RawContent
from hinterland.storage.values.compression import packed, unpacked, unpacked_bytes

MAX_HTML_CHARACTERS: Final = 4_000_000
"""Only this much of a page is read. In longer pages, any main content is near the beginning."""
MAX_TEXT_CHARACTERS: Final = 1_000_000

DIGEST_VERSION: Final = 7
"""Raise it when extraction changes, so that all pages are read again."""
EXTRACTOR: Final = f"{DIGEST_VERSION}, Resiliparse {version('resiliparse')}"
"""Identifies the extractor; part of the key of each digest."""

_LEAST_WORDS: Final = 12
"""If fewer words than this and less than a tenth of the visible text are found, the extraction has missed the
content."""
_LEAST_PAGES: Final = 8
_COMMON: Final = 0.25
_LONGEST_BLOCK: Final = 200
_LEAST_RUN: Final = 3
"""This many consecutive common blocks are a template, even in the middle of the main content."""
_LONGEST_TAG: Final = 3


@dataclass(frozen=True, slots=True)
class HostProfile:
    """What the pages of a host have in common: the text blocks that they repeat, and their languages."""

    common_blocks: frozenset[str] = frozenset()
    """Text blocks on at least a quarter of the sampled pages, and on at least eight: templates (Bar-Yossef &
    Rajagopalan 2002)."""
    languages: tuple[str, ...] = ()
    """Languages detected on at least a tenth of the sampled pages, the most frequent first. Detection errs on one page
    of code and tables in five, but not on most of them."""


def digest(raw: RawContent, profile: HostProfile) -> Digest:
    """Extract from a page what the index and near-duplicate detection need.

    The main content was found when the page was parsed; the blocks that its host repeats around it are removed here.
    For pages stored by an earlier version, Resiliparse finds the main content in the body (Bevendorff, Gupta, Kiesel &
    Stein 2023). If Resiliparse finds none, the visible text without the host's common blocks is taken.
    """
    everything = unpacked(raw.text)
    text, extraction, names, dated, html = "", "all", list[str](), None, ""
    if raw.body is not None:
        html = _html(raw, raw.body)
        names = defined_names(html)
        if is_too_deep(html.encode("utf-8", "replace")):
            html = ""
        dated = page_date(html)
    if raw.main:
        blocks = main_blocks(everything, raw.main)
        text = BETWEEN_BLOCKS.join(without_templates(blocks, profile.common_blocks))
        extraction = "blocks" if raw.body is None else "main"
    elif raw.body is not None:
        if html:
            text = extract_plain_text(html, main_content=True, alt_texts=False, links=False)
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
    """Return the digest of a page whose body made the extraction fail."""
    return _digest(raw, unpacked(raw.text), "failed", HostProfile())


def host_profile(texts: Sequence[str]) -> HostProfile:
    """Return the profile of a host from the visible texts of a sample of its pages."""
    blocks, languages = Counter[str](), Counter[str]()
    for text in texts:
        blocks.update(
            {
                block
                for line in set(text.split("\n"))  # inlined: this took a tenth of the time of `index`
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


def likely_language(text: str) -> str:
    """Return the code of the language that a text resembles most; "" if it resembles none."""
    language = detect_fast(text)[0]
    return "" if language == "unknown" else language


def without_templates(blocks: Sequence[str], common: frozenset[str]) -> list[str]:
    """Return the blocks of a main content without those that its host repeats around it.

    Single common blocks between other blocks stay, such as "Parameters" above a list of parameters.
    """
    if not common:
        return list(blocks)
    kept, run = list[str](), list[str]()
    for block in blocks:
        if all(line in common for line in _blocks(block)):
            run.append(block)
            continue
        if kept and len(run) < _LEAST_RUN:
            kept += run
        run.clear()
        kept.append(block)
    return kept


def without_blocks(text: str, blocks: frozenset[str]) -> str:
    """Return the text without the given blocks; each line of the text is a block."""
    return "\n".join(block for block in _blocks(text) if block not in blocks)


def primary_tag(language: str) -> str:
    """Return the primary tag of a declared language, such as "en" for "en-US"; "" if it is not a language tag."""
    tag = language.strip().replace("_", "-").partition("-")[0].lower()
    return tag if 2 <= len(tag) <= _LONGEST_TAG and tag.isascii() and tag.isalpha() else ""


def _blocks(text: str) -> Iterable[str]:
    return (block for line in text.split("\n") if (block := " ".join(line.split())))


def _html(raw: RawContent, frame: bytes) -> str:
    body = unpacked_bytes(frame)[: 4 * MAX_HTML_CHARACTERS]
    charset = raw.charset or sniff_encoding(body, None).name
    return as_html(decode(body, charset)[:MAX_HTML_CHARACTERS], raw.content_type)


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
        sections=as_stored(sections_of(text, _headings(raw.headings))),
    )


def _headings(stored: str) -> list[tuple[int, str, str]]:
    """Return (level, text, anchor) of stored headings; an empty list if they are damaged, perhaps by a crash."""
    try:
        return [(level, str(text), "".join(anchor)) for level, text, *anchor in json.loads(stored)]
    except (ValueError, TypeError):
        return []


def _detected(text: str, languages: tuple[str, ...]) -> str:
    """Return the most probable language of a page that declares no language, among the languages of its host."""
    if len(languages) < 2:
        return "".join(languages)
    found = detect_fast(text, langs=list(languages))[0]
    return found if found in languages else languages[0]
