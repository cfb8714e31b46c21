"""The terms of the documents: what is found by which words, and what is marked."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinterland.search.index.scoring import BOOSTS
from hinterland.search.store.fields import STEMMERS
from hinterland.search.store.indexed_text import IndexedText
from hinterland.search.store.letters import plain_letters
from hinterland.search.store.query_builder import FIELDS, HOME_PAGE, NEARNESS
from hinterland.search.store.term_index import IndexUnreadable, TermIndex
from hinterland.search.store.term_text import prepared, restored
from hinterland.search.store.values.spellings import spelling_of
from hinterland.search.store.values.term_query import TEXT_FIELDS, WORDS, QueryTerm, TermQuery

pytestmark = pytest.mark.slow

ALIKE = dict.fromkeys(TEXT_FIELDS, 1.0)
LANGUAGES = ("en", "de", "fr")


def document(
    page: int,
    *texts: tuple[str, str] | tuple[str, str, int],
    language: str = "en",
    url: str = "",
    host: str = "http://a.example",
    site: str = "a.example",
    fetched_at: float = 0.0,
    fingerprint: int = 0,
) -> IndexedText:
    weighted = [(text[0], text[1], text[2] if len(text) == 3 else 1) for text in texts]
    return IndexedText(page, fingerprint, language, fetched_at, url or f"{host}/", host, site, weighted)


def body(page: int, text: str, language: str = "en") -> IndexedText:
    return document(page, ("body", text), language=language)


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., TermIndex]:
    def write(*documents: IndexedText, languages: Sequence[str] = LANGUAGES) -> TermIndex:
        terms = TermIndex.create(tmp_path, languages)
        terms.write(documents)
        terms.close()
        return terms

    return write


Written = Callable[..., TermIndex]


def found(terms: TermIndex, *required: str | QueryTerm, **conditions: Any) -> set[int]:
    words = tuple(each if isinstance(each, QueryTerm) else QueryTerm(each) for each in required)
    hits = terms.best(TermQuery(words, **conditions), ALIKE, 100)
    assert hits.total == len(hits.pages)
    return set(hits.pages.tolist())


def best(terms: TermIndex, words: str | QueryTerm) -> list[int]:
    asked = words if isinstance(words, QueryTerm) else QueryTerm(words)
    pages: list[int] = terms.best(TermQuery((asked,)), BOOSTS, 10).pages.tolist()
    return pages


def phrase(text: str, field: str = "") -> QueryTerm:
    return QueryTerm(text, field, is_phrase=True)


# --- words --------------------------------------------------------------------------------------


def test_words_are_found_in_the_forms_of_their_language(written: Written) -> None:
    terms = written(
        body(1, "the keepers were installing lamps"),
        body(2, "die Häuser der Fährleute", "de"),
        body(3, "des chevaux marchaient", "fr"),
    )
    assert found(terms, "installed") == {1}
    assert found(terms, "Keeper") == {1}
    assert found(terms, "haus") == {2}
    assert found(terms, "marcher") == {3}


def test_words_of_a_language_without_fields_are_found_as_they_are_written(written: Written) -> None:
    terms = written(
        body(1, "gatti e cani", "it"), body(2, "koty i psy", "pl"), body(3, "installing"), languages=("it",)
    )
    assert found(terms, "gatto") == {1}
    assert found(terms, "koty") == {2}
    assert found(terms, "kot") == set()
    assert found(terms, "installing") == {3}
    assert found(terms, "installed") == set()


def test_terms_that_cannot_be_written_are_an_os_error(tmp_path: Path) -> None:
    folder = tmp_path / "terms"
    folder.mkdir()
    terms = TermIndex.create(folder, LANGUAGES)
    shutil.rmtree(folder)
    with pytest.raises(OSError, match="No such file or directory"):
        terms.write([body(1, "boat")])


def test_every_stemmer_is_known_to_the_index(tmp_path: Path) -> None:
    terms = TermIndex.create(tmp_path, STEMMERS)
    terms.write(body(page, "12 boats", language) for page, language in enumerate(STEMMERS))
    terms.close()
    assert found(terms, "12") == set(range(len(STEMMERS)))
    assert len(TermIndex.open(tmp_path, tuple(STEMMERS))) == len(STEMMERS)


@pytest.mark.parametrize(
    "text, query, others",
    [
        ("written in C++ and Go", "c++", "c"),
        ("written in C# and Go", "C#", "c"),
        ("compile with g++", "G++", "g"),
        ("a compiler of C++17 and later", "c++", "c"),
        ("a compiler of C++17 and later", "c++17", "c++14"),
        ("gcc -std=c++20 -O2", "C++", "c"),
        ("the g++-12 package", "g++", "g"),
        ("written in Objective-C++", "objective-c++", "objective-c"),
        ("records came with C#9", "c#", "c"),
        ("written in F#", "f#", "f"),
        ("written in Q# by hand", "q#", "q"),
        ("the method C#call of a class", "call", "c#"),
        ("a runtime for .NET", ".net", ".networks"),
        ("a runtime for .NET", "net", "dot"),
        ("the net of a fisher", "net", ".NET"),
        ("a page of example.net", "example.net", ".NET"),
        ("since .NET8, everywhere", ".Net", "net8"),
        ("a tag v2.0-rc1", "2.0-rc1", "2.0-rc2"),
        ("a tag 2.0-rc1", "v2.0-rc1", "v2.0-rc2"),
        ("a tag v2.0-rc1", "v2.0-rc1", "v2.0.rc"),
        ("since V1.2, everywhere", "1.2", "1.3"),
        ("since 1.2, everywhere", "v1.2", "v1.3"),
        ("the second API, v2", "v2", "2"),
        ("the Café is open", "cafe", "caf"),
        ("a cafe\u0301 and a boat", "café", "caf"),  # the accent as a sign of its own
        ("mit dem Dampf\u00adschiff", "Dampfschiff", "dampf"),  # a soft hyphen
        ("the keeper's house", "keeper’s", "skeeper"),
        ("l'école est fermée", "école", "lecole"),
        ("call str.join here", "str.join", "join.str"),
        ("state-of-the-art boats", "state-of-the-art", "art-of-the-state"),
        ("我爱北京天安门", "北京", "京北"),
        ("ราคาตั๋วเรือ", "ตั๋ว", "ว๋ตั"),
        ("東京タワーの高さ", "タワー", "ワタ"),
        ("हिन्दी में लिखा", "हिन्दी", "न्दीहि"),
        ("ǂKhomani", "ǂkhomani", "khomani#"),
        ("العبّارة تصل غدا", "غدا", "اغد"),
    ],
)
def test_writing_of_many_kinds_is_found(text: str, query: str, others: str, written: Written) -> None:
    terms = written(body(1, text))
    assert found(terms, query) == {1}
    assert found(terms, others) == set()


def test_a_version_as_it_is_asked_for_comes_before_its_other_form(written: Written) -> None:
    terms = written(body(1, "a tag v2.0-rc1"), body(2, "a tag 2.0-rc1"), body(3, "a tag 2.1"))
    assert best(terms, "v2.0-rc1") == [1, 2]
    assert best(terms, "2.0-rc1") == [2, 1]
    assert best(terms, phrase("2.0-rc1")) == [2]


def test_a_version_in_the_rest_of_a_page_is_found_in_both_forms(written: Written) -> None:
    terms = written(document(1, ("rest", "the tag v2.0-rc1")))
    assert found(terms, "2.0-rc1") == {1}


def test_a_file_whose_name_begins_with_a_dot_comes_before_the_word_alone(written: Written) -> None:
    terms = written(body(1, "env, env and env"), body(2, "settings in the file .env of a folder"))
    name = QueryTerm(".env", spelling=spelling_of(".env"))
    assert best(terms, name) == [2, 1]
    assert best(terms, "env") == [1, 2]


def test_all_words_must_be_there_in_whatever_fields(written: Written) -> None:
    terms = written(
        document(1, ("title", "Ferry"), ("anchors_outside", "timetable", 3)),
        document(2, ("title", "Ferry")),
        document(3, ("rest", "timetable ferry")),
        document(4, url="http://a.example/ferry-timetable?x=%C3%BC"),
    )
    assert found(terms, "ferry", "timetable") == {1, 3, 4}
    assert found(terms, QueryTerm("ferry", "title")) == {1, 2}
    assert found(terms, QueryTerm("timetable", "url")) == {4}
    assert found(terms, QueryTerm("ü", "url")) == {4}


def test_phrases_are_words_in_a_row_of_one_text(written: Written) -> None:
    terms = written(
        body(1, "the lost property office"),
        body(2, "property that was lost"),
        document(3, ("anchors_inside", "all is lost"), ("anchors_inside", "property office")),
        document(4, ("headings", "Lost"), ("headings", "Property")),
        document(5, ("rest", "lost property")),
    )
    assert found(terms, phrase("lost property")) == {1}
    assert found(terms, phrase("Property Office")) == {1, 3}
    assert found(terms, "lost", "property") == {1, 2, 3, 4, 5}


def test_words_written_together_are_found_in_the_rest_without_regard_to_their_order(written: Written) -> None:
    terms = written(document(1, ("rest", "see str.join for more")), document(2, ("rest", "see more")))
    assert found(terms, "str.join") == {1}
    assert found(terms, "see", "str.join", "more") == {1}


def test_pages_with_excluded_words_are_left_out_wherever_the_words_are(written: Written) -> None:
    terms = written(
        body(1, "ferry"),
        body(2, "ferry and bus"),
        document(3, ("body", "ferry"), ("rest", "busses bus")),
        body(4, "tram"),
    )
    assert found(terms, "ferry", excluded=(QueryTerm("bus"),)) == {1}
    assert found(terms, "ferry", excluded=(phrase("and bus"),)) == {1, 3}
    assert found(terms, excluded=(QueryTerm("ferry"),)) == {4}


def test_a_field_that_does_not_count_is_searched_if_it_is_asked_for_by_name(written: Written) -> None:
    terms = written(document(1, ("title", "Ferry"), ("body", "boats")), document(2, ("body", "ferry")))
    without = {**ALIKE, "title": 0.0}
    assert set(terms.best(TermQuery((QueryTerm("ferry"),)), without, 10).pages.tolist()) == {1, 2}
    assert terms.best(TermQuery((QueryTerm("ferry", "title"),)), without, 10).pages.tolist() == [1]
    assert terms.best(TermQuery((QueryTerm("ferry"),)), dict.fromkeys(TEXT_FIELDS, 0.0), 10).total == 0


def test_few_words_are_enough_if_others_may_be_missing_but_not_required_ones(written: Written) -> None:
    terms = written(body(1, "red boat"), body(2, "red car here"), body(3, "blue tram"), body(4, "red boat here"))
    three = ("red", "boat", "here")
    assert found(terms, *three) == {4}
    assert found(terms, *three, least_words=2) == {1, 2, 4}
    assert found(terms, *three, least_words=1) == {1, 2, 4}
    assert found(terms, "red", "blue", phrase("boat here"), least_words=1) == {4}


def order(terms: TermIndex, *words: QueryTerm) -> list[int]:
    pages: list[int] = terms.best(TermQuery(words), ALIKE, 100).pages.tolist()
    return pages


def test_a_page_that_has_a_name_as_it_is_spelt_comes_before_one_with_its_parts(written: Written) -> None:
    terms = written(
        document(1, ("title", "asyncio gather"), ("headings", "Asyncio: gather"), ("body", "asyncio gathering")),
        document(2, ("title", "Tasks"), ("body", "await asyncio.gather(first, second) and much more " * 20)),
        document(3, ("title", "asyncio.gather_all"), ("body", "asyncio.gather_all()")),
        document(4, ("rest", "asyncio here, gather there")),
        document(5, ("rest", "see asyncio.gather")),
    )
    assert order(terms, QueryTerm("asyncio.gather", spelling="asyncio.gather"))[0] == 2
    assert found(terms, QueryTerm("asyncio.gather", spelling="asyncio.gather")) == {1, 2, 3, 5}
    assert found(terms, "asyncio.gather") == {1, 2, 3, 4, 5}


def test_underscores_and_dashes_tell_names_apart(written: Written) -> None:
    terms = written(
        *(document(page, ("title", "init"), ("body", "init " * page)) for page in range(1, 4)),
        body(4, "the method __init__ of every class, about which much is said here"),
        body(5, "git commit --amend changes what was"),
        document(6, ("title", "Amend"), ("body", "amend the constitution, amend it")),
    )
    assert order(terms, QueryTerm("__init__", spelling="__init__"))[0] == 4
    assert order(terms, QueryTerm("--amend", spelling="--amend")) == [5, 6]


def test_a_page_that_defines_a_name_among_many_comes_before_one_that_mentions_it(written: Written) -> None:
    many = [("definitions", f"dict.name_{number}") for number in range(500)]
    terms = written(
        replace(body(1, "All methods. " + "get(key) and so on. " * 500), names=[*many, ("definitions", "dict.get")]),
        body(2, "dict.get() is what one calls here. " + "And that is not all there is to say. " * 20),
        replace(body(3, "gather"), names=[("definitions", "gather")]),
        document(4, ("title", "Gather"), ("body", "gather, gathered, gathering")),
        *(body(page, "something else") for page in range(5, 30)),
    )
    as_set = dict(BOOSTS)
    by_name = terms.best(TermQuery((QueryTerm("dict.get()", spelling="dict.get"),)), as_set, 9)
    assert by_name.pages.tolist() == [1, 2]
    defined = dict.fromkeys(TEXT_FIELDS, 0.0) | {"definitions": 3.0}
    assert terms.best(TermQuery((QueryTerm("gather", spelling="gather"),)), defined, 9).pages.tolist() == [3]


def test_any_of_several_words_will_do(written: Written) -> None:
    terms = written(body(1, "ferry"), body(2, "slow bus"), body(3, "tram"), body(4, "bus and slow ferry"))
    either = QueryTerm("ferry", others=(phrase("slow bus"), QueryTerm("title", "title")))
    assert found(terms, either) == {1, 2, 4}
    assert found(terms, either, "slow") == {2, 4}
    assert found(terms, either, "slow", "tram", least_words=1) == {2, 4}
    pieces = terms.highlighted(TermQuery((either,)), "a ferry and a slow bus", "body", "en")
    assert [text for text, is_match in pieces if is_match] == ["ferry", "slow", "bus"]


def test_it_is_known_whether_any_page_writes_an_option(written: Written) -> None:
    terms = written(body(1, "tar -xzf file"), body(2, "xzf - full"))
    assert [terms.statistics.has_spelling(each) for each in ("-xzf", "-XZF", "-full", "-file")] == [
        True,
        True,
        False,
        False,
    ]


# --- conditions ---------------------------------------------------------------------------------


def test_queries_with_words_in_common_are_counted_at_once_as_each_by_itself(written: Written) -> None:
    texts = ("a red boat at sea", "a red lamp", "a blue boat", "a red boat and a lamp", "lamp", "a red cat")
    terms = written(*(body(page, text) for page, text in enumerate(texts)))
    site = ("a.example",)
    queries = [
        TermQuery(tuple(map(QueryTerm, words.split())), sites=site)
        for words in ("red boat", "red lamp", "red", "red nowhere", "lamp sea red", "cat")
    ]
    counts = terms.count_each(queries, ALIKE)
    assert counts == [2, 2, 4, 0, 0, 1]
    assert counts == [terms.count_each([query], ALIKE)[0] for query in queries]
    assert [terms.has_all(query) for query in queries] == [True, True, True, False, True, True]


def test_of_many_documents_each_query_is_counted_by_itself(written: Written) -> None:
    terms = written(*(body(page, "red lamp" if page % 3 else "red boat") for page in range(1_200)))
    queries = [TermQuery((QueryTerm("red"), QueryTerm(word))) for word in ("lamp", "boat")]
    assert terms.count_each(queries, ALIKE) == [800, 400]


def test_excluded_pages_are_left_out_and_not_counted(written: Written) -> None:
    terms = written(*(body(page, "boat") for page in range(1, 6)))
    assert found(terms, "boat", excluded_pages=(2, 5, 2**40)) == {1, 3, 4}
    assert found(terms, excluded_pages=(1,)) == {2, 3, 4, 5}


def test_site_names_a_host_a_domain_a_port_or_a_folder(written: Written) -> None:
    def at(page: int, url: str, site: str) -> IndexedText:
        return document(page, url=url, host=url[: url.index("/", 8)], site=site)

    terms = written(
        at(1, "https://docs.example.org/guide/first/page?q=a/b", "example.org"),
        at(2, "http://www.example.org:8080/guide", "example.org"),
        at(3, "http://example.org/", "example.org"),
        at(4, "http://notexample.org/guide/", "notexample.org"),
        at(5, "http://[::1]:8080/a/b", "[::1]"),
        at(6, "http://10.0.0.7/a", "10.0.0.7"),
    )
    for site, pages in {
        "example.org": {1, 2, 3},
        "docs.example.org": {1},
        "www.example.org": {2},
        "www.example.org:8080": {2},
        "docs.example.org/guide": {1},
        "docs.example.org/guide/first": {1},
        "docs.example.org/guide/first/page": {1},
        "docs.example.org/first": set(),
        "docs.example.org/gui": set(),
        "www.example.org/guide": {2},
        "www.example.org:8080/guide": {2},
        "notexample.org/guide": {4},
        "[::1]:8080": {5},
        "[::1]": {5},
        "10.0.0.7": {6},
        "0.0.7": set(),
        "org": set(),
    }.items():
        assert found(terms, sites=(site,)) == pages, site
    assert found(terms, sites=("example.org",), excluded_sites=("www.example.org",)) == {1, 3}
    assert found(terms, sites=("10.0.0.7", "[::1]")) == {5, 6}


def test_language_and_time_of_the_fetch_are_conditions_without_weight(written: Written) -> None:
    terms = written(
        document(1, ("body", "boat"), language="en", fetched_at=100.5),
        document(2, ("body", "boat"), language="de", fetched_at=200.0),
        document(3, ("body", "boat"), language="pl", fetched_at=300.0),
    )
    assert found(terms, languages=("de",)) == {2}
    assert found(terms, "boat", languages=("de", "pl")) == {2, 3}
    assert found(terms, since=200.0) == {2, 3}
    assert found(terms, since=-62e9) == {1, 2, 3}
    assert found(terms, since=1e12) == set()
    hits = terms.best(TermQuery(languages=("de", "pl"), since=150.0), ALIKE, 9)
    assert hits.scores.tolist() == [0.0, 0.0]


# --- scores -------------------------------------------------------------------------------------


def test_the_parts_of_a_score_add_up(written: Written) -> None:
    terms = written(
        document(1, ("title", "Ferry times"), ("body", "the ferry leaves at nine"), ("anchors_outside", "ferry", 40)),
        document(2, ("body", "a ferry")),
        body(3, "trams"),
    )
    boosts = {field: 1.0 + number for number, field in enumerate(TEXT_FIELDS)}
    query = TermQuery((QueryTerm("ferry"), QueryTerm("nine")))
    hits = terms.best(query, boosts, 10)
    parts = [terms.scores_of(query, boosts, [1, 2, 3], part) for part in (FIELDS, NEARNESS, HOME_PAGE)]
    assert hits.pages.tolist() == [1]
    assert sum(part.get(1, 0.0) for part in parts) == pytest.approx(hits.scores[0], rel=1e-5)
    assert not any(3 in part for part in parts)
    one_field = {WORDS: boosts[WORDS]}
    [alone, together] = [terms.scores_of(query, each, [2], FIELDS)[2] for each in (one_field, boosts)]
    assert alone == pytest.approx(together)
    assert terms.scores_of(query, boosts, []) == {}
    assert terms.scores_of(TermQuery(), boosts, [1]) == {}


def test_a_page_of_many_headings_is_found_by_each_of_them(written: Written) -> None:
    chapters, gear = "\n".join(f"Chapter {number}" for number in range(150)), "gear " * 500
    terms = written(
        document(1, ("title", "Manual"), ("headings", f"{chapters}\nOiling the oars"), ("body", f"{gear} oiling oars")),
        document(2, ("title", "Kinds of oars"), ("headings", "Kinds"), ("body", f"oars {gear} oiling")),
        *(document(page, ("title", "Elsewhere"), ("body", "nothing")) for page in range(3, 60)),
    )
    query = TermQuery((QueryTerm("oiling"), QueryTerm("oars")))
    assert terms.best(query, BOOSTS, 10).pages.tolist() == [1, 2]


def test_a_page_with_all_words_in_its_text_comes_before_one_with_one_of_them_in_its_title(written: Written) -> None:
    several = "evaluate an arithmetic expression on the bands of images"
    terms = written(
        document(1, ("title", "The math module"), ("body", f"{several}. {several}.")),
        document(2, ("title", "Expressions"), ("headings", "Expressions"), ("body", "expressions and statements")),
        *(body(page, "images, and an arithmetic mean") for page in range(3, 30)),
    )
    words = tuple(map(QueryTerm, ("evaluate", "arithmetic", "expression", "images")))
    assert terms.best(TermQuery(words, least_words=1), BOOSTS, 1).pages.tolist() == [1]


def test_a_title_with_an_identifier_counts_as_a_whole(written: Written) -> None:
    often = "Ferry Server Version. " * 20
    terms = written(
        *(document(page, ("title", f"Index {page} - Ferry Server Version"), ("body", often)) for page in range(1, 9)),
        document(9, ("title", "mod_lamp - Ferry Server Version"), ("body", f"mod_lamp lights lamps {'other ' * 600}")),
        *(document(page, ("title", f"Definitions {page}"), ("body", "mod_lamp " * 9)) for page in range(10, 16)),
        *(document(page, ("title", f"Other {page}"), ("body", "nothing at all")) for page in range(20, 80)),
    )
    title = (QueryTerm("mod_lamp", spelling="mod_lamp"), *map(QueryTerm, ("Ferry", "Server", "Version")))
    assert terms.best(TermQuery(title, least_words=2), BOOSTS, 1).pages.tolist() == [9]


def test_function_words_count_in_a_title_that_has_all_words(written: Written) -> None:
    terms = written(*(document(page, ("title", f"ferry {word} harbour")) for page, word in enumerate(("at", "to"))))
    asked = TermQuery(tuple(map(QueryTerm, ("ferry", "harbour"))), function_words=("to",))
    hits = terms.best(asked, BOOSTS, 2)
    assert hits.pages.tolist() == [1, 0]
    assert hits.scores[0] > hits.scores[1]
    [first, second] = terms.best(replace(asked, function_words=("to", "the")), BOOSTS, 2).scores
    assert first == second


def test_the_home_page_of_the_site_that_a_query_names_comes_first(written: Written) -> None:
    names = "keystone keystone keystone documentation"
    terms = written(
        document(
            1, ("title", "Keystone"), ("body", names), url="http://docs.cloud.example/keystone/latest/tokens.html"
        ),
        document(2, ("title", "Welcome"), url="http://docs.cloud.example/keystone/latest/index.html"),
        document(3, ("title", "All projects"), url="http://docs.cloud.example/"),
        *(body(page, names) for page in range(10, 20)),
    )

    def first(*words: str) -> int:
        return int(terms.best(TermQuery(tuple(map(QueryTerm, words)), least_words=1), BOOSTS, 1).pages[0])

    assert [first("keystone"), first("cloud", "Keystone"), first("keystone", "documentation")] == [2, 2, 2]
    assert first("docs", "cloud") == 3
    assert first("keystone", "tokens") == 1


def test_a_word_that_names_a_site_prefers_the_pages_of_the_site(written: Written) -> None:
    def page(number: int, host: str, text: str, **others: Any) -> IndexedText:
        told = document(
            number, ("body", text), host=f"http://docs.{host}", url=f"http://docs.{host}/{number}", site=host
        )
        return replace(told, **others)

    terms = written(
        page(1, "ferry.example", "Ferry lamps."),
        page(2, "ferry.example", "The history of the ferry.", names=[("definitions", "ferry")]),
        page(3, "ferry-boats.example", "Ferry lamps."),
        page(4, "other.example", "Ferry lamps, ferry lamps and ferry lamps."),
        page(5, "other.example", "A harbour."),
    )

    def first(*words: QueryTerm) -> list[int]:
        pages: list[int] = terms.best(TermQuery(words, least_words=1), BOOSTS, 5).pages.tolist()
        return pages

    name = QueryTerm("ferry?", spelling="ferry")
    assert set(first(QueryTerm("lamps"), name)[:2]) == {1, 3}
    assert first(name)[0] == 2


def test_a_text_on_many_pages_counts_for_more_but_not_as_often(written: Written) -> None:
    others = [body(page, "tram") for page in range(10, 20)]
    terms = written(*(document(page, ("anchors_outside", "boat", page)) for page in (1, 2, 8, 1_000_000)), *others)
    scores = terms.scores_of(TermQuery((QueryTerm("boat"),)), ALIKE, [1, 2, 8, 1_000_000])
    assert scores[1] < scores[2] < scores[8] < scores[1_000_000] < 8 * scores[1]


def test_each_page_s_words_are_told_apart(written: Written) -> None:
    terms = written(body(1, "boat harbour"), body(2, "lamp"), document(3, ("title", "boat", 1)), body(4, "tram"))
    words = tuple(map(QueryTerm, ["boat", "unknown", *(f"no{number}" for number in range(30)), "lamp", "harbour"]))
    assert terms.words_of([1, 2, 3, 9], words, ALIKE) == {1: {0, 33}, 2: {32}, 3: {0}, 9: set()}
    assert terms.words_of([], words, ALIKE) == {}
    assert terms.words_of([1], [], ALIKE) == {1: set()}


# --- marks --------------------------------------------------------------------------------------


def marked(terms: TermIndex, query: str, text: str, field: str = "body", most: int | None = None) -> str:
    pieces = terms.highlighted(TermQuery(tuple(map(QueryTerm, query.split()))), text, field, "en", most)
    return "".join(f"[{piece}]" if is_match else piece for piece, is_match in pieces)


@pytest.mark.parametrize(
    "query, text, expected",
    [
        ("ferry", "(The Ferries, at last!)", "(The [Ferries], at last!)"),
        ("ferry", "no such word", ""),
        ("fähre naïve", "Über die Fähre – naïve Gäste €", "Über die [Fähre] – [naïve] Gäste €"),
        ("北京", "我爱北京。", "我爱[北京]。"),
        ("ตั๋ว", "ราคาตั๋วเรือ", "ราคา[ตั๋ว]เรือ"),
        ("c++ c#", "C++, C# & <b>", "[C++], [C#] & <b>"),
        ("c++ .net", "C++17 for .NET8 – übrigens", "[C++]17 for [.NET]8 – übrigens"),
        ("2.0-rc1", "the tag v2.0-rc1", "the tag [v2].[0]-[rc1]"),
        ("boat", "𝔘𝔫𝔦 🛳 boat 🛳", "𝔘𝔫𝔦 🛳 [boat] 🛳"),
        ("boat", "", ""),
    ],
)
def test_matches_are_marked_in_the_whole_text(query: str, text: str, expected: str, written: Written) -> None:
    terms = written(body(1, text), body(2, "ferry boat"))
    assert marked(terms, query, text) == expected


def test_a_passage_is_about_as_long_as_asked_for_in_any_script(written: Written) -> None:
    latin, cyrillic, han = "the old boat leaves " * 50, "старая лодка уходит " * 50, "旧船离开" * 250
    terms = written(body(1, latin), body(2, cyrillic), body(3, han))
    for query, text in (("boat", latin), ("лодка", cyrillic), ("船", han)):
        passage = marked(terms, query, text, most=200).replace("[", "").replace("]", "")
        assert passage in text
        assert 120 <= len(passage) <= 220, query


def test_the_passage_with_most_of_the_words_is_taken(written: Written) -> None:
    text = "a boat. " + "filler words of no use. " * 40 + "the boat leaves the harbour. " + "more filler. " * 40
    assert "[boat] leaves the [harbour]" in marked(written(body(1, text)), "boat harbour", text, most=100)


def test_words_of_another_field_or_excluded_are_not_marked(written: Written) -> None:
    terms = written(body(1, "boat tram"))
    query = TermQuery((QueryTerm("boat", "title"),), excluded=(QueryTerm("tram"),))
    assert terms.highlighted(query, "boat tram", "body", "en") == (("boat", True), (" tram", False))


TEXTS = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("aC+#北ตé\u00ad\u0301\u200b ")), max_size=60)


@given(TEXTS)
def test_a_text_is_restored_but_for_what_nobody_sees(text: str) -> None:
    assert restored(prepared(text)) == plain_letters(text).replace("\u200b", "")


@settings(max_examples=50)
@given(st.lists(TEXTS, min_size=1, max_size=4), TEXTS)
def test_any_text_can_be_written_asked_for_and_marked(
    terms_of_any_text: TermIndex, texts: list[str], query: str
) -> None:
    terms = terms_of_any_text
    words = TermQuery((QueryTerm(query), phrase(query)), excluded=(QueryTerm(query, "title"),))
    terms.best(words, ALIKE, 10)
    assert terms.has_words(QueryTerm("boat"))
    for text in texts:
        for most in (None, 20):
            pieces = terms.highlighted(words, f"boat {text}", "body", "en", most)
            assert not pieces or any(is_match for _, is_match in pieces)


@pytest.fixture(scope="module")
def terms_of_any_text(tmp_path_factory: pytest.TempPathFactory) -> TermIndex:
    terms = TermIndex.create(tmp_path_factory.mktemp("terms"), ("en",))
    terms.write([body(1, "boat a C 北 ต é")])
    terms.close()
    return terms


def test_signs_alone_and_endless_words_are_no_words(written: Written) -> None:
    terms = written(body(1, "boat"))
    assert [terms.has_words(QueryTerm(text)) for text in ("boat", "+", "", "\x00", "x" * 1_000, "🛳", "船")] == [
        *(True, False, False, False, False, False, True)
    ]


# --- writing ------------------------------------------------------------------------------------


def test_what_is_written_again_replaces_what_was_there_and_what_is_removed_is_gone(written: Written) -> None:
    terms = written(*(document(page, ("body", "boat"), fingerprint=2**64 - page) for page in range(1, 6)))
    assert terms.pages_with("tram") == 0
    terms.write([document(2, ("body", "tram"), fingerprint=7)])
    terms.remove([3, 99])
    assert found(terms, "boat") == {1, 2, 3, 4, 5}
    terms.commit()
    assert found(terms, "boat") == {1, 4, 5}
    assert found(terms, "tram") == {2}
    assert terms.pages_with("tram") == 1
    pages, fingerprints = terms.known()
    known = dict(zip(pages.tolist(), fingerprints.tolist(), strict=True))
    assert known == {1: 2**64 - 1, 2: 7, 4: 2**64 - 4, 5: 2**64 - 5}
    assert len(terms) == 4
    terms.close()
    assert found(terms, "boat") == {1, 4, 5}


def test_an_open_index_answers_as_before_until_it_is_reloaded_while_it_is_written(
    tmp_path: Path, written: Written
) -> None:
    writing = written(*(body(page, "boat") for page in range(100)))
    reading = TermIndex.open(tmp_path, LANGUAGES)
    errors: list[object] = []
    is_over = threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            if found(reading, "boat") != set(range(100)):
                errors.append("another answer")

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        for page in range(60):
            writing.write([body(page, "tram")])
            if page % 20 == 19:
                writing.commit()
        writing.close()
    finally:
        is_over.set()
        thread.join()
    assert not errors
    reading.reload()
    assert found(reading, "boat") == set(range(60, 100))


def test_what_was_not_committed_is_forgotten(tmp_path: Path) -> None:
    terms = TermIndex.create(tmp_path, LANGUAGES)
    terms.write([body(1, "boat")])
    terms.commit()
    terms.write([body(2, "boat")])
    del terms
    assert found(TermIndex.open(tmp_path, LANGUAGES), "boat") == {1}


def test_an_empty_index_answers(written: Written) -> None:
    terms = written()
    assert found(terms, "boat") == set()
    assert [array.tolist() for array in terms.known()] == [[], []]
    assert marked(terms, "boat", "a boat") == ""


def test_a_folder_without_readable_terms_is_reported(tmp_path: Path, written: Written) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(IndexUnreadable, match="there are no terms"):
        TermIndex.open(tmp_path / "empty", LANGUAGES)
    written(body(1, "boat"))
    with pytest.raises(IndexUnreadable, match="cannot be read"):
        TermIndex.open(tmp_path, ("en", "sv"))
    (tmp_path / "meta.json").write_text("{}")
    with pytest.raises(IndexUnreadable, match="cannot be read"):
        TermIndex.open(tmp_path, LANGUAGES)
