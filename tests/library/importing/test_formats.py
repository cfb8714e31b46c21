"""The formats of archives: each can be read and is in the documents; HAR files of browsers are taken in."""

from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver
from hinterland.library.importing.format import ImportFormat, Limits
from hinterland.library.importing.formats import FORMATS
from hinterland.library.importing.formats.har import item_of, items
from hinterland.library.importing.items import ArchivedLogin, ArchivedResponse, Skipped
from hinterland.library.importing.link_data import LinkDataReader
from hinterland.library.importing.opening import SUFFIXES, archive_items
from hinterland.library.public_copies import public_copy_of
from tests.library.importing.test_from_others import taken_in, texts
from tests.storage.test_warc_reading import record
from tests.support.crawling import fetched, links

LIMITS = Limits(frozenset({"text/html"}), 1_000)
READER = LinkDataReader(LinkResolver(Canonicaliser()), "Hinterland")
REPOSITORY = Path(__file__).parents[3]


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: str(each.name))
def test_any_file_of_a_format_is_read_or_skipped_in_words(each: ImportFormat, tmp_path: Path) -> None:
    for suffix in each.suffixes:
        path = tmp_path / f"file{suffix.upper()}"
        for content in (b"", b"{}", b"no archive\n" * 9):
            path.write_bytes(content)
            assert all(isinstance(item, Skipped) and item.reason for item in archive_items(path, READER, LIMITS))


def test_each_suffix_has_one_format_and_a_place_in_the_documents() -> None:
    assert len(SUFFIXES) == len(set(SUFFIXES))
    document = (REPOSITORY / "docs/exports.md").read_text(encoding="utf-8")
    assert not [suffix for suffix in SUFFIXES if suffix not in document]


def entry(url: str, text: str | None, mime: str = "text/html", **response: Any) -> dict[str, Any]:
    content = {"mimeType": mime, "size": 9} | ({} if text is None else {"text": text})
    return {
        "startedDateTime": "2026-01-02T03:04:05.678+01:00",
        "request": {"method": "GET", "url": url},
        "response": {"status": 200, "headers": [], "content": content} | response,
        "serverIPAddress": "127.0.0.1",
    }


@pytest.mark.slow
async def test_the_pages_of_a_har_file_are_those_that_the_browser_got(tmp_path: Path) -> None:
    page = "<meta charset=iso-8859-1><title>Fähren</title><a href=/next>weiter</a><p>Über Nacht"
    moved = entry("http://a.test/old", "", status=302, headers=[{"name": "Location", "value": "/"}])
    packed = entry("http://a.test/next", base64.b64encode("<p>zwölf".encode("latin-1")).decode())
    packed["response"]["content"] |= {"encoding": "base64", "mimeType": "text/html; charset=iso-8859-1"}
    head = {"name": "content-encoding", "value": "br"}
    posted = entry("http://a.test/form", "x") | {"request": {"method": "POST", "url": "http://a.test/form"}}
    entries = [entry("http://a.test/", page, headers=[head]), moved, packed, posted, entry("http://a.test/lost", None)]
    file = tmp_path / "session.har"
    file.write_text(json.dumps({"log": {"entries": entries}}), encoding="utf-8")
    report = await taken_in(tmp_path / "s.db", file)
    assert report.skipped == {("entry", "not fetched by GET"): 1, ("entry", "saved without its content"): 1}
    assert set(fetched(tmp_path / "s.db")) == {"http://a.test/", "http://a.test/next"}
    shown = {url: text for url, (_, text, _) in texts(tmp_path / "s.db").items()}
    assert "Über Nacht" in shown["http://a.test/"]
    assert shown["http://a.test/next"] == "zwölf"
    assert ("http://a.test/", "http://a.test/next", "a") in links(tmp_path / "s.db")


ALLOWED = b"GET / HTTP/1.1\r\nHost: a.test\r\n%s\r\n\r\n"


