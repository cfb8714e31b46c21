"""Cookies are read as RFC 6265 says, go back to their origin alone, and no site can fill the memory with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.sessions.cookies import MOST_BYTES, MOST_COOKIES, Cookie, CookieJar, read_cookie
from hinterland.crawler.features.sessions.jars import MOST_CLOSED, MOST_JARS, CookieJars
from hinterland.crawler.features.sessions.login import FormLogin
from hinterland.crawler.fetching.access.access import Asked
from hinterland.crawler.fetching.access.target import Target, target_of

NOW = 1_800_000_000.0


def asked(url: str, by: str = "") -> Asked:
    target = target_of(url)
    assert target is not None
    return Asked(target, NOW, by)


@pytest.mark.parametrize(
    "line, kept",
    [
        ("id=1", Cookie("id", "1", "/a")),
        (" id = 1 ; Secure", Cookie("id", "1", "/a")),
        ("id=a=b; Path=/x", Cookie("id", "a=b", "/x")),
        ("id=1; path=relative", Cookie("id", "1", "/a")),
        ('id="q"; Max-Age=60', Cookie("id", '"q"', "/a", NOW + 60)),
        ("id=1; Max-Age=0", Cookie("id", "1", "/a", 0.0)),
        ("id=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", Cookie("id", "1", "/a", NOW + 60)),
        ("id=1; Expires=Wed, 21-Oct-2037 07:28:00 GMT", Cookie("id", "1", "/a", 2139722880.0)),
        ("id=1; Expires=soon", Cookie("id", "1", "/a")),
        ("id=; HttpOnly", Cookie("id", "", "/a")),
        ("=1", None),
        ("id", None),
        ("id=1\r\nX: y", None),
        (f"id={'x' * MOST_BYTES}", None),
    ],
)
def test_a_set_cookie_field_is_read_as_browsers_do(line: str, kept: Cookie | None) -> None:
    assert read_cookie(line, "/a/b", NOW) == kept


@given(st.lists(st.text(max_size=80), max_size=20))
def test_whatever_a_site_sets_what_is_sent_back_is_one_line_and_bounded(lines: list[str]) -> None:
    jar = CookieJar()
    jar.read(lines, "/", NOW)
    field = jar.field("/", NOW)
    assert "\n" not in field
    assert "\r" not in field
    assert len(jar) <= MOST_COOKIES


@pytest.mark.slow
def test_of_a_hundred_thousand_cookies_of_one_host_fifty_are_kept() -> None:
    jars = CookieJars(keeps_all=True)
    for number in range(1000):
        jars.answered(asked("https://a.example/"), 200, {}, [f"c{number}-{each}={'x' * 20}" for each in range(100)])
    jar = jars.jar("https://a.example:443")
    assert len(jar) == MOST_COOKIES
    assert jar.dropped == 100_000 - MOST_COOKIES
    assert jar.field("/", NOW).startswith("c999-50=")


@pytest.mark.parametrize("keeps_all, most", [(True, MOST_JARS), (False, MOST_CLOSED + 1)])
def test_the_number_of_jars_is_bounded_and_that_of_a_login_stays(keeps_all: bool, most: int) -> None:
    at = Target("https", "in.example", 443, "/")
    jars = CookieJars(keeps_all=keeps_all, logins=[FormLogin(at, "https://in.example/login", "alice", "s3cret")])
    jars.answered(asked("https://in.example/"), 200, {}, ["id=1"])
    for number in range(most + 10):
        jars.answered(asked(f"https://h{number}.example/"), 200, {}, ["id=1"])
    assert len(jars) == most
    assert jars.access(asked("https://in.example/")).fields == (("Cookie", "id=1"),)


def test_longer_paths_come_first_and_other_paths_not_at_all() -> None:
    jar = CookieJar()
    jar.read(["a=1; Path=/", "b=2; Path=/x", "c=3; Path=/xy"], "/", NOW)
    assert jar.field("/x/1", NOW) == "b=2; a=1"
    assert jar.field("/xyz", NOW) == "a=1"


def test_a_cookie_goes_away_when_its_time_is_over_or_the_site_removes_it() -> None:
    jar = CookieJar()
    assert jar.read(["a=1; Max-Age=10", "b=2"], "/", NOW)
    assert jar.field("/", NOW + 11) == "b=2"
    assert jar.read(["b=; Max-Age=0"], "/", NOW)
    assert jar.field("/", NOW) == "a=1"
    assert not jar.read(["a=1; Max-Age=10"], "/", NOW)


@given(
    st.sampled_from(["http://a.example/", "https://a.example:8443/", "https://www.a.example/", "https://b.example/"])
)
def test_a_cookie_never_leaves_the_origin_that_set_it(url: str) -> None:
    jars = CookieJars(keeps_all=True)
    jars.answered(asked("https://a.example/"), 200, {}, ["id=1; Domain=example; Path=/"])
    assert jars.access(asked(url)).fields == ()
    assert jars.access(asked("https://a.example/", by="https://b.example:443")).fields == ()
    assert jars.access(asked("https://a.example/x")).fields == (("Cookie", "id=1"),)


def test_a_closed_jar_collects_and_sends_nothing_until_it_is_opened() -> None:
    jars = CookieJars(keeps_all=False)
    jars.answered(asked("https://a.example/"), 302, {}, ["id=1"])
    assert jars.access(asked("https://a.example/")).fields == ()
    jars.open("https://a.example:443")
    assert jars.access(asked("https://a.example/")).fields == (("Cookie", "id=1"),)
    assert jars.access(asked("https://a.example/")).login == ""
