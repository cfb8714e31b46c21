"""Which command was meant, and what its errors look like."""

from __future__ import annotations

import sys
import traceback
from argparse import Namespace
from collections.abc import Sequence

from crawler.cli.arguments import parser
from crawler.cli.exit_codes import BUG, OK, STORE, USAGE, CommandError
from crawler.cli.output import flush
from crawler.settings import SettingsError
from storage.reports import NoStore


def main(command: Sequence[str]) -> int:
    """Run one command line, without the name of the program; returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter is no reason to fail
    try:
        return _answered(command)
    finally:
        flush(sys.stdout)


def _answered(command: Sequence[str]) -> int:
    arguments = parser().parse_args(command)
    if arguments.command is None:
        parser().print_help()
        return OK
    try:
        return _run(arguments, command)
    except CommandError as error:
        return _complain(str(error), error.exit_code)
    except SettingsError as error:
        return _complain(str(error), USAGE)
    except NoStore as error:
        return _complain(str(error), STORE)
    except KeyboardInterrupt:
        return 130
    except Exception:
        traceback.print_exc()
        return _complain("this is a bug of Hinterland. What is in a store is safe; --resume goes on.", BUG)


def _run(arguments: Namespace, command: Sequence[str]) -> int:
    # Imported only now: "status" and "--help" need not wait for the packages of a crawl.
    match arguments.command:
        case "crawl":
            from crawler.cli import crawl_command

            return crawl_command.run(arguments, command)
        case "status":
            from crawler.cli import status_command

            return status_command.run(arguments)
        case "rank":
            from crawler.cli import rank_command

            return rank_command.run(arguments)
        case "explain":
            from crawler.cli import explain_command

            return explain_command.run(arguments)
        case "settings":
            from crawler.cli import settings_command

            return settings_command.run(arguments)
        case "simulate":
            from crawler.cli import simulate_command

            return simulate_command.run(arguments)
        case "evaluate":
            from crawler.cli import evaluate_command

            return evaluate_command.run(arguments)
        case _:
            from crawler.cli import demo_command

            return demo_command.run(arguments)


def _complain(message: str, exit_code: int) -> int:
    print(f"hinterland: {message}", file=sys.stderr)
    return exit_code
