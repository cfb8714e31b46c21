"""Generates the text of settings.toml from the settings."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping, Sequence

from hinterland.crawler.settings.rules import SettingRule, SettingsSection, toml
from hinterland.crawler.settings.sections import SECTIONS, Settings

_WIDTH = 100

_HEAD = """\
# The settings of Hinterland: every key with its default, its unit and the reason for its value.
#
# These override this file, the strongest last:
#   the environment    HINTERLAND_POLITENESS__DELAY_SECONDS=2   (two underscores after the section)
#   --set              python3 run.py crawl ... --set politeness.delay_seconds=2
#   single options     python3 run.py crawl ... --policy dfs
# "python3 run.py settings" shows the values in effect and where each came from. A key that is left
# out has the value shown here; an unknown key or a value out of bounds is an error.
"""


def render_toml(settings: Settings) -> str:
    """Return the text of a settings file with these values and, as comments, what each key means."""
    sections = (_section(name, settings.section(name)) for name in SECTIONS)
    return "\n\n".join((_HEAD, *sections))


def _section(name: str, section: SettingsSection) -> str:
    if section.rows_key:
        return _rows(name, section)
    lines = [f"[{name}]", *_comment(inspect.getdoc(section) or "")]
    for key, rule in section.rules().items():
        lines += ["", *_comment(rule.reason), *_assignment(key, getattr(section, key), rule)]
    return "\n".join(lines) + "\n"


def _rows(name: str, section: SettingsSection) -> str:
    """Return the text of a section with one table for each entry; without entries, an example as a comment."""
    rule = section.rules()[section.rows_key]
    assert rule.row is not None, "such a section has a rule for its tables"
    lines = [*_comment(inspect.getdoc(section) or ""), "#", *_comment(rule.reason), "#"]
    width = max(map(len, rule.row.columns))
    for key, meaning in rule.row.columns.items():
        lines += textwrap.wrap(
            meaning, _WIDTH, initial_indent=f"#   {key:{width}}  ", subsequent_indent=f"#   {'':{width}}  "
        )
    entries: Sequence[Mapping[str, str]] = getattr(section, section.rows_key)
    for row in entries or (rule.row.example,):
        mark = "" if entries else "# "
        lines += ["" if entries else "#", f"{mark}[[{name}]]"]
        lines += [f"{mark}{key} = {toml(value)}" for key, value in row.items()]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    """Return `text` as comment lines of about equal length, as few lines as possible."""
    text = " ".join(text.split())  # a docstring has lines and paragraphs of its own
    lines = textwrap.wrap(text, _WIDTH - 2, break_on_hyphens=False)
    for width in range(_WIDTH - 3, 0, -1):
        narrower = textwrap.wrap(text, width, break_on_hyphens=False)
        if len(narrower) > len(lines):
            break
        lines = narrower
    return [f"# {line}" for line in lines]


def _assignment(key: str, value: object, rule: SettingRule) -> list[str]:
    hint = rule.hint + (f"; also {rule.option}" if rule.option else "")
    line = f"{key} = {toml(value)}"
    if len(f"{line}  # {hint}") <= _WIDTH or not isinstance(value, tuple):
        return [f"{line}  # {hint}"]
    members = textwrap.wrap(", ".join(map(toml, value)) + ",", _WIDTH - 4, break_on_hyphens=False)
    return [f"{key} = [  # {hint}", *(f"    {members_line}" for members_line in members), "]"]
