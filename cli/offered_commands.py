"""Commands that are plug-ins: those of the laboratory, which come with Hinterland, and those of other packages."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Final, Protocol

from hinterland.cli.command_parser import CommandParser

GROUP_OF_OTHERS: Final = "Plug-ins"
"""The group in --help of commands that do not name their group."""


class CommandHelp(Protocol):
    """The part of a command's module that --help needs. `EXAMPLES` is the end of the help text."""

    EXAMPLES: str

    def add_arguments(self, command: CommandParser) -> None:
        """Add the arguments and options of the command."""


class CommandRunner(Protocol):
    """The part of a command's module that carries it out."""

    def run(self, arguments: Namespace) -> int:
        """Carry out the command; returns its exit code. `arguments.command_line` holds the words as they were given."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    `module` is the full name of its module. `has_loop` says that its own event loop handles Ctrl-C. Otherwise,
    `when_stopped` says what happens to unfinished work when Ctrl-C stops the command. `group` is the group in --help of
    a command from a plug-in. `needs` names the extras without which the command cannot work.
    """

    module: str
    help: str
    has_loop: bool = False
    when_stopped: str = ""
    group: str = GROUP_OF_OTHERS
    needs: tuple[str, ...] = ()


def offered_command(name: str) -> Command | None:
    """Return the plug-in command with this name; None if there is none. Raises HinterlandError if it cannot be used."""
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
    """Return all usable commands of plug-ins, Hinterland's own plug-ins first.

    The command `plugins` says why other plug-ins are unusable.
    """
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
    """Return the possible values of options of plug-in commands, by "command.option"; `words_of` takes this map."""
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
