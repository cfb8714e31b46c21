from __future__ import annotations

import pytest

from hinterland.crawler.features.sitemaps.feed_names import is_named_as_feed


@pytest.mark.parametrize(
    "path",
    ["/feed", "/feed/", "/rss.xml", "/atom.xml", "/blog/index.xml", "/feeds/posts/default", "/?feed=rss2", "/news.rss",
     "/RSS", "/feed_en.xml", "/all.atom.xml"],
)  # fmt: skip
def test_names_that_feeds_have(path: str) -> None:
    assert is_named_as_feed(f"https://a.example{path}")


@pytest.mark.parametrize("path", ["/", "/fr/", "/feedback", "/atomic/", "/rssi.html", "/index.xml.html", "/print/12"])
def test_names_that_other_alternates_have(path: str) -> None:
    assert not is_named_as_feed(f"https://feed.example{path}")
