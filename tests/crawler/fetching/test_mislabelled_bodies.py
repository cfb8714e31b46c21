"""Bodies that are sent as HTML, or without a type, and are no text."""

from __future__ import annotations

import gzip
import io
import sqlite3
import zipfile
from pathlib import Path

import pytest

from hinterland.crawler.fetching.mislabelled_bodies import why_no_page

HTML = "text/html; charset=utf-8"
MANY_BYTES = bytes(range(256)) * 20


def packed() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", "a")
    return file.getvalue()


def database(folder: Path) -> bytes:
    with sqlite3.connect(folder / "a.db") as store:
        store.execute("CREATE TABLE a (b)")
    store.close()
    return (folder / "a.db").read_bytes()


@pytest.mark.parametrize(
    "beginning, name",
    [
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"GIF89a", "a GIF image"),
        (b"RIFF\1\2\3\4WEBPVP8 ", "a WebP image"),
        (b"\0\0\1\0\1\0", "an icon"),
        (b"wOF2\0\1\0\0", "a font"),
        (b"\0\0\0\x20ftypisom", "sound or video"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"\x7fELF\2\1", "a program"),
    ],
)
@pytest.mark.parametrize("content_type, labelled", [(HTML, "is labelled as HTML"), (None, "has no content type")])
def test_files_with_well_known_beginnings_are_named(
    beginning: bytes, name: str, content_type: str | None, labelled: str
) -> None:
    assert why_no_page(beginning + MANY_BYTES, content_type) == f"it {labelled}, but is {name}"


def test_files_as_programs_write_them_are_named(tmp_path: Path) -> None:
    assert why_no_page(gzip.compress(b"<p>a"), HTML).endswith("but is gzip data")
    assert why_no_page(packed(), HTML).endswith("but is a ZIP archive or an office document")
    assert why_no_page(database(tmp_path), HTML).endswith("but is a database")


@pytest.mark.parametrize("body", [MANY_BYTES, b"\0" * 5000, b"MZ" + MANY_BYTES])
def test_bytes_of_no_known_format_are_no_page_unless_they_are_said_to_be_one(body: bytes) -> None:
    assert why_no_page(body, None) == "it has no content type, and is no text"
    assert why_no_page(body, HTML) == ""


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<",
        b"<!doctype html><title>a</title>",
        b"plain words",
        b"GIF89 is a format of images",
        b"RIFF is a format",
        b"PK are two letters",
        b"ID3 tags and OTTO engines",
        "\ufeff<p>Gr\u00fc\u00dfe".encode(),
        "<p>Gr\u00fc\u00dfe".encode("utf-16"),
        "<p>Gr\u00fc\u00dfe".encode("utf-16-le"),
        "<p>\u65e5\u672c\u8a9e".encode("iso2022_jp"),
        "<p>\u65e5\u672c\u8a9e".encode("cp932"),
        b"<p>one \0 byte" + b" words" * 50,
    ],
)
@pytest.mark.parametrize("content_type", [HTML, None, "", "nonsense"])
def test_texts_in_any_encoding_may_be_pages(body: bytes, content_type: str | None) -> None:
    assert why_no_page(body, content_type) == ""
