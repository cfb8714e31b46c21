"""All pages in a table: found by the menu and by every count of a state, filtered, sorted, continued, and as CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.support.crawling import rows
from tests.web.test_pages import attribute, client_of, first, get, shown

pytestmark = pytest.mark.slow

MENU = [
    "Search",
    "Pages",
    "Hosts",
    "Crawl",
    "Broken links",
    "Audit",
    "Changes",
    "Signals",
    "Ranks",
    "Structure",
    "Records",
]


def urls_of(html: str) -> list[str]:
    return [
        first(row, ".under" if row.css_first(".under") is not None else "a").text().strip()
        for row in LexborHTMLParser(html).css("table.pages tbody th")
    ]


def expected(store: Path, where: str, order: str = "page.id") -> list[str]:
    sql = f"SELECT url FROM page LEFT JOIN fetch ON fetch.page = page.id WHERE {where} ORDER BY {order}"
    return [url for (url,) in rows(store, sql)]


@pytest.mark.parametrize("path", ["/", "/page/0", "/crawl", "/ranks", "/hosts/links", "/signals"])
async def test_the_menu_of_every_page_leads_to_everything_there_is_and_nothing_leads_nowhere(
    path: str, crawled_store: Path
) -> None:
    async with client_of(crawled_store) as client:
        menu = LexborHTMLParser(await get(client, path)).css("header nav a")
        assert [link.text() for link in menu] == MENU
        for link in menu:
            target = str(link.attributes["href"])
            async with client.get(target) as answer:
                assert answer.status in ((200, 503) if target == "/structure" else (200,)), target


@pytest.mark.parametrize(
    "path, words",
    [("/broken-links", "Broken links"), ("/changes", "Changes"), ("/signals", "Signals"), ("/ranks", "Ranks"),
     ("/records", "Records"), ("/pages", "Pages"), ("/hosts", "Hosts"), ("/crawl", "Crawl"), ("/", "Search")],
)  # fmt: skip
async def test_the_menu_says_which_page_is_open(path: str, words: str, crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        html = await get(client, path)
    assert first(html, "header nav a[aria-current=page]").text() == words


async def test_the_table_lists_all_pages_portion_by_portion(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        path: str | None = "/pages"
        found: list[str] = []
        while path is not None:
            html = await get(client, path)
            found += urls_of(html)
            following = LexborHTMLParser(html).css_first("a[rel=next]")
            path = None if following is None else str(following.attributes["href"])
            assert path is None or "offset" not in path
    assert found == expected(crawled_store, "1")


@pytest.mark.parametrize(
    "asked, where",
    [
        ("state=failed", "state = 'failed'"),
        ("state=fetched&place=outside", "state = 'fetched' AND NOT is_local"),
        ("status=404", "status = 404"),
        ("status=4xx", "status BETWEEN 400 AND 499"),
        ("status=none", "outcome NOTNULL AND status ISNULL"),
        ("type=TEXT/h", "content_type LIKE 'text/h%'"),
        ("depth=0", "depth = 0"),
        ("depth=1-", "depth >= 1"),
        ("size=200-", "body_bytes >= 200"),
        ("took=0-10", "seconds BETWEEN 0 AND 10"),
        ("since=1d", "started_at > 0"),
        ("until=2020-01-01", "0"),
        ("untitled=1", "outcome = 'fetched' AND trim(coalesce(title, '')) = ''"),
        ("outcome=robots", "outcome = 'robots'"),
        ("host=a.test", "url LIKE 'http://a.test%'"),
        ("host=0", "url LIKE 'http://a.test%'"),
        ("state=fetched&host=out.test&depth=0-9", "state = 'fetched' AND url LIKE 'http://out.test%'"),
    ],
)
async def test_each_filter_finds_what_it_says_and_the_csv_has_the_same(
    asked: str, where: str, crawled_store: Path
) -> None:
    port = urlsplit(expected(crawled_store, "page.id = 0")[0]).netloc.partition(":")[2]
    asked = asked.replace(".test", f".test%3A{port}")
    async with client_of(crawled_store) as client:
        text = await get(client, f"/pages.csv?{asked}")
        html = await get(client, f"/pages?{asked}")
    listed = [row["url"] for row in csv.DictReader(io.StringIO(text))]
    assert sorted(listed) == sorted(expected(crawled_store, where))
    assert set(urls_of(html)) <= set(listed)
    assert bool(urls_of(html)) == bool(listed)


@pytest.mark.parametrize(
    "order, column",
    [("number", "page.id"), ("url", "url"), ("size", "coalesce(body_bytes, -1)"), ("depth", "depth"),
     ("seconds", "coalesce(seconds, -1)"), ("fetched", "coalesce(started_at, -1)"), ("status", "coalesce(status, -1)")],
)  # fmt: skip
async def test_each_order_can_be_asked_for_both_ways(order: str, column: str, crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        for desc, way in (("0", "ASC"), ("1", "DESC")):
            html = await get(client, f"/pages?order={order}&desc={desc}&place=local")
            wanted = expected(crawled_store, "is_local", f"{column} {way}, page.id {way}")
            assert urls_of(html) == wanted[:50]
            if order != "number":
                sort = first(html, "th[aria-sort]").attributes["aria-sort"]
                assert sort == ("descending" if desc == "1" else "ascending")


async def test_counts_of_states_lead_to_the_pages_that_were_counted(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        states = first(await get(client, "/crawl"), "#live-states")
        links = {str(link.attributes["href"]): link.text().split()[0] for link in states.css("td a")}
        assert links
        for address, count in links.items():
            assert f"Pages {count} " in shown(await get(client, address)), address
        front = await get(client, "/")
        assert attribute(front, ".cards a", "href") == "/pages?state=fetched"
        errors = first(await get(client, "/crawl"), "#live-errors")
        for link in errors.css("td[data-label=Pages] a"):
            listed = urls_of(await get(client, str(link.attributes["href"])))
            assert len(listed) == int(link.text().split()[0])
        host = await get(client, "/host/0")
        for link in LexborHTMLParser(host).css("section table.figures th a"):
            assert urls_of(await get(client, str(link.attributes["href"])))


@pytest.mark.parametrize(
    "asked, why",
    [
        ("state=lost", "state is 'lost'"),
        ("status=teapot", "write for example 404, 4xx"),
        ("depth=5-2", "the lower bound comes first"),
        ("size=big", "write for example 100k"),
        ("since=soon", "since: 'soon' is not a time"),
        ("order=colour", "order is 'colour'"),
        ("after=x", "after is 'x'"),
    ],
)
async def test_a_filter_that_cannot_be_read_is_refused_with_the_reason(
    asked: str, why: str, crawled_store: Path
) -> None:
    async with client_of(crawled_store) as client:
        assert why in shown(await get(client, f"/pages?{asked}", 400)).replace("&#39;", "'")
        assert why in shown(await get(client, f"/pages.csv?{asked}", 400)).replace("&#39;", "'")


async def test_a_host_that_the_store_does_not_know_has_no_pages_and_that_is_said(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        assert "There is no host nobody.test in the store" in shown(await get(client, "/pages?host=nobody.test"))


async def test_hostile_text_is_nothing_but_text_in_the_table(hostile_store: Path) -> None:
    async with client_of(hostile_store) as client:
        html = await get(client, "/pages")
        asked = await get(client, "/pages", params={"type": '"><script>x</script>', "host": '"><img src=x>'})
        text = await get(client, "/pages.csv")
    assert "<script>window" not in html
    assert "<script>x" not in asked
    assert "<img" not in asked
    assert not [cell for row in csv.reader(io.StringIO(text)) for cell in row if cell.startswith(("=", "@"))]
