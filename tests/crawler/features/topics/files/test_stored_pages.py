"""Pages of a store, as a topic takes them."""

from __future__ import annotations

from pathlib import Path

from hinterland.crawler.features.topics.files.stored_pages import pages_at
from hinterland.storage.reading.opening import reading
from tests.support.stored_pages import Page, write_store


def test_pages_are_found_by_their_urls_and_by_those_that_lead_to_them(tmp_path: Path) -> None:
    path = write_store(
        tmp_path / "s.db",
        [
            Page(text="compost and mulch"),
            Page(outcome="redirected", redirect=0),
            Page(outcome="client_error"),
            Page(outcome="redirected", redirect=2),
        ],
    )
    asked = ["HTTP://A.test:80/0#top", *(f"http://a.test/{number}" for number in (1, 2, 3, 9)), "no URL"]
    with reading(path) as reader:
        found = pages_at(reader, asked)
    assert {url: page.url for url, page in found.items()} == {
        "HTTP://A.test:80/0#top": "http://a.test/0",
        "http://a.test/1": "http://a.test/0",
    }