@pytest.mark.parametrize("first", ["request", "response"])
def test_what_was_requested_with_a_login_is_marked_in_archives_of_others(first: str, tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    asked, open_to_all = (
        record("http://a.test/", ALLOWED % field, kind="request") for field in (b"AUTHORIZATION: Basic eA==", b"DNT: 1")
    )
    path.write_bytes(asked + record() if first == "request" else record() + asked)
    logins = [item for item in archive_items(path, READER, LIMITS) if isinstance(item, ArchivedLogin)]
    assert logins == [ArchivedLogin("http://a.test/", "imported")]
    path.write_bytes(open_to_all + record())
    assert not any(isinstance(item, ArchivedLogin) for item in archive_items(path, READER, LIMITS))


async def test_what_a_browser_saw_with_a_login_is_no_part_of_a_public_copy(tmp_path: Path) -> None:
    shut, front = entry("http://a.test/shut", "shut"), entry("http://a.test/", "<a href=/shut>in</a>")
    shut["request"]["headers"] = [{"name": "Authorization", "value": "Bearer x"}]
    (tmp_path / "x.har").write_text(json.dumps({"log": {"entries": [front, shut]}}), encoding="utf-8")
    await taken_in(tmp_path / "s.db", tmp_path / "x.har")
    assert fetched(tmp_path / "s.db") == {"http://a.test/", "http://a.test/shut"}
    assert fetched(public_copy_of(tmp_path / "s.db")) == {"http://a.test/"}


def test_what_a_har_file_lacks_is_said() -> None:
    whole = entry("http://a.test/", "x" * 1_001)
    found = item_of(whole, LIMITS)
    assert isinstance(found, ArchivedResponse)
    assert isinstance(found.answer, NoAnswer)
    picture = item_of(entry("http://a.test/p.png", None, "image/png"), LIMITS)
    assert isinstance(picture, ArchivedResponse)
    assert isinstance(picture.answer, Answer)
    assert picture.answer.was_skipped
    assert item_of({**whole, "startedDateTime": "yesterday"}, LIMITS) == Skipped("entry", "no usable date")
    assert item_of(entry("data:text/html,x", "x"), LIMITS) == Skipped("entry", "not a web URL")
    assert item_of(entry("http://a.test/", "x", status=0), LIMITS) == Skipped("entry", "no HTTP response in it")


ODD: list[Any] = [None, True, 5, -1.5, "text", [], [5], [{}], [{"name": 1}], {}, {"name": "a"}, "\ud800"]


def but_odd_at_times(values: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return strategies of the values, each of which is of an odd kind or missing in some of the examples."""
    return st.fixed_dictionaries(
        {}, optional={name: st.just(value) | st.sampled_from(ODD) for name, value in values.items()}
    )


FIELD = but_odd_at_times({"name": "Location", "value": "/"})
CONTENT = but_odd_at_times({"text": "x", "size": 1, "mimeType": "text/html", "encoding": "base64"})
RESPONSE = but_odd_at_times({"headers": [], "redirectURL": "/"})
ENTRY = but_odd_at_times(entry("http://a.test/", "x"))


@given(ENTRY, RESPONSE, CONTENT, st.lists(FIELD, max_size=2), st.sampled_from([200, 301, 403, *ODD]))
def test_no_entry_is_an_error(
    given_entry: dict[str, Any], response: dict[str, Any], content: dict[str, Any], fields: list[Any], status: object
) -> None:
    item_of(given_entry, LIMITS)
    whole = {"status": status, "headers": fields, "content": content} | response
    item_of(entry("http://a.test/", "x") | {"response": whole}, LIMITS)


@given(
    st.binary(max_size=40) | st.sampled_from(ODD).map(lambda value: json.dumps({"log": {"entries": value}}).encode())
)
def test_no_har_file_is_an_error(content: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".har") as file:
        file.write(content)
        file.flush()
        list(items(Path(file.name), READER, LIMITS))
