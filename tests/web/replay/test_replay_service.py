"""An archive is shown as it was, on an origin of its own, and nothing of it gets out."""

from __future__ import annotations

import gzip
import random
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from hinterland.crawler.fetching.decoding import zstd
from hinterland.library import replayed_archives
from hinterland.library.errors import HinterlandError
from hinterland.library.replayed_archives import archive_folder
from hinterland.storage.warc.captures import Capture
from hinterland.storage.warc.folder import WarcFolder
from hinterland.storage.warc.originals import Originals
from hinterland.web.application import application
from hinterland.web.replay.application import replay_application
from tests.support.crawling import crawl, rows
from tests.support.fake_index import FakeIndex
from tests.support.web import Answer, LoopbackWeb

Client = TestClient[web.Request, web.Application]
FIRST, SECOND = 1_700_000_000.0, 1_710_000_000.0
PAGE = "http://a.example/page"
PACKED = "\r\nContent-Encoding: gzip"


def capture(
    url: str, body: bytes, at: float = FIRST, fields: str = "Content-Type: text/html", status: int = 200
) -> Capture:
    head = f"HTTP/1.1 {status} Said\r\n{fields}\r\nContent-Length: {len(body)}\r\nSet-Cookie: a=b\r\n\r\n".encode()
    request = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
    return Capture(url, at, "192.0.2.1", request, head + body, len(head))


def archive(folder: Path, *captures: Capture) -> Path:
    folder.mkdir()
    files = WarcFolder(folder, {"software": "test"}, 1 << 30, Originals(folder))
    for each in captures:
        files.write([each], each.captured_at)
    files.close()
    return folder


@asynccontextmanager
async def replayed(folder: Path, *, only_this_machine: bool = True) -> AsyncIterator[Client]:
    server = TestServer(replay_application(folder, only_this_machine=only_this_machine))
    async with TestClient(server) as client:
        yield client


async def test_a_page_is_shown_as_it_was_at_a_moment_with_what_it_loads(tmp_path: Path) -> None:
    html = b"<link rel=stylesheet href=s.css><img src=/i.png><a href=/other>o</a><script>x()</script>"
    folder = archive(
        tmp_path / "warc",
        capture(PAGE, html),
        capture(
            "http://a.example/s.css",
            gzip.compress(b"p{background:url(bg.png)}"),
            fields=f"Content-Type: text/css{PACKED}",
        ),
        capture("http://a.example/i.png", b"\x89PNG", fields="Content-Type: image/png"),
        capture(PAGE, b"<p>later", SECOND),
        capture("http://a.example/on", b"<meta http-equiv=refresh content='0; url=page'>"),
        capture("http://a.example/away", b"<meta http-equiv=refresh content='0; url=nowhere'>it moved"),
        capture("http://a.example/moved", b"", fields="Location: /page", status=302),
    )
    async with replayed(folder) as client:
        answer = await client.get(f"/20231115/{PAGE}", allow_redirects=False)
        assert answer.headers["Location"] == f"/20231114221320/{PAGE}"
        bar = await (await client.get(f"/20231114221320/{PAGE}")).text()
        assert f'src="/20231114221320mp_/{PAGE}"' in bar
        assert "2 versions" in bar
        assert f'href="{PAGE}"' in bar
        shown = await client.get(f"/20231114221320mp_/{PAGE}")
        text = await shown.text()
        assert '<img src="/20231114221320mp_/http://a.example/i.png"' in text
        assert '<a href="/20231114221320/http://a.example/other"' in text
        assert await (await client.get(f"/20231114221320/{PAGE.replace('://', ':/')}")).text() == bar
        assert "sandbox" in shown.headers["Content-Security-Policy"]
        assert "Set-Cookie" not in shown.headers
        css = await (await client.get("/20231114221320mp_/http://a.example/s.css")).text()
        assert css == 'p{background:url("/20231114221320mp_/http://a.example/bg.png")}'
        picture = await client.get("/20240101mp_/http://a.example/i.png")
        assert (picture.content_type, await picture.read()) == ("image/png", b"\x89PNG")
        assert "later" in await (await client.get(f"/20991231235959mp_/{PAGE}")).text()
        moved = await client.get("/20231114221320mp_/http://a.example/moved", allow_redirects=False)
        assert moved.headers["Location"] == f"/20231114221320mp_/{PAGE}"
        moved = await client.get("/20231114221320mp_/http://a.example/on", allow_redirects=False)
        assert moved.headers["Location"] == f"/20231114221320mp_/{PAGE}"
        assert "it moved" in await (await client.get("/20231114221320mp_/http://a.example/away")).text()
        both = await (await client.get(f"/20231114221320-20240309160000/{PAGE}")).text()
        assert both.count("<iframe") == 2
        listed = await (await client.get("/")).text()
        assert f"/20240309160000/{PAGE}" in listed
        assert (await client.get("/20231114mp_/http://nowhere.example/")).status == 404


