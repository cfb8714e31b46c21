"""The date that a page bears is found where publishers and their tools write it, and nothing else is taken for one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hinterland.search.document_types import document_type
from hinterland.search.page_dates import believable, last_modified, page_date

PUBLISHED = '<meta property="article:published_time" content="2020-01-02">'
CHANGED = '<meta content="2021-03-04" name="dcterms.modified">'
COMMENT = (
    '<div itemscope itemtype="https://schema.org/Comment"><meta itemprop="datePublished" content="2024-01-01"></div>'
)
ARTICLE = '{"@type": "NewsArticle", "url": "https://a.test/x", "datePublished": "2019-02-03", "comment": %s}'


def ld(*items: str) -> str:
    return "".join(f'<script type="application/ld+json">{item}</script>' for item in items)


@pytest.mark.parametrize(
    "html, date",
    [
        # what a page says for machines, before what it says for people
        (PUBLISHED + CHANGED, "2021-03-04"),
        (CHANGED + PUBLISHED, "2021-03-04"),
        (PUBLISHED, "2020-01-02"),
        (PUBLISHED + "<p>The law was revised on 12 May 2023.", "2020-01-02"),
        (PUBLISHED + "<p>The stadium was built on June 1, 1999, and changed 2 May 2001.", "2020-01-02"),
        (PUBLISHED + "<footer>Last updated on Jul 04, 2025.</footer>", "2020-01-02"),
        (PUBLISHED + "<time datetime=2022-02-02>", "2020-01-02"),
        (ld('{"datePublished": "20190203"}') + "<p>Updated 5 June 2024", "2019-02-03"),
        ("<p>edited on 2 May 2001</p>" + ld('{"dateModified": "2022-05-06T07:08:09+02:00"}'), "2022-05-06T05:08"),
        # attributes without quotation marks, in any order and case
        ("<meta name=date content=2018-07-06>", "2018-07-06"),
        ("<META CONTENT=2018-07-06 PROPERTY=article:published_time>", "2018-07-06"),
        ("<meta name='last-modified' content='Tue, 06 Mar 2018 10:00:00 GMT'>", "2018-03-06"),
        ("<time datetime=2018-11-12T10:00Z>yesterday</time>", "2018-11-12T10:00"),
        ("<link rel=canonical href=https://a.test/2017/08/09/news>", "2017-08-09"),
        ('<meta name="date" data-x="a > b" content="2018-07-06">', "2018-07-06"),
        # what is no part of the page
        ("<!-- <meta name=date content=2018-07-06> last updated 2019-01-01 -->", None),
        ("<script>var x = '<meta name=date content=2018-07-06>';</script>", None),
        ('<script>{"dateModified": "2022-05-06"}</script>', None),
        ("<textarea>Last updated on Jul 04, 2025. <time datetime=2020-01-01></textarea>", None),
        ("<style>/* last updated 2019-01-01 */</style><script>// last updated 2019-01-01</script>", None),
        ("<template><time datetime=2020-01-01></time></template>", None),
        # the item that stands for the page, wherever it is written
        (ld('{"@type": "Comment", "dateCreated": "2024-01-01"}', ARTICLE % "[]"), "2019-02-03"),
        (ld(ARTICLE % '[{"@type": "Comment", "dateModified": "2024-01-01"}]'), "2019-02-03"),
        (ld('{"@type": "WebSite", "dateModified": "2024-01-01"}', ARTICLE % "[]"), "2019-02-03"),
        (ld('{"@type": "WebPage", "dateModified": "2024-01-01"}', ARTICLE % "[]"), "2019-02-03"),
        (ld('{"@graph": [{"@type": "ImageObject", "dateCreated": "2001-01-01"}, %s]}' % (ARTICLE % 0)), "2019-02-03"),
        (ld('{"@type": "ItemList", "itemListElement": [%s]}' % (ARTICLE % 0)) + CHANGED, "2021-03-04"),
        (
            "<link rel=canonical href=https://a.test/x>"
            + ld('{"@type": "Article", "url": "https://a.test/y", "dateModified": "2024-01-01"}', ARTICLE % "[]"),
            "2019-02-03",
        ),
        (ld(ARTICLE % 0, ARTICLE % 0, '{"@type": "CollectionPage", "dateModified": "2024-01-01"}'), "2024-01-01"),
        (ld('{"@type": ["WebPage", "FAQPage"], "dateModified": "2024-01-01"}'), "2024-01-01"),
        (COMMENT + PUBLISHED, "2020-01-02"),
        (
            f"<p itemscope itemtype=https://schema.org/Blog><b itemprop=dateCreated content=2019-02-03>x</b>{COMMENT}",
            "2019-02-03",
        ),
        # sentences
        ("<footer>Last updated on Jul 04, 2025.</footer>", "2025-07-04"),
        ("<footer>Last modified: 4 July 2025</footer>", "2025-07-04"),
        ("<p>Page last updated <b>2023/7/4</b>", "2023-07-04"),
        ("Last updated 2024-05-31 00:35:55 UTC", "2024-05-31T00:35"),
        ("<P>LAST UPDATED:  4 JULY 2025", "2025-07-04"),
        ("<p>Last up<b>dat</b>&#101;d on Jul <i>04</i>,\n\t\t2025", "2025-07-04"),
        (f"<pre>{' ' * 90}last changed:{' ' * 90}2025-07-04</pre>", "2025-07-04"),
        (f"<p>edited {'again and ' * 90}, last built on 2025-07-04", "2025-07-04"),
        ("<TIME DATETIME=2018-11-12>", "2018-11-12"),
        ("<LINK REL=CANONICAL HREF=https://a.test/2017/08/09/news>", "2017-08-09"),
        ("<P ITEMSCOPE ITEMTYPE=https://schema.org/Blog><B ITEMPROP=dateCreated CONTENT=2019-02-03>x", "2019-02-03"),
        ('<SCRIPT TYPE=APPLICATION/LD+JSON>{"dateModified": "2022-05-06"}</SCRIPT>', "2022-05-06"),
        # nothing that counts
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
    told = None if found is None else datetime.fromtimestamp(found, UTC).strftime("%Y-%m-%dT%H:%M")
    assert told == (date if date is None or "T" in date else f"{date}T00:00")


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
