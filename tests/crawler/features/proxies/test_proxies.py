"""Hosts are reached through the proxy that is theirs, also one by SOCKS; guards and archives stay the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.features.proxies.feature import ProxiesFactory
from hinterland.crawler.features.proxies.settings import ProxySettings
from hinterland.crawler.fetching.access.access import NO_ACCESS, Access, Asked, Proxy
from hinterland.crawler.fetching.access.hidden_values import HIDDEN_VALUES
from hinterland.crawler.fetching.access.proxy_urls import proxy_of
from hinterland.crawler.fetching.access.target import target_of
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.loop.crawl_start import CrawlRequest
from hinterland.crawler.settings import FetchingSettings, Settings, SettingsError
from tests.support.crawling import crawl, fetched, rows
from tests.support.intranet import private
from tests.support.socks_proxy import SocksProxy, socks_proxy
from tests.support.web import LoopbackWeb
from tests.support.web_tls import self_signed

pytestmark = pytest.mark.slow

LOGIN = "proxy-user:planted-proxy-pw"
ANY = BodyLimits(None, 10_000)


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SocksProxy]:
    with socks_proxy(tmp_path_factory.mktemp("socks"), LOGIN) as running:
        yield running


def routes(*entries: Mapping[str, str]) -> Any:
    settings = Settings().with_sections({"proxies": ProxySettings(entries=list(entries))})
    return ProxiesFactory().access(CrawlRequest(settings, [], []))


def access(provider: Any, url: str) -> Access:
    target = target_of(url)
    assert target is not None
    found: Access = provider.access(Asked(target, 0.0))
    return found


def test_the_first_entry_that_fits_a_host_decides() -> None:
    given = routes(
        {"hosts": "*.onion", "proxy": "socks5h://127.0.0.1:9050"},
        {"hosts": "in.example, *.in.example", "proxy": "direct"},
        {"hosts": "*", "proxy": "http://p.example"},
    )
    assert access(given, "http://x.onion/").proxy == Proxy("socks5h", "127.0.0.1", 9050)
    assert access(given, "http://a.in.example/").is_direct
    assert access(given, "http://b.example/").proxy == Proxy("http", "p.example", 80)
    assert access(routes({"hosts": "a", "proxy": "http://p"}), "http://b/") is NO_ACCESS


def test_the_url_of_a_proxy_is_read_with_its_login_and_shown_without() -> None:
    proxy = proxy_of("socks5://me:p%40ss@p.example")
    assert proxy == Proxy("socks5", "p.example", 1080, "me", "p@ss")
    assert "ss" not in repr(proxy).replace("socks5", "")


@pytest.mark.parametrize(
    "row, said",
    [
        ({"proxy": "http://p"}, "write in `hosts`"),
        ({"hosts": "https://a", "proxy": "http://p"}, "is not a host"),
        ({"hosts": "*", "proxy": "ftp://p"}, "write in `proxy`"),
        ({"hosts": "*", "proxy": "http://me:planted@p"}, "`proxy` cannot contain user and password"),
        ({"hosts": "*", "proxy": "http://p", "login": "me:planted"}, "do not write the secret itself here"),
        ({"hosts": "*", "proxy": "direct", "login": "env:X"}, "no proxy"),
    ],
)
def test_a_wrong_entry_says_what_to_write(row: Mapping[str, str], said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        ProxySettings(entries=[row])
    assert said in str(refused.value)
    assert "planted" not in str(refused.value)


async def test_a_crawl_goes_through_a_socks_proxy_and_its_archive_is_whole(proxy: SocksProxy, tmp_path: Path) -> None:
    entry = {
        "hosts": "a.test",
        "proxy": f"socks5://127.0.0.1:{proxy.port}",
        "login": private(tmp_path, "login", LOGIN),
    }
    async with LoopbackWeb(addresses=("127.0.0.1", "127.0.3.1")) as web:
        web.host("a.test", "127.0.3.1")
        seed = web.page("a.test", "/", links=["/b"])
        web.page("a.test", "/b")
        other = web.page("b.test", "/")
        store, warc = tmp_path / "s.db", tmp_path / "warc"
        await crawl(web.addresses, [seed, other], store, warc=warc, proxies={"entries": [entry]})
        assert web.overlaps() == []
        port = web.port
    assert fetched(store) == {seed, web.url("a.test", "/b"), other}
    said = proxy.connected_to()
    assert f"127.0.3.1:{port}" in said
    assert f"127.0.0.1:{port}" not in said  # b.test is not among the hosts
    assert rows(store, "SELECT address FROM host WHERE url LIKE '%a.test%'") == [("127.0.3.1",)]
    data = b"".join(file.read_bytes() for file in warc.iterdir())
    assert len(data) > 500
    for kept in (data, store.read_bytes()):
        assert b"planted-proxy-pw" not in kept
    assert HIDDEN_VALUES.hide("planted-proxy-pw") == "***"


async def test_https_goes_through_a_socks_proxy(proxy: SocksProxy, tmp_path: Path) -> None:
    context, trusted = self_signed(tmp_path, ["a.test"])
    user, _, password = LOGIN.partition(":")
    async with LoopbackWeb(tls=context) as web:
        url = web.page("a.test", "/")
        answer = await fetch(url, proxy, web, user=user, password=password, ca_file=str(trusted))
    assert isinstance(answer, Answer)
    assert answer.status == 200


async def fetch(
    url: str,
    proxy: SocksProxy,
    web: LoopbackWeb,
    *,
    scheme: str = "socks5",
    user: str = "",
    password: str = "",
    **more: Any,
) -> Answer | NoAnswer:
    login = f"{user}:{password}@" if user else ""
    given = {"allow_networks": ("127.0.0.0/8",), "addresses": web.addresses, **more}
    settings = FetchingSettings(proxy=f"{scheme}://{login}127.0.0.1:{proxy.port}", **given)
    async with Fetcher(settings, "Hinterland/1", asyncio.get_running_loop().time) as fetcher:
        resolved = await fetcher.resolve(url[: url.index("/", 8)])
        assert (resolved is None) is (scheme == "socks5h")
        return await fetcher.fetch(url, ANY)


async def test_names_that_only_the_proxy_knows_are_left_to_it(proxy: SocksProxy) -> None:
    user, _, password = LOGIN.partition(":")
    async with LoopbackWeb() as web:
        web.page("localhost", "/")
        url = web.url("localhost")
        answer = await fetch(url, proxy, web, scheme="socks5h", user=user, password=password, addresses={})
        assert f"localhost:{web.port}" in proxy.connected_to()
    assert isinstance(answer, Answer)


async def test_a_private_address_is_refused_before_the_proxy_hears_of_it(proxy: SocksProxy) -> None:
    before = proxy.connected_to()
    async with LoopbackWeb() as web:
        url = web.page("a.test", "/")
        answer = await fetch(url, proxy, web, allow_networks=())
        assert web.log == []
    assert isinstance(answer, NoAnswer)
    assert answer.kind is OutcomeKind.FORBIDDEN_ADDRESS
    assert proxy.connected_to() == before


async def test_a_proxy_that_refuses_the_login_is_a_connection_that_fails(tmp_path: Path) -> None:
    with socks_proxy(tmp_path, LOGIN) as strict:  # the other one remembers who has logged in
        async with LoopbackWeb() as web:
            url = web.page("a.test", "/")
            answer = await fetch(url, strict, web, user="someone", password="planted-else")
    assert isinstance(answer, NoAnswer)
    assert answer.kind is OutcomeKind.CONNECT_FAILURE
    assert answer.detail.startswith("the proxy: ")
    assert "planted" not in answer.detail
