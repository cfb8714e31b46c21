"""What sites reserve in /.well-known/tdmrep.json: the examples of the TDM Reservation Protocol, and whole crawls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.assembly.stored_features import stored_features
from hinterland.crawler.features.tdm_files.reservations import PATH, TdmFile
from hinterland.crawler.features.usage.stored_statements import StoredStatements
from hinterland.library.exporting import export
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.uses import Use
from tests.support.crawling import crawl, rows
from tests.support.web import Answer, LoopbackWeb

READ = {"read": True}
POLICY = "https://provider.com/policies/policy.json"
EXAMPLE = [
    {"location": "/directory-a/", "tdm-reservation": 1},
    {"location": "/directory-b/html/", "tdm-reservation": 1, "tdm-policy": POLICY},
    {"location": "/directory-b/images/*.jpg", "tdm-reservation": 0},
]


def file(rules: object) -> TdmFile:
    return TdmFile(json.dumps(rules).encode())


def reserved(rules: object, path: str) -> bool | None:
    found = file(rules).of(path)
    return None if found is None else found.is_reserved


# --- the examples and rules of the specification -------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/a", "/b/c.pdf?d"])
def test_a_rule_for_the_root_reserves_everything(path: str) -> None:
    assert reserved([{"location": "/", "tdm-reservation": 1}], path)


@pytest.mark.parametrize(
    "path, expected",
    [
        ("/directory-a/x.pdf", True),
        ("/directory-b/html/y.html", True),
        ("/directory-b/images/z.jpg", False),
        ("/directory-b/images/z.png", None),
        ("/directory-A/x.pdf", None),
        ("/", None),
    ],
)
def test_the_rule_of_the_directory_decides(path: str, expected: bool | None) -> None:
    assert reserved(EXAMPLE, path) is expected
    found = file(EXAMPLE).of("/directory-b/html/")
    assert found is not None
    assert found.policy == POLICY


def test_of_several_rules_the_first_that_matches_decides() -> None:
    rules = [{"location": "/a/b", "tdm-reservation": 0}, {"location": "/a", "tdm-reservation": 1}]
    assert reserved(rules, "/a/b/c") is False
    assert reserved(rules[::-1], "/a/b/c") is True


@pytest.mark.parametrize(
    "pattern, path, matches",
    [
        ("/this/path/exactly$", "/this/path/exactly", True),
        ("/this/path/exactly$", "/this/path/exactly/not", False),
        ("/this/*/then", "/this/and/then", True),
        ("/path/foo-%24", "/path/foo-$", True),
        ("/caf%C3%A9", "/caf%C3%A9", True),
    ],
)
def test_patterns_are_those_of_robots_txt(pattern: str, path: str, matches: bool) -> None:
    assert (reserved([{"location": pattern, "tdm-reservation": 1}], path) is True) is matches


@pytest.mark.parametrize(
    "rules",
    [{"location": "/", "tdm-reservation": 1}, [3], [{"location": "/"}], [{"tdm-reservation": 1}], "x",
     [{"location": "/", "tdm-reservation": 2}], [{"location": "https://a.test/", "tdm-reservation": 1}]],
)  # fmt: skip
def test_what_is_no_rule_reserves_nothing(rules: object) -> None:
    assert reserved(rules, "/") is None


@given(st.binary(max_size=60) | st.builds(lambda value: json.dumps(value).encode(), st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["location", "tdm-reservation", "x"]), inner),
)))  # fmt: skip
def test_no_file_is_an_error(text: bytes) -> None:
    TdmFile(text).of("/a")


# --- crawls --------------------------------------------------------------------------------------


def statements(store: Path, url: str) -> list[tuple[str, str]]:
    with reading(store) as reader:
        [(page,)] = rows(store, "SELECT id FROM page WHERE url = ?", url)
        return [(each.source, each.text) for each in StoredStatements(reader, "hinterland").of_page(page)]


def exported(store: Path, target: Path, **options: Any) -> tuple[set[str], dict[str, int]]:
    done = export(store, "jsonl", target, **options)
    return {json.loads(line)["url"] for line in target.read_text().splitlines()}, done.written.left_out


@pytest.mark.slow
async def test_pages_that_a_file_reserves_are_left_out_of_a_corpus_unless_they_say_otherwise(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        paths = ["/a/1", "/a/open", "/a/meta", "/b"]
        seed = web.page("a.test", "/", links=[*paths, ("other.test", "/")])
        web.page("a.test", "/a/1")
        web.page("a.test", "/a/open", headers={"TDM-Reservation": "0"})
        web.page("a.test", "/a/meta", html="<meta name=tdm-reservation content=0>", headers={"TDM-Reservation": "1"})
        web.page("a.test", "/b")
        rules = [{"location": "/a/", "tdm-reservation": 1, "tdm-policy": POLICY}]
        web.answer("a.test", PATH, Answer(json.dumps(rules).encode(), content_type="application/json"))
        other = web.page("other.test", "/")
        done = await crawl(web.addresses, [seed, other], store, tdm_files=READ)
        assert done.statistics.features["tdm_files"] == {"fetched": 1, "client_error": 1, "waiting": 0}
        asked = [(each.host, each.path) for each in web.log].count(("a.test", PATH))
        web.page("a.test", "/new")
        await crawl(web.addresses, [web.url("a.test", "/new")], store, tdm_files=READ)
        assert asked == [(each.host, each.path) for each in web.log].count(("a.test", PATH)) == 1
        urls = {path: web.url("a.test", path) for path in ("/", *paths)}
    text = f"tdm-reservation: 1 for /a/, tdm-policy: {POLICY}"
    assert statements(store, urls["/a/1"]) == [("tdmrep.json", text)]
    assert statements(store, urls["/a/open"]) == [("header", "tdm-reservation: 0")]
    assert statements(store, urls["/a/meta"]) == [("page", "tdm-reservation: 0")]
    corpus, left_out = exported(store, tmp_path / "c.jsonl", usage="train-ai")
    assert urls["/a/1"] not in corpus
    assert {urls["/a/open"], urls["/a/meta"], urls["/b"], other} <= corpus
    assert sum(left_out.values()) == 1
    with reading(store) as reader:
        assert stored_features(reader).refusing([Use.SEARCH]).pages == set()
        [about] = [each for each in stored_features(reader).remarks(urls["/a/1"], None) if each.label == "usage"]
    assert about.lines == ["training of AI models disallowed", f"tdmrep.json: {text}"]
    manifest = (tmp_path / "c.jsonl.manifest.json").read_text()
    assert "tdm-reservation: 1 for /a/" in manifest


@pytest.mark.slow
async def test_nobody_is_asked_for_the_file_unless_it_is_wanted(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        await crawl(web.addresses, [web.page("a.test", "/")], tmp_path / "s.db")
    assert PATH not in {each.path for each in web.log}
