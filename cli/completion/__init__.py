"""`completion`: writes a script by which a shell completes command lines."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser

SHELLS = ("bash", "zsh", "fish")

EXAMPLES = """\
examples:
  python3 run.py completion bash > ~/.local/share/bash-completion/completions/hinterland
  python3 run.py completion zsh > ~/.zfunc/_hinterland
      needs ~/.zfunc in fpath: write fpath+=~/.zfunc before compinit in ~/.zshrc
  python3 run.py completion fish > ~/.config/fish/completions/hinterland.fish

The script completes commands, options, and values where they are known. It is for the command `hinterland` of an
installation, and for ./run.py of a checkout. Write it again after an update.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the argument of `completion`."""
    command.add_argument("shell", choices=SHELLS, help="the shell to write the script for")
