"""Credentials go to the URLs under their prefix, and to nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.credentials.cookie_file import NoCookieFile, read_cookie_file
from hinterland.crawler.features.credentials.credentials import Credential, Credentials, FileCookie
from hinterland.crawler.features.credentials.settings import CredentialSettings
from hinterland.crawler.fetching.access.access import NO_ACCESS, Access, Asked, CombinedAccess
from hinterland.crawler.fetching.access.target import Target, prefix_of, target_of
from hinterland.crawler.settings import SettingsError, load_settings, to_json, toml
from hinterland.crawler.settings.stored import from_json
from hinterland.crawler.urls.canonical import Canonicaliser

SCHEMES = st.sampled_from(["http", "https"])
HOSTS = st.sampled_from(
    ["a.example", "b.example", "www.a.example", "a.example.evil.example", "evil-a.example", "[::1]"]
)
PORTS = st.sampled_from(["", ":80", ":443", ":8443"])
PATHS = st.text(st.sampled_from("ab/%2.?"), max_size=6).map(lambda path: f"/{path}")
URLS = st.builds(lambda scheme, host, port, path: f"{scheme}://{host}{port}{path}", SCHEMES, HOSTS, PORTS, PATHS)


def target(url: str) -> Target:
    found = target_of(url)
    assert found is not None
    return found


def asked(url: str, by: str = "") -> Asked:
    return Asked(target(url), 1000.0, by)


def bearer(at: str, token: str = "t0ken") -> Credential:
    prefix = prefix_of(at)
    assert prefix is not None
    return Credential(prefix, "bearer", ("Authorization", f"Bearer {token}"))


@given(URLS, URLS)
def test_a_credential_goes_to_its_own_scheme_host_port_and_path_alone(at: str, url: str) -> None:
    at, url = (Canonicaliser().canonical(each) or each for each in (at, url))
    prefix, to = target(at), target(url)
    given_ = Credentials([bearer(at)]).access(asked(url))
    if given_ is not NO_ACCESS:
        assert (to.scheme, to.host, to.port) == (prefix.scheme, prefix.host, prefix.port)
        assert to.path.startswith(prefix.path.rstrip("/"))
        assert given_.login == "bearer"
    elif at == url:
        pytest.fail("it goes to its own URL")


@given(URLS)
def test_the_target_of_a_url_is_what_a_url_parser_says(url: str) -> None:
    from yarl import URL

    parsed, found = URL(url, encoded=True), target(url)
    assert (found.scheme, found.host.strip("[]"), found.port, found.path) == (
        parsed.scheme,
        parsed.raw_host,
        parsed.port,
        parsed.raw_path,
    )


@pytest.mark.parametrize(
    "url", ["https://user:pw@a.example/", "https://a.example@b.example/", "//a.example/", "ftp://a/"]
)
def test_a_url_that_could_be_read_in_two_ways_has_no_target(url: str) -> None:
    assert target_of(url) is None


def test_a_path_begins_at_a_slash_not_within_a_name() -> None:
    credentials = Credentials([bearer("https://a.example/team")])
    assert credentials.access(asked("https://a.example/team/x")) is not NO_ACCESS
    assert credentials.access(asked("https://a.example/team")) is not NO_ACCESS
    assert credentials.access(asked("https://a.example/teams")) is NO_ACCESS


def test_the_longest_prefix_decides_for_each_kind() -> None:
    credentials = Credentials([bearer("a.example", "short"), bearer("https://a.example/x/", "long")])
    assert credentials.access(asked("https://a.example/x/y")).fields == (("Authorization", "Bearer long"),)
    assert credentials.access(asked("https://a.example/z")).fields == (("Authorization", "Bearer short"),)


def test_the_script_of_another_origin_gets_nothing() -> None:
    credentials = Credentials([bearer("https://a.example/")])
    assert credentials.access(asked("https://a.example/data", by="https://b.example:443")) is NO_ACCESS
    assert credentials.access(asked("https://a.example/data", by="https://a.example:443")) is not NO_ACCESS


def test_nothing_that_is_printed_of_a_credential_is_secret() -> None:
    credential = bearer("https://a.example/")
    access = Credentials([credential]).access(asked("https://a.example/"))
    cookie = FileCookie("id", "t0ken", "a.example", "/", True, inf)
    for each in (credential, access, cookie, Access(fields=(("X", "t0ken"),))):
        assert "t0ken" not in f"{each!r} {each}"


def test_cookies_of_several_providers_are_one_field() -> None:
    class Gives(CombinedAccess):
        def __init__(self, **fields: str) -> None:
            super().__init__()
            self.fields = tuple(fields.items())

        def access(self, asked: Asked) -> Access:
            return Access(fields=self.fields)

    both = CombinedAccess([Gives(Cookie="a=1", X="1"), Gives(Cookie="b=2", X="2")])
    assert dict(both.access(asked("https://a.example/")).fields) == {"X": "1", "Cookie": "a=1; b=2"}


# --- cookie files -------------------------------------------------------------------------------

COOKIES = """\
# Netscape HTTP Cookie File
.a.example\tTRUE\t/\tTRUE\t0\tid\tt0ken
#HttpOnly_www.a.example\tFALSE\t/team\tFALSE\t2000\tteam\tx=y
a.example\tFALSE\t/\tFALSE\t999\told\tgone
b.example\tFALSE\t/\tFALSE\t0\tother\thost
"""


@pytest.mark.parametrize(
    "url, sent",
    [
        ("https://a.example/", "id=t0ken"),
        ("http://a.example/", None),  # Secure, and the other one has expired
        ("https://www.a.example/team/1", "id=t0ken; team=x=y"),
        ("https://www.a.example/teams", "id=t0ken"),
        ("https://b.example/", None),  # not the host of the entry, whatever the file has
    ],
)
def test_cookies_of_a_file_go_where_they_belong(url: str, sent: str | None) -> None:
    cookies = read_cookie_file(COOKIES)
    entries = [
        Credential(target(at), "cookies", cookies=cookies)
        for at in ("https://a.example/", "http://a.example/", "https://www.a.example/")
    ]
    assert dict(Credentials(entries).access(asked(url)).fields).get("Cookie") == sent


def test_a_login_is_named_by_what_was_sent_alone() -> None:
    cookies = Credential(target("http://a.example/"), "cookies", cookies=read_cookie_file(COOKIES))
    given_ = Credentials([bearer("http://a.example/"), cookies]).access(asked("http://a.example/"))
    assert given_.login == "bearer"  # no cookie of the file goes there


@pytest.mark.parametrize("text", ["id=t0ken", "a.example\tTRUE\t/\tTRUE\tsoon\tid\tt0ken"])
def test_what_is_no_cookie_file_is_refused_by_line_and_without_its_values(text: str) -> None:
    with pytest.raises(NoCookieFile, match="line 1") as refused:
        read_cookie_file(text)
    assert "t0ken" not in str(refused.value)


# --- settings -----------------------------------------------------------------------------------


def test_entries_are_written_as_tables_and_none_of_them_gets_into_a_store() -> None:
    text = '[[credentials]]\nat = "wiki.example"\nbearer = "command:pass show wiki"\n'
    settings = load_settings(text, "settings.toml", {}, [], {}).settings
    entries = settings.of(CredentialSettings).entries
    assert entries == ({"at": "wiki.example", "bearer": "command:pass show wiki"},)
    assert "wiki" not in to_json(settings)
    planted = '{"credentials": {"entries": [{"at": "wiki.example", "bearer": "command:rm -r x"}]}}'
    assert from_json(planted).of(CredentialSettings).entries == ()


def test_what_is_shown_of_an_entry_is_where_it_goes_and_not_where_its_secret_is() -> None:
    rule = CredentialSettings.rules()["entries"]
    shown = toml(rule.shown(({"at": "wiki.example", "bearer": "env:WIKI"},)))
    assert shown == '[{ "at" = "wiki.example", "bearer" = "***" }]'


@pytest.mark.parametrize(
    "row, said",
    [
        ({"bearer": "env:T"}, "write in `at` a host"),
        ({"at": "https://a.example/?x", "bearer": "t0ken"}, "do not write the secret itself here"),
        ({"at": "a.example"}, "needs exactly one of"),
        ({"at": "a.example", "bearer": "env:T", "basic": "env:T"}, "needs exactly one of"),
        ({"at": "a.example", "header": "X-Key"}, "without its `value`"),
        ({"at": "a.example", "header": "Authorization", "value": "env:T"}, "`basic`, `bearer` or `cookies` instead"),
        ({"at": "a.example", "header": "Host", "value": "env:T"}, "cannot be set here"),
        ({"at": "http://a.example/", "certificate": "a.pem"}, "only used with https://"),
        ({"at": "a.example", "bearer": "env:T", "networks": "10.0.0.1/8"}, "is not a network"),
        ({"at": "a.example", "beaer": "env:T"}, 'the nearest is "bearer"'),
        ({"at": "a.example", "bearer": "env:T", "key": "k.pem"}, "only used with `certificate`"),
    ],
)
def test_a_wrong_entry_says_what_to_write_and_quotes_no_secret(row: Mapping[str, str], said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        CredentialSettings(entries=[row])
    assert said in str(refused.value)
    assert "t0ken" not in str(refused.value)
