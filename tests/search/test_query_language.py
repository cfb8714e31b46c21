"""What people write into a search box, and what is made of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hinterland.search.answers import QueryError
from hinterland.search.query_language import MAX_CHARACTERS, MAX_WORDS, OPERATORS, UnderstoodQuery, understand
from hinterland.search.store.values.spellings import member_of
from hinterland.search.store.values.term_query import QueryTerm, TermQuery

ALONE = (QueryTerm("ferry", spelling="ferry"),)
"""It may be the name of something."""
NOW = datetime(2026, 3, 31, 12, tzinfo=UTC).timestamp()


def has_letter(words: QueryTerm) -> bool:
    """As an index sees it: signs alone are no words."""
    return any(letter.isalnum() for letter in words.text)


def asked(query: str) -> UnderstoodQuery:
    return understand(query, now=NOW, is_word=has_letter)


def at(year: int, month: int = 1, day: int = 1) -> float:
    return datetime(year, month, day, tzinfo=UTC).timestamp()


def words(*texts: str) -> tuple[QueryTerm, ...]:
    return tuple(QueryTerm(text, member=member_of(text)) for text in texts)


@pytest.mark.parametrize(
    "query, terms",
    [
        ("ferry timetable", TermQuery(words("ferry", "timetable"))),
        ("  ferry\tferry\n", TermQuery(ALONE)),
        ('"lost property" office', TermQuery((QueryTerm("lost property", is_phrase=True), QueryTerm("office")))),
        ('lost"property office"', TermQuery((QueryTerm("lost"), QueryTerm("property office", is_phrase=True)))),
        (
            "“lost property” «early bus»",
            TermQuery((QueryTerm("lost property", is_phrase=True), QueryTerm("early bus", is_phrase=True))),
        ),
        ('ferry -"bus stop"', TermQuery(ALONE, excluded=(QueryTerm("bus stop", is_phrase=True),))),
        ("well-known", TermQuery(words("well-known"))),
        ("title:ferry", TermQuery((QueryTerm("ferry", "title"),))),
        ('Title:"lost property"', TermQuery((QueryTerm("lost property", "title", is_phrase=True),))),
        (
            "ferry -title:bus url:time",
            TermQuery((QueryTerm("ferry"), QueryTerm("time", "url")), excluded=(QueryTerm("bus", "title"),)),
        ),
        ("lang:de", TermQuery(languages=("de",))),
        ("lang:DE lang:pt-BR lang:zh_TW", TermQuery(languages=("de", "pt", "zh"))),
        ("since:2026", TermQuery(since=at(2026))),
        ("since:2026-3", TermQuery(since=at(2026, 3))),
        ("since:2026-03-31", TermQuery(since=at(2026, 3, 31))),
        ("since:30d", TermQuery(since=NOW - 30 * 86_400)),
        ("type:PDF year:2020 year:2021", TermQuery(types=("pdf",), years=(2020, 2021))),
        ("since:2W", TermQuery(since=NOW - 14 * 86_400)),
        ("since:2026-02 since:2026 since:2025", TermQuery(since=at(2026, 2))),
        ("ferry -site:forum.example", TermQuery(ALONE, excluded_sites=("forum.example",))),
        ("site:a.example site:b.example", TermQuery(sites=("a.example", "b.example"))),
        ("12:30 note:this c++", TermQuery(words("12:30", "note:this", "c++"))),
        ("https://a.example/page", TermQuery(words("a.example/page"))),
        ("HTTPS://a.example/%C3%BC?%00%1B", TermQuery(words("a.example/ü? "))),
        ("url:https://a.example/page", TermQuery((QueryTerm("a.example/page", "url"),))),
        ("url:%C3%BC title:%C3%BC", TermQuery((QueryTerm("ü", "url"), QueryTerm("%C3%BC", "title")))),
        (
            '"a "b "c" d" e"',
            TermQuery(
                (
                    QueryTerm("a ", is_phrase=True),
                    *words("b"),
                    QueryTerm("c", is_phrase=True),
                    *words("d"),
                    QueryTerm(" e", is_phrase=True),
                )
            ),
        ),
        ("می‌خواهم", TermQuery(words("می‌خواهم"))),
    ],
)
def test_a_query_is_understood(query: str, terms: TermQuery) -> None:
    assert asked(query) == UnderstoodQuery(terms)


@pytest.mark.parametrize(
    "text, site",
    [
        ("docs.example.org", "docs.example.org"),
        ("Docs.Example.ORG", "docs.example.org"),
        ("example.org/Guide/", "example.org/Guide"),
        ("https://example.org/guide/?page=2#top", "example.org/guide"),
        ("https://example.org:443/", "example.org"),
        ("example.org:443", "example.org"),
        ("example.org:443/a:443", "example.org/a:443"),
        ("example.org:80", "example.org"),
        ("EXAMPLE.org:08080/X", "example.org:8080/X"),
        ("BÜCHER.example:8443", "xn--bcher-kva.example:8443"),
        ("例え.jp", "xn--r8jz45g.jp"),
        ("//example.org", "example.org"),
        ("example.org:8080/a", "example.org:8080/a"),
        ("*.example.org", "example.org"),
        ("example.org.", "example.org"),
        ("https://example.org./a", "example.org/a"),
        (".example.org", "example.org"),
        ("bücher.example/straße", "xn--bcher-kva.example/stra%C3%9Fe"),
        ("[::1]:8080", "[::1]:8080"),
    ],
)
def test_a_site_is_named_as_the_crawler_names_it(text: str, site: str) -> None:
    assert asked(f"site:{text}").terms.sites == (site,)


@pytest.mark.parametrize(
    "query, part",
    [
        ("", '""'),
        ("!!! ???", '"!!! ???"'),
        ("title:", "title: has no value; write title:word without a space"),
        ("??? lang:", "lang: has no value; write lang:de"),
        ("site:example.org:99999", "is not a site"),
        ("site:[::1", "is not a site"),
        ("since:" + "9" * 500 + "d", "is not a date"),
        ("-bus", "only has exclusions"),
        ("-bus -site:a.example", "only has exclusions"),
        ("-site:a.example", "only has exclusions"),
        ("ferry -since:2026", "-since:"),
        ("ferry -lang:de", "-lang:"),
        ("lang:german", "lang:german"),
        ("lang:d1", "lang:d1"),
        ("since:yesterday", "since:yesterday"),
        ("since:2026-13", "since:2026-13"),
        ("since:0000", "since:0000"),
        ("since:99999y", "since:99999y"),
        ("site:///", "site:///"),
        ("site:https://", "site:https://"),
        ("site:mailto://you", "site:mailto://you"),
        ("x" * (MAX_CHARACTERS + 1), f"{MAX_CHARACTERS + 1:,} characters"),
        ("ferry" + " -out".join(map(str, range(MAX_WORDS + 2))), f"excludes {MAX_WORDS + 1} words"),
        ("NOT bus", "only has exclusions"),
        ('"', 'there is no word to search for in """; enter at least one word'),
        ("AND OR NOT", 'there is no word to search for in "AND OR NOT"; enter at least one word (AND belongs between'),
    ],
)
def test_what_cannot_be_answered_is_named(query: str, part: str) -> None:
    with pytest.raises(QueryError) as refused:
        asked(query)
    assert part in str(refused.value)


