"""`serve` takes notices of changes if it is enabled: its answers, what it stores, and what it shows."""

from __future__ import annotations

import shutil
from io import BytesIO
from pathlib import Path

import pytest

from hinterland.storage.indexnow_inbox import IndexNowInbox
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.indexnow import KeyState
from tests.web.test_pages import Client, client_of, get, shown

KEY = "0123-abcd"


@pytest.fixture
def store(crawled_store: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(crawled_store, tmp_path / "site.db"))


def host_with_pages(store: Path) -> str:
    with reading(store) as reader:
        return next(host.url for host in reader.hosts.listed("pages", 0, 1, only_visited=True))


def written(store: Path) -> bytes:
    return store.read_bytes()


async def post(client: Client, urls: list[str], key: str = KEY, **given: object) -> tuple[int, str]:
    host = urls[0].partition("//")[2].partition("/")[0]
    async with client.post("/indexnow", json={"host": host, "key": key, "urlList": urls, **given}) as answer:
        return answer.status, await answer.text()


async def test_notices_are_taken_only_if_that_was_asked_for(store: Path) -> None:
    page = f"{host_with_pages(store)}/new"
    async with client_of(store) as client:
        assert "sitemaps.indexnow=true" in await get(client, f"/indexnow?url={page}&key={KEY}", status=404)
        assert (await post(client, [page]))[0] == 404
        assert "Notices are off" in shown(await get(client, "/signals"))
    assert not IndexNowInbox.of(store).exists()


async def test_a_notice_is_answered_as_the_protocol_has_it_and_shown(store: Path) -> None:
    host, file = host_with_pages(store), IndexNowInbox.of(store)
    before = written(store)
    async with client_of(store, takes_notices=True) as client:
        assert "No notices yet" in shown(await get(client, "/signals"))
        assert "takes effect once" in await get(client, f"/indexnow?url={host}/a&key={KEY}", status=202)
        async with client.head(f"/indexnow?url={host}/a&key={KEY}") as answer:
            assert answer.status == 405
        [key] = file.keys_to_check(0.0)
        file.checked(key.number, KeyState.GOOD, "", 1.0)
        assert (await post(client, [f"{host}/b", f"{host}/<b>"]))[0] == 200
        assert (await post(client, ["https://nobody.example/"]))[0] == 422
        assert (await post(client, [f"{host}/c"], key="bad key"))[0] == 422
        await get(client, "/indexnow", status=400)
        async with client.post("/indexnow", data=BytesIO(b"[" * 5_000_000)) as answer:
            assert answer.status == 413
        file.checked(key.number, KeyState.BAD, "not there", 1e12)
        assert (await post(client, [f"{host}/d"]))[0] == 403
        text = await get(client, "/signals")
    assert "refused: not there" in shown(text)
    assert f"{host}/b" in shown(text)
    assert "<b>" not in text
    assert written(store) == before


async def test_too_many_are_turned_away_until_some_are_over(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = host_with_pages(store)
    monkeypatch.setattr("hinterland.storage.indexnow_inbox.MOST_OF_A_KEY", 2)
    async with client_of(store, takes_notices=True) as client:
        assert (await post(client, [f"{host}/{number}" for number in range(2)]))[0] == 202
        async with client.get(f"/indexnow?url={host}/3&key={KEY}") as answer:
            assert (answer.status, answer.headers["Retry-After"]) == (429, "3600")


async def test_a_file_that_cannot_be_written_is_an_answer(store: Path) -> None:
    store.with_suffix(".notices").mkdir()
    async with client_of(store, takes_notices=True) as client:
        assert (await post(client, [f"{host_with_pages(store)}/a"]))[0] == 503
        assert "cannot be read" in shown(await get(client, "/signals"))
