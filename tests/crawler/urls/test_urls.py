from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hinterland.crawler.urls.canonical import NOT_FOR_THE_WEB, Canonicaliser, join
from hinterland.crawler.urls.hosts import authority_of, host_of, name_of, path_of, site_of
from hinterland.crawler.urls.resolving import LinkResolver
from hinterland.crawler.urls.seeds import parse_seed

DROPPED = ("utm_*", "gclid", "PHPSESSID", "jsessionid")
PLAIN = Canonicaliser()
TIDY = Canonicaliser(sort_parameters=True, drop_parameters=DROPPED)


@pytest.mark.parametrize(
    "written,canonical",
    [
        ("HTTP://Example.ORG:80", "http://example.org/"),
        ("https://example.org:443/a/./b/../c", "https://example.org/a/c"),
        ("http://example.org/a#b", "http://example.org/a"),
        ("http://example.org/a?", "http://example.org/a"),
        ("http://example.org/a?#b", "http://example.org/a"),
        ("http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"),
        ("http://example.org/%7euser/%c3%bc/%2f", "http://example.org/~user/%C3%BC/%2F"),
        ("http://user:secret@example.org/", "http://example.org/"),
        ("http://example.org/me@home", "http://example.org/me@home"),
        ("http://example.org\\a\\b", "http://example.org/a/b"),
    ],
)
def test_a_url_has_one_canonical_form(written: str, canonical: str) -> None:
    assert PLAIN.canonical(written) == canonical


@pytest.mark.parametrize("url", ["mailto:a@b.example", "javascript:void(0)", "ftp://a.example/", "http://", "a", ""])
def test_what_is_not_a_url_of_the_web_has_no_canonical_form(url: str) -> None:
    assert PLAIN.canonical(url) is None


def test_a_url_that_is_too_long_has_no_canonical_form() -> None:
    url = "http://a.example/123"
    assert Canonicaliser(max_length=len(url)).canonical(url) == url
    assert Canonicaliser(max_length=len(url) - 1).canonical(url) is None


def test_an_escape_is_not_decoded_where_that_would_make_another_escape() -> None:
    assert PLAIN.canonical("http://a.example/%%37E") == "http://a.example/%%37E"
    assert PLAIN.canonical("http://a.example/%4%31") == "http://a.example/%4%31"


@pytest.mark.parametrize(
    "written,canonical",
    [
        ("http://a.example/?utm_source=x&b=1&UTM_medium", "http://a.example/?b=1"),
        ("http://a.example/?phpsessid=1", "http://a.example/"),
        ("http://a.example/?notgclid=1&gclids=2", "http://a.example/?gclids=2&notgclid=1"),
        ("http://a.example/p;jsessionid=0A?q", "http://a.example/p?q"),
        ("http://a.example/p;JSESSIONID=0A/q;v=1", "http://a.example/p/q;v=1"),
        ("http://a.example/a/..;jsessionid=1/b", "http://a.example/b"),
        ("http://a.example/?b=2&a&b=1&&", "http://a.example/?a&b=2&b=1"),
    ],
)
def test_parameters_are_dropped_and_sorted_where_that_is_wanted(written: str, canonical: str) -> None:
    assert TIDY.canonical(written) == canonical


pieces = st.sampled_from(
    [
        *"/?#&=;:@%.~\\ \t\nAaé草",
        *("..", "%2e", "%7E", "%%37E", "%c3", "//", "http:", "https://", "?q", "a.example", "utm_x=1"),
        *(";jsessionid=2", "index.html", "../", "./", "[::1]", "127.1", "xn--", "mailto:"),
    ]
)
scraps = st.lists(pieces, max_size=8).map("".join) | st.text(max_size=20)


@given(scraps)
@example("a/..;jsessionid=1/%2e%2e;jsessionid=2/b")
def test_the_canonical_form_of_a_canonical_form_is_itself(scrap: str) -> None:
    for canonicaliser in (PLAIN, TIDY):
        form = canonicaliser.canonical(f"http://a.example/{scrap}")
        assert form is None or canonicaliser.canonical(form) == form