@pytest.mark.parametrize(
    "query, note",
    [
        ("ferry ???", "ignored, since there is no word in: ???"),
        ("ferry tilte:bus", "there is no operator tilte:, only title:"),
        ("ferry site:", "site: has no value; write site:example.org"),
        ("ferry since: 2026", "since: has no value"),
        ('ferry lang:""', "lang: has no value"),
        ('ferry "lost property', 'quotation mark is not closed; searched for "lost property"'),
        ('ferry timetable"', "quotation mark is not closed"),
        ("ferry -bus", 'pages with "bus" are excluded'),
        ("git commit --amend", "--amend; to exclude pages with a word, write NOT amend"),
        ("python -m venv", "-m; to exclude pages with a word, write NOT m"),
        ("ferry or bus", '"or" was searched for as a word; for either word, write OR'),
        ("ferry not bus", '"not" was searched for as a word; for pages without the next word, write NOT'),
        ("ferry OR", "OR belongs between two words"),
        ("OR ferry", "OR belongs between two words"),
        ("ferry OR OR bus", "OR belongs between two words"),
        ("AND ferry", "AND belongs between two words"),
        ("ferry NOT", "NOT belongs before a word"),
        ("ferry OR NOT bus", "OR NOT is not supported"),
        ("ferry OR site:a.example", "OR joins words with words"),
        ("(slow ferry) OR bus", "parentheses around several words are not supported"),
        ("CREATE TABLE IF NOT EXISTS", "NOT between words in capitals was searched for as a word"),
        ("column NOT NULL", "NOT between words in capitals was searched for as a word"),
        ("INSERT OR REPLACE", "OR between words in capitals was searched for as a word"),
        (" ".join(f"w{number}" for number in range(MAX_WORDS + 3)), f"first {MAX_WORDS} of {MAX_WORDS + 3} words"),
    ],
)
def test_what_was_understood_otherwise_is_noted(query: str, note: str) -> None:
    understood = asked(query)
    assert [note in each for each in understood.notes] == [True]
    assert 1 <= len(understood.terms.required) <= MAX_WORDS


