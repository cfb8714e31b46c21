"""Commands that plug-ins offer: those of the laboratory, which come with Hinterland, and those of other packages."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Final, Protocol

from hinterland.cli.command_parser import CommandParser

GROUP_OF_OTHERS: Final = "Plug-ins"
"""The group in --help of commands that name none."""


class CommandHelp(Protocol):
    """What the module of a command has for --help. EXAMPLES: what it ends with."""

    EXAMPLES: str

    def add_arguments(self, command: CommandParser) -> None:
        """Say what the command understands."""


class CommandRunner(Protocol):
    """What carries a command out."""

    def run(self, arguments: Namespace) -> int:
        """Carry it out; returns its exit code. `arguments.command_line` holds the words as they were given."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command. module: its whole name. has_loop: its event loop handles Ctrl-C. when_stopped: what happens to its
    work then. group: in --help, for commands of plug-ins. needs: extras without which it can do nothing.
    """

    module: str
    help: str
    has_loop: bool = False
    when_stopped: str = ""
    group: str = GROUP_OF_OTHERS
    needs: tuple[str, ...] = ()


def offered_command(name: str) -> Command | None:
    """The command of a plug-in; None if none has it. Raises HinterlandError if it cannot be used."""
    # Only now: most commands are our own.
    from hinterland.crawler.plugins.kinds import COMMAND
    from hinterland.crawler.plugins.loading import PluginError, installed_plugin
    from hinterland.library.errors import HinterlandError

    if not name:
        return None
    try:
        plugin = installed_plugin(COMMAND, name)
    except PluginError as error:
        raise HinterlandError(str(error)) from error
    return None if plugin is None else _command_of(plugin.what)


def offered_commands() -> dict[str, Command]:
    """All commands of plug-ins that can be used, those of Hinterland first; of others `plugins` tells the reason."""
    from hinterland.crawler.plugins.kinds import COMMAND
    from hinterland.crawler.plugins.loading import installed_names, own_names
    from hinterland.library.errors import HinterlandError

    found: dict[str, Command] = {}
    for name in dict.fromkeys((*own_names(COMMAND), *installed_names(COMMAND))):
        try:
            command = offered_command(name)
        except HinterlandError:
            continue
        if command is not None:
            found[name] = command
    return found


def words_of_offered() -> Mapping[str, Sequence[str]]:
    """What may follow options of offered commands, by "command.option", where they tell (`known_words`)."""
    from hinterland.crawler.plugins.kinds import COMMAND
    from hinterland.crawler.plugins.loading import PluginError, installed_names, installed_plugin, own_names

    found: dict[str, Sequence[str]] = {}
    for name in (*own_names(COMMAND), *installed_names(COMMAND)):
        try:
            plugin = installed_plugin(COMMAND, name)
        except PluginError:
            continue  # `plugins` tells why
        words = None if plugin is None else getattr(plugin.what, "known_words", None)
        if words is not None:
            found |= {f"{name}.{option}": values for option, values in words().items()}
    return found


def _command_of(module: ModuleType) -> Command:
    return Command(
        module.__name__,
        module.HELP,
        has_loop=getattr(module, "HAS_LOOP", False),
        when_stopped=getattr(module, "WHEN_STOPPED", ""),
        group=getattr(module, "GROUP", GROUP_OF_OTHERS),
        needs=tuple(getattr(module, "NEEDS", ())),
    )
