"""Secrets planted as bytes: each reaches the URLs it is for, and nothing else that a crawl sends or writes."""

from __future__ import annotations

import gzip
import io
import json
import logging
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import anyio
import pytest
from aiohttp.test_utils import TestClient, TestServer
from selectolax.lexbor import LexborHTMLParser

from hinterland.cli import commands, main
from hinterland.cli.settings import settings_json, settings_text
from hinterland.crawler.features.credentials.reading import read_credentials
from hinterland.crawler.features.credentials.settings import CredentialSettings
from hinterland.crawler.fetching.access.access import Access, AccessProvider, Asked
from hinterland.crawler.fetching.access.hidden_values import HIDDEN_VALUES
from hinterland.crawler.fetching.answers import BodyLimits, NoAnswer
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.settings import FetchingSettings, Settings
from hinterland.crawler.settings.layers import EffectiveSettings, load_settings
from hinterland.library.errors import HinterlandError
from hinterland.library.exporting import export
from hinterland.library.public_copies import public_copy_of, shown_by_logins
from hinterland.library.searching import build_index, open_index
from hinterland.storage.reading.opening import reading
from hinterland.web.application import application
from hinterland.web.assistants.asked_stores import AskedStores
from tests.library.importing.test_from_others import taken_in
from tests.support.crawling import Crawled, crawl, fetched, is_sound, rows
from tests.support.fake_index import FakeIndex
from tests.support.web import Answer, Exchange, Link, LoopbackWeb, Request

pytestmark = pytest.mark.slow

SECRETS = {
    "bearer": "planted-bearer-7f3a",
    "header": "planted-header-91c2 ü",
    "cookie": "planted-cookie-55d0",
    "password": "planted-pass:word-0b6e",
}
PASSWORD_AS_SENT = "YWxpY2U6cGxhbnRlZC1wYXNzOndvcmQtMGI2ZQ=="


def forms() -> list[bytes]:
    return [PASSWORD_AS_SENT.encode(), *(secret.encode() for secret in SECRETS.values())]


class Planted:
    """A crawl of four hosts, of which one asks for logins, and everything that it left behind."""

    def __init__(self, folder: Path, web: LoopbackWeb, done: Crawled, entries: list[Mapping[str, str]]) -> None:
        self.folder, self.web, self.done, self.entries = folder, web, done, entries

    def written(self) -> Iterator[tuple[str, bytes]]:
        for path in sorted((self.folder / "out").rglob("*")):
            if path.is_file():
                data = path.read_bytes()
                yield path.name, gzip.decompress(data) if path.suffix == ".gz" else data


def login_entries(folder: Path, at: str) -> list[Mapping[str, str]]:
    """Entries for a host, whose secrets are planted in private files."""
    cookies = f".in.test\tTRUE\t/\tFALSE\t0\tid\t{SECRETS['cookie']}\n"
    files = {
        "bearer": SECRETS["bearer"],
        "header": SECRETS["header"],
        "basic": f"alice:{SECRETS['password']}",
        "cookies": cookies,
    }
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o600)
    return [
        {"at": f"{at}basic/", "basic": f"file:{folder / 'basic'}"},
        {"at": at, "bearer": f"command:cat {folder / 'bearer'}"},
        {"at": at, "header": "X-Api-Key", "value": f"file:{folder / 'header'}"},
        {"at": at, "cookies": str(folder / "cookies")},
    ]


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    import asyncio

    folder = tmp_path_factory.mktemp("planted")
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    logging.getLogger().addHandler(handler)
    try:
        found = asyncio.run(_crawled(folder))
    finally:
        logging.getLogger().removeHandler(handler)
    (folder / "out/log.txt").write_text(log.getvalue(), encoding="utf-8")
    return found