def as_words(query: str, is_option: Callable[[str], bool] = lambda _: False) -> tuple[list[str], list[str]]:
    """What is looked for, and what is left out."""
    terms = understand(query, now=NOW, is_word=has_letter, is_option=is_option).terms
    return [each.label for each in terms.required], [each.text for each in terms.excluded]


@pytest.mark.parametrize(
    "query, required, excluded",
    [
        ("ferry -bus", ["ferry"], ["bus"]),
        ("-bus ferry -tram", ["ferry"], ["bus", "tram"]),
        ("olympics -2024", ["olympics"], ["2024"]),
        ("ferry NOT bus", ["ferry"], ["bus"]),
        ("ferry AND NOT (bus OR tram) AND boat", ["ferry", "boat"], ["bus", "tram"]),
        ("git commit --amend", ["git", "commit", "--amend"], []),
        ("python -m venv", ["python", "-m", "venv"], []),
        ("ls -la", ["ls", "-la"], []),
        ("gcc -std=c++17 -Wall", ["gcc", "-std=c++17", "-Wall"], []),
        ("git log -20 -stat", ["git", "log", "-20", "-stat"], []),
        ("git --amend -site:a.example -title:news", ["git", "--amend"], ["news"]),
        ('git --amend -"early bus"', ["git", "--amend"], ["early bus"]),
    ],
)
def test_a_dash_leaves_a_word_out_unless_the_query_is_a_line_of_a_command(
    query: str, required: list[str], excluded: list[str]
) -> None:
    assert as_words(query) == (required, excluded)


def test_a_word_with_a_dash_is_an_option_if_pages_write_it_so() -> None:
    assert as_words("tar -xzf", {"-xzf"}.__contains__) == (["tar", "-xzf"], [])
    assert as_words("tar -xzf -bus", {"-xzf"}.__contains__) == (["tar", "-xzf", "-bus"], [])
    assert as_words("tar -bus", {"-xzf"}.__contains__) == (["tar"], ["bus"])


@pytest.mark.parametrize(
    "query, required",
    [
        ("ferry OR bus", ["ferry OR bus"]),
        ("slow ferry OR bus timetable", ["slow", "ferry OR bus", "timetable"]),
        ("(ferry OR bus OR tram) timetable", ["ferry OR bus OR tram", "timetable"]),
        ('( "slow ferry" OR bus ) AND timetable', ["slow ferry OR bus", "timetable"]),
        ("python OR PHP", ["python OR PHP"]),
        ("title:ferry OR title:bus", ["ferry OR bus"]),
        ("bread and butter", ["bread", "and", "butter"]),
        ("NOT", ["NOT"]),
        ("INSERT OR REPLACE", ["INSERT", "OR", "REPLACE"]),
        ("print() (see below)", ["print()", "(see", "below)"]),
    ],
)
def test_or_and_and_are_operators_in_capitals(query: str, required: list[str]) -> None:
    assert as_words(query) == (required, [])


def test_a_name_of_code_is_looked_for_as_it_is_spelt_and_a_word_alone_as_what_a_page_defines() -> None:
    assert [each.spelling for each in asked("asyncio.gather dict.get() ferry").terms.required] == [
        "asyncio.gather",
        "dict.get",
        "",
    ]
    assert [each.spelling for each in asked("Gather").terms.required] == ["gather"]
    assert [each.spelling for each in asked("ferry -foo_bar").terms.excluded] == [""]


