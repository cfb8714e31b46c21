"""`settings`: the values that hold, and where each comes from."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from typing import Any

from crawler.apps.cli.command_parser import CommandParser, add_settings_options
from crawler.apps.cli.exit_codes import OK
from crawler.apps.cli.output import Output
from crawler.apps.cli.settings_sources import settings_of, settings_with_store
from crawler.settings import SECTIONS, EffectiveSettings, toml, user_agent

_MAX_VALUE = 60

EXAMPLES = """\
examples:
  python3 run.py settings
      every setting with its value and where that comes from
  python3 run.py settings --set politeness.delay_seconds=3
      the same, as it would be with that option

settings.toml explains them all. The strongest last: defaults, settings.toml, the environment
(HINTERLAND_POLITENESS__DELAY_SECONDS=3), --set, single options such as --policy.
"""


def add_arguments(command: CommandParser) -> None:
    command.add_argument("--store", metavar="FILE", help="as crawl --resume would have them with this store")
    command.add_argument("--json", action="store_true", help="as one JSON object")
    add_settings_options(command)


def run(arguments: Namespace) -> int:
    effective = settings_with_store(settings_of(arguments), arguments.store)
    output = Output(sys.stdout)
    if arguments.json:
        output.write(json.dumps(settings_json(effective), ensure_ascii=False, indent=2))
    else:
        output.write(settings_text(effective))
    return OK


def settings_text(effective: EffectiveSettings) -> str:
    lines = [
        "# Every value with its origin; settings.toml explains them. Sites see us as",
        f"#   {user_agent(effective.settings.identity)}",
    ]
    for section, kind in SECTIONS.items():
        lines += ["", f"[{section}]"]
        values = getattr(effective.settings, section)
        assignments = {
            key: f"{key} = {toml(rule.shown(getattr(values, key)))}" for key, rule in kind.rules().items()
        }
        width = max(len(text) for text in assignments.values() if len(text) <= _MAX_VALUE)
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
    return {
        section: {
            key: {
                "value": rule.shown(getattr(getattr(effective.settings, section), key)),
                "origin": effective.origin[f"{section}.{key}"],
                "default": rule.default,
            }
            for key, rule in kind.rules().items()
        }
        for section, kind in SECTIONS.items()
    }
