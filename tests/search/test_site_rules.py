"""A file of rules raises, lowers and leaves out sites in every answer, and each score says so."""

from __future__ import annotations

import pytest

from hinterland.crawler.settings import SearchSettings
from hinterland.search.answers import Hit
from hinterland.search.index.building import build
from hinterland.search.index.index_folder import IndexFolder, default_folder
from hinterland.search.index.searcher import SearchIndex
from hinterland.search.site_rules import BadSiteRules, SiteRules, read_rules
from tests.support.in_process import complaint, said
from tests.support.stored_pages import Page, essay, write_store

pytestmark = pytest.mark.slow

HOSTS = ("http://www.a.test", "http://b.test", "http://c.test")
PAGES = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> IndexFolder:
    pages = [
        Page(f"{essay(number, 20 + 5 * (number % 7))} harbour", f"Title {number}", host=number % 3)
        for number in range(PAGES)
    ]
    store = write_store(tmp_path_factory.mktemp("rules") / "store.db", pages, HOSTS)
    build(store, default_folder(store))
    return default_folder(store)


def index_with(folder: IndexFolder, rules: str) -> SearchIndex:
    path = folder.path.with_name("rules.toml")
    path.write_text(rules)
    return SearchIndex(folder, SearchSettings(site_rules=str(path)))


def hits(index: SearchIndex, query: str = "harbour", *, explain: bool = False) -> list[Hit]:
    return list(index.search(query, limit=PAGES, explain=explain).hits)


def rule(name: str, value: str) -> str:
    return f'[[site]]\nname = "{name}"\n{value}\n'


def test_a_raised_site_comes_first_and_a_lowered_one_last(folder: IndexFolder) -> None:
    index = index_with(folder, rule("b.test", "add = 50") + rule("www.a.test", "add = -50.0"))
    sites = [hit.site for hit in hits(index)]
    assert sites == ["b.test"] * 8 + ["c.test"] * 8 + ["a.test"] * 8


@pytest.mark.parametrize("explain", [False, True])
def test_scores_differ_by_what_the_rules_say_and_by_nothing_else(explain: bool, folder: IndexFolder) -> None:
    plain = {hit.page: hit for hit in hits(SearchIndex(folder, SearchSettings()), explain=explain)}
    index = index_with(folder, rule("b.test", "add = 2.5") + rule("www.a.test/", "add = -1.5"))
    for hit in hits(index, explain=explain):
        added = {"http://b.test": 2.5, "http://www.a.test": -1.5}.get(hit.host, 0.0)
        assert hit.score == pytest.approx(plain[hit.page].score + added, abs=1e-4)
        assert sum(part.value for part in hit.parts) == pytest.approx(hit.score)
        assert [part.value for part in hit.parts if part.name == "site rule"] == ([added] if added else [])


def test_a_blocked_site_is_found_by_those_who_name_it(folder: IndexFolder) -> None:
    index = index_with(folder, rule("b.test", "block = true"))
    assert {hit.host for hit in hits(index)} == {"http://www.a.test", "http://c.test"}
    assert {hit.host for hit in hits(index, "harbour site:b.test")} == {"http://b.test"}


def test_rules_may_name_folders_and_be_none() -> None:
    assert read_rules("") == SiteRules()
    rules = read_rules(rule("HTTPS://Docs.A.test:443/guide/", "add = 3") + rule("b.test", "add = 0"))
    assert rules == SiteRules(raised=(("docs.a.test/guide", 3.0),))
    assert rules.of(["docs.a.test", "docs.a.test/guide"]) == [("docs.a.test/guide", 3.0)]


@pytest.mark.parametrize(
    "text, problem",
    [
        ("site", "not valid TOML"),
        ("[page]\na = 1", r"the file may only hold rules"),
        ("site = 3", r"the file may only hold rules"),
        ("site = [1]", r"1 is not a rule; each rule begins with the line \[\[site\]\]"),
        ("[[site]]\nadd = 1", "1 has no valid name"),
        (rule("a.test", "weight = 1"), "1 has weight; only name, add and block are allowed"),
        (rule("a.test", 'add = "much"'), "a.test has add = 'much'; it has to be a number"),
        (rule("a.test", "add = true"), "a.test has add = True"),
        (rule("a.test", "add = inf"), "a.test has add = inf"),
        (rule("a.test", f"add = 1{400 * '0'}"), "a.test has add = 1000"),
        (rule("a.test", "block = 1"), "block of a.test is 1; it has to be true or false"),
    ],
)
def test_rules_that_cannot_be_used_are_named(text: str, problem: str) -> None:
    with pytest.raises(BadSiteRules, match=problem):
        read_rules(text)


def test_the_command_explains_rules_and_names_a_file_that_is_missing(
    folder: IndexFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder.path.with_name("rules.toml")
    path.write_text(rule("b.test", "add = 50"))
    store = folder.path.with_suffix(".db")
    told = said(capsys, "search", store, "harbour", "--explain", "--set", f"search.site_rules={path}")
    assert "50.000  site rule" in told
    missing = complaint(capsys, "search", store, "harbour", "--set", "search.site_rules=none.toml")
    assert "the site rules in none.toml cannot be read" in missing