async def _crawled(folder: Path) -> Planted:
    tries = 0

    async def fails_once(exchange: Exchange) -> None:
        nonlocal tries
        tries += 1
        await (Answer(b"busy", 503) if tries == 1 else Answer(b"<p>here"))(exchange)

    (folder / "out").mkdir()
    async with LoopbackWeb() as web, LoopbackWeb() as other_port:
        at = web.url("in.test", "/")
        entries = login_entries(folder / "secrets", at)
        web.robots("in.test", f"User-agent: *\nDisallow: /no\nSitemap: {at}map.xml\n")
        mapped = f"<urlset><url><loc>{at}mapped</loc></url></urlset>".encode()
        web.answer("in.test", "/map.xml", Answer(mapped, content_type="application/xml"))
        web.page("in.test", "/mapped")
        links: list[Link] = [
            "/basic/",
            "/basics",
            "/busy",
            "/away",
            "/other-port",
            "/alias",
            ("www.in.test", "/"),
            ("out.test", "/"),
        ]
        web.page("in.test", "/", links=links)
        web.page("in.test", "/basic/")
        web.page("in.test", "/basics")
        web.answer("in.test", "/busy", fails_once)
        web.redirect("in.test", "/away", ("out.test", "/landed"))
        web.redirect("in.test", "/alias", ("www.in.test", "/"))
        other_port.page("in.test", "/")
        web.redirect("in.test", "/other-port", other_port.url("in.test", "/"))
        web.redirect("www.in.test", "/robots.txt", ("out.test", "/robots-elsewhere"))
        web.page("www.in.test", "/")
        web.page("out.test", "/", links=[("in.test", "/from-outside")])
        web.page("in.test", "/from-outside")
        web.page("out.test", "/landed")
        done = await crawl(
            web.addresses,
            [at, web.url("out.test"), web.url("www.in.test"), other_port.url("in.test")],
            folder / "out/store.db",
            warc=folder / "out/warc",
            credentials={"entries": entries},
            sitemaps={"use": "always"},
            storage={"keep_bodies": True, "keep_headers": ("Server",)},
        )
        web.log += other_port.log
    return Planted(folder, web, done, entries)


def sent(request: Request) -> bytes:
    return "\n".join(f"{name}: {value}" for name, value in request.headers.items()).encode("latin-1", "replace")


def test_every_request_to_the_host_has_what_belongs_to_its_url(planted: Planted) -> None:
    port = planted.web.port
    own = [each for each in planted.web.log if each.headers["host"] == f"in.test:{port}"]
    paths = {each.path for each in own}
    assert {"/robots.txt", "/map.xml", "/mapped", "/", "/basic/", "/busy", "/from-outside"} <= paths
    assert [each.path for each in own].count("/busy") == 2
    for each in own:
        is_basic = each.path.startswith("/basic/")
        wanted = f"Basic {PASSWORD_AS_SENT}" if is_basic else f"Bearer {SECRETS['bearer']}"
        assert each.headers["authorization"] == wanted
        assert each.headers["cookie"] == f"id={SECRETS['cookie']}"
        assert each.headers["x-api-key"].encode("latin-1") in (
            SECRETS["header"].encode(),
            SECRETS["header"].encode("latin-1"),
        )


def test_no_other_request_has_a_byte_of_a_secret(planted: Planted) -> None:
    port = planted.web.port
    others = [each for each in planted.web.log if each.headers["host"] != f"in.test:{port}"]
    assert {each.host for each in others} == {"www.in.test", "out.test", "in.test"}  # the last one at another port
    for each in others:
        assert {"authorization", "cookie", "x-api-key"}.isdisjoint(each.headers)
        assert not any(secret in sent(each) for secret in forms())


def test_nothing_that_the_crawl_wrote_has_a_byte_of_a_secret(planted: Planted) -> None:
    store = planted.folder / "out/store.db"
    export(store, "jsonl", planted.folder / "out/pages.jsonl", with_text=True)
    names = {name for name, _ in planted.written()}
    assert {"store.db", "log.txt", "pages.jsonl"} <= names
    assert any(name.endswith(".warc.gz") for name in names)
    for name, data in planted.written():
        assert not [secret for secret in forms() if secret in data], name
    archived = b"".join(data for name, data in planted.written() if name.endswith(".warc.gz"))
    assert b"Authorization: hidden\r\n" in archived
    assert b"X-Api-Key: hidden\r\n" in archived
    assert b"Cookie: hidden\r\n" in archived


def kind_of(path: str) -> str:
    """Paths of one kind differ in their query, or in a number."""
    return re.sub(r"\d+", "0", path.partition("?")[0])


async def test_nothing_that_a_server_shows_has_a_byte_of_a_secret(planted: Planted) -> None:
    store = planted.folder / "out/store.db"
    app = application(store, FakeIndex(store), only_this_machine=True)
    waiting, seen = ["/", "/metrics", "/crawl", "/api/openapi.json", "/api/crawl", "/?q=page"], set[str]()
    async with TestClient(TestServer(app)) as client:
        while waiting:
            path = waiting.pop(0)
            if kind_of(path) in map(kind_of, seen):
                continue
            seen.add(path)
            async with client.get(path) as answer:
                shown = await answer.read()
                assert not [secret for secret in forms() if secret in shown], path
                assert not [secret for secret in forms() if secret in str(answer.headers).encode()], path
                if answer.content_type == "text/html":
                    found = (each.attributes["href"] or "" for each in LexborHTMLParser(shown).css("a[href^='/']"))
                    waiting += [each for each in dict.fromkeys(found) if each not in (*seen, *waiting)]
    assert {"/metrics", "/crawl", "/api/crawl", "/page/0", "/pages", "/hosts"} <= {kind_of(path) for path in seen}


