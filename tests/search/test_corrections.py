"""What a query is corrected to, and what is left alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from hinterland.search.corrections import MOST_CORRECTIONS, QueryCorrections, WordLookup, corrections, words_of
from hinterland.search.near_names import edits_between, near_names
from hinterland.search.typing_errors import are_next_keys, typing_cost
from hinterland.search.vocabulary import NearWord
from tests.support.arrays import vocabulary


class Pages(WordLookup):
    """An index of pages that are sets of words."""

    def __init__(self, pages: Mapping[str, int], names: Sequence[str] = ()) -> None:
        """pages: how many there are with these words; names: of code that they have."""
        self._names = names
        self._pages = [(set(words.split()), count) for words, count in pages.items()]
        every = {word for words, _ in self._pages for word in words}
        self._vocabulary = vocabulary({word: self.pages_with(word, "") for word in every})
        self.asked: list[list[str]] = []

    def near(self, word: str, most_edits: int, least_documents: int = 0) -> Sequence[NearWord]:
        return self._vocabulary.near(word, most_edits, least_documents)

    def pages_with(self, word: str, field: str) -> int:
        return sum(count for words, count in self._pages if word.lower() in words)

    def has_name(self, spelling: str) -> bool:
        return spelling in self._names

    def near_names(self, spelling: str) -> Sequence[NearWord]:
        return near_names(spelling, lambda start: [(name, 1) for name in self._names if name.startswith(start)])

    def pages_answering(self, queries: Sequence[str]) -> list[int]:
        self.asked.append(list(queries))
        each = [{word.text for word in words_of(query)} for query in queries]
        return [sum(count for words, count in self._pages if words >= asked) for asked in each]


FERRIES = Pages(
    {"ferry timetable winter": 9, "ferry lamp": 40, "merry christmas winter": 30, "lamb recipe": 200, "fern": 2}
)


def found(query: str, index: Pages = FERRIES) -> list[str]:
    return [other.query for other in corrected(query, index).queries]


def corrected(query: str, index: Pages = FERRIES) -> QueryCorrections:
    return corrections(query, index, index.pages_answering)


@pytest.mark.parametrize(
    "query, corrected",
    [
        ("ferry timetabel", "ferry timetable"),
        ("fery lamp", "ferry lamp"),
        ('"fery timetable" winter', '"ferry timetable" winter'),
        ("title:fery", "title:ferry"),
        ("ferrz timetabl", "ferry timetable"),
        ("timetablr site:ferry.example -lamb", "timetable site:ferry.example -lamb"),
        ("ferry.lmap", "ferry.lamp"),
        ("ferri::lamp", "ferry::lamp"),
    ],
)
def test_a_word_that_no_page_has_is_corrected_where_it_stands(query: str, corrected: str) -> None:
    assert found(query)[0] == corrected


def test_of_words_as_near_the_one_that_goes_with_the_others_is_meant() -> None:
    assert found("lamx") == ["lamb"]
    assert found("ferry lamx") == ["ferry lamp"]


def test_a_word_that_pages_have_is_suspected_only_if_far_more_have_the_other_and_with_the_other_words() -> None:
    assert found("fern lamp") == []
    rare = Pages({"ferry timetable": 50, "fery notice": 2, "merry christmas": 30, "once": 1})
    assert found("once fery timetable", rare) == []
    assert found("fery timetable", rare) == ["ferry timetable"]
    assert found("merry timetable", rare) == []
    assert found("fery", rare) == []
    assert corrected("fery timetable", rare).unknown == ()
    assert corrected("merri timetable", rare).unknown == ("merri",)


@pytest.mark.parametrize(
    "query", ["ferry_timetabel", "http://fery.example/", "--timetabl", "site:fery.example", "-fery", "fr", "x86"]
)
def test_names_of_code_options_sites_and_what_is_not_to_be_found_are_left_alone(query: str) -> None:
    assert list(words_of(query)) == []
    assert found(query) == []


@pytest.mark.parametrize("without", ["NOT timetabel", "NOT (timetabel lmap)", 'NOT "fery timetabel"', "-timetabel"])
def test_what_is_to_be_left_out_is_as_it_is_written_beside_a_word_that_is_corrected(without: str) -> None:
    assert found(f"ferrry {without}")[0] == f"ferry {without}"
    assert corrected(f"ferrry {without}").unknown == ("ferrry",)


def test_a_name_of_code_that_pages_have_is_no_error() -> None:
    assert found("ferry.lmap lamb", Pages({"ferry lamp lamb": 9}, ["ferry.lmap"])) == []
    assert found("ferry.lmap lamb", Pages({"ferry lamp lamb": 9})) == ["ferry.lamp lamb"]
    rare = {"ferry lamp lamb": 50, "lmab": 1}
    assert found("ferry.lamp lmab", Pages(rare, ["ferry.lamp"])) == ["ferry.lamp lamb"]


def test_what_is_known_is_an_error_if_it_is_one_of_the_rarest_and_another_word_goes_with_the_others() -> None:
    pages = Pages({"ferry lamp dusk": 60, "fery": 2, "dusk harbour": 1})
    assert found("fery lamp dusk", pages) == ["ferry lamp dusk"]
    assert found("fery harbour dusk", pages) == []


def test_the_likeliest_is_asked_for_alone_and_what_can_be_likelier_at_once() -> None:
    pages = Pages({"lamb dusk": 9, "lamp": 40, "lamp dusk": 3, "lame dusk": 2, "lamk dusk": 5})
    assert found("lamx dusk", pages) == ["lamb dusk", "lamk dusk", "lamp dusk"]
    assert pages.asked == [["lamp dusk"], ["lamb dusk", "lamk dusk"]]


def test_what_too_few_pages_have_to_be_likelier_is_not_asked_for() -> None:
    pages = Pages({"lamp dusk os_path": 2, "lamp": 500, "lamb": 20, "lame": 9})
    assert found("lamq dusk os_path", pages) == ["lamp dusk os_path"]
    assert pages.asked == [["lamp dusk os_path"]]


def test_what_would_have_to_go_with_the_others_far_oftener_than_the_likeliest_is_not_asked_for() -> None:
    rare = {"lamp": 5_000, "lamp dusk": 1, "dusk": 50}
    seldom = Pages(rare | {"lamb": 200})
    assert found("lamq dusk", seldom) == ["lamp dusk"]
    assert seldom.asked == [["lamp dusk"]]
    often = Pages(rare | {"lamb": 4_000, "lamb dusk": 3})
    assert found("lamq dusk", often) == ["lamb dusk", "lamp dusk"]


def test_words_far_from_all_others_are_named_and_left_as_they_are() -> None:
    known = corrected("xylophone orchestra")
    assert (known.queries, known.unknown) == ((), ("xylophone", "orchestra"))


def test_a_short_word_is_not_two_edits_away_from_another() -> None:
    assert found("lxmx") == []
    assert found("timxtxble") == ["timetable"]


def test_few_queries_are_asked_and_few_are_offered() -> None:
    alike = Pages({f"{letter}amp {other}oat": 1 for letter in "bcdlrstv" for other in "bcgms"})
    offered = found("xamp yoat", alike)
    assert len(offered) == MOST_CORRECTIONS
    assert sum(map(len, alike.asked)) <= 8


@pytest.mark.parametrize(
    "meant, easier, harder",
    [
        ("harbour", "hrabour", "haxbour"),
        ("harbour", "harbbour", "harxbour"),
        ("harbour", "harnour", "harzour"),
        ("harbour", "harour", "arbour"),
    ],
)
def test_some_errors_are_easier_made_than_others(meant: str, easier: str, harder: str) -> None:
    assert typing_cost(meant, easier, 1) < typing_cost(meant, harder, 1)


def test_keys_that_touch_are_next_to_each_other() -> None:
    assert are_next_keys("g", "h")
    assert are_next_keys("t", "g")
    assert not are_next_keys("q", "p")
    assert not are_next_keys("q", "z")
    assert not are_next_keys("ß", "s")


# --- whole names, and what no page has together ----------------------------------------------------

NAMES = Pages(
    {"sdl createtexture": 3, "ferry": 20}, names=["sdl_createtexture", "sdl_createtexturefromsurface", "ferry_lamp"]
)


@pytest.mark.parametrize(
    "written, meant",
    [
        ("SDL_CreateTextre", "SDL_CreateTexture"),
        ("sdl_craetetexture", "sdl_createtexture"),
        ("fery_lamp", "ferry_lamp"),
        ("SDL_CreateTexture", ""),
        ("sdl_createwindow", ""),
    ],
)
def test_a_whole_name_is_corrected_and_keeps_its_capitals(written: str, meant: str) -> None:
    assert found(written, NAMES)[:1] == [meant][: bool(meant)]


def test_if_no_page_has_the_corrected_words_together_the_likeliest_are_known() -> None:
    apart = Pages({"bessel kernel": 2, "convolution": 9, "colonel": 1})
    known = corrected("bessel kernal convolution", apart)
    assert (known.queries, known.likeliest, known.unknown) == ((), "bessel kernel convolution", ("kernal",))
    assert corrected("bessel xqzvwy", apart).likeliest == ""


@pytest.mark.parametrize(
    "first, second, edits",
    [
        ("", "", 0),
        ("lamp", "lamp", 0),
        ("lamp", "lmap", 1),
        ("lamp", "lam", 1),
        ("lamp", "lump", 1),
        ("ab", "ba", 1),
        ("a", "bc", 2),
    ],
)
def test_edits_between_words(first: str, second: str, edits: int) -> None:
    assert edits_between(first, second) == edits_between(second, first) == edits