async def test_a_revisit_is_shown_as_what_it_repeats(tmp_path: Path) -> None:
    folder = archive(tmp_path / "warc", capture(PAGE, b"<p>the same"), capture(PAGE, b"<p>the same", SECOND))
    async with replayed(folder) as client:
        assert "the same" in await (await client.get(f"/20240309160000mp_/{PAGE}")).text()
        assert ", unchanged" in await (await client.get(f"/20240309160000/{PAGE}")).text()


async def test_what_is_no_page_is_neither_run_nor_opened(tmp_path: Path) -> None:
    folder = archive(
        tmp_path / "warc",
        capture(
            "http://a.example/x.svg", b"<svg><a href='//evil.example'/></svg>", fields="Content-Type: image/svg+xml"
        ),
        capture("http://a.example/x.js", b"alert()", fields="Content-Type: text/javascript"),
        capture("http://a.example/x.pdf", b"%PDF", fields="Content-Type: application/pdf"),
        capture(
            "http://a.example/bomb",
            gzip.compress(bytes(60_000_000)),
            fields=f"Content-Type: text/html{PACKED}",
        ),
        capture("http://a.example/gone", b"<p>no", status=404),
    )
    async with replayed(folder) as client:
        as_frame = {"Sec-Fetch-Dest": "iframe"}
        drawing = await client.get("/2023mp_/http://a.example/x.svg", headers=as_frame)
        assert drawing.content_type == "text/html"
        assert "evil" not in await drawing.text()
        assert (await client.get("/2023mp_/http://a.example/x.svg")).content_type == "image/svg+xml"
        assert (await client.get("/2023mp_/http://a.example/x.js")).content_type == "text/plain"
        document = await client.get("/2023mp_/http://a.example/x.pdf", headers=as_frame)
        assert document.headers["Content-Disposition"] == "attachment"
        assert (await client.get("/2023mp_/http://a.example/bomb")).status == 502
        assert (await client.get("/2023mp_/http://a.example/gone")).status == 404
        assert "The server answered 404" in await (await client.get("/2023/http://a.example/gone")).text()
        for path in ("/2023mp_/file:///etc/passwd", "/2023mp_/javascript:x", "/2023mp_/..%2f..%2fetc", "/api/status"):
            assert (await client.get(path)).status == 404
        assert (await client.get("/", headers={"Host": "evil.example"})).status == 403


@pytest.mark.parametrize(
    "field, body, destination, shown_as",
    [
        ("Server: x", b"\x89PNG\r\n\x1a\n\xff", "image", "image/png"),
        ("Content-Type: idontexist", b"\xff\xd8\xff\xe0", "", "image/jpeg"),
        ("Content-Type: text/plain", b"wOF2\0\xff", "font", "font/woff2"),
        ("Content-Type: text/html", b"GIF89a\xff", "image", "image/gif"),
        ("Content-Type: text/plain", b"GIF89a is a format", "document", "text/plain"),
        ("Server: x", b"p { color: red }", "style", "text/css"),
        ("Server: x", b'{"name": "<a>"}', "empty", "text/plain"),
        ("Server: x", b"\n<p>hello", "iframe", "text/html"),
        ("Server: x", b"\0\xff" * 9, "iframe", "application/octet-stream"),
    ],
)
async def test_a_body_is_used_as_browsers_would_use_it(
    tmp_path: Path, field: str, body: bytes, destination: str, shown_as: str
) -> None:
    folder = archive(tmp_path / "warc", capture(PAGE, body, fields=field))
    async with replayed(folder) as client:
        shown = await client.get(f"/2023mp_/{PAGE}", headers={"Sec-Fetch-Dest": destination})
        assert shown.content_type == shown_as
        if not shown_as.startswith("text/"):
            assert await shown.read() == body


