"""The base of commands in plug-ins; `hinterland.commands` is also their entry-point group.

A command is a module with these names:

    HELP                      one line
    EXAMPLES                  the end of --help
    add_arguments(command)    adds the options
    run(arguments)            runs the command and returns the exit code
    GROUP                     optional: its group in the list of commands
    HAS_LOOP = True           optional: its own event loop handles Ctrl-C
    WHEN_STOPPED              optional: says what happens to unfinished work after Ctrl-C
    NEEDS                     optional: the extras of Hinterland that it needs, by the names that `setup` lists

Import packages that only `run` needs inside `run`, so that --help does not wait for them.
"""

from hinterland.cli.command_parser import CommandParser, add_settings_options, add_store
from hinterland.cli.exit_codes import OK, STORE, USAGE
from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine

__all__ = ["OK", "STORE", "USAGE", "CommandParser", "Output", "ProgressLine", "add_settings_options", "add_store"]
