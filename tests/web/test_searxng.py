"""Programs that speak to SearXNG can speak to `serve`, and SearXNG can search a store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, urlsplit

from hinterland.search.answers import OtherQuery, Rescue, SearchAnswer
from hinterland.web.searxng import searxng_answer
from tests.web.test_pages import client_of, get

QUERIES = (
    "Ferry",
    "lamp",
    "Ferry lamp",
    '"a lamp"',
    "fog -lamp",
    "title:Ferry",
    "Fery",
    "zzzz",
    "café",
    "ferry since:2001",
)


def results_as_searxng_reads_them(answer: Mapping[str, Any]) -> list[dict[str, str]]:
    """What SearXNG's engine `json_engine` makes of an answer with the settings of docs/serving.md: `results_query:
    results`, `url_query: url`, `title_query: title`, `content_query: content`. Told again, not its code.
    """
    found = []
    for result in answer["results"]:
        assert all(isinstance(result[key], str) for key in ("url", "title", "content")), "it calls their methods"
        found.append({"url": result["url"], "title": result["title"], "content": result["content"]})
    return found


async def test_queries_are_answered_as_searxng_does(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        for query in QUERIES:
            asked = f"/search?q={quote_plus(query)}&format=json&pageno=1&language=en&categories=general&safesearch=0"
            answer = json.loads(await get(client, asked))
            ours = json.loads(await get(client, f"/api/search?q={quote_plus(query)}"))
            assert answer["query"] == query
            assert answer["number_of_results"] == ours["total"]
            read = results_as_searxng_reads_them(answer)
            assert [each["url"] for each in read] == [hit["url"] for hit in ours["hits"]]
            for result, hit in zip(answer["results"], ours["hits"], strict=True):
                assert result["content"] == "".join(piece["text"] for piece in hit["snippet"])
                assert result["parsed_url"][1] == urlsplit(result["url"]).netloc
                assert result["publishedDate"] is None or datetime.fromisoformat(result["publishedDate"]).tzinfo


async def test_pages_of_results_follow_each_other(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        first, second = [
            json.loads(await get(client, f"/search?q=Ferry&format=json&pageno={page}"))["results"] for page in (1, 2)
        ]
    assert [each["positions"] for each in first] == [[place] for place in range(1, 11)]
    assert second[0]["positions"] == [11]
    assert not {each["url"] for each in first} & {each["url"] for each in second}


def test_a_misspelt_query_says_how_it_was_corrected() -> None:
    rescue = Rescue("ferry", (OtherQuery("fern", 2),), ("feryy",), (OtherQuery("feryy OR boat", 7),))
    answer = SearchAnswer("feryy", (), 0, 0, is_exact=True, notes=(), seconds=0.0, rescue=rescue)
    told = searxng_answer(answer, "feryy")
    assert (told["corrections"], told["suggestions"]) == (["ferry", "fern"], ["feryy OR boat"])


async def test_a_person_who_follows_the_address_sees_the_page_of_results(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client, client.get("/search?q=Ferry", allow_redirects=False) as answer:
        assert (answer.status, answer.headers["Location"]) == (303, "/?q=Ferry")


async def test_a_query_without_words_and_an_unknown_format_are_refused(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        for asked in ("/search?format=json", "/search?q=x&format=xml", "/search?q=x&format=json&pageno=0"):
            async with client.get(asked) as answer:
                assert answer.status == 400


async def test_the_api_has_titles_and_snippets_as_plain_texts_too(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        hits = json.loads(await get(client, "/api/search?q=Ferry"))["hits"]
    for hit in hits:
        assert hit["title_text"] == "".join(piece["text"] for piece in hit["title"])
        assert hit["snippet_text"] == "".join(piece["text"] for piece in hit["snippet"])