@pytest.mark.slow
@given(scraps)
def test_the_canonical_form_means_what_the_url_meant(scrap: str) -> None:
    """An independent reading: escapes resolved to bytes are the same before and after."""
    url = f"http://a.example/{scrap}"
    form = PLAIN.canonical(url)
    joined = join(url)
    if form is not None and joined is not None:
        path, mark, query = joined.partition("#")[0].partition("?")
        assert _unescaped(form) == _unescaped(path + mark + query if query else path)


def _unescaped(url: str) -> bytes:
    """Escapes of unreserved characters resolved, one pass from left to right, stray % signs left alone."""
    data, result, at = url.encode(), bytearray(), 0
    hexadecimal = b"0123456789abcdefABCDEF"
    while at < len(data):
        triplet = data[at : at + 3]
        if len(triplet) == 3 and triplet[:1] == b"%" and all(each in hexadecimal for each in triplet[1:]):
            byte = int(triplet[1:], 16)
            is_unreserved = chr(byte).isascii() and (chr(byte).isalnum() or byte in b"-._~")
            result += bytes((byte,)) if is_unreserved else triplet.upper()
            at += 3
        else:
            result += data[at : at + 1]
            at += 1
    return bytes(result)


BASES = (
    "http://a.example/",
    "https://a.example:8443/one/two/three.html",
    "http://a.example/one/?q=/x/y",
    "http://a.example/one/two?q",
    "http://[::1]/one/",
)


@pytest.mark.slow
@given(st.lists(st.tuples(scraps, st.sampled_from(BASES)), max_size=6))
@example(
    [
        ("", BASES[2]),
        ("", BASES[0]),
        ("?q", BASES[2]),
        ("?q", BASES[3]),
        ("http:", BASES[3]),
        ("http:", BASES[2]),
    ]
)
@example(
    [
        ("../../../x", BASES[1]),
        ("./y", BASES[1]),
        (".", BASES[1]),
        ("a/../b", BASES[1]),
        ("//b.example/c", BASES[1]),
    ]
)
@example(
    [
        (" ?q", BASES[2]),
        (" ?q", BASES[3]),
        ("h\nttp:?q", BASES[2]),
        ("h\nttp:?q", BASES[3]),
        ("http:x", BASES[1]),
    ]
)
def test_the_resolver_remembers_nothing_that_depends_on_more_than_the_directory(
    hrefs: list[tuple[str, str]],
) -> None:
    for canonicaliser in (PLAIN, TIDY):
        resolver = LinkResolver(canonicaliser)
        for href, base in hrefs + hrefs[::-1]:
            assert resolver.resolve(href, base) == canonicaliser.canonical_or_reason(href, base)


@given(scraps, st.sampled_from(BASES))
def test_an_address_that_is_in_whatwg_form_already_need_not_be_parsed_again(href: str, base: str) -> None:
    for canonicaliser in (PLAIN, TIDY):
        joined = join(href, base)
        tidied = None if joined is None else canonicaliser.tidied(joined)
        assert tidied == canonicaliser.canonical_or_reason(href, base)
        if joined is not None:
            assert tidied == canonicaliser.canonical_or_reason(joined)


def test_a_resolver_tells_other_schemes_from_bad_urls() -> None:
    resolver = LinkResolver(PLAIN)
    assert resolver.resolve("mailto:a@b.example", BASES[0]) == NOT_FOR_THE_WEB
    assert resolver.resolve("http://[", BASES[0]) is None
    assert resolver.resolve("x" * 3000, BASES[0]) is None


