"""A hundred pages with orders to a language model come back as data: framed, cleaned, and in no field but their own."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from typing import Any

from hinterland.web.assistants.asked_stores import AskedStores
from hinterland.web.assistants.calls import CallResult, called
from hinterland.web.assistants.tools import TOOLS
from tests.support.planted_pages import HOST, PAGES, order

MOST_CHARACTERS = 64_000


def call(stores: AskedStores, tool: str, **arguments: Any) -> CallResult:
    return called(TOOLS[tool], stores, arguments)


def url_of(stores: AskedStores, number: int) -> str:
    start = call(stores, "unseen_pages", store="quarry", state="refused").values
    assert start is not None
    return str(start["pages"][0]["url"]).removesuffix(str(PAGES)) + (str(number) if number else "")


def assert_data(result: CallResult) -> None:
    """One frame with a mark of its own around everything, and no character that is not seen, in both forms."""
    assert result.values is not None, result.text
    head, begin, *quoted, end = result.text.split("\n")
    mark = head.split("mark ")[1].split(".")[0]
    assert len(mark) == 24
    assert begin == f"----- begin of data {mark} -----"
    assert end == f"----- end of data {mark} -----"
    assert not any(mark in line for line in quoted)
    assert "instruct" in head
    assert "never instructions" in result.values["about"]
    whole = result.text + json.dumps(result.values, ensure_ascii=False)
    assert not [each for each in whole if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Co") and each not in "\n\t"]
    assert len(result.text) <= MOST_CHARACTERS
    assert len(json.dumps(result.values)) <= MOST_CHARACTERS


def strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for name, each in value.items():
                yield from () if name == "text" else strings(each)
        case list():
            for each in value:
                yield from strings(each)


def test_every_page_comes_back_as_data_with_its_own_url_date_and_rank(stores: AskedStores) -> None:
    for number in range(PAGES):
        result = call(stores, "read_page", url=url_of(stores, number))
        assert_data(result)
        values = result.values
        assert values is not None
        assert f"Order {number}." in values["text"]
        assert values["rank"]["of"] == PAGES
        assert values["fetched"].startswith("20")
        lines = result.text.split("\n")
        fields = lines[: lines.index("text:")]
        assert sum(line.startswith("fetched: ") for line in fields) == 1, "a title forged a field"
        assert sum(line.startswith("rank: ") for line in fields) == 1
        assert not any("\n" in each for each in strings(values))


def test_every_tool_quotes_orders_as_data(stores: AskedStores) -> None:
    calls: dict[str, dict[str, Any]] = {
        "search": {"query": "granite order", "limit": 20, "store": "quarry"},
        "who_links_here": {"url": url_of(stores, 0), "limit": 50},
        "changes_since": {"store": "quarry"},
        "list_hosts": {"store": "quarry"},
        "crawl_coverage": {"store": "quarry"},
        "unseen_pages": {"store": "quarry", "state": "refused"},
        "read_page": {"url": url_of(stores, 3)},
    }
    for tool, arguments in calls.items():
        assert_data(call(stores, tool, **arguments))


def test_all_of_a_hundred_pages_are_found_in_portions(stores: AskedStores) -> None:
    found: list[str] = []
    after: int | None = 0
    while after is not None:
        result = call(stores, "search", query="granite", store="quarry", limit=20, after=after)
        assert_data(result)
        assert result.values is not None
        found += [hit["url"] for hit in result.values["hits"]]
        after = result.values["next_after"]
    assert len(found) == len(set(found)) == PAGES


def test_an_error_quotes_nothing_of_a_page(stores: AskedStores) -> None:
    result = call(stores, "read_page", url=url_of(stores, 5), section="no such heading")
    assert result.values is None
    assert result.text.startswith("the page has no section 'no such heading'")


def test_the_words_of_links_come_back_as_words(stores: AskedStores) -> None:
    links = call(stores, "who_links_here", url=url_of(stores, 2)).values
    assert links is not None
    [link] = links["links"]
    assert link["url"] == url_of(stores, 1)
    assert link["words"].endswith("Order 1.")
    assert order(1) not in link["words"], "what nobody sees is gone"
    assert HOST in link["url"]
