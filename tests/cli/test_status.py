"""`status`: for people, for machines, and what it says where there is no store."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from hinterland.cli import main
from hinterland.cli.crawl.summary import summary
from hinterland.crawler.cluster.folder import ShardsFolder
from hinterland.library.text.status_text import head
from hinterland.storage.values.runs import RunReport, RunState
from tests.support.crawling import crawl, rows
from tests.support.hinterland import crawled, start
from tests.support.web import LoopbackWeb


def test_a_time_in_the_future_is_shown_as_one(tmp_path: Path) -> None:
    run = RunReport(1, RunState.KILLED, 9e8, 1e9, None, ["crawl"], {})
    assert "last written 30 s ago" in head("a.db", 1, 1e9, [run], None, 1e9 + 30)
    assert "last written 0.0 s ago" in head("a.db", 1, 1e9, [run], None, 1e9 - 3)
    assert "by a clock that was ahead of this one" in head("a.db", 1, 1e9, [run], None, 1e9 - 86_400)


@pytest.mark.slow
async def test_it_counts_pages_hosts_errors_and_runs(tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/1", "/gone", ("b.test", "/")])
        web.page("a.test", "/1")
        await crawled(web, Path(store), seed)
        gone = web.url("a.test", "/gone")
    text = (await (await start("status", store)).communicate())[0].decode()
    assert "every page within reach was visited. (exhausted)" in text
    assert "  fetched         2        0" in text
    assert "Hosts: 2 known, 1 visited, 0 given up" in text
    assert f"  client_error  1  {gone}  (status 404)" in text
    values = json.loads((await (await start("status", store, "--json")).communicate())[0])
    assert values["pages"]["local"]["fetched"] == 2
    assert values["pages"]["outside"]["known"] == 1
    assert values["runs"][0]["reason"] == "exhausted"
    assert values["running_process"] is None


@pytest.mark.parametrize(
    "content, complaint",
    [
        (None, "there is no store at"),
        (b"", "no crawl has begun there"),
        (b"Dear reader, " * 100, "is not a link store"),
    ],
)
def test_what_is_no_store_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, complaint: str
) -> None:
    file = tmp_path / "s.db"
    if content is not None:
        file.write_bytes(content)
    assert main(["status", str(file)]) == 3
    assert complaint in capsys.readouterr().err
    assert file.exists() is (content is not None)


def test_a_database_of_something_else_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "s.db"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE song (title)")
    connection.close()
    assert main(["status", str(file)]) == 3
    assert "is an SQLite database, but not a link store" in capsys.readouterr().err


@pytest.mark.slow
async def test_what_was_too_much_of_a_page_is_shown_by_summary_status_and_explain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "s.db")
    async with LoopbackWeb() as web:
        links = "".join(f"<a href=/{n}>x</a>" for n in range(12))
        seed = web.page("a.test", "/", html=f"<title>{'long ' * 300}</title>{links}")
        web.page("a.test", "/0", html="<title>short</title>")
        ending = await crawled(web, Path(store), seed, settings=("parsing.max_links=2",))
    told = "links of 1 page, title of 1 page"
    assert f"  cut       {told}: too much to keep; see the view cuts" in summary(ending)
    assert main(["status", store]) == 0
    assert f"Shortened because there was too much: {told}; see the view cuts" in capsys.readouterr().out
    assert main(["explain", seed, "--store", store, "--offline"]) == 0
    assert "shortened or left out because there was too much: 10 of links, 1 of title" in capsys.readouterr().out
    assert rows(Path(store), "SELECT * FROM cuts ORDER BY what") == [(seed, "links", 10), (seed, "title", 1)]


@pytest.mark.slow
async def test_it_tells_how_far_a_hinterland_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "s.db")
    async with LoopbackWeb() as web:
        web.page("b.test", "/", links=[("a.test", "/")])
        seed = web.page("a.test", "/", links=[("b.test", "/")])
        ending = await crawled(web, Path(store), seed, settings=("hinterland.budget=1.0",))
    assert main(["status", store]) == 0
    assert "Hinterland 1 of 1 pages, 2 estimates by" in capsys.readouterr().out
    assert ending.next_commands[0].startswith(f"python3 run.py rank {store}")


def test_a_crawl_that_was_killed_goes_on_by_a_command_that_can_be_copied() -> None:
    killed = RunReport(1, RunState.KILLED, 0.0, 5.0, None, ["crawl"], {})
    assert head("my store.db", 1000, 5.0, [killed], None, 10.0).endswith(
        "To resume it:\n  python3 run.py crawl --resume --store 'my store.db'"
    )


def test_a_recrawl_that_was_killed_is_given_again_as_a_crawl_would_not_go_on_with_it() -> None:
    command = ["recrawl", "my store.db", "--budget", "5000/day", "--set", "fetching.proxy=***"]
    killed = RunReport(1, RunState.KILLED, 0.0, 5.0, None, command, {})
    assert head("my store.db", 1000, 5.0, [killed], None, 10.0).endswith(
        "To revisit its pages:\n  python3 run.py recrawl 'my store.db' --budget 5000/day"
    )


async def test_it_counts_what_each_part_of_a_crawl_has_until_they_are_joined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "s.db"
    with ShardsFolder(store).opened(2, "local:2") as folder:
        async with LoopbackWeb() as web:
            for number, links in enumerate(([], ["/1"])):
                seed = web.page(f"h{number}.test", "/", links=links)
                web.page(f"h{number}.test", "/1")
                await crawl(web.addresses, [seed], folder.store(number))
    assert main(["status", str(store)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "its crawl has 2 shards" in lines[0]
    assert [line.split()[:3] for line in lines[2:5]] == [["1", "1", "0"], ["2", "2", "0"], ["all", "3", "0"]]
    assert main(["status", str(store), "--json"]) == 0
    parts = json.loads(capsys.readouterr().out)["parts"]
    assert [part["pages"]["local"]["fetched"] for part in parts] == [1, 2]
    assert main(["rank", str(store)]) == 3
    assert "s.db does not exist yet: the shards of its crawl, in" in capsys.readouterr().err
