"""The pages of `serve`: what they show, how they fail, and that crawled text is nothing but text in them."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from selectolax.lexbor import LexborHTMLParser, LexborNode

from hinterland.search.answers import Facet, FacetValue, IndexedRank, OtherQuery, Rescue, SearchAnswer
from hinterland.search.index_failures import NoIndex
from hinterland.search.saved_queries import SavedQuery
from hinterland.storage.lock import StoreLock
from hinterland.storage.reading.opening import reading
from hinterland.web.application import application
from hinterland.web.search_service import SearchService
from hinterland.web.security import HEADERS
from tests.support.crawling import rows, wait_until
from tests.support.fake_index import FakeIndex

pytestmark = pytest.mark.slow

Client = TestClient[web.Request, web.Application]
PAGES = (
    *("/", "/?q=Ferry", "/page/0", "/page/3", "/page/4", "/hosts?all=1", "/host/0", "/host/1", "/crawl"),
    *("/structure", "/broken-links", "/ranks", "/hosts/links", "/audit"),
)


@asynccontextmanager
async def client_of(store: Path, searches: SearchService | None = None, **options: Any) -> AsyncIterator[Client]:
    app = application(store, searches or FakeIndex(store), only_this_machine=True, **options)
    async with TestClient(TestServer(app)) as client:
        yield client


async def get(client: Client, path: str, status: int = 200, **options: Any) -> str:
    async with client.get(path, **options) as answer:
        text = await answer.text()
        assert answer.status == status, text
        return text


def first(html: str | LexborHTMLParser | LexborNode, selector: str) -> LexborNode:
    """The first element of a page that matches; there has to be one."""
    found = (LexborHTMLParser(html) if isinstance(html, str) else html).css_first(selector)
    assert found is not None, selector
    return found


def attribute(html: str | LexborHTMLParser | LexborNode, selector: str, name: str) -> str:
    return str(first(html, selector).attributes[name])


def shown(html: str) -> str:
    """The text of a page as it is read, blanks made one."""
    body = LexborHTMLParser(html).body
    assert body is not None
    return " ".join(body.text(separator=" ").split())


# --- what is shown ------------------------------------------------------------------------------


async def test_the_front_page_has_a_search_box_and_says_what_there_is(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        html = await get(client, "/")
    assert first(html, "form[role=search] input[name=q]").attributes["maxlength"] == "500"
    assert "39 pages fetched" in shown(html)


async def test_results_show_matches_scores_copies_and_what_was_understood_otherwise(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        html = await get(client, "/", params={"q": "Ferry lang: sails"})
    page = LexborHTMLParser(html)
    hit = first(page, "ol.hits > li")
    assert first(hit, "h2 mark").text() == "Ferry"
    assert "score 2.50" in shown(html)
    parts = [cell.text() for cell in hit.css(".score tbody tr:first-child > *")]
    assert parts == ["title", "+2.000", "BM25 of Ferry 1"]
    assert "lang: has no value, so it was left out" in shown(html)
    assert attribute(page, "input[name=q]", "value") == "Ferry lang: sails"


async def test_results_are_paged_by_links(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        page = LexborHTMLParser(await get(client, "/?q=Ferry"))
        assert not page.css("a[rel=prev]")
        page = LexborHTMLParser(await get(client, attribute(page, "a[rel=next]", "href")))
        assert attribute(page, "ol.hits", "start") == "11"
        assert attribute(page, "a[rel=prev]", "href") == "/?q=Ferry"
        await get(client, "/?q=Ferry&offset=2000", 400)


async def test_a_query_that_cannot_be_answered_says_what_is_wrong_with_it(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        assert "site: names nothing; write site:example.org" in shown(await get(client, "/?q=site:", 400))


async def test_other_spellings_and_wider_queries_are_links_and_hostile_ones_harmless(crawled_store: Path) -> None:
    hostile = '"><script>alert(1)</script>'
    other, wider = OtherQuery("fairy & lamp", 3), OtherQuery(hostile, 1)
    rescue = Rescue(f"ferry {hostile}", (other,), (f"fery{hostile}",), (wider,))

    class Rescuing(FakeIndex):
        def search(self, query: str, **options: Any) -> SearchAnswer:
            return replace(super().search(query, **options), rescue=rescue, notes=("pages that lack some follow",))

    async with client_of(crawled_store, Rescuing(crawled_store)) as client:
        html = await get(client, "/", params={"q": "fery", "verbatim": "1"})
        asked = await get(client, "/api/search?q=fery&verbatim=1")
    links = {link.attributes["href"]: link.text() for link in LexborHTMLParser(html).css(".rescue a")}
    assert links == {
        f"/?q={quote(f'ferry {hostile}')}": f"ferry {hostile}",
        "/?q=fery&verbatim=1": "search as written",
        "/?q=fairy%20%26%20lamp": "fairy & lamp",
        f"/?q={quote(hostile)}": hostile,
    }
    assert "<script>" not in html + asked
    assert html.index("search as written") < html.index("pages that lack some follow")
    assert json.loads(asked)["rescue"]["corrections"] == [{"query": "fairy & lamp", "pages": 3}]


async def test_every_link_beside_the_hits_asks_in_the_same_way_and_narrows_the_question(crawled_store: Path) -> None:
    asked: list[tuple[str, object, object]] = []
    year = Facet("year", (FacetValue("2026", 3, "year:2026 Ferry"),), 0)

    class Counting(FakeIndex):
        def search(self, query: str, **options: Any) -> SearchAnswer:
            asked.append((query, options.get("order"), options.get("verbatim")))
            answer = super().search(query, **options)
            last = replace(answer.hits[-1], is_last_of_site=True)
            return replace(answer, hits=(*answer.hits[:-1], last), facets=(year,))

    async with client_of(crawled_store, Counting(crawled_store)) as client:
        html = LexborHTMLParser(
            await get(client, "/", params={"q": "Ferry site:x.test NOT", "order": "date", "verbatim": "1"})
        )
        for path in ("/search.atom", "/search.csv", "/api/search"):
            await get(client, path, params={"q": "Ferry", "order": "date", "verbatim": "1"})
        feed = await get(client, "/search.atom?q=Ferry&verbatim=1")
    links = [link.attributes["href"] or "" for link in html.css(".beside a, link[type='application/atom+xml']")]
    ours = [parse_qs(urlsplit(link).query) for link in links if "q=" in link and "/cached" not in link]
    assert len(ours) >= 9
    assert all(each["verbatim"] == ["1"] for each in ours)
    assert [each["q"] for each in ours if each.get("order") != ["date"]] == [["Ferry site:x.test NOT"]]  # by relevance
    assert {each["q"][0] for each in ours} == {
        "Ferry site:x.test NOT",
        "Ferry NOT",
        "year:2026 Ferry",
        f"site:{answer_site(html)} Ferry NOT",
    }
    assert asked[1:4] == [("Ferry", "date", True)] * 3
    assert "search.atom?q=Ferry&amp;verbatim=1" in feed


def answer_site(html: LexborHTMLParser) -> str:
    [site] = [each.text().removeprefix("More from ") for each in html.css("a") if each.text().startswith("More from")]
    return site


async def test_a_host_is_found_by_its_url_however_it_is_spelt(crawled_store: Path) -> None:
    [(url,)] = rows(crawled_store, "SELECT url FROM host WHERE id = 0")
    spelt = url.upper().replace("HTTP:", "http:")
    assert spelt != url
    async with client_of(crawled_store) as client:
        for written in (url, f"{url}/", spelt, f"{spelt}/a/page?x=1"):
            async with client.get("/host", params={"url": written}, allow_redirects=False) as answer:
                assert (answer.status, answer.headers["Location"]) == (303, "/host/0")
            found = json.loads(await get(client, "/api/host", params={"url": written}))
            assert found["host"]["url"] == url
        for path in ("/host", "/host?url="):
            assert "url is missing: give the URL of a host" in shown(await get(client, path, 400))
        await get(client, "/host?url=http://elsewhere.test/", 404)


async def test_a_choice_that_may_be_left_out_is_said_to_be(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        said = json.loads(await get(client, "/api/search?q=x&order=foo", 400))["error"]
        assert said == "order is 'foo'; it has to be one of date, or left out"
        assert "it has to be one of 0, 1, false, true" in await get(client, "/api/search?q=x&explain=no", 400)


async def test_saved_queries_stand_on_the_front_page_with_their_feeds(crawled_store: Path) -> None:
    saved = [SavedQuery("Ferries & <boats>", "Ferry", "date"), SavedQuery("Lamps", '"a lamp"')]
    async with client_of(crawled_store, saved=saved) as client:
        html = await get(client, "/")
        links = {node.text(): node.attributes["href"] for node in LexborHTMLParser(html).css(".saved a")}
        assert links == {
            "Ferries & <boats>": "/?q=Ferry&order=date",
            "feed of Ferries & <boats>": "/search.atom?q=Ferry&order=date",
            "Lamps": "/?q=%22a%20lamp%22",
            "feed of Lamps": "/search.atom?q=%22a%20lamp%22",
        }
        assert attribute(html, "link[rel=alternate]", "title") == "Ferries & <boats>"
        assert "<feed" in await get(client, "/search.atom?q=Ferry&order=date")


async def test_in_a_folder_behind_a_proxy_everything_leads_back_there(crawled_store: Path) -> None:
    base = "https://www.example.org/crawl"
    folder = re.compile(r'(?:href|src|action|data-events)="(/[^"]*)"')
    async with client_of(crawled_store, base_url=base) as client:
        for path in (*PAGES, "/changes", "/records", "/page/99999"):
            async with client.get(path) as answer:
                links = folder.findall(await answer.text())
            assert len(links) > 5
            assert all(link.startswith("/crawl/") for link in links), path
        async with client.get("/page?url=" + quote(await url_of(client, 0)), allow_redirects=False) as answer:
            assert answer.headers["Location"] == "/crawl/page/0"
        assert f"{base}/suggest?q=" in await get(client, "/opensearch.xml")
        assert f'href="{base}/search.atom?q=Ferry"' in await get(client, "/search.atom?q=Ferry")
        assert json.loads(await get(client, "/api/openapi.json"))["servers"] == [{"url": "/crawl/"}]
        await get(client, "/", headers={"Host": "www.example.org"})
        await get(client, "/", 421, headers={"Host": "other.example"})


async def url_of(client: Client, number: int) -> str:
    return str(json.loads(await get(client, f"/api/page?number={number}"))["page"]["url"])


async def test_a_missing_index_names_the_command_that_makes_one(crawled_store: Path) -> None:
    class Missing:
        def search(self, query: str, **_: object) -> Any:
            raise NoIndex("There is no search index yet. Make one: python3 run.py index store.db")

        def suggest(self, typed: str, **_: object) -> list[str]:
            raise NoIndex("There is no search index yet.")

        def rank_of(self, page: int) -> IndexedRank | None:
            raise NoIndex("There is no search index yet.")

        def matched_words(self, query: str, page: int, text: str) -> set[str]:
            raise NoIndex("There is no search index yet.")

        def main_content(self, page: int) -> str | None:
            raise NoIndex("There is no search index yet.")

    async with client_of(crawled_store, Missing()) as client:
        assert "Make one: python3 run.py index store.db" in shown(await get(client, "/?q=x", 503))
        assert "python3 run.py index" in await get(client, "/api/search?q=x", 503)


async def test_a_page_shows_its_text_links_ranks_and_their_history(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        html = await get(client, "/page/0")
    text = shown(html)
    assert "Boats go at noon." in text
    assert "h2 Timetable" in text
    assert re.search(r"[Tt]he rank of this page|ranks about as high", text)
    page = LexborHTMLParser(html)
    assert len(page.css("section.rank tbody tr")) == 8
    assert len(attribute(page, "section.rank polyline", "points").split()) == 8
    assert "Links to it 36" in text
    assert "All ferries." in text


async def test_the_crawl_of_an_earlier_version_is_shown_though_it_counted_less(
    crawled_store: Path, tmp_path: Path
) -> None:
    store = tmp_path / "earlier.db"
    shutil.copy(crawled_store, store)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE run SET progress = json_remove(progress, '$.harvest')")
    async with client_of(store) as client:
        assert "pages fetched" in shown(await get(client, "/crawl"))


async def test_a_page_says_what_of_it_was_too_much(crawled_store: Path, tmp_path: Path) -> None:
    store = tmp_path / "cut.db"
    shutil.copy(crawled_store, store)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE fetch SET cut = json_object('links', 500000, 'title', 1) WHERE page = 0")
    async with client_of(store) as client:
        text = shown(await get(client, "/page/0"))
        assert "links (500,000 shortened or left out), title (1 shortened or left out)" in text
        assert "Too much of" not in await get(client, "/page/1")


async def test_long_lists_of_links_go_on_where_the_part_before_ended(crawled_store: Path) -> None:
    seen = []
    async with client_of(crawled_store) as client:
        path = "/page/0"
        while path:
            page = LexborHTMLParser(await get(client, path))
            section = first(page, "section[aria-labelledby=in-heading]")
            seen += [each.attributes["href"] for each in section.css("td a.page-link")]
            onward = [each for each in section.css("nav a") if "Next" in each.text()]
            path = str(onward[0].attributes["href"]) if onward else ""
    linked = {f"/page/{page}" for (page,) in rows(crawled_store, "SELECT source FROM link WHERE target = 0")}
    assert set(seen) == linked
    assert len(seen) == 36


async def test_a_page_is_found_by_its_url_in_any_spelling_of_it(crawled_store: Path) -> None:
    [(url, number)] = rows(crawled_store, "SELECT url, id FROM page WHERE url LIKE '%/7'")
    async with client_of(crawled_store) as client:
        for spelling in (url, url.replace("http://a.test", "HTTP://A.test").replace("/7", "/x/../7#part")):
            async with client.get("/page", params={"url": spelling}, allow_redirects=False) as answer:
                assert (answer.status, answer.headers["Location"]) == (303, f"/page/{number}")
        unknown = shown(await get(client, "/page?url=http://elsewhere.test/", 404))
        assert "http://elsewhere.test/ is not in the store" in unknown


async def test_copies_redirects_and_refusals_are_told(crawled_store: Path) -> None:
    numbers = {url.rpartition("/")[2]: number for url, number in rows(crawled_store, "SELECT url, id FROM page")}
    async with client_of(crawled_store) as client:
        assert "1 other page with the same body" in shown(await get(client, f"/page/{numbers['copy']}"))
        assert "It redirects to Ferry 1" in shown(await get(client, f"/page/{numbers['moved']}"))
        assert "robots" in shown(await get(client, f"/page/{numbers['x']}"))


async def test_who_links_to_a_page_is_not_asked_while_very_many_links_are_unsorted(
    crawled_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hinterland.storage.sorted_links.reading._MOST_UNSORTED", -1)
    async with client_of(crawled_store) as client:
        html = shown(await get(client, "/page/0"))
    assert "Links to this page are listed once" in html
    assert "Other pages with the same body are listed once" in html


async def test_a_host_shows_its_robots_txt_its_states_and_its_errors(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        html = await get(client, "/host/0")
        assert "Disallow: /private/" in shown(html)
        assert "client_error 404" in shown(html)
        failed = shown(await get(client, "/host/0?state=failed"))
        assert "/gone" in failed.partition("Failed pages")[2]
        assert "/moved" not in failed.partition("Failed pages")[2]


async def test_a_host_is_found_by_its_url(crawled_store: Path) -> None:
    [(url,)] = rows(crawled_store, "SELECT url FROM host WHERE id = 0")
    async with client_of(crawled_store) as client:
        async with client.get("/host", params={"url": f" {url}/ "}, allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (303, "/host/0")
        unknown = await get(client, "/host", 404, params={"url": "http://nobody.test"})
        assert "http://nobody.test is not in the store." in shown(unknown)
        assert "There is no host 99999 in the store." in shown(await get(client, "/host/99999", 404))


async def test_a_style_sheet_that_is_not_there_is_not_found(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        await get(client, "/static/none.css", 404)
        await get(client, "/static/style.css")


async def test_hosts_are_listed_in_the_order_that_was_asked_for(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        for order, top in (("pages", "a.test"), ("failures", "a.test"), ("name", "a.test")):
            assert top in first(await get(client, f"/hosts?order={order}"), "tbody th a").text()
        assert "out.test" in shown(await get(client, "/hosts?host=OUT"))
        assert "No visited host matches" in shown(await get(client, "/hosts?host=nobody"))
        assert "one of pages, failures" in shown(await get(client, "/hosts?order=colour", 400))


async def test_the_dashboard_says_what_status_says_and_draws_how_the_estimate_settled(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        html = await get(client, "/crawl")
    assert "every page within reach was visited. (exhausted)" in shown(html)
    assert "8 refreshes by outside-model" in shown(html)
    page = LexborHTMLParser(html)
    assert len(page.css(".part-estimate polyline")) == 2
    assert [cell.text() for cell in page.css(".part-states tbody th .state")] == [
        "fetched", "redirected", "waiting", "failed", "refused", "known",
    ]  # fmt: skip


async def test_only_a_crawl_that_runs_is_shown_as_running(crawled_store: Path, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    shutil.copy(crawled_store, store)
    changed_run(store, "ended_at = NULL, updated_at = 9e9")  # killed, by a clock that was far ahead
    (tmp_path / "store.db.lock").write_text(f"{os.getpid()}\n")  # and another process has its number
    async with client_of(store) as client:
        page = LexborHTMLParser(await get(client, "/crawl"))
        assert attribute(page, ".part-summary .sentences", "data-running") == "no"
        assert "was killed" in shown(await get(client, "/"))
        lock = StoreLock(store)
        lock.acquire()
    async with client_of(store) as client:
        page = LexborHTMLParser(await get(client, "/crawl"))
        assert attribute(page, ".part-summary .sentences", "data-running") == "yes"
        assert "a crawl is running" in shown(await get(client, "/"))
    lock.release()


async def test_a_crawl_without_a_hinterland_has_no_card_for_estimates(crawled_store: Path, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    shutil.copy(crawled_store, store)
    changed_run(store, "progress = json_remove(progress, '$.hinterland')")
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DELETE FROM estimate")
    async with client_of(store) as client:
        assert not first(await get(client, "/crawl"), "#live-estimate").inner_html
    async with client_of(crawled_store) as client:
        assert first(await get(client, "/crawl"), "#live-estimate").inner_html


async def test_waiting_pages_of_a_crawl_in_breadth_are_told_by_their_depth(crawled_store: Path, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    shutil.copy(crawled_store, store)

    async def frontier(*top: tuple[int, float]) -> str:
        bins = [[-float(depth), -float(depth), 5] for depth in (3, 2)]
        scores = {"waiting": 10, "due": 0, "is_logarithmic": False, "bins": bins, "top": top}
        changes = f"'$.policy', 'bfs', '$.frontier_scores', json('{json.dumps(scores)}')"
        changed_run(store, f"progress = json_set(progress, {changes})")
        async with client_of(store) as client:
            return shown(first(LexborHTMLParser(await get(client, "/crawl")), "#live-frontier").html or "")

    text = await frontier((1, -2.0), (2, -3.0))
    assert "by their number of links from a seed" in text
    assert "Depth" in text
    assert re.search(r"depth 2 .* depth 3$", text)
    text = await frontier((1, -2.0), (2, -2.0))
    assert "depth 2" not in text
    assert "-2" not in text


async def test_a_page_shows_the_rank_that_only_the_index_has(crawled_store: Path, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    shutil.copy(crawled_store, store)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DELETE FROM estimate")
        connection.execute("DELETE FROM rank")
    index = FakeIndex(store)
    async with client_of(store, index) as client:
        assert "This page has no rank yet" in shown(await get(client, "/page/0"))
        index.ranks[0] = IndexedRank(3, 38, 7.25, True, "outside-model")
        text = shown(await get(client, "/page/0"))
    assert "3rd of 38 documents in the search index, with 7.25 times the average PageRank" in text
    assert "no rank" not in text


async def test_a_copy_shows_the_rank_of_the_document_that_stands_for_it_in_the_index(
    crawled_store: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store.db"
    shutil.copy(crawled_store, store)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DELETE FROM estimate")
        connection.execute("DELETE FROM rank")
    index = FakeIndex(store)
    async with client_of(store, index) as client:
        [(copy,)] = rows(store, "SELECT id FROM page WHERE url LIKE '%/copy'")
        standing = first(await get(client, f"/page/{copy}"), ".notice a").attributes["href"] or ""
        index.ranks[int(standing.rpartition("/")[2])] = IndexedRank(3, 38, 7.25, True, "outside-model")
        text = shown(await get(client, f"/page/{copy}"))
    assert "3rd of 38 documents in the search index" in text


async def test_a_query_without_an_answer_is_told_in_one_sentence(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        assert first(await get(client, "/?q=nowhere"), ".tally").text(strip=True) == "No page matches."
        assert re.search(r"33 pages.* in [\d.]+ ms", first(await get(client, "/?q=erry"), ".tally").text())


async def test_pages_of_a_store_that_is_not_there_yet_are_loaded_again_until_it_is(
    crawled_store: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store.db"
    async with client_of(store) as client:
        for path in ("/", "/crawl", "/hosts", "/page/0"):
            html = await get(client, path, 503)
            assert attribute(LexborHTMLParser(html), "meta[http-equiv=refresh]", "content") == "5"
            assert "There is no store yet" in shown(html)
        shutil.copy(crawled_store, store)
        for path in ("/", "/crawl", "/hosts", "/page/0"):
            assert not LexborHTMLParser(await get(client, path)).css("head > meta[http-equiv=refresh]")
        assert "http-equiv" not in await get(client, "/page/99999", 404)


async def test_the_dashboard_and_the_api_name_the_urls_that_go_on_without_end(
    crawled_store: Path, tmp_path: Path
) -> None:
    store = Path(shutil.copy(crawled_store, tmp_path / "slowed.db"))
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("INSERT INTO slowed VALUES (0, '/months?at', 'repeats', 700, 500, 0, 12)")
    async with client_of(store) as client:
        html = shown(await get(client, "/crawl"))
        [told] = (await (await client.get("/api/status")).json())["slowed"]
    assert "/months?at" in html
    assert "500 in vain, 12 left waiting" in html
    assert told["shape"] == "/months?at"


def changed_run(store: Path, changes: str) -> None:
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(f"UPDATE run SET {changes}")


# --- how it fails -------------------------------------------------------------------------------


async def test_every_answer_carries_the_headers_that_protect_its_reader(crawled_store: Path) -> None:
    paths = (*PAGES, "/nothing", "/page/x", "/static/style.css", "/metrics", "/healthz", "/api/status", "/api/host")
    async with client_of(crawled_store) as client:
        for path in paths:
            async with client.get(path) as answer:
                assert HEADERS.items() <= answer.headers.items(), path
        async with client.post("/") as answer:
            assert answer.status == 405
            assert set(re.split(", *", answer.headers["Allow"])) == {"GET", "HEAD"}
            assert HEADERS.items() <= answer.headers.items()


async def test_only_names_of_this_machine_are_answered_to_on_loopback(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        for name in ("evil.test", "evil.test:80", "127.0.0.1.evil.test", "localhost.evil.test", "192.0.2.1", ""):
            for path in ("/", "/api/status", "/crawl/events", "/static/live.js"):
                await get(client, path, 421, headers={"Host": name})
        for name in ("localhost", "localhost:1", "127.0.0.1:1", "[::1]:1", "[::1]", "my.localhost:1", "LOCALHOST."):
            await get(client, "/healthz", headers={"Host": name})


async def test_parameters_out_of_bounds_are_named(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        for path, complaint in (
            (f"/?q={'x' * 501}", "The query has 501 characters"),
            ("/?q=x&offset=-1", "offset is '-1'"),
            ("/?q=x&offset=٣", "offset is '٣'"),
            ("/page/99999999999999999999", "number is"),
            ("/page/0?in=1e3", "in is '1e3'"),
            ("/host/0?state=odd", "state is 'odd'"),
            ("/page?url=%20", "url is missing"),
            ("/crawl?every=999999", "every is '999999'"),
        ):
            assert complaint in shown(await get(client, path, 400)), path


async def test_too_long_a_query_stays_in_its_box(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        assert f'value="{"x" * 501}"' in await get(client, f"/?q={'x' * 501}", 400)


@pytest.mark.parametrize("path", [*PAGES[2:], "/", "/healthz"])
async def test_a_store_that_is_missing_damaged_or_of_something_else_gives_a_clear_page(
    path: str, crawled_store: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store.db"
    async with client_of(store, FakeIndex(crawled_store)) as client:
        assert "there is no store at" in await get(client, path, 503)
        store.write_bytes(b"Dear reader, " * 100)
        assert "is not a link store" in await get(client, path, 503)
        store.unlink()
        shutil.copy(crawled_store, store)
        await get(client, path)


async def test_a_store_that_was_replaced_is_the_one_that_is_shown(
    crawled_store: Path, hostile_store: Path, tmp_path: Path
) -> None:
    store = Path(shutil.copy(crawled_store, tmp_path / "store.db"))
    async with client_of(store) as client:
        assert "pwned" not in await get(client, "/page/0")
        await asyncio.to_thread(Path(shutil.copy(hostile_store, tmp_path / "new.db")).replace, store)
        assert "pwned" in await get(client, "/page/0")


async def test_a_search_that_takes_long_holds_up_nobody_else(crawled_store: Path) -> None:
    index = FakeIndex(crawled_store)
    index.held.clear()
    async with client_of(crawled_store, index) as client:
        slow = asyncio.create_task(get(client, "/?q=Ferry"))
        await wait_until(lambda: index.queries)
        await get(client, "/healthz")
        await get(client, "/page/0")
        assert not slow.done()
        index.held.set()
        await slow


# --- hostile text -------------------------------------------------------------------------------

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("path", [*PAGES, "/?q=%3Cscript%3Ewindow.pwned=1%3C/script%3E", "/%3Cscript%3E", "/page/99"])
async def test_hostile_text_is_text_in_every_page(path: str, hostile_store: Path) -> None:
    async with client_of(hostile_store) as client, client.get(path) as answer:
        html = await answer.text()
    page = LexborHTMLParser(html)
    scripts = {str(each.attributes.get("src")).partition("?")[0] for each in page.css("script")}
    assert scripts <= {"/static/live.js", "/static/keys.js", "/static/suggest.js"}
    assert not page.css("img, iframe, object, embed, base, style, [style]")
    for each in page.css("*"):
        assert not [name for name in each.attributes if name.startswith("on")], each.html
    for link in page.css("[href]"):
        href = str(link.attributes["href"])
        if not href.startswith(("/", "#")):
            assert href.startswith(("http://", "https://")), href
            assert link.attributes["rel"] == "noreferrer nofollow noopener", href
    assert not _UNSEEN.search(html)


async def test_what_is_spelt_out_can_still_be_read(hostile_store: Path) -> None:
    async with client_of(hostile_store) as client:
        text = shown(await get(client, "/page/0"))
    assert "<script>window.pwned = 1</script>" in text
    assert "\\u202egpj.exe\\x1b[31m\\x07" in text


async def test_hostile_text_is_text_in_json_and_in_metrics(hostile_store: Path) -> None:
    async with client_of(hostile_store) as client:
        for path in ("status", "page?number=0", "host?number=0", "hosts", "estimates", "search?q=Ferry", "page?url=<b"):
            async with client.get(f"/api/{path}") as answer:
                raw = await answer.text()
                assert answer.content_type == "application/json"
                assert "<" not in raw, path
                assert raw.isascii()
        metrics = await get(client, "/metrics")
    assert not _UNSEEN.search(metrics)
    assert r"\"><img src=x onerror=\"window.pwned = 1\">" in metrics
    with reading(hostile_store) as store:
        assert "pwned" in store.pages.failures()[0].outcome + store.pages.failures()[-1].outcome
