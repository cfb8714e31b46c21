"""Runs `topic`: calls the chosen action, and turns its errors into errors of a command."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from hinterland.cli.exit_codes import OK
from hinterland.cli.topic.asking import review
from hinterland.cli.topic.judging import judge
from hinterland.cli.topic.making import make
from hinterland.cli.topic.telling import export, list_topics, show, test
from hinterland.crawler.features.topics.files.embedding_files import BadEmbeddings
from hinterland.crawler.features.topics.files.page_files import BadFile
from hinterland.crawler.features.topics.files.topic_files import NoTopic
from hinterland.crawler.features.topics.model.training import CannotTrain
from hinterland.distribution.extras import need
from hinterland.library.errors import HinterlandError

_OPTIONS = {
    "new": ("like", "unlike", "store", "embeddings", "replace", "settings", "set"),
    "list": (),
    "show": ("page", "store", "json"),
    "test": ("json",),
    "review": ("store",),
    "judge": ("store", "relax", "rounds", "ask", "share"),
    "export": ("out",),
}
"""The options of each action."""
_ACTIONS = {"new": make, "show": show, "test": test, "review": review, "judge": judge, "export": export}

_LEARNING = ("new", "test", "review", "judge")
"""The actions that train a model or compute on links."""


def run(arguments: Namespace) -> int:
    """Carry out an action on a topic; returns the exit code. Raises HinterlandError."""
    _refuse_options_of_others(arguments)
    try:
        if arguments.action == "list":
            list_topics(Path(arguments.name or "."))
            return OK
        if not arguments.name:
            raise HinterlandError(f"topic {arguments.action} needs the name of a topic")
        if arguments.action in _LEARNING:
            need("topics", by=f"`topic {arguments.action}`")
        _ACTIONS[arguments.action](arguments)
    except (NoTopic, BadFile, BadEmbeddings, CannotTrain) as error:
        raise HinterlandError(str(error)) from error
    return OK


def _refuse_options_of_others(arguments: Namespace) -> None:
    given = {**vars(arguments), "set": arguments.overrides}
    for option in dict.fromkeys(option for options in _OPTIONS.values() for option in options):
        if given[option] and option not in _OPTIONS[arguments.action]:
            others = " and ".join(f"`topic {action}`" for action, options in _OPTIONS.items() if option in options)
            raise HinterlandError(f"--{option} is for {others}, not for `topic {arguments.action}`")
    if arguments.ask and arguments.share:
        raise HinterlandError("--ask estimates the share, and --share sets it: give only one of them")
    if arguments.rounds is not None and not arguments.relax:
        raise HinterlandError("--rounds limits the rounds of --relax, so it needs --relax")
