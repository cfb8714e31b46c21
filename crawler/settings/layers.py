"""The layers of settings: defaults, the settings file, the environment, --set, then single options.

Each layer overrides the ones before it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hinterland.crawler.settings.near_names import likeness, nearest
from hinterland.crawler.settings.removed import REMOVED
from hinterland.crawler.settings.rules import Complaint, SettingRule, SettingsError, toml
from hinterland.crawler.settings.sections import SECTIONS, Settings
from hinterland.distribution.installation import PROGRAM

VARIABLE_PREFIX = "HINTERLAND_"
NOT_SETTINGS = frozenset({"HINTERLAND_NO_SETUP"})
"""Variables that begin with HINTERLAND_ but are not settings; see distribution/environment.py."""
_SEPARATOR = "__"
"""The separator of section and key. Only variables that contain it count as settings: for a service called hinterland,
Kubernetes sets HINTERLAND_PORT, HINTERLAND_SERVICE_HOST and more in every container."""
_NEAR_MISS = 0.9


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """The settings of a run, and the origin of every "section.key"."""

    settings: Settings
    origin: Mapping[str, str]
    """The origin of each value: "default", the file's name, "environment HINTERLAND_...", "--set", or an option such as
    "--policy"."""
    warnings: Sequence[str] = ()
    """Warnings about values that have no effect, although they look like a setting or were one in an earlier version.
    """


@dataclass(frozen=True, slots=True)
class _Given:
    """A value from one layer, not yet checked."""

    section: str
    key: str
    value: object
    origin: str
    place: str  # the layer, as an error message names it

    @property
    def name(self) -> str:
        return f"{self.section}.{self.key}"


def load_settings(
    file_text: str | None,
    file_name: str,
    environ: Mapping[str, str],
    overrides: Sequence[str],
    options: Mapping[str, object],
    beneath: Sequence[tuple[str, str]] = (),
) -> EffectiveSettings:
    """Return the effective settings; each layer overrides the layers before it.

    `file_text` is the content of the settings file, None if there is none. `environ` may hold HINTERLAND_SECTION__KEY;
    other names with that prefix are ignored. `overrides` are the arguments of --set, each "section.key=value".
    `options` maps "section.key" to the value of the command-line option for that key, None if the option was not used.
    `beneath` holds (text, name) of further settings files. Each overrides the files before it, and `file_text`
    overrides all of them.

    Raises SettingsError for an unknown key (naming the nearest), for a value that breaks its rule, and for values that
    contradict each other.
    """
    values: dict[str, dict[str, object]] = {section: {} for section in SECTIONS}
    origin = {f"{section}.{key}": "default" for section, key in _all_keys()}
    layers = (
        *(_from_file(text, name) for text, name in beneath),
        _from_file(file_text, file_name),
        _from_environment(environ),
        _from_overrides(overrides),
        _from_options(options),
    )
    warnings = []
    for layer in layers:
        for given in layer:
            if given.name in REMOVED:
                warnings.append(f"{given.place}: {given.name} is no longer a setting; {REMOVED[given.name]}.")
                continue
            values[given.section][given.key] = _checked(given)
            origin[given.name] = given.origin
    settings = Settings.from_sections({name: kind(**values[name]) for name, kind in SECTIONS.items()})
    return EffectiveSettings(settings, origin, [*warnings, *_near_misses(environ)])


def _from_file(file_text: str | None, file_name: str) -> Iterator[_Given]:
    try:
        document = tomllib.loads(file_text or "")
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file_name} is not valid TOML: {error}. In TOML, strings need quotes.") from None
    for section, table in document.items():
        if section not in SECTIONS:
            raise _unknown_section(section, table, file_name)
        if rows_key := SECTIONS[section].rows_key:
            yield _Given(section, rows_key, _rows(section, table, file_name), file_name, file_name)
            continue
        if not isinstance(table, dict):
            raise SettingsError(f"{file_name}: {section} = {toml(table)}: write its keys under [{section}].")
        for key, value in table.items():
            if f"{section}.{key}" not in REMOVED:
                _rule(section, key, file_name)
            yield _Given(section, key, value, file_name, file_name)


def _rows(section: str, given: object, file_name: str) -> object:
    if isinstance(given, dict):
        raise SettingsError(f"{file_name}: write [[{section}]] with two brackets, once for each entry.")
    return given


def _from_environment(environ: Mapping[str, str]) -> Iterator[_Given]:
    for variable in sorted(environ):
        section, separator, key = variable.removeprefix(VARIABLE_PREFIX).lower().partition(_SEPARATOR)
        if not variable.startswith(VARIABLE_PREFIX) or not separator or not section:
            continue
        rule = _find_rule(section, key)
        if rule is None and f"{section}.{key}" in REMOVED:
            yield _Given(section, key, None, "", variable)
            continue
        if rule is None:
            nearest = max(map(_variable, _all_keys()), key=lambda name: likeness(variable, name.lower()))
            raise SettingsError(f"the environment: {variable} is not a setting; the nearest is {nearest}. {_WAY_OUT}")
        yield _Given(section, key, rule.read(environ[variable]), f"environment {variable}", variable)


def _near_misses(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield a warning for each variable that is almost named like a setting; most often an underscore is missing."""
    for variable in sorted(environ):
        name = variable.removeprefix(VARIABLE_PREFIX).lower()
        if not variable.startswith(VARIABLE_PREFIX) or variable in NOT_SETTINGS or _SEPARATOR in name.lstrip("_"):
            continue
        likeness, setting = max((_likeness_of_variable(name, *each), each) for each in _all_keys())
        if likeness >= _NEAR_MISS:
            yield f"the environment: {variable} is not a setting and has no effect; did you mean {_variable(setting)}?"


