"""What people write into a search box, as a question to the index. Pure; `docs/search.md` explains it to them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import unquote

from crawler.search.answers import QueryError
from crawler.urls import Canonicaliser
from storage.term_query import SITE_DEPTH, TermQuery, Words

MAX_CHARACTERS: Final = 2_000
MAX_WORDS: Final = 32

OPERATORS: Final = ("site", "title", "url", "lang", "since")

_PART: Final = re.compile(r'(?P<no>-)?(?:(?P<operator>[A-Za-z]{2,8}):)?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')
_UNPRINTABLE: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]+"
)
"""Control characters, halves of characters, and what turns the direction of a line. What joins letters may stay."""
_DATE: Final = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_AGE: Final = re.compile(r"(\d{1,5})([dwmy])")
_CANONICALISER: Final = Canonicaliser()
_DAYS: Final = {"d": 1, "w": 7, "m": 30, "y": 365}


@dataclass(frozen=True, slots=True)
class UnderstoodQuery:
    """A question, and what was understood otherwise than it was written."""

    terms: TermQuery
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Draft:
    """A question while it is being read."""

    now: float
    is_word: Callable[[Words], bool]
    terms: TermQuery = field(default_factory=TermQuery)
    notes: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


def understand(query: str, *, now: float, is_word: Callable[[Words], bool] = lambda _: True) -> UnderstoodQuery:
    """Read a query: words, "phrases", -without, site:, title:, url:, lang:, since:. Anything else is words.

    now: epoch seconds, for since:7d. is_word: whether the index can look for it; what it cannot is ignored with a
    note. Raises QueryError, which names the part that is wrong, if nothing is left to look for.
    """
    if len(query) > MAX_CHARACTERS:
        raise QueryError(f"the query has {len(query):,} characters; {MAX_CHARACTERS:,} are the most that is read")
    draft = _Draft(now, is_word)
    printable = _UNPRINTABLE.sub(" ", query).strip()
    for match in _PART.finditer(printable):
        _add(draft, match)
    terms = draft.terms
    if len(terms.required) > MAX_WORDS:
        draft.notes.append(f"only the first {MAX_WORDS} words were looked for, not all {len(terms.required)}")
        terms = replace(terms, required=terms.required[:MAX_WORDS])
    if len(terms.excluded) > MAX_WORDS:
        raise QueryError(f"the query excludes {len(terms.excluded)} words; {MAX_WORDS} are the most")
    if not (terms.required or terms.sites or terms.languages or terms.since is not None):
        if terms.excluded or terms.excluded_sites:
            raise QueryError("the query only says what not to find; add a word to look for, or a site:")
        if draft.notes:  # such as of an operator that stands alone
            raise QueryError(draft.notes[0])
        raise QueryError(f'there is no word to look for in "{printable[:80]}"; write one or more words')
    if draft.ignored:
        draft.notes.append(f"nothing to look for in: {' '.join(draft.ignored[:5])}")
    return UnderstoodQuery(terms, tuple(draft.notes))


def _add(draft: _Draft, match: re.Match[str]) -> None:
    operator = (match["operator"] or "").lower()
    text = match["phrase"] if match["word"] is None else match["word"]
    is_without = match["no"] is not None
    if operator and operator not in OPERATORS:
        near = difflib.get_close_matches(operator, OPERATORS, 1, 0.75)
        if near:
            draft.notes.append(f"there is no {operator}:, only {near[0]}:; looked for as words")
        is_address = operator in ("http", "https") and text.startswith("//")  # whose scheme is not among its words
        text, operator = _unquoted(text[2:]) if is_address else f"{match['operator']}:{text}", ""
    if not operator and match["word"] and text.endswith(":") and text[:-1].lower() in OPERATORS:
        operator, text = text[:-1].lower(), ""
    if operator and not text:
        draft.notes.append(f"{operator}: stands alone; write {operator}:{_EXAMPLES[operator]} without a space")
        return
    match operator:
        case "site":
            _add_site(draft, text, is_without)
        case "lang":
            _add_language(draft, text, is_without)
        case "since":
            if is_without:
                raise QueryError("-since: is not understood; since: takes the earliest day")
            moment = _moment(text, draft.now)
            draft.terms = replace(draft.terms, since=max(moment, draft.terms.since or moment))
        case _:
            if operator == "url":
                text = _unquoted(text.partition("://")[2] or text)  # whose scheme is not among its words
            _add_words(draft, Words(text, operator, match["phrase"] is not None), is_without)


_EXAMPLES: Final = {"site": "example.org", "title": "word", "url": "word", "lang": "de", "since": "2026-01"}


def _unquoted(url: str) -> str:
    """The words of a URL as they are indexed: without percent signs."""
    return _UNPRINTABLE.sub(" ", unquote(url))


def _add_words(draft: _Draft, words: Words, is_without: bool) -> None:
    if not draft.is_word(words):
        if words.text.strip():
            draft.ignored.append(words.text[:20])
    elif is_without:
        draft.terms = replace(draft.terms, excluded=(*draft.terms.excluded, words))
    elif words not in draft.terms.required:
        draft.terms = replace(draft.terms, required=(*draft.terms.required, words))


def _add_site(draft: _Draft, text: str, is_without: bool) -> None:
    host, separator, path = text.removeprefix("*").removeprefix(".").partition("/")
    scheme = "https" if host.endswith(":443") else "http"  # whose own port is in no host's name
    address = text if "://" in text else f"{scheme}://{host}{separator}{path}"
    url = _CANONICALISER.canonical(address)
    if url is None:
        raise QueryError(f"site:{text[:40]} names no site; write a host, such as site:{_EXAMPLES['site']}")
    host, separator, path = url.partition("://")[2].partition("?")[0].partition("/")
    site = f"{host.removesuffix('.')}{separator}{path}".rstrip("/")  # the dot that ends a name in full is seldom linked
    if site.count("/") > SITE_DEPTH:
        site = "/".join(site.split("/")[: SITE_DEPTH + 1])
        draft.notes.append(f"site: names {SITE_DEPTH} folders at most; looked for in site:{site[:200]}")
    if is_without:
        draft.terms = replace(draft.terms, excluded_sites=(*draft.terms.excluded_sites, site))
    else:
        draft.terms = replace(draft.terms, sites=(*draft.terms.sites, site))


def _add_language(draft: _Draft, text: str, is_without: bool) -> None:
    if is_without:
        raise QueryError("-lang: is not understood; name the languages you want: lang:de lang:fr")
    tag = text.replace("_", "-").partition("-")[0].lower()
    if not (2 <= len(tag) <= 3 and tag.isascii() and tag.isalpha()):
        raise QueryError(f"lang:{text[:40]} is no language; write its code of two letters, such as lang:de")
    draft.terms = replace(draft.terms, languages=(*draft.terms.languages, tag))


def _moment(text: str, now: float) -> float:
    """The beginning of a year, a month or a day in UTC, or an age before now."""
    try:
        if age := _AGE.fullmatch(text.lower()):
            return (datetime.fromtimestamp(now, UTC) - timedelta(days=int(age[1]) * _DAYS[age[2]])).timestamp()
        if day := _DATE.fullmatch(text):
            return datetime(int(day[1]), int(day[2] or 1), int(day[3] or 1), tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        pass
    raise QueryError(f"since:{text[:40]} is no day; write since:2026, since:2026-03, since:2026-03-31 or since:30d")