def test_a_page_of_very_many_links_adds_no_more_than_some_of_them_to_what_is_remembered() -> None:
    hrefs = [[f"/a{n}" for n in range(12_000)], [f"http://b.test/{n}" for n in range(12_000)]]
    for of_page in hrefs:
        resolver = LinkResolver(PLAIN).relative_to("http://a.test/")
        targets = [resolver.resolve(href) for href in of_page]
        assert targets == [PLAIN.canonical(href, "http://a.test/") for href in of_page]
        assert len(resolver.memory) == 10_000


@pytest.mark.parametrize("max_entries", [0, 1, 3, 50])
def test_a_resolver_forgets_what_it_has_no_room_for_and_stays_right(max_entries: int) -> None:
    resolver = LinkResolver(PLAIN, max_entries=max_entries)
    for number in [*range(20), 0, 0, 19]:
        base = f"http://a.example/{number}/"
        for href in ("x", "y", "x", "z?q", "https://b.example"):
            assert resolver.resolve(href, base) == PLAIN.canonical(href, base)


def test_relative_hrefs_lead_nowhere_from_a_base_of_another_scheme() -> None:
    resolver = LinkResolver(PLAIN)
    assert resolver.resolve("x", "ftp://a.example/") == NOT_FOR_THE_WEB
    assert resolver.resolve("https://b.example", "ftp://a.example/") == "https://b.example/"


def test_a_url_falls_into_host_and_path() -> None:
    url = "https://a.example:8443/b/c?d=e"
    assert (host_of(url), authority_of(url), path_of(url)) == (
        "https://a.example:8443",
        "a.example:8443",
        "/b/c?d=e",
    )
    assert name_of(host_of(url)) == "a.example"
    assert name_of("http://[::1]:80") == "[::1]"


@pytest.mark.parametrize(
    "host,site",
    [
        ("https://www.example.co.uk", "example.co.uk"),
        ("http://a.b.example.org:8080", "example.org"),
        ("https://alice.github.io", "alice.github.io"),
        ("http://127.0.0.1:8000", "127.0.0.1"),
        ("http://[::1]:8000", "[::1]"),
        ("http://localhost", "localhost"),
        ("http://wiki.intranet", "wiki.intranet"),
        ("http://co.uk", "co.uk"),
    ],
)
def test_the_site_of_a_host_is_its_registrable_domain_or_else_its_name(host: str, site: str) -> None:
    assert site_of(host) == site


@pytest.mark.parametrize(
    "text, url",
    [
        (" example.org/a ", "https://example.org/a"),
        ("example.org:443/a", "https://example.org/a"),
        ("example.org:8443", "https://example.org:8443/"),
        ("example.org/@user?at=12:30", "https://example.org/@user?at=12:30"),
        ("example.org:8080", "http://example.org:8080/"),
        ("localhost", "http://localhost/"),
        ("localhost:8000/docs/", "http://localhost:8000/docs/"),
        ("shop.localhost", "http://shop.localhost/"),
        ("intranet/wiki", "http://intranet/wiki"),
        ("192.168.0.7", "http://192.168.0.7/"),
        ("[::1]:8000", "http://[::1]:8000/"),
        ("[::ffff:192.168.0.7]", "http://[::ffff:c0a8:7]/"),
        ("HTTP://example.org", "http://example.org/"),
        ("https://localhost:8000", "https://localhost:8000/"),
        ("http:/example.org", "http://example.org/"),
    ],
)
def test_a_seed_without_a_scheme_means_https_but_for_machines_that_hardly_ever_have_a_certificate(
    text: str, url: str
) -> None:
    assert parse_seed(text) == url


@pytest.mark.parametrize(
    "text",
    ["", "ftp://example.org/", "mailto:a@b.example", "me@b.example", "two words", "http://[", "javascript:alert(1)"],
)
def test_a_seed_that_cannot_be_crawled_is_refused_by_name_and_with_a_way_out(text: str) -> None:
    with pytest.raises(ValueError, match=r"https://example\.org/") as refused:
        parse_seed(text)
    assert repr(text) in str(refused.value)
