"""Words that are written together: compounds are found by their parts, and Korean nouns with and without particles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hinterland.search.store.indexed_text import IndexedText
from hinterland.search.store.term_index import TermIndex
from hinterland.search.store.values.term_query import TEXT_FIELDS, QueryTerm, TermQuery
from hinterland.search.word_forms.compounds import arrange_compounds, compounds_by_language

ALIKE = dict.fromkeys(TEXT_FIELDS, 1.0)
LANGUAGES = ("de", "nl", "sv", "da", "no", "fi")

KNOWN = (
    ("de", "Die Datenbank meldet Fehler. Eine Verbindung, ihre Behandlung und die Sprache des Servers."),
    ("de", "Straßen und eine Bahn, Bücher und Schränke, Länder, Kosten, die Sitzung, eine Rechnung."),
    ("nl", "De verbinding met de databank geeft een fout. De afhandeling van boeken in een winkel."),
    ("sv", "Ett arbete på en plats. Systemets hantering av filer och ett fönster."),
    ("da", "Et arbejde på en plads. Systemets håndtering af filer og et vindue."),
    ("no", "Et arbeid på en plass. Systemets håndtering av filer og et vindu."),
    ("fi", "Virhe ja sen käsittely. Verkko ja palvelin. Tieto."),
    ("ko", "데이터베이스 연결. 파이썬 설치, 값 설정. 고양이 사진"),
)
"""Pages that have the parts as words of their own: (language, text)."""

FOUND = (
    # German: (language of the page, what it says, what is typed)
    ("de", "die Datenbankverbindung herstellen", "Datenbank"),
    ("de", "die Datenbankverbindung prüfen", "Verbindung"),
    ("de", "die Datenbankverbindungen schließen", "Datenbanken"),
    ("de", "eine Fehlerbehandlung schreiben", "Behandlung"),
    ("de", "Fehlerbehandlungen lesen", "Fehler"),
    ("de", "die Behandlung aller Fehler", "Fehlerbehandlung"),
    ("de", "Fehlerbehandlung in Skripten", "Fehler Behandlung"),
    ("de", "einige Verbindungsfehler", "Fehler"),
    ("de", "viele Verbindungsfehler", "Verbindung"),
    ("de", "Verbindung zu einer Datenbank", "Datenbankverbindung"),
    ("de", "Datenbank-Verbindung", "Datenbankverbindung"),
    ("de", "Datenbankverbindung", "Datenbank-Verbindung"),
    ("de", "Datenbankverbindungsfehler", "Verbindung"),
    ("de", "Datenbankverbindungsfehler", "Datenbank"),
    ("de", "eine Straßenbahn fährt", "Straße"),
    ("de", "zwei Straßenbahnen", "Bahn"),
    ("de", "ein Bücherschrank steht", "Buch Schrank"),
    ("de", "diese Sprachverbindung", "Sprache"),
    ("de", "die Länderkosten", "Land"),
    ("de", "die Kostenrechnungen", "Rechnung"),
    ("de", "die Serversitzung", "Sitzung"),
    # Dutch, Swedish, Danish, Norwegian, Finnish
    ("nl", "foutafhandeling", "fout"),
    ("nl", "foutafhandelingen", "afhandeling"),
    ("nl", "databankverbindingen", "verbinding"),
    ("nl", "boekenwinkel", "boek"),
    ("sv", "arbetsplatsen", "arbete"),
    ("sv", "arbetsplatser", "plats"),
    ("sv", "systemhanteringen", "hantering"),
    ("da", "arbejdspladsen", "arbejde"),
    ("da", "systemhåndtering", "håndtering"),
    ("no", "arbeidsplassen", "arbeid"),
    ("no", "systemhåndtering", "håndtering"),
    ("fi", "virheenkäsittely", "virhe"),
    ("fi", "verkkopalvelin", "palvelin"),
    # Korean
    ("ko", "데이터베이스를 연다", "데이터베이스"),
    ("ko", "데이터베이스에서는 된다", "데이터베이스"),
    ("ko", "데이터베이스 목록", "데이터베이스를"),
    ("ko", "데이터베이스의 크기", "데이터베이스에서"),
    ("ko", "파이썬으로 쓴다", "파이썬"),
    ("ko", "파이썬 설치", "파이썬에서"),
    ("ko", "파이썬으로부터", "파이썬은"),
    ("ko", "값을 바꾼다", "값"),
    ("ko", "파일들을 지운다. 파일 하나", "파일"),
    ("ko", "고양이가 잔다", "고양이"),
    ("ko", "고양이 사진", "고양이를"),
    ("ko", "Python에서 쓴다", "Python"),
    ("ko", "API를 부른다. API", "API는"),
)

APART = (
    ("de", "die Datenbankverbindung", "Bank"),
    ("de", "eine Verbindung", "Datenbankverbindung"),
    ("de", "die Datenbankverbindung", '"Datenbank"'),
    ("de", "Verbindung und Datenbank", '"Datenbankverbindung"'),
    ("en", "Datenbankverbindung", "Datenbank"),
    ("ko", "도로 공사", "도"),
    ("ko", "회의 시간", "회"),
    ("ko", "고양이 사진", "고양"),
    ("ko", "데이터베이스은", "데이터베이스"),
    ("ko", "데이터베이스를", '"데이터베이스"'),
)
"""What must not be found."""


def arrays_of(compounds: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, NDArray[Any]]:
    """The arrays of a file of compounds."""
    parts = defaultdict[str, list[NDArray[Any]]](list)
    for language, by_part in compounds.items():
        arrange_compounds(language, by_part, lambda name, part: parts[name].append(part))
    return {name: np.concatenate(each) for name, each in parts.items()}


Indexed = Callable[..., TermIndex]


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    """An index of pages, (language, text), with their compounds."""

    def of(*pages: tuple[str, str]) -> TermIndex:
        folder: Path = tmp_path_factory.mktemp("terms")
        index = TermIndex.create(folder, LANGUAGES)
        at = "http://a.example"
        index.write(
            IndexedText(page, 0, language, 0.0, f"{at}/{page}", at, "a.example", [("body", text, 1)])
            for page, (language, text) in enumerate(pages)
        )
        index.close()
        compounds = compounds_by_language(arrays_of(index.find_compounds()))
        return TermIndex.open(folder, LANGUAGES, lambda: compounds)

    return of


@pytest.fixture(scope="module")
def terms(indexed: Indexed) -> TermIndex:
    """The pages of FOUND, and then those of KNOWN."""
    return indexed(*((language, text) for language, text, _ in FOUND), *KNOWN, *KNOWN, *KNOWN)


def asked(typed: str) -> TermQuery:
    return TermQuery(tuple(QueryTerm(word.strip('"'), is_phrase='"' in word) for word in typed.split()))


def pages_for(terms: TermIndex, typed: str) -> list[int]:
    return [int(page) for page in terms.best(asked(typed), ALIKE, 100).pages]


@pytest.mark.parametrize("page", range(len(FOUND)), ids=[f"{text}-{typed}" for _, text, typed in FOUND])
def test_what_is_typed_finds_what_is_written_together(terms: TermIndex, page: int) -> None:
    language, text, typed = FOUND[page]
    assert page in pages_for(terms, typed)
    shown = terms.highlighted(asked(typed), text, "body", language)
    assert any(is_match for _, is_match in shown)


def test_each_text_shows_its_own_compounds(indexed: Indexed) -> None:
    terms = indexed(("de", "Datenbankverbindung"), ("de", "Verbindungsfehler"), *KNOWN)
    matches = terms.matches_of(asked("Verbindung"))
    for text in ("die Datenbankverbindung", "der Verbindungsfehler", "die Verbindung"):
        assert matches.highlighted(text, "body", "de") == ((text[:4], False), (text[4:], True))


@pytest.mark.parametrize("language, text, typed", APART)
def test_other_words_stay_apart(indexed: Indexed, language: str, text: str, typed: str) -> None:
    known = [(of, words) for of, words in KNOWN if typed.strip('"') not in words]
    assert len(known) not in pages_for(indexed(*known, (language, text)), typed)


def test_the_word_itself_comes_first(indexed: Indexed) -> None:
    terms = indexed(("de", "Datenbankverbindung"), ("de", "Verbindung"), ("de", "Datenbank"), ("de", "Server"))
    assert pages_for(terms, "Datenbank") == [2, 0]
    assert pages_for(terms, "Datenbankverbindung") == [0]


def test_a_compound_that_no_page_has_finds_pages_with_its_parts(indexed: Indexed) -> None:
    terms = indexed(*KNOWN, ("de", "Datenbank"), ("de", "Verbindung einer Datenbank"))
    assert pages_for(terms, "Datenbankverbindung") == [9, 0]
    assert pages_for(terms, "Datenbankverbindungsfehler") == [0]


def test_a_frequent_compound_is_a_word_of_its_own(indexed: Indexed) -> None:
    terms = indexed(("de", "Daten"), ("de", "Bank"), *[("de", f"Datenbank {number}") for number in range(3)])
    assert pages_for(indexed(("de", "Daten"), ("de", "Bank"), ("de", "Datenbank")), "Bank") == [1, 2]
    assert pages_for(terms, "Bank") == [1]


def test_names_are_no_compounds(indexed: Indexed) -> None:
    terms = indexed(("de", "RewriteRule"), ("de", "rewrite rule"), ("de", "Rule"), ("de", "rewrite"))
    assert pages_for(terms, "RewriteRule") == [0]
    assert 1 in pages_for(terms, "rewriterule")


def test_excluded_words_stand_only_for_themselves(indexed: Indexed) -> None:
    terms = indexed(("de", "Datenbankverbindung offen"), ("de", "Verbindung offen"), ("de", "Datenbank offen"))
    query = TermQuery((QueryTerm("offen"),), excluded=(QueryTerm("Datenbank"),))
    assert sorted(terms.best(query, ALIKE, 10).pages.tolist()) == [0, 1]


def test_a_word_that_is_only_in_compounds_is_on_pages(terms: TermIndex, indexed: Indexed) -> None:
    assert indexed(("de", "Datenbankverbindung"), *KNOWN).pages_with("Datenbankverbindungsfehler")
    assert terms.pages_with("데이터베이스만")
    assert not terms.pages_with("Datenbankverbidnung")


def test_without_compounds_words_are_found_as_before(indexed: Indexed, tmp_path: Path) -> None:
    index = TermIndex.create(tmp_path, ("de",))
    at = "http://a.example"
    pages = enumerate(("Datenbank", "Datenbankverbindung", "Verbindung"))
    index.write(IndexedText(page, 0, "de", 0.0, at, at, "a.example", [("body", text, 1)]) for page, text in pages)
    index.close()
    assert pages_for(index, "Datenbank") == [0]
