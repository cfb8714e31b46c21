"""`topic`: which action is carried out by what, and its errors as those of a command."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from crawler.apps.cli.exit_codes import OK, USAGE, CommandError
from crawler.apps.cli.topic.asking import review
from crawler.apps.cli.topic.judging import judge
from crawler.apps.cli.topic.making import make
from crawler.apps.cli.topic.telling import export, list_topics, show, test
from crawler.apps.topics.embedding_files import BadEmbeddings
from crawler.apps.topics.page_files import BadFile
from crawler.apps.topics.topic_files import NoTopic
from crawler.topics.training import CannotTrain

_ACTIONS = {"new": make, "show": show, "test": test, "review": review, "judge": judge, "export": export}


def run(arguments: Namespace) -> int:
    """Returns the exit code. Raises CommandError."""
    try:
        if arguments.action == "list":
            list_topics(Path(arguments.name or "."))
            return OK
        if not arguments.name:
            raise CommandError(f"topic {arguments.action} needs the name of a topic")
        if arguments.action != "new" and (arguments.like or arguments.unlike):
            raise CommandError(f"--like and --unlike are for `topic new`, not for `topic {arguments.action}`")
        _ACTIONS[arguments.action](arguments)
    except (NoTopic, BadFile, BadEmbeddings, CannotTrain) as error:
        raise CommandError(str(error), USAGE) from error
    return OK
