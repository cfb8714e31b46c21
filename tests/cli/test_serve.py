"""`serve` as its users start it."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
from pathlib import Path

import aiohttp
import pytest

from hinterland.cli import main
from tests.support.hinterland import crawled, line_with, start
from tests.support.stored_pages import Page, write_store
from tests.support.web import LoopbackWeb

pytestmark = pytest.mark.slow


async def made(store: Path) -> None:
    async with LoopbackWeb() as web:
        await crawled(web, store, web.page("a.test", "/"))


async def test_it_serves_until_ctrl_c_and_names_the_command_for_an_index(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    await made(store)
    process = await start("serve", str(store), "--port", "0")
    line = await line_with(process.stdout, "http://")
    found = re.match(r"(http://127\.0\.0\.1:\d+/) shows .*s\.db\. Ctrl-C ends it\.", line)
    assert found, line
    async with aiohttp.ClientSession() as session:
        async with session.get(found[1]) as answer:
            assert '1</span> <span class="label">pages fetched' in await answer.text()
        async with session.get(f"{found[1]}?q=x") as answer:
            assert f"python3 run.py index {store}" in await answer.text()
        async with session.get(f"{found[1]}crawl/events") as live:
            await live.content.readline()
            process.send_signal(signal.SIGINT)
            _, errors = await asyncio.wait_for(process.communicate(), 60)
    assert (process.returncode, errors) == (0, b"")


async def test_a_store_that_is_still_empty_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    process = await start("serve", str(tmp_path / "empty.db"), "--port", "0")
    await line_with(process.stdout, "http://127.0.0.1:")
    process.send_signal(signal.SIGTERM)
    _, errors = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0
    assert b"no crawl has begun there. It will be shown as soon as a crawl begins there." in errors


async def test_it_warns_when_others_can_reach_it_and_of_a_store_that_is_not_there_yet(tmp_path: Path) -> None:
    process = await start("serve", str(tmp_path / "none.db"), "--port", "0", "--host", "0.0.0.0")
    await line_with(process.stdout, "http://0.0.0.0:")
    process.send_signal(signal.SIGTERM)
    _, errors = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0
    assert b"there is no store at" in errors
    assert b"other machines can reach" in errors


def test_what_is_no_store_and_a_port_that_is_taken_are_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.db").write_bytes(b"Dear reader, " * 100)
    assert main(["serve", str(tmp_path / "s.db")]) == 3
    assert "is not a link store" in capsys.readouterr().err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", str(tmp_path / "none.db"), "--port", port]) == 2
    assert f"cannot listen on 127.0.0.1, port {port}: " in capsys.readouterr().err
    assert main(["serve", str(tmp_path / "none.db"), "--host", "foo..bar", "--port", "0"]) == 2
    assert "'foo..bar' is not the name of a host" in capsys.readouterr().err


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: a.test\r\nContent-Length: -1\r\n\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: a.test\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
    ids=["no number", "too long", "TLS"],
)
async def test_a_request_that_is_not_http_is_refused_and_does_not_fill_the_terminal(
    sent: bytes, tmp_path: Path
) -> None:
    process = await start("serve", str(tmp_path / "none.db"), "--port", "0")
    line = await line_with(process.stdout, "http://127.0.0.1:")
    reader, writer = await asyncio.open_connection("127.0.0.1", int(line.split("/")[2].partition(":")[2]))
    writer.write(sent)
    assert b" 400 " in await asyncio.wait_for(reader.readline(), 60)
    writer.close()
    process.send_signal(signal.SIGTERM)
    _, errors = await asyncio.wait_for(process.communicate(), 60)
    assert b"Traceback" not in errors
    assert process.returncode == 0


async def test_a_crawl_whose_parts_are_not_joined_is_served_part_by_part(tmp_path: Path) -> None:
    folder = tmp_path / "all.db.shards"
    folder.mkdir()
    (folder / "crawl.json").write_text('{"crawl": "x", "shards": 2, "epochs": [1, 1], "joined": null}')
    for number in range(2):
        await asyncio.to_thread(write_store, folder / f"{number}.db", [Page("One")])
    process = await start("serve", str(tmp_path / "all.db"), "--port", "0")
    said = await line_with(process.stdout, "Ctrl-C ends it")
    process.send_signal(signal.SIGINT)
    await process.communicate()
    assert f"shows the 2 shards of {tmp_path / 'all.db'}, which does not exist yet" in said


def test_what_needs_the_joined_store_is_refused_until_then(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "all.db.shards"
    folder.mkdir()
    (folder / "crawl.json").write_text('{"crawl": "x", "shards": 1, "epochs": [1], "joined": null}')
    write_store(folder / "0.db", [Page("One")])
    assert main(["serve", str(tmp_path / "all.db"), "--index", "somewhere"]) == 2
    assert "--index needs the joined store" in capsys.readouterr().err


async def test_it_answers_language_models_if_asked_to(tmp_path: Path) -> None:
    """The only test that sees the option lead to the service; what that answers is tested in tests/web/assistants."""
    store = tmp_path / "s.db"
    await made(store)
    process = await start("serve", str(store), "--mcp", "--port", "0")
    line = await line_with(process.stdout, "http://")
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_hosts", "arguments": {}}}
    accepted = {"Accept": "application/json, text/event-stream"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{line.split()[0]}mcp", json=asked, headers=accepted) as answer,
    ):
        told = await answer.json()
    assert told["result"]["structuredContent"]["total"] == 1
    process.send_signal(signal.SIGINT)
    _, errors = await asyncio.wait_for(process.communicate(), 60)
    assert (process.returncode, errors) == (0, b"")