def test_where_the_secrets_are_is_not_in_the_store_either(planted: Planted) -> None:
    [settings] = {text for (text,) in rows(planted.folder / "out/store.db", "SELECT settings FROM run")}
    assert "credentials" not in json.loads(settings)
    assert str(planted.folder / "secrets") not in settings


def test_everything_that_was_requested_with_a_login_is_marked_and_pages_can_be_left_out(planted: Planted) -> None:
    store = planted.folder / "out/store.db"
    marked = dict(rows(store, "SELECT url, opened_by FROM opened"))
    at = planted.web.url("in.test", "/")
    assert set(marked) == {
        f"{at[:-1]}{each.path}" for each in planted.web.log if each.headers["host"] == f"in.test:{planted.web.port}"
    }
    assert {f"{at}robots.txt", f"{at}map.xml", f"{at}away", f"{at}basic/"} <= set(marked)
    assert marked[f"{at}basic/"].startswith("basic+")
    out = planted.folder / "public.jsonl"
    done = export(store, "jsonl", out, with_text=True, public=True)
    states = {found["url"]: found["state"] for found in map(json.loads, out.read_text().splitlines())}
    assert {states[url] for url in set(states) & set(marked)} == {"known"}
    assert states[planted.web.url("out.test", "/")] == "fetched"
    assert planted.web.url("out.test", "/landed") not in states
    assert done.written.left_out["shown by a login"] == shown_by_logins(store) > 5
    assert done.written.left_out["to which only such pages lead"] == 1  # /landed


def test_a_public_copy_of_a_store_has_nothing_of_what_a_login_showed(planted: Planted) -> None:
    store, copy = planted.folder / "out/store.db", planted.folder / "public.db"
    done = export(store, "store", copy, public=True)
    at = planted.web.url("in.test", "/")
    outside = {url for url in fetched(store) if not url.startswith(at)} - {planted.web.url("out.test", "/landed")}
    assert fetched(copy) == outside
    assert done.written.count == len(outside)
    assert is_sound(copy)
    title = b"in.test/basics"  # its URL has a port
    assert title in store.read_bytes()
    assert title not in copy.read_bytes()
    assert dict(rows(copy, "SELECT state, sum(pages) FROM page_count GROUP BY state HAVING sum(pages) > 0")) == dict(
        rows(copy, "SELECT state, count(*) FROM page GROUP BY state")
    )
    assert [page for (page,) in rows(copy, "SELECT id FROM page ORDER BY id")] == list(
        range(len(rows(copy, "SELECT 1 FROM page")))
    )
    assert shown_by_logins(copy) == 0


def test_an_index_in_public_does_not_have_the_pages_that_a_login_showed(planted: Planted, tmp_path: Path) -> None:
    store = tmp_path / "wiki.db"
    store.write_bytes((planted.folder / "out/store.db").read_bytes())
    build_index(store, public=True)
    index = open_index(tmp_path / "wiki.public.db")
    with reading(tmp_path / "wiki.public.db") as reader:
        found = {index.rank_of(page) is not None for page in reader.pages.numbers_fetched()}
    assert found == {True}
    assert not (tmp_path / "wiki.index").exists()


def test_the_public_copy_that_is_served_is_made_again_once_the_store_was_written_to(
    planted: Planted, tmp_path: Path
) -> None:
    store = tmp_path / "wiki.db"
    store.write_bytes((planted.folder / "out/store.db").read_bytes())
    copy = public_copy_of(store)
    assert copy == tmp_path / "wiki.public.db"
    assert not fetched(copy) & {url for url in fetched(store) if url.startswith(planted.web.url("in.test", "/"))}
    made = copy.stat().st_ino
    assert public_copy_of(store).stat().st_ino == made
    os.utime(store, (store.stat().st_atime, store.stat().st_mtime + 1))
    assert public_copy_of(store).stat().st_ino != made
    copy.write_bytes(store.read_bytes())
    with pytest.raises(HinterlandError, match="not the public copy"):
        public_copy_of(store)