def test_a_site_deeper_than_the_index_knows_is_cut_with_a_note() -> None:
    understood = asked("site:a.example/1/2/3/4/5/6/")
    assert (understood.terms.sites, understood.notes) == (("a.example/1/2/3/4/5/6",), ())
    understood = asked("site:a.example/1/2/3/4/5/6/7?q=8")
    assert understood.terms.sites == ("a.example/1/2/3/4/5/6",)
    assert understood.notes == ("site: takes at most 6 folders; searched in site:a.example/1/2/3/4/5/6",)


def test_a_misspelt_operator_is_looked_for_as_words() -> None:
    assert asked("tilte:bus").terms == TermQuery(words("tilte:bus"))


def test_an_operator_without_a_value_is_no_word_to_look_for() -> None:
    assert asked("ferry title: bus").terms == TermQuery(words("ferry", "bus"))


def test_only_words_that_were_not_insisted_on_may_be_lacking() -> None:
    required = asked('ferry "lost property" title:time').terms.required
    assert [each.may_lack for each in required] == [True, False, False]


PIECES = st.sampled_from(
    [*(f"{operator}:" for operator in OPERATORS), '"', "-", "*", ".", "/", "://", " ", "2026", "30d", "de", "a.example"]
)
HOSTILE = st.text(st.characters(codec=None), max_size=30)


@given(st.lists(st.one_of(PIECES, HOSTILE), max_size=12).map("".join))
@example('"' * 10_000)
@example("-" * 1_000)
@example("\x00")
@example("\ud800 ferry")
@example("ferry\u202e yrref")
@example("x" * 1_000_000)
@example("site:" * 300)
def test_any_text_is_understood_or_refused_in_words_that_can_be_shown(query: str) -> None:
    try:
        understood = asked(query)
    except QueryError as error:
        shown = [str(error)]
    else:
        terms = understood.terms
        conditions = (*terms.sites, *terms.types, *understood.topics)
        shown = [*understood.notes, *conditions, *(each.text for each in (*terms.required, *terms.excluded))]
        assert terms.required or conditions or terms.languages or terms.years or terms.since is not None
    for text in shown:
        assert len(text) <= MAX_CHARACTERS
        text.encode()
        assert not {"\x00", "\x1b", "\u202e", "\u2066"} & set(text)


# --- sentences, beginnings, AND ------------------------------------------------------------------

SMALL_WORDS = frozenset(("how", "do", "i", "the", "to", "be", "or", "not", "if", "a"))


def without_small_words(query: str) -> tuple[list[str], tuple[str, ...]]:
    def places(words: Sequence[str]) -> frozenset[int]:
        return frozenset(place for place, word in enumerate(words) if word.lower() in SMALL_WORDS)

    terms = understand(query, now=NOW, function_words=places).terms
    return [words.text for words in terms.required], terms.function_words


def test_function_words_are_left_out_of_sentences() -> None:
    assert without_small_words("How do I mend the boat") == (["mend", "boat"], ("How", "do", "I", "the"))
    assert without_small_words("the boat") == (["the", "boat"], ())


@pytest.mark.parametrize(
    "query", ["to be or not to be", '"how do" "the" boat', "title:the url:the boat", "IF NOT EXISTS", "ls -a the do"]
)
def test_nothing_else_is_left_out(query: str) -> None:
    assert without_small_words(query)[1] == ()


def test_a_capital_letter_is_a_name() -> None:
    assert without_small_words("the vitamin A boat") == (["vitamin", "A", "boat"], ("the",))


def test_words_joined_by_and_are_required_and_a_star_stands_for_the_rest_of_a_word() -> None:
    assert [words.may_lack for words in asked("boat AND tram").terms.required] == [False, False]
    assert [words.may_lack for words in asked("boat tram").terms.required] == [True, True]
    [words] = asked("SDL_Create*").terms.required
    assert (words.text, words.is_prefix, words.label) == ("SDL_Create", True, "SDL_Create*")
    assert "needs 2 letters" in asked("a* boat").notes[0]


@pytest.mark.parametrize(
    "word, member",
    [
        ("String#gsub", ("String", "gsub")),
        ("lists:foldl/3", ("lists", "foldl")),
        ("pathlib.Path.read_text()", ("Path", "read_text")),
        ("std::vec::Vec", ("vec", "Vec")),
        ("boat", None),
        ("1.5", None),
    ],
)
def test_a_member_is_known_by_its_class(word: str, member: tuple[str, str] | None) -> None:
    assert member_of(word) == member
