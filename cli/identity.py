"""`identity`: the key by which sites can verify this crawler, and the files that publish the key."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator

from hinterland.cli.command_parser import CommandParser, add_settings_options
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.cli.settings_sources import settings_of
from hinterland.crawler.features.web_bot_auth.settings import WebBotAuthSettings
from hinterland.library.errors import HinterlandError
from hinterland.library.identity import DEFAULT_FOLDER, Identity, new_identity, publish_identity, stored_identity
from hinterland.library.text.wording import printable

_PURPOSE = "It collects pages for a search engine."
_SITE = "identity-site"

EXAMPLES = """\
examples:
  python3 run.py identity new
      make a signing key in the folder identity/; again: replace it by another one
  python3 run.py identity show
      its thumbprint, and the settings that use it
  python3 run.py identity publish --output site
      write the key directory, and a page for the owners of sites, to host at signatures.agent

docs/access.md says what signatures are for, and what they reveal.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `identity`."""
    command.add_argument("action", choices=("new", "show", "publish"), help="what to do")
    command.add_argument(
        "folder", nargs="?", default=DEFAULT_FOLDER, metavar="DIR", help="the folder of the key (default: %(default)s)"
    )
    command.add_argument("--output", default=_SITE, metavar="DIR", help="where to publish (default: %(default)s)")
    command.add_argument(
        "--purpose", default=_PURPOSE, metavar="TEXT", help="a sentence for the page: what the crawler is for"
    )
    add_settings_options(command)


def run(arguments: Namespace) -> int:
    """Make, show or publish a key; returns the exit code. Raises HinterlandError."""
    output = Output(sys.stdout)
    match arguments.action:
        case "new":
            output.write("\n".join(_about(new_identity(arguments.folder))))
        case "show":
            output.write("\n".join(_about(stored_identity(arguments.folder))))
        case _:
            output.write("\n".join(_published(arguments)))
    return OK


def _about(identity: Identity) -> Iterator[str]:
    yield f"# {printable(str(identity.file))}: Ed25519, thumbprint {identity.keyid}"
    for keyid in identity.former:
        yield f"# replaced, but still in the directory for a week: {keyid}"
    yield "# Keep the file to yourself. These settings use it, with the place where you host the directory:"
    yield "[signatures]"
    yield f'key = "{printable(str(identity.file))}"'
    yield 'agent = "https://crawler.example"'


def _published(arguments: Namespace) -> Iterator[str]:
    settings = settings_of(arguments).settings
    agent, who = settings.of(WebBotAuthSettings).agent.rstrip("/"), settings.identity
    if not agent:
        raise HinterlandError("set signatures.agent to the place where you will host the directory")
    if not who.contact:
        raise HinterlandError("set identity.contact, so that owners of sites can write to you")
    written = publish_identity(
        arguments.folder, arguments.output, name=who.name, agent=agent, contact=who.contact, purpose=arguments.purpose
    )
    yield from (printable(str(file)) for file in written)
    yield f"Host these files at {agent}. docs/access.md says which Content-Type the directory needs."
