"""WACZ: what a crawl archived, packed for replay software, and read back; other packings of WARC files."""

from __future__ import annotations

import gzip
import hashlib
import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.fetching.decoding import zstd
from hinterland.library.archives import import_archives
from hinterland.library.exporting import export
from hinterland.storage.warc.wacz_reading import UnusableWacz, warcs_in
from hinterland.storage.warc.zstd_files import unpack_warc
from tests.support.crawling import crawl
from tests.support.web import Answer, LoopbackWeb


def fetched(store: Path) -> set[str]:
    with closing(sqlite3.connect(store)) as connection:
        return {
            url
            for (url,) in connection.execute("SELECT url FROM page JOIN fetch ON page = id WHERE outcome = 'fetched'")
        }


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as package:
        assert package.testzip() is None
        assert all(each.compress_type == zipfile.ZIP_STORED for each in package.infolist() if "warc" in each.filename)
        return {name: package.read(name) for name in package.namelist()}


@pytest.mark.slow
async def test_an_archive_is_packed_with_its_index_and_pages_and_comes_back(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", title="Home", links=["/b"], html=None)
        web.page("a.test", "/b", html="<title>B</title><p>words of b<img src=/i.gif>")
        web.answer("a.test", "/i.gif", Answer(b"GIF89a", content_type="image/gif"))
        await crawl(web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc", requisites={"fetch": "all"})
    export(tmp_path / "s.db", "wacz", tmp_path / "a.wacz", options={"archive": str(tmp_path / "warc")}, with_text=True)
    files = contents(tmp_path / "a.wacz")
    package: dict[str, Any] = json.loads(files["datapackage.json"])
    assert {each["path"] for each in package["resources"]} == set(files) - {
        "datapackage.json", "datapackage-digest.json"
    }  # fmt: skip
    for each in package["resources"]:
        content = files[each["path"]]
        assert (each["bytes"], each["hash"]) == (len(content), f"sha256:{hashlib.sha256(content).hexdigest()}")
    digest = json.loads(files["datapackage-digest.json"])["hash"]
    assert digest == f"sha256:{hashlib.sha256(files['datapackage.json']).hexdigest()}"
    head, *pages = map(json.loads, files["pages/pages.jsonl"].splitlines())
    assert head["hasText"]
    assert [(page["title"], "words of b" in page.get("text", "")) for page in pages] == [("Home", False), ("B", True)]
    assert package["mainPageUrl"] == seed
    meta, place = files["indexes/index.idx"].decode().splitlines()
    assert meta.startswith("!meta 0 ")
    assert json.loads(place[place.index("{") :]) == {"offset": 0, "length": len(files["indexes/index.cdx.gz"])}
    index = gzip.decompress(files["indexes/index.cdx.gz"]).decode()
    assert index == (tmp_path / "warc" / "index.cdxj").read_text()
    assert "/i.gif" in index
    report = import_archives([tmp_path / "a.wacz"], tmp_path / "again.db")
    assert report.pages
    assert fetched(tmp_path / "again.db") == fetched(tmp_path / "s.db")


async def test_kept_bodies_are_packed_where_no_archive_was_written(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", html="<img src=/i.gif>")
        web.answer("a.test", "/i.gif", Answer(b"GIF89a", content_type="image/gif"))
        await crawl(web.addresses, [seed], tmp_path / "s.db", requisites={"fetch": "all"})
    export(tmp_path / "s.db", "wacz", tmp_path / "a.wacz")
    files = contents(tmp_path / "a.wacz")
    index = gzip.decompress(files["indexes/index.cdx.gz"]).decode()
    assert [json.loads(line[line.index("{") :])["mime"] for line in index.splitlines()] == ["text/html", "image/gif"]


def test_broken_and_hostile_packages_are_refused(tmp_path: Path) -> None:
    (tmp_path / "no.wacz").write_bytes(b"PK no zip")
    with zipfile.ZipFile(tmp_path / "empty.wacz", "w") as package:
        package.writestr("archive/../../evil.txt", "x")
    with zipfile.ZipFile(tmp_path / "bomb.wacz", "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("archive/../../x.warc", bytes(3 << 20))
    for name in ("no", "empty"):
        with pytest.raises(UnusableWacz):
            list(warcs_in(tmp_path / f"{name}.wacz", tmp_path))
    (tmp_path / "in").mkdir()
    with pytest.raises(UnusableWacz, match="would unpack to far more"):
        list(warcs_in(tmp_path / "bomb.wacz", tmp_path / "in", most_times=1))
    assert {path.name for path in tmp_path.iterdir()} == {"no.wacz", "empty.wacz", "bomb.wacz", "in"}
    assert import_archives([tmp_path / "no.wacz"], tmp_path / "s.db").pages == 0


def test_records_packed_by_zstd_are_unpacked_with_and_without_a_dictionary(tmp_path: Path) -> None:
    records = [b"WARC/1.0\r\nWARC-Type: warcinfo\r\n\r\n" + bytes([number]) * 50 for number in range(200)]
    dictionary = zstd.train_dict(records, 400)
    with_one = b"".join(zstd.compress(record, zstd_dict=dictionary) for record in records)
    for name, content in {
        "plain": b"".join(map(zstd.compress, records)),
        "raw": b"\x5d\x2a\x4d\x18"
        + len(dictionary.dict_content).to_bytes(4, "little")
        + dictionary.dict_content
        + with_one,
        "packed": (frame := zstd.compress(dictionary.dict_content))
        and b"\x5d\x2a\x4d\x18" + len(frame).to_bytes(4, "little") + frame + with_one,
    }.items():
        (tmp_path / name).write_bytes(content)
        assert unpack_warc(tmp_path / name, tmp_path / "out") == ""
        assert (tmp_path / "out").read_bytes() == b"".join(records)
        (tmp_path / name).write_bytes(content[:-5])
        assert unpack_warc(tmp_path / name, tmp_path / "out") == "it ends within a frame"
    (tmp_path / "bad").write_bytes(b"\x5d\x2a\x4d\x18\xff\xff\xff\xff")
    assert "dictionary is too large" in unpack_warc(tmp_path / "bad", tmp_path / "out")
