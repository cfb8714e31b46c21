"""What a run that goes on takes over from the last one, and what it says of the rest."""

from __future__ import annotations

import pytest

from hinterland.crawler.settings import EffectiveSettings, load_settings
from hinterland.library.kept_settings import changes, resumed

FIRST = ("politeness.delay_seconds=5", "robots.obey_nofollow=false", "identity.contact=mailto:me@a.test")
ALLOWED = ("fetching.allow_networks=127.0.0.0/8", "rendering.pages=auto", "scope.max_depth=3")
FREE = ("storage.commit_seconds=9", "fetching.max_in_flight=7")


def given(*overrides: str, file: str = "") -> EffectiveSettings:
    return load_settings(file, "settings.toml", {}, overrides, {}, [])


@pytest.mark.parametrize("setting", [*FIRST, *ALLOWED])
def test_a_run_that_goes_on_treats_hosts_as_the_last_one_did(setting: str) -> None:
    name, _, _ = setting.partition("=")
    last = given(setting).settings
    settings = resumed(given(), last, "s.db")
    assert settings.settings.value(name) == last.value(name)
    assert settings.origin[name] == "the last run in s.db"
    assert changes(settings, last) == []


@pytest.mark.parametrize("setting", FREE)
def test_what_concerns_this_machine_alone_is_that_of_the_new_run(setting: str) -> None:
    name, _, _ = setting.partition("=")
    settings = resumed(given(), given(setting).settings, "s.db")
    assert settings.settings.value(name) == given().settings.value(name)


def test_what_is_given_again_counts_and_is_reported() -> None:
    last = given(*FIRST).settings
    settings = resumed(given("politeness.delay_seconds=0.5"), last, "s.db")
    assert settings.settings.politeness.delay_seconds == 0.5
    assert settings.settings.identity.contact == "mailto:me@a.test"
    assert changes(settings, last) == ["politeness.delay_seconds = 0.5 (--set; it was 5.0)"]


def test_so_does_what_a_settings_file_says() -> None:
    last = given(*FIRST).settings
    settings = resumed(given(file="[politeness]\ndelay_seconds = 2.0\n"), last, "s.db")
    assert settings.settings.politeness.delay_seconds == 2.0
    assert changes(settings, last) == ["politeness.delay_seconds = 2.0 (settings.toml; it was 5.0)"]
