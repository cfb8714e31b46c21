"""Parses what people write into a search box into an index query. Pure; `docs/search.md` is its user guide."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.search.answers import QueryError
from hinterland.search.query_words import Clause, QueryPart, clauses_of, parts_of
from hinterland.search.store.values.spellings import member_of, spelling_of
from hinterland.search.store.values.term_query import SITE_DEPTH, QueryTerm, TermQuery

MAX_CHARACTERS: Final = 2_000
MAX_WORDS: Final = 32

OPERATORS: Final = ("site", "title", "url", "lang", "since", "type", "year", "topic")

CONDITIONS: Final = frozenset({"site", "lang", "since", "type", "year", "topic"})
"""Operators that filter pages and add no words to search for."""
_UNPRINTABLE: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]+"
)
"""Control characters, lone surrogates, and characters that change the direction of text. Joiners are kept."""
_DATE: Final = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_AGE: Final = re.compile(r"(\d{1,5})([dwmy])")
_CANONICALISER: Final = Canonicaliser()
_YEAR_DIGITS: Final = 4
_LEAST_OF_SENTENCE: Final = 3
"""Words of which a query has to consist before function words are left out of it."""
_LEAST_OF_PREFIX: Final = 2
"""Letters that have to stand before the star of `zeb*`."""
_DAYS: Final = {"d": 1, "w": 7, "m": 30, "y": 365}


@dataclass(frozen=True, slots=True)
class UnderstoodQuery:
    """A parsed query, with notes on parts that were not interpreted as written."""

    terms: TermQuery
    notes: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    """Names of topics that pages have to be about."""


@dataclass(slots=True)
class _Draft:
    """A query while it is being parsed."""

    now: float
    is_word: Callable[[QueryTerm], bool]
    terms: TermQuery = field(default_factory=TermQuery)
    notes: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)


def understand(
    query: str,
    *,
    now: float,
    is_word: Callable[[QueryTerm], bool] = lambda _: True,
    is_option: Callable[[str], bool] = lambda _: False,
    function_words: Callable[[Sequence[str]], frozenset[int]] = lambda _: frozenset(),
) -> UnderstoodQuery:
    """Parse a query.

    The syntax has words, "phrases", -without, OR, AND, NOT, site:, title:, url:, lang:, since:, type:, year: and
    topic:. Everything else is words.

    `now` is in epoch seconds, for since:7d. `is_word` tells whether the index can search for a term; other terms are
    ignored with a note. `is_option` tells whether pages contain "-name" literally, as an option of a command.
    `function_words` returns the indices of the function words, such as "how" and "the", in a list of words.

    Raises QueryError, which names the faulty part, if nothing is left to search for.
    """
    if len(query) > MAX_CHARACTERS:
        raise QueryError(f"the query has {len(query):,} characters; the limit is {MAX_CHARACTERS:,}")
    draft = _Draft(now, is_word)
    printable = _UNPRINTABLE.sub(" ", query).strip()
    parts = parts_of(printable)
    if parts and not parts[-1].is_closed:
        draft.notes.append(f'the last quotation mark is not closed; searched for "{parts[-1].text.strip()[:40]}"')
    clauses, notes = clauses_of(parts, is_option)
    draft.notes += notes
    for clause in clauses:
        _add(draft, clause)
    terms = draft.terms
    terms = _without_function_words(_as_name_if_alone(terms), function_words)
    words = sum(1 + len(each.others) for each in terms.required)
    if words > MAX_WORDS:
        draft.notes.append(f"only the first {MAX_WORDS} of {words} words were searched for")
        terms = replace(terms, required=_first_words(terms.required))
    if len(terms.excluded) > MAX_WORDS:
        raise QueryError(f"the query excludes {len(terms.excluded)} words; the limit is {MAX_WORDS}")
    has_condition = bool(terms.sites or terms.languages or terms.types or terms.years or draft.topics)
    if not (terms.required or has_condition or terms.since is not None):
        if terms.excluded or terms.excluded_sites:
            raise QueryError(
                "the query only has exclusions; add a word to search for, or a site, as in site:example.org"
            )
        why = f" ({draft.notes[0]})" if draft.notes else ""  # such as an operator without a value
        raise QueryError(f'there is no word to search for in "{printable[:80]}"; enter at least one word{why}')
    if draft.ignored:
        draft.notes.append(f"ignored, since there is no word in: {' '.join(draft.ignored[:5])}")
    return UnderstoodQuery(terms, tuple(draft.notes), tuple(draft.topics))


def _as_name_if_alone(terms: TermQuery) -> TermQuery:
    """If the query is a single word, treat the word as a possible identifier that a page defines."""
    if len(terms.required) != 1:
        return terms
    [words] = terms.required
    name = words.text.lstrip("\\")  # commands of TeX, such as \relative
    is_name = name.isidentifier() and not (words.others or words.spelling or words.field or words.is_prefix)
    return replace(terms, required=(replace(words, spelling=name.casefold()),)) if is_name else terms


def _without_function_words(terms: TermQuery, function_words: Callable[[Sequence[str]], frozenset[int]]) -> TermQuery:
    """Remove the function words of a sentence, unless no other word is left."""
    words = terms.required
    if len(words) < _LEAST_OF_SENTENCE or any(each.text.startswith("-") for each in words):
        return terms
    places = function_words([each.text for each in words])
    left_out = [place for place in sorted(places) if _may_be_left_out(words[place], place)]
    if len(left_out) in (0, len(words)):
        return terms
    kept = tuple(each for place, each in enumerate(words) if place not in left_out)
    return replace(terms, required=kept, function_words=tuple(words[place].text for place in left_out))


def _may_be_left_out(words: QueryTerm, place: int) -> bool:
    """Return whether a function word may be ignored.

    In capitals it may be part of a name, as in `IF NOT EXISTS` or "vitamin A".
    """
    if words.field or words.is_phrase or words.others or words.spelling or words.is_required:
        return False
    letters = words.text.strip("?!.,;:()")
    return not letters.isupper() or letters == "I" or (len(letters) == 1 and place == 0)


def _first_words(required: tuple[QueryTerm, ...]) -> tuple[QueryTerm, ...]:
    """Return the first MAX_WORDS words, counting each alternative of an OR."""
    kept, room = [], MAX_WORDS
    for words in required:
        if room:
            kept.append(replace(words, others=words.others[: room - 1]) if words.others else words)
            room -= 1 + len(kept[-1].others)
    return tuple(kept)


def _add(draft: _Draft, clause: Clause) -> None:
    found = [words for part in clause.parts if (words := _words_of(draft, part, clause.is_without)) is not None]
    if clause.is_required:
        found = [replace(words, is_required=True) for words in found]
    if clause.is_without:
        draft.terms = replace(draft.terms, excluded=(*draft.terms.excluded, *found))
    elif found:
        words = replace(found[0], others=tuple(found[1:])) if len(found) > 1 else found[0]
        if words not in draft.terms.required:
            draft.terms = replace(draft.terms, required=(*draft.terms.required, words))
    operators = {part.operator.lower() for part in clause.parts}
    if len(operators) > 1 and operators & CONDITIONS:
        draft.notes.append("OR joins words with words and site: with site:, so the other conditions were all applied")


def _words_of(draft: _Draft, part: QueryPart, is_without: bool) -> QueryTerm | None:
    """Return the term of a part.

    Returns None if the part is a condition, which is added to the draft, or if the part is not searchable.
    """
    operator, text = part.operator.lower(), part.text
    if operator and operator not in OPERATORS:
        if near := _operator_like(operator):
            draft.notes.append(
                f"there is no operator {operator}:, only {near}:; the words were searched for as written"
            )
        is_address = operator in ("http", "https") and text.startswith("//")  # the scheme is not indexed
        text, operator = _unquoted(text[2:]) if is_address else f"{part.operator}:{text}", ""
    if not operator and not part.is_phrase and text.endswith(":") and text[:-1].lower() in OPERATORS:
        operator, text = text[:-1].lower(), ""
    if operator and not text:
        draft.notes.append(f"{operator}: has no value; write {operator}:{_EXAMPLES[operator]} without a space")
        return None
    match operator:
        case "site":
            _add_site(draft, text, is_without)
        case "lang":
            _add_language(draft, text, is_without)
        case "since":
            if is_without:
                raise QueryError("-since: is not supported; since:DATE finds pages of that date and later")
            moment = _moment(text, draft.now)
            draft.terms = replace(draft.terms, since=max(moment, draft.terms.since or moment))
        case "type" | "year" | "topic":
            if is_without:
                wanted = f"{operator}:{_EXAMPLES[operator]}"
                raise QueryError(f"-{operator}: is not supported; name what to find: {wanted}")
            _add_condition(draft, operator, text)
        case _:
            if operator == "url":
                text = _unquoted(text.partition("://")[2] or text)  # the scheme is not indexed
            words = _term(draft, part, operator, text, is_without)
            if draft.is_word(words):
                return words
            if text.strip():
                draft.ignored.append(text[:20])
    return None


def _term(draft: _Draft, part: QueryPart, operator: str, text: str, is_without: bool) -> QueryTerm:
    if text.endswith("*") and not part.is_phrase:
        beginning = text.rstrip("*")
        if sum(map(str.isalnum, beginning)) >= _LEAST_OF_PREFIX:
            return QueryTerm(beginning, operator, spelling=spelling_of(beginning), is_prefix=True)
        draft.notes.append(f"{text[:20]} needs {_LEAST_OF_PREFIX} letters before its star; the star was ignored")
    if is_without:
        return QueryTerm(text, operator, part.is_phrase)
    member = None if operator or part.is_phrase else member_of(text)
    return QueryTerm(text, operator, part.is_phrase, spelling_of(text), member=member)


@lru_cache(maxsize=256)
def _operator_like(written: str) -> str:
    """Return the operator that the user probably mistyped; "" if no operator is similar."""
    return next(iter(difflib.get_close_matches(written, OPERATORS, 1, 0.75)), "")


_EXAMPLES: Final = {"site": "example.org", "title": "word", "url": "word", "lang": "de", "since": "2026-01",
                            "type": "pdf", "year": "2026", "topic": "gardening"}  # fmt: skip


def _unquoted(url: str) -> str:
    """Return the words of a URL in the form in which the index has them: with percent-encoding decoded."""
    return _UNPRINTABLE.sub(" ", unquote(url))


def site_named(text: str) -> str | None:
    """Return the host, domain or folder in the form of the index; None if the text names no site."""
    host, separator, path = text.removeprefix("*").removeprefix(".").partition("/")
    scheme = "https" if host.endswith(":443") else "http"  # host names in the index lack default ports
    address = text if "://" in text else f"{scheme}://{host}{separator}{path}"
    url = _CANONICALISER.canonical(address)
    if url is None:
        return None
    host, separator, path = url.partition("://")[2].partition("?")[0].partition("/")
    return f"{host.removesuffix('.')}{separator}{path}".rstrip("/")  # links seldom have the final dot of a full name


def _add_site(draft: _Draft, text: str, is_without: bool) -> None:
    site = site_named(text)
    if site is None:
        raise QueryError(f"site:{text[:40]} is not a site; write a host, such as site:{_EXAMPLES['site']}")
    if site.count("/") > SITE_DEPTH:
        site = "/".join(site.split("/")[: SITE_DEPTH + 1])
        draft.notes.append(f"site: takes at most {SITE_DEPTH} folders; searched in site:{site[:200]}")
    if is_without:
        draft.terms = replace(draft.terms, excluded_sites=(*draft.terms.excluded_sites, site))
    else:
        draft.terms = replace(draft.terms, sites=(*draft.terms.sites, site))


def _add_language(draft: _Draft, text: str, is_without: bool) -> None:
    if is_without:
        raise QueryError("-lang: is not supported; name the languages you want: lang:de lang:fr")
    tag = text.replace("_", "-").partition("-")[0].lower()
    if not (2 <= len(tag) <= 3 and tag.isascii() and tag.isalpha()):
        raise QueryError(f"lang:{text[:40]} is not a language; use a two-letter code, such as lang:de")
    draft.terms = replace(draft.terms, languages=(*draft.terms.languages, tag))


def _add_condition(draft: _Draft, operator: str, text: str) -> None:
    if operator == "topic":
        draft.topics.append(text)
    elif operator == "type":
        draft.terms = replace(draft.terms, types=(*draft.terms.types, text.lower()))
    elif text.isascii() and text.isdecimal() and len(text) == _YEAR_DIGITS:
        draft.terms = replace(draft.terms, years=(*draft.terms.years, int(text)))
    else:
        raise QueryError(f"year:{text[:40]} is not a year; use four digits, such as year:2026")


def _moment(text: str, now: float) -> float:
    """Return the time that a text names, in epoch seconds.

    For a year, month or day, this is its beginning in UTC. For an age such as "7d", it is that long before `now`.
    """
    try:
        if age := _AGE.fullmatch(text.lower()):
            return (datetime.fromtimestamp(now, UTC) - timedelta(days=int(age[1]) * _DAYS[age[2]])).timestamp()
        if day := _DATE.fullmatch(text):
            return datetime(int(day[1]), int(day[2] or 1), int(day[3] or 1), tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        pass
    raise QueryError(f"since:{text[:40]} is not a date; write since:2026, since:2026-03, since:2026-03-31 or since:30d")
