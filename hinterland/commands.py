"""What commands are made of; `hinterland.commands` is also the group of the entry points that offer some.

A command is a module with `HELP` (one line), `EXAMPLES` (what --help ends with), `add_arguments(command)` and
`run(arguments)`, which returns the exit code. It may have a `GROUP` in the list of commands, `HAS_LOOP = True` if its
own event loop handles Ctrl-C, `WHEN_STOPPED`, what becomes of its work then, and `NEEDS`, the extras of Hinterland
without which it can do nothing, by the names that `setup` lists. What only `run` needs is imported there: --help does
not wait for it.
"""

from hinterland.cli.command_parser import CommandParser, add_settings_options, add_store
from hinterland.cli.exit_codes import OK, STORE, USAGE
from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine

__all__ = ["OK", "STORE", "USAGE", "CommandParser", "Output", "ProgressLine", "add_settings_options", "add_store"]
