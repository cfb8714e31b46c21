"""Runs `completion`: writes the script for a shell to stdout."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Final

from hinterland.analysis.estimates.estimators import ESTIMATORS
from hinterland.cli.command_parser import CommandParser
from hinterland.cli.commands import all_commands, help_of
from hinterland.cli.completion.shells import bash, fish, zsh
from hinterland.cli.completion.words import words_of
from hinterland.cli.exit_codes import OK
from hinterland.cli.offered_commands import words_of_offered
from hinterland.crawler.plugins.kinds import ESTIMATOR, EXPORTER, HOOK, POLICY
from hinterland.crawler.plugins.loading import installed_names, own_names
from hinterland.crawler.policies import POLICIES
from hinterland.crawler.settings import SECTIONS
from hinterland.distribution.installation import IS_CHECKOUT
from hinterland.library.crawls.retrying import RETRY_WORDS
from hinterland.library.exporting import CDXJ, STORE
from hinterland.storage.exports import FORMATS

_WRITERS: Final = {"bash": bash, "zsh": zsh, "fish": fish}


def run(arguments: Namespace) -> int:
    """Write the completion script for a shell; returns the exit code."""
    sys.stdout.write(script(arguments.shell))
    return OK


def script(shell: str) -> str:
    """Return the completion script for a shell, one of SHELLS."""
    found = []
    known = _known()
    for name, command in all_commands().items():
        parser = CommandParser()
        help_of(command).add_arguments(parser)
        found.append(words_of(name, command.help, parser, known))
    return _WRITERS[shell]("run.py" if IS_CHECKOUT else "hinterland", found, _settings())


def _known() -> Mapping[str, Sequence[str]]:
    """Return the possible values of options, including the names of installed plug-ins.

    The keys are argparse's names of the options.
    """
    policies = (*POLICIES, *installed_names(POLICY))
    estimators = (*ESTIMATORS, *installed_names(ESTIMATOR))
    return {
        "policy": policies,
        "policies": policies,
        "estimator": estimators,
        "estimators": estimators,
        "export.format": (*FORMATS, *own_names(EXPORTER), CDXJ, STORE, *installed_names(EXPORTER)),
        "hooks": installed_names(HOOK),
        "retry": RETRY_WORDS,
        **words_of_offered(),
    }


def _settings() -> Mapping[str, Sequence[str]]:
    """Return the possible values of each setting; empty for a setting whose values cannot be listed."""
    found = {}
    for section, keys in SECTIONS.items():
        for key, rule in keys.rules().items():
            is_switch = isinstance(rule.default, bool)
            found[f"{section}.{key}"] = ("true", "false") if is_switch else rule.choices
    return found
