"""What each tool says of a crawl, and how its portions join."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.parsing.markdown.markdown_blocks import BlockKind, MarkdownBlock, markdown_of
from hinterland.crawler.settings import SearchSettings
from hinterland.web.assistants.asked_stores import AskedStores, names_of
from hinterland.web.assistants.bounding import MOST_CHARACTERS, fitting
from hinterland.web.assistants.calls import called
from hinterland.web.assistants.page_text import section
from hinterland.web.assistants.tools import TOOLS
from hinterland.web.assistants.tools.read_page import part_end
from hinterland.web.assistants.values import PageFacts
from tests.support.stored_pages import Page, write_store

BLOCKS = [
    MarkdownBlock(BlockKind.TEXT, "Start"),
    MarkdownBlock(BlockKind.HEADING, "# Guide", level=1, title="Guide"),
    MarkdownBlock(BlockKind.HEADING, "## Install", level=2, title="Install", anchor="setup"),
    MarkdownBlock(BlockKind.TEXT, "By hand."),
    MarkdownBlock(BlockKind.HEADING, "### On Windows", level=3, title="On Windows"),
    MarkdownBlock(BlockKind.TEXT, "Click."),
    MarkdownBlock(BlockKind.HEADING, "## Use", level=2, title="Use"),
    MarkdownBlock(BlockKind.TEXT, "Run it."),
]


def values(stores: AskedStores, tool: str, **arguments: Any) -> dict[str, Any]:
    result = called(TOOLS[tool], stores, arguments)
    assert result.values is not None, result.text
    return dict(result.values)


def portions(stores: AskedStores, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """All portions of an answer, each asked for by the end of the one before."""
    parts = [values(stores, tool, **arguments)]
    while parts[-1]["next_after"] is not None:
        parts.append(values(stores, tool, **arguments, after=parts[-1]["next_after"]))
    return parts


def ferry(stores: AskedStores, path: str) -> str:
    hosts = values(stores, "list_hosts", store="ferries", contains="a.test")["hosts"]
    return f"{hosts[0]['url']}{path}"


def test_a_page_is_read_in_parts_that_join(stores: AskedStores) -> None:
    url = ferry(stores, "/")
    whole = values(stores, "read_page", url=url, characters=20_000, everything=True)
    assert whole["next_after"] is None
    assert [(each["heading"], each["level"]) for each in whole["sections"]] == [("Ferries", 1), ("Timetable", 2)]
    assert "## Timetable" in whole["text"]
    parts = portions(stores, "read_page", url=url, characters=500, everything=True)
    text = "".join(part["text"] for part in parts)
    assert text == whole["text"]
    assert len(text) == whole["characters"] > 500


def test_a_section_is_read_alone(stores: AskedStores) -> None:
    read = values(stores, "read_page", url=ferry(stores, "/"), section="timetable", everything=True)
    assert read["text"].startswith("## Timetable\n\nBoats go at noon.")
    assert "# Ferries" not in read["text"]


def test_a_page_whose_body_was_kept_is_read_with_its_code_links_and_anchors(tmp_path: Path) -> None:
    html = "<main><h2 id=setup>Set up</h2><pre>pip\n  x</pre><p>See <a href=/more>more</a>.</p></main>"
    kept = AskedStores(
        [write_store(tmp_path / "kept.db", [Page("Set up pip x See more.", body=html)])], SearchSettings()
    )
    read = values(kept, "read_page", url="http://a.test/0#setup")
    assert read["text"] == "## Set up\n\n```\npip\n  x\n```\n\nSee [more](http://a.test/more).\n"
    assert values(kept, "read_page", url="http://a.test/0")["sections"][0]["anchor"] == "setup"
    lost = values(kept, "read_page", url="http://a.test/0#lost")
    assert lost["text"] == read["text"]
    assert lost["notes"] == ["the part of the URL after # leads to no known section"]


def test_a_page_whose_site_disallows_input_of_ai_systems_is_not_handed_out(
    store_files: tuple[Path, Path], tmp_path: Path
) -> None:
    for name in ("quarry.db", "quarry.index"):
        source = store_files[0].with_name(name)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    with closing(sqlite3.connect(tmp_path / "quarry.db")) as store, store:
        store.execute("UPDATE robots SET text = ?", (b"User-agent: *\nContent-Signal: ai-input=no\nAllow: /\n",))
    obeying = AskedStores([tmp_path / "quarry.db"], SearchSettings())
    [hit] = values(obeying, "search", query="granite", limit=1)["hits"]
    assert (hit["snippet"], hit["section"], bool(hit["title"])) == ("", "", True)
    read = values(obeying, "read_page", url=hit["url"])
    assert (read["text"], read["description"], read["sections"]) == ("", "", [])
    assert read["reason"] == "its site disallows input of AI systems: robots.txt: content-signal: ai-input=no"
    heedless = AskedStores([tmp_path / "quarry.db"], SearchSettings(obey_usage=False))
    assert values(heedless, "read_page", url=hit["url"])["text"]


def test_a_redirect_leads_to_its_page(stores: AskedStores) -> None:
    read = values(stores, "read_page", url=ferry(stores, "/moved"))
    assert read["url"] == ferry(stores, "/1")
    assert read["notes"] == [f"{ferry(stores, '/moved')} redirects to {ferry(stores, '/1')}"]


@pytest.mark.parametrize(
    "path, state, reason", [("/private/x", "refused", "robots"), ("/gone", "failed", "client_error")]
)
def test_a_page_without_text_says_why(stores: AskedStores, path: str, state: str, reason: str) -> None:
    read = values(stores, "read_page", url=ferry(stores, path))
    assert (read["state"], read["text"], read["rank"]) == (state, "", None)
    assert read["reason"].startswith(reason)


def test_links_to_a_page_come_in_portions_with_their_words(stores: AskedStores) -> None:
    url = ferry(stores, "/")
    parts = portions(stores, "who_links_here", url=url, limit=7)
    found = [link for part in parts for link in part["links"]]
    assert len(found) == parts[0]["total"] == 36
    assert len({link["url"] for link in found}) == 36
    first = values(stores, "who_links_here", url=url, limit=1)
    assert first["words"][0] == "Home"
    assert first["page"]["title"] == "The ferry company"
    assert first["links"][0]["fetched"].startswith("20")


def test_the_gaps_of_a_crawl_are_named(stores: AskedStores) -> None:
    told = values(stores, "crawl_coverage", store="ferries")
    assert told["state"] == "ended"
    assert told["is_complete"] is True
    assert "1 page not requested: robots.txt forbids it, or the address is private." in told["missing"]
    assert {each["outcome"] for each in told["failures"]} == {"robots", "client_error"}
    [refused] = values(stores, "unseen_pages", store="ferries", state="refused")["pages"]
    assert (refused["url"], refused["outcome"]) == (ferry(stores, "/private/x"), "robots")


def test_unvisited_pages_come_in_portions(stores: AskedStores) -> None:
    parts = portions(stores, "unseen_pages", store="ferries", state="failed", limit=1)
    found = [page for part in parts for page in part["pages"]]
    assert len(found) == parts[0]["total"] == 2
    assert {page["status"] for page in found} == {404}


def test_a_store_without_revisits_says_that_no_changes_can_be_known(stores: AskedStores) -> None:
    told = values(stores, "changes_since", store="ferries")
    assert told["changes"] == []
    assert told["notes"] == [
        "no page of this store was ever revisited, so no changes can be known; `recrawl` looks for changes"
    ]


def test_a_search_of_all_stores_says_which_have_no_index(stores: AskedStores) -> None:
    found = values(stores, "search", query="granite", limit=1)
    assert found["hits"][0]["store"] == "quarry"
    assert any("ferries.db" in note for note in found["notes"])


def test_an_answer_that_takes_long_is_computed_again_only_once_the_store_was_written_to(
    store_files: tuple[Path, Path], tmp_path: Path
) -> None:
    store = tmp_path / "copy.db"
    shutil.copy(store_files[1], store)
    home = AskedStores([store], SearchSettings()).one("")
    computed = count(1)
    for written_at, times in ((1_000, 1), (1_000, 1), (2_000, 2), (2_000, 2)):
        os.utime(store, (written_at, written_at))
        assert home.remembered("key", lambda: next(computed)) == times
    for other in range(100):
        home.remembered(other, lambda: None)
    assert home.remembered("key", lambda: next(computed)) == 3, "it was forgotten meanwhile"


def test_a_section_ends_before_the_next_heading_of_its_level() -> None:
    assert markdown_of(section(BLOCKS, " install")) == "## Install\n\nBy hand.\n\n### On Windows\n\nClick.\n"
    assert section(BLOCKS, "#setup") == section(BLOCKS, "setup") == BLOCKS[2:6]
    assert section(BLOCKS, "windows") == BLOCKS[4:6]
    assert section(BLOCKS, "Guide") == BLOCKS[1:]
    assert not section(BLOCKS, "")
    assert not section(BLOCKS, "Start")


@given(st.text(st.sampled_from("ab \n"), max_size=200), st.integers(1, 60))
def test_parts_of_a_text_are_as_long_as_asked_and_leave_nothing_out(text: str, length: int) -> None:
    begin, parts = 0, []
    while begin < len(text):
        end = part_end(text, begin, length)
        assert begin < end <= begin + length
        parts.append(text[begin:end])
        begin = end
    assert "".join(parts) == text


def test_stores_are_named_by_their_files() -> None:
    assert names_of([Path("a/docs.db"), Path("b/docs.db"), Path("wiki"), Path("c/docs-2.db")]) == [
        "docs",
        "docs-2",
        "wiki",
        "docs-2-2",
    ]


@given(st.lists(st.integers(0, 40_000), max_size=8))
def test_a_list_is_cut_where_it_would_be_too_long(lengths: list[int]) -> None:
    items = [PageFacts(url="u", title="x" * length, fetched=None, rank=None) for length in lengths]
    kept = fitting(items)
    assert list(kept) == items[: len(kept)]
    assert len(kept) >= min(1, len(items))
    assert len(kept) <= 1 or sum(len(item.title) for item in kept) <= MOST_CHARACTERS
