"""`completion`: the script for a shell on stdout."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Final

from analysis.estimators import ESTIMATORS
from crawler.apps.cli.command_parser import CommandParser
from crawler.apps.cli.commands import COMMANDS, module_of
from crawler.apps.cli.completion.shells import bash, fish, zsh
from crawler.apps.cli.completion.words import words_of
from crawler.apps.cli.exit_codes import OK
from crawler.installation import IS_CHECKOUT
from crawler.policies import POLICIES
from storage.exports import FORMATS

_WRITERS: Final = {"bash": bash, "zsh": zsh, "fish": fish}
_KNOWN: Final = {"policy": (*POLICIES,), "estimator": (*ESTIMATORS,), "format": (*FORMATS, "bvgraph", "cdxj")}


def run(arguments: Namespace) -> int:
    sys.stdout.write(script(arguments.shell))
    return OK


def script(shell: str) -> str:
    found = []
    for name, command in COMMANDS.items():
        parser = CommandParser()
        module_of(name).add_arguments(parser)
        found.append(words_of(name, command.help, parser, _KNOWN))
    return _WRITERS[shell]("run.py" if IS_CHECKOUT else "hinterland", found)