def _likeness_of_variable(name: str, section: str, key: str) -> float:
    """Return how much a variable name, given without the prefix, resembles a setting, from 0 to 1.

    The name may lack the setting's section or its unit.
    """
    forms = [f"{section}_{key}", key]
    forms += [form.removesuffix(unit) for form in forms for unit in _UNITS]
    return max(likeness(name.strip("_"), form) for form in forms)


def _variable(setting: tuple[str, str]) -> str:
    section, key = setting
    return f"{VARIABLE_PREFIX}{section}{_SEPARATOR}{key}".upper()


def _from_overrides(overrides: Sequence[str]) -> Iterator[_Given]:
    for override in overrides:
        name, equals, text = override.partition("=")
        section, _, key = name.strip().partition(".")
        if f"{section}.{key}" in REMOVED:
            yield _Given(section, key, None, "", "--set")
            continue
        rule = _rule(section, key, "--set")
        if not equals:
            raise SettingsError(f"--set {override}: no value; write --set {name}={toml(rule.default)}.")
        yield _Given(section, key, rule.read(text.strip()), "--set", "--set")


def _from_options(options: Mapping[str, object]) -> Iterator[_Given]:
    for name, value in options.items():
        section, _, key = name.partition(".")
        if name in REMOVED:
            yield _Given(section, key, None, "", "settings")
            continue
        option = _rule(section, key, "the command line").option or "command line"
        if value is not None:
            yield _Given(section, key, value, option, option)


def _checked(given: _Given) -> object:
    rule = SECTIONS[given.section].rules()[given.key]
    try:
        return rule.checked(given.value)
    except Complaint as complaint:
        raise SettingsError(
            f"{given.place}: {given.name} = {toml(rule.shown(given.value))}: {complaint}."
            f" The default is {toml(rule.default)}."
        ) from None


def _rule(section: str, key: str, place: str) -> SettingRule:
    """Return the rule of a key; raises SettingsError, naming the nearest key, if there is none."""
    rule = _find_rule(section, key)
    if rule is None:
        given = f"{section}.{key}" if key else section
        near = ".".join(_nearest(section, key))
        raise SettingsError(f'{place}: there is no setting "{given}"; the nearest is "{near}". {_WAY_OUT}')
    return rule


def _find_rule(section: str, key: str) -> SettingRule | None:
    kind = SECTIONS.get(section)
    return kind.rules().get(key) if kind else None


def _unknown_section(section: str, table: object, file_name: str) -> SettingsError:
    if isinstance(table, dict):
        near = nearest(section, SECTIONS)
        return SettingsError(f"{file_name}: there is no section [{section}]; the nearest is [{near}]. {_WAY_OUT}")
    near_section, near_key = _nearest("", section)
    return SettingsError(
        f'{file_name}: "{section}" is in no section; the nearest setting is "{near_key}"'
        f" under [{near_section}]. {_WAY_OUT}"
    )


_WAY_OUT = f'"{PROGRAM} settings" lists them all.'
_UNITS = ("_seconds", "_bytes", "_mb", "_bytes_per_second")  # endings of keys that people forget


def _nearest(section: str, key: str) -> tuple[str, str]:
    """Return the section and key that are most like the given ones; the key has the greater weight."""
    if not key:  # a single word, such as "delay": a key whose section was left out
        section, key = "", section

    def similarity(known: tuple[str, str]) -> tuple[float, float]:
        known_section, known_key = known
        forms = [known_key, *(known_key.removesuffix(unit) for unit in _UNITS)]
        of_key = max(likeness(key, form) for form in forms)
        of_section = likeness(section, known_section)
        return (of_key == 1, 2 * of_key + of_section)

    return max(_all_keys(), key=similarity)


def _all_keys() -> Iterator[tuple[str, str]]:
    return ((section, key) for section, kind in SECTIONS.items() for key in kind.rules())
