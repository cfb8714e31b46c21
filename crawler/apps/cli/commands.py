"""Which command was meant, and what its errors look like."""

from __future__ import annotations

import importlib
import sys
import traceback
from argparse import Namespace
from collections.abc import Sequence

from crawler.apps.cli.arguments import parsed, parser
from crawler.apps.cli.ctrl_c import heeded
from crawler.apps.cli.exit_codes import BUG, INTERRUPTED, OK, STORE, USAGE, CommandError
from crawler.apps.cli.output import flush, open_standard_streams
from crawler.settings import SettingsError
from storage.reports import NoStore

_WITH_A_LOOP = frozenset(("crawl", "demo", "serve", "import", "explain"))
"""They take Ctrl-C in their event loop."""

_KEPT = {
    "index": "what is read and indexed so far stays, and the same command goes on from there",
    "import": "what was taken in stays, and the same command adds the rest",
    "rank": "the ranks are not stored",
    "export": "no file was written",
}
"""What becomes of the work of a command that is stopped."""


def main(command: Sequence[str]) -> int:
    """Run one command line, without the name of the program; returns its exit code."""
    open_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter is no reason to fail
    try:
        return _answered(command)
    finally:
        flush(sys.stdout)


def _answered(command: Sequence[str]) -> int:
    arguments = parsed(command)
    if arguments.command is None:
        parser().print_help()
        return OK
    try:
        if arguments.command in _WITH_A_LOOP:
            return _run(arguments, command)
        with heeded() as ctrl_c:
            try:
                return _run(arguments, command)
            except Exception as error:
                if ctrl_c.is_pressed:
                    raise KeyboardInterrupt from error
                raise
    except CommandError as error:
        return _complain(str(error), error.exit_code)
    except SettingsError as error:
        return _complain(str(error), USAGE)
    except NoStore as error:
        return _complain(str(error), STORE)
    except KeyboardInterrupt:
        return _complain(f"stopped; {_KEPT[name]}" if (name := arguments.command) in _KEPT else "stopped", INTERRUPTED)
    except Exception:
        traceback.print_exc()
        return _complain("this is a bug of Hinterland. What is in a store is safe; --resume goes on.", BUG)


def _run(arguments: Namespace, command: Sequence[str]) -> int:
    # Imported only now: "status" and "--help" need not wait for the packages of a crawl.
    module = importlib.import_module(f"crawler.apps.cli.{arguments.command}_command")
    if arguments.command == "crawl":
        return int(module.run(arguments, command))
    return int(module.run(arguments))


def _complain(message: str, exit_code: int) -> int:
    print(f"hinterland: {message}", file=sys.stderr)
    return exit_code