@pytest.mark.parametrize("coding", ["", "gzip"])
async def test_what_was_archived_of_a_page_is_shown_and_marked(tmp_path: Path, coding: str) -> None:
    page = b"<p>beginning" + random.Random(1).randbytes(2_000).hex().encode()
    body = gzip.compress(page) if coding else page
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {coding}\r\n\r\n".encode()
    said = "WARC-Date: 2023-05-29T02:53:04Z\r\nWARC-Truncated: length\r\nContent-Type: application/http\r\n"
    (tmp_path / "x.warc.gz").write_bytes(packed_record("response", PAGE, said, head + body[: len(body) // 2]))
    whole = gzip.decompress(packed_record("response", f"{PAGE}/cut", said, head + body))
    (tmp_path / "y.warc").write_bytes(whole[: len(whole) - len(body) // 2])
    async with replayed(tmp_path) as client:
        for url in (PAGE, f"{PAGE}/cut"):
            shown = await client.get(f"/2023mp_/{url}")
            assert (shown.status, "beginning" in await shown.text()) == (200, True)
            assert "Only a part of it was archived" in await (await client.get(f"/20230529025304/{url}")).text()


@pytest.mark.parametrize("pack", ["plain", "members", "one member", "torn member", "zstd"])
async def test_a_single_file_is_shown_however_it_is_packed(tmp_path: Path, pack: str) -> None:
    said = "WARC-Date: 2023-05-29T02:53:04Z\r\nContent-Type: application/http\r\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    members = [packed_record("response", f"{PAGE}/{n}", said, head + b"<p>page %d" % n) for n in range(3)]
    records = [gzip.decompress(member) for member in members]
    name, data = {
        "plain": ("x.warc", b"".join(records)),
        "members": ("X.WARC.GZ", b"".join(members)),
        "one member": ("x.warc.gz", gzip.compress(b"".join(records))),
        "torn member": ("x.warc.gz", gzip.compress(b"".join(records) + random.Random(1).randbytes(9_000))[:-999]),
        "zstd": ("x.warc.zst", b"".join(map(zstd.compress, records))),
    }[pack]
    (tmp_path / name).write_bytes(data)
    with archive_folder(tmp_path / name) as folder:
        async with replayed(folder) as client:
            for n in range(3):
                assert f"page {n}" in await (await client.get(f"/2023mp_/{PAGE}/{n}")).text()


def plain_records(*bodies: bytes) -> bytes:
    records = [
        gzip.decompress(packed_record("response", PAGE, "", b"HTTP/1.1 200 OK\r\n\r\n" + each)) for each in bodies
    ]
    return b"".join(records)


def test_what_is_lost_of_a_torn_file_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    torn = gzip.compress(plain_records(b"one", random.Random(1).randbytes(9_000)))[:-999]
    (tmp_path / "x.warc.gz").write_bytes(torn)
    with archive_folder(tmp_path / "x.warc.gz") as folder:
        [plain] = folder.iterdir()
        assert (
            "is damaged (Compressed file ended before the end-of-stream marker was reached): only its first"
            in caplog.text
        )
        assert f"first {plain.stat().st_size} bytes are shown" in caplog.text


def test_a_file_that_would_fill_the_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replayed_archives, "MOST_TIMES", 2)
    (tmp_path / "x.warc.gz").write_bytes(gzip.compress(plain_records(b"one", bytes(3 << 20))))
    refused = pytest.raises(
        HinterlandError, match=r"x\.warc\.gz unpacks to more than 2 times its size; if you trust it: "
    )
    with refused, archive_folder(tmp_path / "x.warc.gz"):
        pass


async def test_a_page_of_which_only_the_month_is_known_is_shown_at_its_beginning(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    said = "WARC-Date: 2014-02\r\nContent-Type: application/http\r\n"
    (tmp_path / "x.warc.gz").write_bytes(packed_record("response", PAGE, said, head + b"<img src=i.png>"))
    async with replayed(tmp_path) as client:
        assert f"/20140201000000/{PAGE}" in await (await client.get("/")).text()
        assert (await client.get(f"/20140201000000/{PAGE}")).status == 200
        assert "/20140201000000mp_/http" in await (await client.get(f"/20140201000000mp_/{PAGE}")).text()


@pytest.mark.parametrize("seconds", [0.0, 1.0])
async def test_a_redirect_to_another_scheme_or_www_is_shown_as_the_page_to_which_it_leads(
    tmp_path: Path, seconds: float
) -> None:
    there, moved = "https://www.a.example/page", "Location: https://www.a.example/page"
    folder = archive(
        tmp_path / "warc",
        capture(PAGE, b"", fields=moved, status=301),
        capture(there, b"<p>the page", FIRST + seconds),
        capture("http://b.example/", b"", fields="Location: https://b.example/", status=302),
        capture("http://c.example/", b"<meta http-equiv=refresh content='0;url=https://c.example/'><p>moving on"),
    )
    async with replayed(folder) as client:
        for url in (PAGE, there, "http://www.a.example/page"):
            assert "the page" in await (await client.get(f"/20231114221320mp_/{url}")).text()
            framed = await client.get(f"/20231114221320/{url}")
            assert (framed.status, there in await framed.text()) == (200, True)
        assert (await client.get("/2023mp_/http://b.example/")).status == 404
        assert (await client.get("/2023/http://b.example/")).status == 200
        assert "moving on" in await (await client.get("/2023mp_/http://c.example/")).text()


def test_a_folder_with_a_file_that_is_packed_as_a_whole_says_how_to_unpack_it(tmp_path: Path) -> None:
    said = "WARC-Date: 2023-05-29T02:53:04Z\r\nContent-Type: application/http\r\n"
    records = [
        gzip.decompress(packed_record("response", f"{PAGE}/{n}", said, b"HTTP/1.1 200 OK\r\n\r\n")) for n in "ab"
    ]
    (tmp_path / "x.warc.gz").write_bytes(gzip.compress(b"".join(records)))
    with pytest.raises(HinterlandError, match=r"gunzip .*x\.warc\.gz"), archive_folder(tmp_path):
        pass


async def test_a_page_of_the_store_leads_to_its_archived_form(crawled_store: Path) -> None:
    app = application(crawled_store, FakeIndex(crawled_store), only_this_machine=True, replay_port=8766)
    async with TestClient(TestServer(app)) as client:
        shown = await (await client.get("/page/0")).text()
        [[url, at]] = rows(crawled_store, "SELECT url, started_at FROM page JOIN fetch ON page = id WHERE id = 0")
        moment = datetime.fromtimestamp(at, UTC).strftime("%Y%m%d%H%M%S")
        assert f'href="http://127.0.0.1:8766/{moment}/{url}"' in shown


def packed_record(kind: str, url: str, fields: str, block: bytes) -> bytes:
    """A record as other programs write it, in a gzip member of its own."""
    head = f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Record-ID: <urn:uuid:1>\r\n{fields}"
    return gzip.compress(f"{head}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n")


def browser_archive() -> bytes:
    """What browsertrix writes: the same payload at another URL is a revisit, whose digest is spelt in another way."""
    page = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-type: text/html\r\n\r\n<p>decoded, whatever it says"
    said = "WARC-Date: 2023-05-29T02:53:04.800Z\r\nContent-Type: application/http; msgtype=response\r\n"
    refers = "WARC-Refers-To-Target-URI: http://a.example/\r\nWARC-Refers-To-Date: 2023-05-29T02:53:04.800Z\r\n"
    profile = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
    gone = b"HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\n\r\n"
    digest = "WARC-Payload-Digest: sha{}256:ea8f\r\n"
    return packed_record("response", "http://a.example/", said + digest.format(""), page) + packed_record(
        "revisit", "http://b.example/gone", said + refers + profile + digest.format("-"), gone
    )


async def test_a_revisit_of_another_url_has_the_status_of_its_own_head(tmp_path: Path) -> None:
    (tmp_path / "x.warc.gz").write_bytes(browser_archive())
    async with replayed(tmp_path) as client:
        async with client.get("/20230529025304mp_/http://b.example/gone") as answer:
            assert answer.status == 404
            assert "<p>decoded, whatever it says" in await answer.text()
        async with client.get("/20230529025304mp_/http://a.example/") as answer:
            assert answer.status == 200


async def test_a_revisit_whose_original_is_elsewhere_says_what_is_missing(tmp_path: Path) -> None:
    whole = browser_archive()
    (tmp_path / "x.warc.gz").write_bytes(whole[whole.index(b"\x1f\x8b", 1) :])
    async with replayed(tmp_path) as client, client.get("/20230529025304mp_/http://b.example/gone") as answer:
        assert answer.status == 502
        assert "equals an earlier answer of http://a.example/, and lacks that" in await answer.text()


async def test_an_arc_file_is_shown_as_well(tmp_path: Path) -> None:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: image/gif\r\n\r\nGIF89a"
    info = b"1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n\n"
    head = b"filedesc://x.arc 0.0.0.0 20080430204825 text/plain %d\n" % len(info)
    picture = b"http://a.example/i.gif 192.0.2.1 20080430204826 image/gif %d\n" % len(block)
    members = gzip.compress(head + info) + gzip.compress(picture + block + b"\n")
    (tmp_path / "old.arc.gz").write_bytes(members)
    async with replayed(tmp_path) as client, client.get("/2008mp_/http://a.example/i.gif") as answer:
        assert (answer.status, await answer.read()) == (200, b"GIF89a")


@pytest.mark.parametrize("is_nested", [False, True])
def test_a_wacz_is_unpacked_for_a_while(is_nested: bool, tmp_path: Path) -> None:
    package, archive = tmp_path / "x.wacz", browser_archive()  # which says when it was packed
    with zipfile.ZipFile(package, "w") as made:
        made.writestr("archive/data.warc.gz", archive)
    if is_nested:
        inner = package.read_bytes()
        with zipfile.ZipFile(package, "w") as made:
            made.writestr("crawl-1.wacz", inner)
            made.writestr("crawl-2.wacz", inner)
    with archive_folder(package) as folder:
        assert [path.read_bytes() for path in folder.iterdir()] == [archive] * (1 + is_nested)
    assert not folder.exists()


def test_what_is_no_archive_is_refused_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "empty.wacz").write_bytes(b"no zip")
    for path, said in (
        (tmp_path, "no finished WARC"),
        (tmp_path / "no", "no archive"),
        (tmp_path / "empty.wacz", "unpa"),
    ):
        with pytest.raises(HinterlandError, match=said), archive_folder(path):
            pass


async def test_kept_bodies_of_a_store_are_shown_without_an_archive(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", html="<p>kept<img src=/i.gif>")
        web.answer("a.test", "/i.gif", Answer(b"GIF89a", content_type="image/gif"))
        await crawl(
            web.addresses, [seed], tmp_path / "s.db", requisites={"fetch": "all"}, storage={"keep_bodies": True}
        )
    with archive_folder(tmp_path / "s.db") as folder:
        async with replayed(folder) as client:
            async with client.get(f"/2026mp_/{seed}") as answer:
                assert "<p>kept" in await answer.text()
            async with client.get(f"/2026mp_/{web.url('a.test', '/i.gif')}") as answer:
                assert await answer.read() == b"GIF89a"


async def test_what_is_no_content_is_marked(tmp_path: Path) -> None:
    filtered = "Content-Type: text/html\r\ncf-mitigated: challenge"
    cut = replace(capture("http://a.example/cut", b"<p>beg"), truncated="length")
    folder = archive(
        tmp_path / "warc",
        capture("http://a.example/gone", b"<p>gone", status=404),
        capture("http://a.example/asked", b"<p>Just a moment", status=403, fields=filtered),
        capture("http://a.example/fine", b"<p>fine"),
        cut,
    )
    said = {"gone": "The server answered 404", "asked": "a challenge page of Cloudflare", "cut": "Only a part"}
    async with replayed(folder) as client:
        for name in ("gone", "asked", "fine", "cut"):
            async with client.get(f"/20231114221320/http://a.example/{name}") as answer:
                text = await answer.text()
                assert ('class="marked"' in text) == (name in said), name
                assert said.get(name, "") in text
