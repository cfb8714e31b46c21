"""The settings: what is accepted, who overrides whom, and what an error says."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler import __version__
from hinterland.crawler.settings import (
    SECTIONS,
    EffectiveSettings,
    FetchingSettings,
    IdentitySettings,
    PolitenessSettings,
    ScopeSettings,
    Settings,
    SettingsError,
    from_json,
    load_settings,
    render_toml,
    to_json,
    toml,
    user_agent,
)
from hinterland.crawler.settings.removed import REMOVED

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
EVERY_KEY = [f"{section}.{key}" for section, kind in SECTIONS.items() for key in kind.rules()]


def load(
    file_text: str | None = None,
    *overrides: str,
    environ: Mapping[str, str] | None = None,
    options: Mapping[str, object] | None = None,
) -> EffectiveSettings:
    return load_settings(file_text, "settings.toml", environ or {}, overrides, options or {})


def error_of(file_text: str | None = None, *overrides: str, environ: Mapping[str, str] | None = None) -> str:
    with pytest.raises(SettingsError) as caught:
        load(file_text, *overrides, environ=environ)
    return str(caught.value)


# --- the file -----------------------------------------------------------------------------------


def test_the_committed_file_is_what_the_settings_render() -> None:
    committed = (ROOT / "settings.toml").read_text(encoding="utf-8")
    assert committed == render_toml(Settings()), "run: python -m hinterland.crawler.settings > settings.toml"


def test_the_rendered_file_loads_to_the_defaults() -> None:
    loaded = load(render_toml(Settings()))
    assert loaded.settings == Settings()
    without_entries = {name for name, origin in loaded.origin.items() if origin == "default"}
    assert without_entries == {f"{name}.{kind.rows_key}" for name, kind in SECTIONS.items() if kind.rows_key}
    assert set(loaded.origin.values()) == {"settings.toml", "default"}


def test_the_rendered_file_keeps_values_that_are_not_the_defaults() -> None:
    unusual = dataclasses.replace(
        Settings(),
        scope=ScopeSettings(include=(r"/manual/\d+", "it's"), exclude=('"\\w',), max_depth=3),
        fetching=FetchingSettings(headers={"X-Study": 'a "b" c\\'}, addresses={"a.example:80": "::1"}),
    )
    assert load(render_toml(unusual)).settings == unusual


def test_the_rendered_file_has_no_line_over_100_characters() -> None:
    assert max(map(len, render_toml(Settings()).splitlines())) <= 100


def test_every_section_is_a_field_of_the_settings_or_in_the_folder_of_its_feature() -> None:
    assert {name: type(Settings().section(name)) for name in SECTIONS} == SECTIONS
    fields = [field.name for field in dataclasses.fields(Settings)]
    of_features = [kind.name_in_file for kind in SECTIONS.of_features]
    assert [*fields[:-1], *of_features] == list(SECTIONS)


@pytest.mark.parametrize("name", EVERY_KEY)
def test_every_key_states_its_unit_and_the_reason_for_its_value(name: str) -> None:
    section, _, key = name.partition(".")
    rule = SECTIONS[section].rules()[key]
    assert rule.hint
    assert rule.reason[0].isupper()
    assert rule.checked(rule.default) == rule.default


# --- layers -------------------------------------------------------------------------------------


def test_without_any_layer_every_value_is_its_default() -> None:
    effective = load()
    assert effective.settings == Settings()
    assert list(effective.origin) == EVERY_KEY
    assert set(effective.origin.values()) == {"default"}


LAYERS: Sequence[tuple[str, str, str]] = [
    ("file", "dfs", "settings.toml"),
    ("environment", "random", "environment HINTERLAND_POLICY__NAME"),
    ("set", "indegree", "--set"),
    ("option", "flow", "--policy"),
]


@pytest.mark.parametrize("count", range(1, len(LAYERS) + 1))
def test_each_layer_overrides_the_ones_before_it_and_is_named_as_the_origin(count: int) -> None:
    names = {layer: name for layer, name, _ in LAYERS[:count]}
    effective = load_settings(
        '[policy]\nname = "dfs"',
        "settings.toml",
        {"HINTERLAND_POLICY__NAME": names["environment"]} if "environment" in names else {},
        ["policy.name=bfs", f"policy.name={names['set']}"] if "set" in names else [],
        {"policy.name": names.get("option")},
    )
    _, name, origin = LAYERS[count - 1]
    assert effective.settings.policy.name == name
    assert effective.origin["policy.name"] == origin
    assert effective.origin["policy.seed"] == "default"


def test_an_option_not_used_changes_nothing() -> None:
    effective = load("[scope]\nmax_depth = 4", options={"scope.max_depth": None})
    assert effective.settings.scope.max_depth == 4
    assert effective.origin["scope.max_depth"] == "settings.toml"


def test_variables_of_others_and_the_switch_of_the_set_up_are_no_settings() -> None:
    environ = {"PATH": "/bin", "HINTERLANDS_X": "1", "HINTERLANDS__X": "1", "HINTERLAND_NO_SETUP": "1"}
    effective = load(environ=environ)
    assert effective.settings == Settings()
    assert effective.warnings == []


@pytest.mark.parametrize("service", ["hinterland", "hinterland-search", "hinterland-politeness", "hinterland--web"])
def test_the_variables_that_kubernetes_makes_of_a_service_are_left_alone(service: str) -> None:
    name = service.replace("-", "_").upper()
    suffixes = ("SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", "PORT", "PORT_80_TCP", "PORT_80_TCP_ADDR")
    effective = load(environ={f"{name}_{suffix}": "10.0.0.7" for suffix in suffixes})
    assert effective.settings == Settings()
    assert effective.warnings == []


@pytest.mark.parametrize(
    "name, meant",
    [
        ("POLITENESS_DELAY_SECONDS", "POLITENESS__DELAY_SECONDS"),
        ("POLITENESS_DELAY", "POLITENESS__DELAY_SECONDS"),
        ("POLITNESS_DELAY_SECONDS", "POLITENESS__DELAY_SECONDS"),
        ("_POLITENESS_DELAY_SECONDS", "POLITENESS__DELAY_SECONDS"),
        ("FETCHING_PROXY", "FETCHING__PROXY"),
        ("ALLOW_NETWORKS", "FETCHING__ALLOW_NETWORKS"),
        ("policy_name", "POLICY__NAME"),
    ],
)
def test_a_variable_with_one_underscore_has_no_effect_and_is_warned_of(name: str, meant: str) -> None:
    effective = load(environ={f"HINTERLAND_{name}": "3"})
    assert effective.settings == Settings()
    [warning] = effective.warnings
    assert f"HINTERLAND_{name} is not a setting and has no effect; did you mean HINTERLAND_{meant}?" in warning


# --- values as text -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "override, expected",
    [
        ("identity.contact=https://you.example/crawler", "https://you.example/crawler"),
        ('identity.contact="mailto:you@example.org"', "mailto:you@example.org"),
        ("identity.contact=", ""),
        ("politeness.delay_seconds=2", 2.0),
        ("politeness.delay_seconds = 0.5", 0.5),
        ("fetching.max_body_bytes=1_048_576", 1_048_576),
        ("fetching.cookies=true", True),
        ("fetching.content_types=text/html, text/plain", ("text/html", "text/plain")),
        ("urls.drop_parameters=", ()),
        (r"scope.exclude=['/a{1,2}/', '\.pdf$']", ("/a{1,2}/", r"\.pdf$")),
        ("fetching.addresses=a.example=127.0.0.1,b:81=::1", {"a.example": "127.0.0.1", "b:81": "::1"}),
        ('fetching.headers={"X-Study" = "a, b=c"}', {"X-Study": "a, b=c"}),
        ("fetching.headers=", {}),
    ],
)
def test_a_value_given_as_text_is_read_as_toml_or_plainly(override: str, expected: object) -> None:
    name = override.partition("=")[0].strip()
    section, _, key = name.partition(".")
    by_option = getattr(getattr(load(None, override).settings, section), key)
    variable = f"HINTERLAND_{section}__{key}".upper()
    text = override.partition("=")[2].strip()
    by_variable = getattr(getattr(load(environ={variable: text}).settings, section), key)
    assert by_option == by_variable == expected
    assert type(by_option) is type(expected)


def test_a_line_break_in_a_value_cannot_set_a_second_key() -> None:
    assert "policy.seed" in error_of(None, "policy.seed=1\nvalue2 = 2")


@pytest.mark.parametrize("name", EVERY_KEY)
def test_every_default_can_be_given_back_as_text(name: str) -> None:
    section, _, key = name.partition(".")
    rule = SECTIONS[section].rules()[key]
    assert load(None, f"{name}={toml(rule.default)}").settings == Settings()


@given(st.text())
def test_any_text_survives_being_written_as_toml(text: str) -> None:
    if all(character.isprintable() or character in "\t\n\r" for character in text):
        assert tomllib.loads(f"value = {toml(text)}") == {"value": text}


@given(st.sampled_from(EVERY_KEY), st.text())
def test_any_text_is_accepted_or_refused_with_the_key_named(name: str, text: str) -> None:
    refusal = None
    try:
        load(None, f"{name}={text}")
    except SettingsError as error:
        refusal = str(error)
    assert refusal is None or name in refusal or "politeness.max_backoff_seconds" in refusal


# --- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, nearest",
    [
        ("[politness]\ndelay_seconds = 1", "[politeness]"),
        ("[politeness]\ndelay = 1", '"politeness.delay_seconds"'),
        ("[fetching]\nmax_inflight = 1", '"fetching.max_in_flight"'),
        ("[fetching]\ndelay_seconds = 1", '"politeness.delay_seconds"'),
        ("[robots]\nmax_age = 1", '"robots.max_age_seconds"'),
        ("max_depth = 3", '"max_depth" under [scope]'),
    ],
)
def test_an_unknown_key_in_the_file_names_the_nearest(text: str, nearest: str) -> None:
    message = error_of(text)
    assert message.startswith("settings.toml: ")
    assert nearest in message


@pytest.mark.parametrize(
    "override, nearest",
    [
        ("policy.nam=dfs", '"policy.name"'),
        ("delay_seconds=0", '"politeness.delay_seconds"'),
        ("polteness.dealy_seconds=0", '"politeness.delay_seconds"'),
        ("=3", "the nearest is"),
        ("", "the nearest is"),
    ],
)
def test_an_unknown_key_on_the_command_line_names_the_nearest(override: str, nearest: str) -> None:
    message = error_of(None, override)
    assert message.startswith("--set")
    assert nearest in message


@pytest.mark.parametrize("name", ["POLICY__NAMES", "POLICE__NAME", "policy__names"])
def test_an_unknown_variable_names_the_nearest(name: str) -> None:
    message = error_of(environ={f"HINTERLAND_{name}": "dfs"})
    assert f"HINTERLAND_{name} is not a setting" in message
    assert "HINTERLAND_POLICY__NAME." in message


@pytest.mark.parametrize("setting", REMOVED)
def test_a_setting_that_is_gone_is_ignored_with_a_warning_that_says_what_holds_now(setting: str) -> None:
    section, _, key = setting.partition(".")
    variable = f"HINTERLAND_{section}__{key}".upper()
    in_file = load(f"[{section}]\n{key} = 7\n")
    in_environment = load(environ={variable: "7"})
    as_override = load(None, f"{setting}=7")
    by_program = load(options={setting: 7})
    assert setting not in EVERY_KEY
    for place, loaded in (
        ("settings.toml", in_file),
        (variable, in_environment),
        ("--set", as_override),
        ("settings", by_program),
    ):
        assert loaded.settings == Settings()
        assert loaded.warnings == [f"{place}: {setting} is no longer a setting; {REMOVED[setting]}."]


@pytest.mark.parametrize("sentence", REMOVED.values())
def test_the_sentence_about_a_setting_that_is_gone_names_none_that_is_gone(sentence: str) -> None:
    assert not [setting for setting in REMOVED if setting in sentence]


def test_settings_of_a_store_that_are_gone_are_left_out() -> None:
    stored = json.loads(to_json(Settings()))
    stored["storage"]["max_batch"] = 7
    stored["search"]["title_boost"] = 30.0
    assert from_json(json.dumps(stored)) == Settings()


def test_a_key_without_a_value_says_how_to_write_one() -> None:
    assert "--set policy.seed=0" in error_of(None, "policy.seed")


def test_a_file_that_is_not_toml_is_named_with_the_place() -> None:
    message = error_of("[policy]\nname = dfs")
    assert "settings.toml" in message
    assert "line 2" in message


def test_a_section_that_is_no_table_says_so() -> None:
    assert "[policy]" in error_of('policy = "dfs"')


@pytest.mark.parametrize(
    "override, parts",
    [
        ("politeness.delay_seconds=fast", ['"fast"', "a number (seconds, at least 0)", "default is 1.0"]),
        ("politeness.delay_seconds=-1", ["-1", "at least 0"]),
        ("politeness.delay_seconds=nan", ["nan", "a number"]),
        ("politeness.delay_seconds=true", ["true", "a number"]),
        ("hinterland.share=1.5", ["1.5", "0 to 0.9"]),
        ("fetching.max_in_flight=0", ["1 to 10,000"]),
        ("fetching.max_in_flight=1.5", ["a whole number"]),
        ("fetching.max_in_flight=true", ["a whole number"]),
        ("fetching.cookies=yes", ['"yes"', "true or false"]),
        ("scope.kind=domain", ['"hosts", "site", "prefix" or "web"']),
        ("scope.hosts=https://docs.example.org/manual", ['"docs.example.org"']),
        ("scope.include=['(']", ["does not compile"]),
        ("identity.contact=you@example.org", ["mailto:you@example.org"]),
        ("identity.contact=https://a.example/ (me)", ["https://you.example/crawler"]),
        ("identity.name=", ['"Hinterland"']),
        ("identity.name=My Crawler", ["RFC 9309"]),
        ("robots.max_age_seconds=86401", ["0 to 86,400"]),
        ("parsing.max_memory_mb=64", ["128 to 1,000,000"]),
        ("parsing.max_memory_mb=99999999999999999999", ["128 to 1,000,000"]),
        ("parsing.max_tree_mb=99999999999999999999", ["10 to 1,000,000"]),
        ("fetching.allow_networks=10.0.0.1/8", ['"10.0.0.0/8"']),
        ("fetching.allow_networks=loopback", ['"127.0.0.0/8"']),
        ("fetching.addresses=a.example=localhost", ['"localhost" is not an IP address for "a.example"']),
        ("fetching.addresses=https://a.example=127.0.0.1", ['"docs.example:8080"']),
        ("fetching.addresses=a.example:0=127.0.0.1", ['"docs.example:8080"']),
        ("fetching.addresses=a.example", ["a table of texts"]),
        ("fetching.proxy=ftp://127.0.0.1:9050", ['"http://proxy.example:3128"']),
        ("fetching.content_types=", ["at least one"]),
        ("fetching.content_types=html", ['"text/html"']),
        ("fetching.headers=User-Agent=x", ["identity.name"]),
        ("fetching.headers=X Y=x", ['"X Y" cannot be the name of a header']),
        ('fetching.headers={"X-A" = "a\\nb"}', ["one line"]),
        ("fetching.ca_file=https://a.example/ca.pem", ["path of a file"]),
        ("urls.drop_parameters=*", ["query parameter"]),
        ("politeness.max_backoff_seconds=1", ["politeness.backoff_seconds = 5.0"]),
    ],
)
def test_a_value_that_breaks_its_rule_is_refused_with_what_belongs_there(override: str, parts: Sequence[str]) -> None:
    message = error_of(None, override)
    assert override.partition("=")[0] in message
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    "text, parts",
    [
        ("[identity]\nname = 5", ["identity.name = 5", "expected text ("]),
        ("[scope]\nkind = false", ["scope.kind = false", 'expected "hosts", "site", "prefix" or "web"']),
        ("[scope]\nhosts = [1, 2]", ["scope.hosts = [1, 2]", "expected a list of texts ("]),
        ("[scope]\nhosts = 2001-02-03", ["scope.hosts = 2001-02-03", "expected a list of texts ("]),
    ],
)
def test_a_value_of_another_type_in_the_file_is_refused_with_what_belongs_there(
    text: str, parts: Sequence[str]
) -> None:
    message = error_of(text)
    for part in parts:
        assert part in message


def test_a_section_made_in_code_checks_itself_too() -> None:
    with pytest.raises(SettingsError, match=r"politeness\.delay_seconds = -1: expected"):
        PolitenessSettings(delay_seconds=-1)


@pytest.mark.parametrize(
    "override",
    ["fetching.headers=Authorization=hunter2, Host=x", "fetching.headers=hunter2", "fetching.proxy=ftp://me:hunter2@x"],
)
def test_an_error_does_not_repeat_a_secret(override: str) -> None:
    assert "hunter2" not in error_of(None, override)


# --- what is stored -----------------------------------------------------------------------------


def test_settings_come_back_from_json() -> None:
    settings = load(None, "scope.include=['/a{1,2}']", "fetching.addresses=a=::1", "policy.name=dfs").settings
    assert from_json(to_json(settings)) == settings


def test_secrets_are_not_stored() -> None:
    fetching = FetchingSettings(headers={"Authorization": "hunter2"}, proxy="http://me:hunter2@proxy.example:3128")
    stored = to_json(Settings(fetching=fetching))
    assert "hunter2" not in stored
    assert from_json(stored).fetching.proxy == "http://***@proxy.example:3128"
    assert from_json(stored).fetching.headers == {"Authorization": "***"}


def test_settings_stored_by_another_version_can_be_read() -> None:
    stored = json.loads(to_json(Settings()))
    stored["fetching"]["of_the_future"] = 1
    stored["telepathy"] = {}
    del stored["report"], stored["policy"]["seed"]
    assert from_json(json.dumps(stored)) == Settings()


# --- the user agent -----------------------------------------------------------------------------


def test_the_user_agent_carries_the_version_and_the_contact() -> None:
    assert user_agent(IdentitySettings()) == f"Hinterland/{__version__}"
    contact = IdentitySettings(contact="https://you.example/crawler")
    assert user_agent(contact) == f"Hinterland/{__version__} (+https://you.example/crawler)"