@pytest.mark.parametrize(
    "options", [("--replay", "archive"), ("--index", "x.index"), ("--set", "sitemaps.indexnow=true")]
)
def test_what_is_served_in_public_does_not_come_from_elsewhere(
    planted: Planted, options: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", str(planted.folder / "out/store.db"), "--public", *options]) == 2
    assert "--public" in capsys.readouterr().err
    assert not (planted.folder / "out/store.public.db").exists()


def test_a_model_is_shown_a_public_copy_if_wanted(
    planted: Planted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store, asked = tmp_path / "wiki.db", list[AskedStores]()
    store.write_bytes((planted.folder / "out/store.db").read_bytes())
    monkeypatch.setattr(anyio, "run", lambda _, stores: asked.append(stores))
    assert main(["mcp", str(store), "--public"]) == 0
    assert [each.path for each in asked[0].chosen("")] == [tmp_path / "wiki.public.db"]
    assert main(["mcp", str(store), "--public", "--index", "x.index"]) == 2
    assert "--public" in capsys.readouterr().err


def test_an_archive_that_is_exported_whole_is_not_public(planted: Planted, tmp_path: Path) -> None:
    store, archive = planted.folder / "out/store.db", str(planted.folder / "out/warc")
    with pytest.raises(HinterlandError, match="exports whole archives"):
        export(store, "wacz", tmp_path / "x.wacz", public=True, options={"archive": archive})
    assert list(tmp_path.iterdir()) == []


async def test_an_import_hides_what_the_archive_says_was_opened_by_a_login(planted: Planted, tmp_path: Path) -> None:
    crawled, of_crawl = planted.folder / "out/store.db", "SELECT url, opened_by FROM opened ORDER BY url"
    export(crawled, "warc", tmp_path / "bodies.warc.gz")
    archives = sorted((planted.folder / "out/warc").glob("*.warc.gz"))
    await taken_in(tmp_path / "s.db", *archives)
    assert rows(tmp_path / "s.db", of_crawl) == rows(crawled, of_crawl) != []
    await taken_in(tmp_path / "bodies.db", tmp_path / "bodies.warc.gz")
    shown = fetched(public_copy_of(tmp_path / "bodies.db"))
    assert shown < fetched(tmp_path / "bodies.db")
    assert shown.isdisjoint(url for url, _ in rows(crawled, of_crawl))


async def test_files_that_a_login_opened_for_a_public_page_are_marked_and_left_out(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", html="<img src=/open.gif><img src=/shut/inner.gif>")
        for path in ("/open.gif", "/shut/inner.gif"):
            web.answer("a.test", path, Answer(f"GIF89a of {path}".encode(), content_type="image/gif"))
        at = web.url("a.test", "/shut/")
        entries = [each for each in login_entries(tmp_path / "secrets", at) if "bearer" in each]
        await crawl(
            web.addresses, [seed], tmp_path / "s.db", credentials={"entries": entries}, requisites={"fetch": "all"},
            storage={"keep_bodies": True},
        )  # fmt: skip
    assert rows(tmp_path / "s.db", "SELECT url, opened_by FROM opened") == [(f"{at}inner.gif", "bearer")]
    export(tmp_path / "s.db", "warc", tmp_path / "all.warc.gz")
    export(tmp_path / "s.db", "warc", tmp_path / "public.warc.gz", public=True)
    whole, public = (gzip.decompress((tmp_path / name).read_bytes()) for name in ("all.warc.gz", "public.warc.gz"))
    assert b"GIF89a of /shut/inner.gif" in whole
    assert b"GIF89a of /open.gif" in public
    assert b"/shut/inner.gif" not in public.replace(b"<img src=/shut/inner.gif>", b"")
    copy = public_copy_of(tmp_path / "s.db")
    assert rows(copy, "SELECT url FROM requisite") == [(web.url("a.test", "/open.gif"),)]
    assert fetched(copy) == {seed}


async def test_a_crawl_without_the_logins_of_its_store_says_so(
    planted: Planted, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = tmp_path / "again.db"
    store.write_bytes((planted.folder / "out/store.db").read_bytes())
    await crawl({}, [], store)
    assert "pages of this store were read with a login, and this crawl has none" in caplog.text


async def test_a_login_that_a_host_refuses_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with LoopbackWeb() as web:
        seed = web.answer("in.test", "/", Answer(b"<a href=/a>", 401))
        other = web.answer("in.test", "/b", Answer(b"<a href=/a>", 401))
        entries = login_entries(tmp_path / "secrets", seed)
        await crawl(web.addresses, [seed, other], tmp_path / "s.db", credentials={"entries": entries})
    told = [each for each in caplog.messages if "refuses the login" in each]
    assert told == [f"{seed[:-1]} refuses the login by bearer+cookies+header: status 401 for {seed}"]


@pytest.mark.parametrize(
    "status, location, told",
    [(403, "", "status 403"), (302, "/sso?back=1", "looks like a login page"), (302, "/elsewhere", ""), (404, "", "")],
)
async def test_a_login_that_is_not_taken_any_more_is_told(
    status: int, location: str, told: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with LoopbackWeb() as web:
        seed = web.answer("in.test", "/", Answer(b"<p>no", status, headers={"Location": location}))
        entries = [each for each in login_entries(tmp_path / "secrets", seed) if "bearer" in each]
        await crawl(web.addresses, [seed], tmp_path / "s.db", credentials={"entries": entries})
    found = [each for each in caplog.messages if "login by bearer" in each]
    assert len(found) == bool(told)
    assert told in "".join(found)


@pytest.mark.parametrize(
    "domain, until, told",
    [
        (".in.test", 0, None),
        (".in.test", 1, "have expired, the last one on 1970-01-01"),
        ("other.test", 0, "has no cookies for http://in.test"),
    ],
)
def test_a_cookie_file_that_is_out_of_date_is_told(
    domain: str, until: int, told: str | None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "cookies"
    file.write_text(f"{domain}\tTRUE\t/\tFALSE\t{until}\tid\tplanted-cookie\n", encoding="utf-8")
    file.chmod(0o600)
    read_credentials([{"at": "http://in.test/", "cookies": str(file)}])
    assert len(caplog.messages) == (told is not None)
    assert (told or "") in caplog.text


def test_settings_show_where_a_login_goes_and_nothing_more(planted: Planted) -> None:
    text = "".join(
        "[[credentials]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())
        for entry in planted.entries
    )
    effective: EffectiveSettings = load_settings(text, "settings.toml", {}, [], {})
    shown = settings_text(effective, ["settings.toml"]) + json.dumps(settings_json(effective))
    assert planted.entries[0]["at"] in shown
    assert str(planted.folder / "secrets") not in shown
    assert not any(secret.decode() in shown for secret in forms())


def test_a_traceback_of_the_program_itself_hides_them(planted: Planted, capsys: pytest.CaptureFixture[str]) -> None:
    commands._failed(RuntimeError(f"it was {SECRETS['bearer']} and {PASSWORD_AS_SENT}"))
    said = capsys.readouterr().err
    assert "it was *** and ***" in said


class GivesToken(AccessProvider):
    """Gives a login to every request, as no provider of ours does."""

    def __init__(self, networks: tuple[str, ...] = ()) -> None:
        self._networks = networks

    def access(self, asked: Asked) -> Access:
        return Access((("Authorization", "Bearer planted"),), login="bearer", networks=self._networks)


@pytest.mark.parametrize("networks, wanted", [((), 1), (("127.0.0.0/8",), 2), (("127.0.9.0/24",), 0)])
async def test_a_login_over_plain_http_does_not_follow_its_name_to_another_network(
    networks: tuple[str, ...], wanted: int
) -> None:
    async with LoopbackWeb(addresses=("127.0.0.1", "127.0.1.1")) as web:
        url = web.page("a.test", "/")
        addresses = {"a.test": "127.0.0.1"}
        settings = FetchingSettings(allow_networks=("127.0.0.0/8",), addresses=addresses)
        async with Fetcher(settings, "Hinterland/1", lambda: 0.0, provider=GivesToken(networks)) as fetcher:
            answers = [await fetcher.fetch(url, BodyLimits(None, 1000))]
            fetcher._resolver._fixed["a.test"] = "127.0.1.1"  # as if its name had been given to another machine
            for connections in list(fetcher._session.connector._conns.values()):  # type: ignore[union-attr]
                for connection, _ in connections:
                    connection.close()
            answers.append(await fetcher.fetch(url, BodyLimits(None, 1000)))
        assert len(web.log) == wanted
    refused = [each for each in answers if isinstance(each, NoAnswer)]
    assert len(refused) == 2 - wanted
    assert all(each.kind is OutcomeKind.FORBIDDEN_ADDRESS and "login" in each.detail for each in refused)


def test_logins_are_refused_where_nobody_checks_to_whom_they_go() -> None:
    from hinterland.crawler.features.credentials.feature import CredentialsFactory
    from hinterland.crawler.loop.crawl_start import FeatureUnusable

    entries = CredentialSettings(entries=[{"at": "in.test", "bearer": "env:T"}])
    settings = Settings(fetching=FetchingSettings(verify_tls=False)).with_sections({"credentials": entries})
    with pytest.raises(FeatureUnusable, match=r"fetching\.ca_file"):
        CredentialsFactory().require(settings)


def test_the_values_are_on_the_list_of_what_is_hidden(planted: Planted) -> None:
    for secret in SECRETS.values():
        assert secret not in HIDDEN_VALUES.hide(f"a {secret} b")
