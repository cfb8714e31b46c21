"""What a notice of IndexNow may say, and with which status another is turned away."""

from __future__ import annotations

import json

import pytest

from hinterland.crawler.features.sitemaps.indexnow import (
    MOST_URLS,
    BadNotice,
    is_in_key_file,
    notice_of_json,
    notice_of_query,
)

KEY = "0123abcd-EF"
PAGE = "https://a.example/docs/one"


def posted(**given: object) -> bytes:
    return json.dumps({"host": "a.example", "key": KEY, "urlList": [PAGE], **given}).encode()


def test_the_key_lies_at_the_root_of_the_host_unless_the_notice_says_where() -> None:
    asked = notice_of_query({"url": f"{PAGE}#part", "key": KEY})
    assert (asked.host, asked.urls, asked.location) == ("https://a.example", [PAGE], f"https://a.example/{KEY}.txt")
    other = notice_of_json(posted(keyLocation="https://a.example/docs/k.txt", urlList=[PAGE, PAGE]))
    assert (other.location, other.urls) == ("https://a.example/docs/k.txt", [PAGE])


@pytest.mark.parametrize(
    "body, status",
    [
        (b"", 400),
        (b"[" * 100_000, 400),
        (b"[]", 400),
        (posted(host=None), 400),
        (posted(key=None), 400),
        (posted(key="short"), 422),
        (posted(key="letters_other_than-these"), 422),
        (posted(urlList=[]), 400),
        (posted(urlList=PAGE), 400),
        (posted(urlList=[PAGE, 7]), 400),
        (posted(urlList=["javascript:alert(1)"]), 400),
        (posted(urlList=["https://me@a.example/"]), 400),
        (posted(urlList=["https://a.example/" + "x" * 3_000]), 400),
        (posted(urlList=[f"https://a.example/{number}" for number in range(MOST_URLS + 1)]), 400),
        (posted(urlList=["https://b.example/"]), 422),
        (posted(urlList=[PAGE, "https://b.example/"]), 422),
        (posted(urlList=[PAGE, "http://a.example/docs/two"]), 422),
        (posted(keyLocation="https://b.example/k.txt"), 422),
        (posted(keyLocation="https://a.example/other/k.txt"), 422),
        (posted(keyLocation=["https://a.example/"]), 400),
    ],
)
def test_a_notice_of_another_form_has_the_status_of_the_protocol(body: bytes, status: int) -> None:
    with pytest.raises(BadNotice) as refused:
        notice_of_json(body)
    assert refused.value.status == status


def test_a_key_is_a_line_of_its_file() -> None:
    assert is_in_key_file(KEY, f"\ufeff{KEY}\r\n".encode())
    assert is_in_key_file(KEY, f"other\n {KEY}".encode())
    assert not is_in_key_file(KEY, f"{KEY}x".encode())
    assert not is_in_key_file(KEY, f"<html>{KEY}".encode())
