"""`topic`: makes a classifier from a few words or pages, shows it, tests it and trains it further.

command ──► making │ telling │ asking │ judging ──► example_sources (files, store, the web)
"""

from __future__ import annotations

from argparse import ArgumentTypeError

from hinterland.cli.command_parser import DEFAULT_STORE, CommandParser, add_settings_options, at_least_one

EXAMPLES = """\
examples:
  python3 run.py topic new gardening --like "growing vegetables compost" --store big.db
      from words: their best matches in big.db are the first examples
  python3 run.py topic new gardening --like https://garden.example.org/soil mine.html urls.txt --unlike shop.html
      from pages: URLs (taken from the store if it has them, else fetched politely), HTML or text in files,
      and files with one URL a line
  python3 run.py topic review gardening --store big.db
      answer yes or no about the pages it is least sure of, one key each (u undoes an answer); it learns from each
  python3 run.py topic test gardening
      precision, recall, F1 and calibration on hosts it has not seen
  python3 run.py topic judge gardening --store big.db
      how likely each page of big.db is about it; `index --relevant` and `rank --relevant` use that
  python3 run.py topic judge gardening --store big.db --relax
      the same, then corrected by the linked pages; with --rounds 300 until nothing changes any more
  python3 run.py topic judge gardening --store big.db --ask 20
      asks about 20 pages; from that it knows how many are relevant, with what precision and recall
  python3 run.py topic show gardening --page https://garden.example.org/roses
      what it consists of; and how one page is judged, and why
  python3 run.py topic list
  python3 run.py topic export gardening --out gardening.npz
      the model alone; without --out its examples as JSON

A topic is one file, NAME.topic, in the folder where the command is given; NAME may be the path of such a file.
"""


ROUNDS = 1
"""The default of --rounds. In the benchmarks, best for topics that are a folder of a site, and good for whole sites."""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `topic`."""
    command.add_argument(
        "action", choices=("new", "list", "show", "test", "review", "judge", "export"), help="what to do, see below"
    )
    command.add_argument("name", nargs="?", metavar="NAME", help="the topic; for list, the folder to list")
    command.add_argument(
        "--like",
        nargs="+",
        action="extend",
        default=[],
        metavar="WHAT",
        help="examples of the topic: URLs, files, or words in quotes",
    )
    command.add_argument(
        "--unlike",
        nargs="+",
        action="extend",
        default=[],
        metavar="WHAT",
        help="examples of other things: URLs and files",
    )
    command.add_argument(
        "--store",
        metavar="FILE",
        help=f"the store to learn from and to ask about (default: {DEFAULT_STORE} if it exists)",
    )
    command.add_argument(
        "--embeddings",
        metavar="DIR",
        help="a folder of word vectors, to learn from fewer examples (see docs/topics.md)",
    )
    command.add_argument("--page", metavar="WHAT", help="show: judge this URL of the store, or this file")
    command.add_argument(
        "--relax",
        action="store_true",
        help="judge: correct the judgement of a page by those of its linked pages, in both directions",
    )
    command.add_argument(
        "--rounds",
        type=at_least_one,
        metavar="N",
        help=f"judge --relax: at most N rounds, fewer if labels are stable (default: {ROUNDS})",
    )
    command.add_argument(
        "--ask",
        type=at_least_one,
        metavar="N",
        help="judge: ask about N pages, learn from the answers, and print precision and recall; 20 is a good number",
    )
    command.add_argument(
        "--share",
        type=_share,
        metavar="SHARE",
        help="judge: call this share of the pages relevant, such as 8%% or 0.08",
    )
    command.add_argument("--out", metavar="FILE", help="export: write the model alone to this file")
    command.add_argument("--replace", action="store_true", help="new: replace a topic of that name")
    command.add_argument("--json", action="store_true", help="show, test: print one JSON object")
    add_settings_options(command)


def _share(text: str) -> float:
    """Return a share given as a number or in percent. Raises ArgumentTypeError."""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise ArgumentTypeError(f"{text!r} is not a share; write it as 8% or 0.08")
    return share
