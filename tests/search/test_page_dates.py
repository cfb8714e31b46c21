"""The date that a page bears is found where publishers and their tools write it, and nothing else is taken for one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hinterland.search.document_types import document_type
from hinterland.search.page_dates import believable, last_modified, page_date

META = (
    '<meta property="article:published_time" content="2020-01-02"><meta content="2021-03-04" name="dcterms.modified">'
)


@pytest.mark.parametrize(
    "html, date",
    [
        (META, "2021-03-04T00:00"),
        (META.replace("modified", "creator"), "2020-01-02T00:00"),
        ('<script>{"dateModified": "2022-05-06T07:08:09+02:00"}</script>', "2022-05-06T05:08"),
        ('{"datePublished":"20190203"}', "2019-02-03T00:00"),
        ("<footer>Last updated on Jul 04, 2025.</footer>", "2025-07-04T00:00"),
        ("<footer>Last modified: 4 July 2025</footer>", "2025-07-04T00:00"),
        ("<p>Page last updated <b>2023/7/4</b>", "2023-07-04T00:00"),
        ("Last updated 2024-05-31 00:35:55 UTC", "2024-05-31T00:35"),
        ('<time datetime="2018-11-12T10:00Z">yesterday</time>', "2018-11-12T10:00"),
        ('<link rel="canonical" href="https://a.test/2017/08/09/news">', "2017-08-09T00:00"),
        ("<p>Born on 4 July 1999, he wrote it in 2001-02-03.", None),
        ('<meta name="date" content="2021-02-31">', None),
        ('<meta name="date" content="tomorrow">', None),
        ('<meta name="generator" content="2021-02-01">', None),
        ('<meta name="date" content="1970-01-01">', None),
        ("<" * 100_000 + "last updated " * 10_000, None),
    ],
)
def test_a_date_is_found_where_it_is_stated(html: str, date: str | None) -> None:
    found = page_date(html)
    assert (None if found is None else datetime.fromtimestamp(found, UTC).strftime("%Y-%m-%dT%H:%M")) == date


def test_a_field_of_the_server_is_read_and_a_date_after_the_visit_is_not_believed() -> None:
    moment = datetime(2023, 2, 6, 12, 56, 51, tzinfo=UTC).timestamp()
    assert last_modified("Mon, 06 Feb 2023 12:56:51 GMT") == moment
    assert last_modified("soon") is None
    assert last_modified("") is None
    assert believable(moment, moment) == moment
    assert believable(moment, moment - 10 * 86_400) is None
    assert believable(0.0, moment) is None
    assert believable(None, moment) is None


def test_content_types_are_told_in_a_word() -> None:
    given = ("text/html; charset=utf-8", "application/pdf", "text/x-markdown", "image/x-icon", "")
    assert [document_type(each) for each in given] == ["html", "pdf", "markdown", "icon", "html"]
