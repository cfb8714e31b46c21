"""Texts and properties of the sections of the settings, beside their values."""

from __future__ import annotations

from hinterland.crawler.settings import RobotsSettings, ScopeSettings, Settings


def test_minus_one_is_no_limit_and_nought_is_one() -> None:
    unlimited = ScopeSettings(max_depth=-1, max_urls_per_host=-1, max_pages_per_host=-1)
    assert (unlimited.depth_limit, unlimited.urls_per_host_limit, unlimited.pages_per_host_limit) == (None, None, None)
    limited = ScopeSettings(max_depth=0, max_urls_per_host=7, max_pages_per_host=5)
    assert (limited.depth_limit, limited.urls_per_host_limit, limited.pages_per_host_limit) == (0, 7, 5)


def test_nofollow_of_a_link_and_of_a_page_are_heeded_each_by_its_own_setting() -> None:
    links_only = RobotsSettings(obey_page_directives=False)
    assert links_only.heeds_nofollow(of_page=False)
    assert not links_only.heeds_nofollow(of_page=True)
    pages_only = RobotsSettings(obey_nofollow=False)
    assert not pages_only.heeds_nofollow(of_page=False)
    assert pages_only.heeds_nofollow(of_page=True)


def test_a_value_is_found_by_its_name() -> None:
    assert Settings(scope=ScopeSettings(max_depth=3)).value("scope.max_depth") == 3
