"""`completion`: what a shell needs to complete command lines."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser

SHELLS = ("bash", "zsh", "fish")

EXAMPLES = """\
examples:
  python3 run.py completion bash > ~/.local/share/bash-completion/completions/hinterland
  python3 run.py completion zsh > ~/.zfunc/_hinterland
      if ~/.zfunc is in fpath: in ~/.zshrc, fpath+=~/.zfunc before compinit
  python3 run.py completion fish > ~/.config/fish/completions/hinterland.fish

Commands, options, and values where they are known. Run it again after an update. It completes the command `hinterland`
of an installation, and ./run.py of a checkout.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the argument of `completion`."""
    command.add_argument("shell", choices=SHELLS, help="the shell to write the script for")
