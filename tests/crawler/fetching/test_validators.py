"""How a page is asked for of which a version is stored, and which answers mean that it still stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.fetching.answers import Answer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.validators import NO_VALIDATORS, Validators
from hinterland.crawler.fetching.verdicts import Verdict, judge
from hinterland.crawler.urls.canonical import Canonicaliser

DATE = "Sun, 06 Nov 1994 08:49:37 GMT"
URL = "http://a.test/"


def test_what_was_never_read_is_asked_for_without_conditions() -> None:
    assert NO_VALIDATORS.fields() == {}


def test_the_tag_alone_is_sent_if_there_is_one() -> None:
    assert Validators('"1"', DATE).fields() == {"If-None-Match": '"1"'}
    assert Validators('W/"1"', None).fields() == {"If-None-Match": 'W/"1"'}


def test_without_a_tag_the_date_is_sent_back_as_it_came() -> None:
    assert Validators(None, DATE).fields() == {"If-Modified-Since": DATE}


@pytest.mark.parametrize("date", ["yesterday", "", "0", "-1", "2024-01-01\r\nX: 1", "Sün, 06 Nov 1994 08:49:37 GMT"])
def test_what_is_no_date_is_not_sent(date: str) -> None:
    assert Validators(None, date).fields() == {}


@pytest.mark.parametrize(
    "tag, sent",
    [
        ('"1-gzip"', '"1-gzip", "1"'),
        ('W/"1-gzip"', 'W/"1-gzip", W/"1"'),
        ('"1--gzip"', '"1--gzip", "1"'),
        ('"1;br"', '"1;br", "1"'),
        ("unquoted", "unquoted"),
    ],
)
def test_the_tag_of_a_compressed_variant_is_sent_without_its_suffix_as_well(tag: str, sent: str) -> None:
    assert Validators(tag).fields() == {"If-None-Match": sent}


@pytest.mark.parametrize("tag", ['"', '"a"b"', '"a" ', "a,b", "a b", '"ü"', "", '"a\r\nX: 1"'])
def test_what_is_no_tag_is_not_sent_and_the_date_is_asked_by_instead(tag: str) -> None:
    assert Validators(tag, DATE).fields() == {"If-Modified-Since": DATE}


OF_NO_VERSION = ["*", "W/*", '"*"', 'W/"*"', '""', 'W/""', "null", '"null"', '"undefined"', "-undefined"]


@pytest.mark.parametrize("tag", OF_NO_VERSION)
def test_a_tag_that_any_version_would_match_is_never_sent_back(tag: str) -> None:
    assert Validators(tag).fields() == {}
    assert Validators(tag, DATE).fields() == {"If-Modified-Since": DATE}


@pytest.mark.parametrize("tag", OF_NO_VERSION)
def test_a_page_sent_under_a_tag_of_any_version_is_read_again(tag: str) -> None:
    assert not verdict(Answer(200, b"x", 0.1, etag=tag), Validators(tag)).is_same


@pytest.mark.parametrize("tag", ['"-gzip"', 'W/"*-gzip"'])
def test_without_its_suffix_a_tag_is_not_sent_if_that_is_no_version(tag: str) -> None:
    assert Validators(tag).fields() == {"If-None-Match": tag}


@pytest.mark.parametrize(
    "date", ["Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:01 GMT", "Tue, 01 Jan 1980 00:00:00 GMT"]
)
def test_a_date_before_the_web_is_of_no_version(date: str) -> None:
    assert Validators(None, date).fields() == {}


@pytest.mark.parametrize("joined", ['"1", "2"', '"1" ,"1"', '"1",'])
def test_of_two_tags_that_were_joined_on_the_way_the_first_is_sent(joined: str) -> None:
    assert Validators(joined).fields() == {"If-None-Match": '"1"'}


@given(st.text(max_size=20), st.text(max_size=40))
def test_no_validator_can_break_out_of_its_field(tag: str, date: str) -> None:
    for value in Validators(tag, date).fields().values():
        assert value.isascii()
        assert value.isprintable()


def verdict(answer: Answer, validators: Validators | None) -> Verdict:
    return judge(answer, URL, Canonicaliser(max_length=100), validators)


def test_a_304_means_that_what_is_stored_still_stands_even_unasked() -> None:
    same = Verdict(OutcomeKind.FETCHED, "", 304, is_same=True)
    assert verdict(Answer(304, b"", 0.1), Validators('"1"')) == same
    assert verdict(Answer(304, b"", 0.1), NO_VALIDATORS) == same


def test_a_304_for_a_page_that_was_never_read_is_no_page() -> None:
    assert verdict(Answer(304, b"", 0.1), None).kind is OutcomeKind.UNEXPECTED_STATUS


@pytest.mark.parametrize(
    "stored, sent, is_same",
    [
        ('"1"', '"1"', True),
        ('W/"1"', '"1"', True),
        ('"1"', 'W/"1"', True),
        ('"1"', '"2"', False),
        (None, '"1"', False),
        ('"1"', None, False),
        ("1", "1", False),
    ],
)
def test_a_page_sent_again_under_the_same_tag_is_the_same(stored: str | None, sent: str | None, is_same: bool) -> None:
    assert verdict(Answer(200, b"x", 0.1, etag=sent), Validators(stored)).is_same is is_same


def test_the_fields_of_a_304_replace_the_earlier_ones() -> None:
    assert Validators('"1"', DATE).renewed('"2"', None) == Validators('"2"', DATE)
    assert Validators('"1"', None).renewed(None, DATE) == Validators('"1"', DATE)
