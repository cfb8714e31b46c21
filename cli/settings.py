"""`settings`: the effective settings, and where each value comes from."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from hinterland.cli.command_parser import CommandParser, add_settings_options
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.cli.settings_sources import settings_files, settings_of
from hinterland.crawler.settings import SECTIONS, EffectiveSettings, Settings, render_toml, toml, user_agent
from hinterland.distribution.installation import PROGRAM, as_called
from hinterland.library.kept_settings import settings_with_store

_MAX_VALUE = 60

EXAMPLES = """\
examples:
  python3 run.py settings
      show every setting with its value and its origin
  python3 run.py settings --set politeness.delay_seconds=3
      the same, with that option

  python3 run.py settings --template
      print a settings file with all settings, their defaults and their reasons

Later sources take precedence: defaults, the settings files, the environment
(HINTERLAND_POLITENESS__DELAY_SECONDS=3), --set, single options such as --policy.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `settings`."""
    command.add_argument(
        "--store", metavar="FILE", help="show the settings that crawl --resume would use with this store"
    )
    command.add_argument(
        "--template", action="store_true", help="print a settings file with every default and its reason"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object")
    add_settings_options(command)


def run(arguments: Namespace) -> int:
    """Print the effective settings, or a template of a settings file; returns the exit code."""
    if arguments.template:
        sys.stdout.write(as_called(render_toml(Settings())))
        return OK
    effective = settings_with_store(settings_of(arguments), arguments.store)
    output = Output(sys.stdout)
    if arguments.json:
        output.write(json.dumps(settings_json(effective), ensure_ascii=False, indent=2))
    else:
        output.write(settings_text(effective, _files(arguments.settings)))
    return OK


def _files(given: str | None) -> list[str]:
    """Return the names of the settings files, in ascending order of precedence."""
    return [name if path.exists() else f"{name} (does not exist)" for path, name in settings_files(given)]


def settings_text(effective: EffectiveSettings, files: Sequence[str]) -> str:
    """Return all settings as commented TOML.

    `files` names all files that may hold settings, in ascending order of precedence.
    """
    lines = [
        f"# Every value with its origin; `{PROGRAM} settings --template` explains them. Settings are read from",
        *(f"#   {file}{', takes precedence' * (place > 0)}" for place, file in enumerate(files)),
        "# Sites see us as",
        f"#   {user_agent(effective.settings.identity)}",
    ]
    for section, kind in SECTIONS.items():
        lines += ["", f"[{section}]"]
        values = effective.settings.section(section)
        assignments = {key: f"{key} = {toml(rule.shown(getattr(values, key)))}" for key, rule in kind.rules().items()}
        width = max((len(text) for text in assignments.values() if len(text) <= _MAX_VALUE), default=0)
        for key, rule in kind.rules().items():
            origin = effective.origin[f"{section}.{key}"]
            if getattr(values, key) != rule.default:
                origin += f"; the default is {toml(rule.default)}"
            if len(assignments[key]) <= _MAX_VALUE:
                lines.append(f"{assignments[key]:{width}}  # {origin}")
            else:
                lines += [f"# {origin}:", assignments[key]]
    return "\n".join(lines)


def settings_json(effective: EffectiveSettings) -> dict[str, Any]:
    """Return the settings as JSON values: section -> key -> value, origin and default."""
    return {
        section: {
            key: {
                "value": rule.shown(getattr(effective.settings.section(section), key)),
                "origin": effective.origin[f"{section}.{key}"],
                "default": rule.default,
            }
            for key, rule in kind.rules().items()
        }
        for section, kind in SECTIONS.items()
    }
