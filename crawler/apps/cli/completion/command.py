"""`completion`: the script for a shell on stdout."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Final

from analysis.estimators import ESTIMATORS
from analysis.models import MODELS
from analysis.models.random_crawl import ORDERS
from analysis.walks.sampling import METHODS
from crawler.apps.cli.command_parser import CommandParser
from crawler.apps.cli.commands import COMMANDS, module_of
from crawler.apps.cli.completion.shells import bash, fish, zsh
from crawler.apps.cli.completion.words import words_of
from crawler.apps.cli.crawl.retrying import RETRY_WORDS
from crawler.apps.cli.exit_codes import OK
from crawler.installation import IS_CHECKOUT
from crawler.plugins.kinds import ESTIMATOR, EXPORTER, HOOK, POLICY
from crawler.plugins.loading import installed_names
from crawler.policies import POLICIES
from crawler.settings import SECTIONS
from storage.exports import FORMATS

_WRITERS: Final = {"bash": bash, "zsh": zsh, "fish": fish}


def run(arguments: Namespace) -> int:
    sys.stdout.write(script(arguments.shell))
    return OK


def script(shell: str) -> str:
    found = []
    known = _known()
    for name, command in COMMANDS.items():
        parser = CommandParser()
        module_of(name).add_arguments(parser)
        found.append(words_of(name, command.help, parser, known))
    return _WRITERS[shell]("run.py" if IS_CHECKOUT else "hinterland", found, _settings())


def _known() -> Mapping[str, Sequence[str]]:
    """What may follow an option, by where argparse puts it; plug-ins are those that are installed now."""
    policies = (*POLICIES, *installed_names(POLICY))
    estimators = (*ESTIMATORS, *installed_names(ESTIMATOR))
    return {
        "policy": policies,
        "policies": policies,
        "estimator": estimators,
        "estimators": estimators,
        "export.format": (*FORMATS, "bvgraph", "cdxj", *installed_names(EXPORTER)),
        "hooks": installed_names(HOOK),
        "retry": RETRY_WORDS,
        "model.name": (*MODELS,),
        "model.order": ORDERS,
        "sample.method": (*METHODS,),
    }


def _settings() -> Mapping[str, Sequence[str]]:
    """The values of each setting, where they can be listed."""
    found = {}
    for section, keys in SECTIONS.items():
        for key, rule in keys.rules().items():
            is_switch = isinstance(rule.default, bool)
            found[f"{section}.{key}"] = ("true", "false") if is_switch else rule.choices
    return found
