"""What belongs to the local domain."""

from __future__ import annotations

from typing import Any

import pytest

from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.settings import ScopeSettings


def scope(*seeds: str, **settings: Any) -> Scope:
    return Scope(ScopeSettings(**settings), seeds)


def test_by_hosts_the_seeds_hosts_are_local_over_http_and_https() -> None:
    local = scope("https://a.example/docs/")
    assert local.is_local("https://a.example/")
    assert local.is_local("http://a.example/other?x=1")
    assert not local.is_local("https://b.example/docs/")


def test_by_hosts_neither_subdomains_nor_other_ports_nor_longer_names_are_local() -> None:
    local = scope("https://a.example/")
    for url in ("https://www.a.example/", "https://a.example:8443/", "https://a.example.evil/", "https://aa.example/"):
        assert not local.is_local(url), url


def test_a_name_elsewhere_in_the_url_makes_nothing_local() -> None:
    assert not scope("https://a.example/").is_local("https://b.example/https://a.example/")


def test_a_seed_with_a_port_makes_that_port_local() -> None:
    local = scope("http://a.example:8080/")
    assert local.is_local("http://a.example:8080/x")
    assert not local.is_local("http://a.example/x")


def test_by_site_all_hosts_of_the_registrable_domain_are_local() -> None:
    local = scope("https://www.shop.co.uk/", kind="site")
    assert local.is_local("https://shop.co.uk/")
    assert local.is_local("http://help.shop.co.uk:8080/a")
    assert not local.is_local("https://other.co.uk/")


def test_by_site_the_users_of_a_shared_host_are_strangers() -> None:
    local = scope("https://alice.github.io/", kind="site")
    assert not local.is_local("https://bob.github.io/")


def test_by_site_an_address_is_a_site_of_its_own() -> None:
    local = scope("http://127.0.0.1:8000/", kind="site")
    assert local.is_local("http://127.0.0.1:9000/")
    assert not local.is_local("http://127.0.0.2:8000/")


@pytest.mark.parametrize(
    "seed", ["https://a.example/docs/", "https://a.example/docs/index.html", "https://a.example/docs/?q=a/b"]
)
def test_by_prefix_the_folder_of_the_seed_is_local(seed: str) -> None:
    local = scope(seed, kind="prefix")
    assert local.is_local("https://a.example/docs/deep/page")
    assert local.is_local("http://a.example/docs/")
    assert not local.is_local("https://a.example/docs")
    assert not local.is_local("https://a.example/docs-old/")
    assert not local.is_local("https://a.example/")
    assert not local.is_local("https://a.example.evil/docs/")


def test_by_prefix_of_a_root_the_whole_host_is_local_and_no_longer_name() -> None:
    local = scope("https://a.example/", kind="prefix")
    assert local.is_local("https://a.example/x")
    assert not local.is_local("https://a.example.evil/x")


@pytest.mark.parametrize("kind", ["hosts", "site", "prefix"])
def test_extra_hosts_are_local_whatever_the_kind(kind: str) -> None:
    local = scope("https://a.example/x/", kind=kind, hosts=("docs.b.example", "c.example:8443"))
    assert local.is_local("http://docs.b.example/any")
    assert local.is_local("https://c.example:8443/")
    assert not local.is_local("https://c.example/")
    assert not local.is_local("https://b.example/")


def test_one_include_pattern_has_to_match_and_no_exclude_pattern_may() -> None:
    local = scope("https://a.example/", include=("/en/", "/de/"), exclude=(r"\.pdf$", "/en/old"))
    assert local.is_local("https://a.example/en/x")
    assert local.is_local("https://a.example/de/x")
    assert not local.is_local("https://a.example/fr/x")
    assert not local.is_local("https://a.example/en/x.pdf")
    assert not local.is_local("https://a.example/en/older")


def test_include_patterns_do_not_widen_the_domain() -> None:
    assert not scope("https://a.example/", include=("example",)).is_local("https://b.example/")


@pytest.mark.parametrize("kind", ["hosts", "site", "prefix"])
def test_a_seed_added_later_widens_the_domain(kind: str) -> None:
    local = scope("https://a.example/", kind=kind)
    assert not local.is_local("https://www.b.example/x")
    local.add_seed("https://www.b.example/")
    assert local.is_local("https://www.b.example/x")
    assert local.is_local("https://a.example/x")


def test_without_seeds_nothing_is_local() -> None:
    verdict = scope().verdict("https://a.example/")
    assert not verdict.is_local
    assert verdict.rule == "nothing is local without a seed"


def test_verdicts_name_the_rule() -> None:
    local = scope("https://a.example/", exclude=("logout",), hosts=("b.example",))
    assert local.verdict("https://a.example/x").rule == "host a.example is local"
    assert local.verdict("https://a.example/logout").rule == "exclude pattern 'logout' matches"
    assert local.verdict("https://c.example/").rule == "only hosts a.example, b.example are local"
    including, prefix = scope("https://a.example/", include=("en",)), scope("https://a.example/d/x", kind="prefix")
    assert including.verdict("https://a.example/de").rule == "no include pattern matches"
    assert prefix.verdict("http://a.example/d/").rule == "prefix a.example/d/ is local"
    assert scope("https://w.a.example/", kind="site").verdict("https://a.example/").rule == "site a.example is local"


def test_a_verdict_agrees_with_is_local_and_hosts_decide_alone_where_the_scope_says_so() -> None:
    urls = [f"{scheme}://{host}/{path}" for scheme in ("http", "https") for host in ("a.example", "w.a.example")
            for path in ("", "en/x", "en/x.pdf")]  # fmt: skip
    for kind in ("hosts", "site", "prefix"):
        for settings in ({}, {"include": ("en",)}, {"exclude": ("pdf",)}):
            local = scope("https://a.example/en/", kind=kind, **settings)
            assert [local.is_local(url) for url in urls] == [local.verdict(url).is_local for url in urls]
            if local.decides_by_host:
                assert all(len({local.is_local(url) for url in urls if f"/{host}/" in url}) == 1
                           for host in ("a.example", "w.a.example"))  # fmt: skip
