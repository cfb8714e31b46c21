"""The topic of a crawl, as chosen by options of the command line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from hinterland.crawler.features.topics.model.array_file import DamagedFile
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.crawler.plugins.kinds import TOPIC_CLASSIFIER
from hinterland.crawler.policies import TOPIC_POLICIES
from hinterland.crawler.settings import EffectiveSettings
from hinterland.library.errors import HinterlandError
from hinterland.library.plugin_tables import require
from hinterland.storage.values.topics import TopicRecord

NEEDS_TOPIC: Final = "the policy {} needs a topic: give --topic FILE, --targets TYPES or --classifier NAME"
_CONTENT_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")


def chosen_topic(topic: str | None, targets: str | None, classifier: str | None = None) -> TopicRecord | None:
    """Return the topic that the options of a crawl name; None if they name none. Raises HinterlandError.

    `topic` is the path of a topic file, `targets` are content types separated by commas, and `classifier` is the name
    of a plug-in.
    """
    if topic is not None and targets is not None:
        raise HinterlandError("--topic looks for pages and --targets for files: give one of them")
    if classifier is not None:
        if topic is not None or targets is not None:
            raise HinterlandError("--classifier already says which pages to look for: leave out --topic and --targets")
        require(TOPIC_CLASSIFIER, classifier)
        return TopicRecord.by_plug_in(classifier)
    if targets is not None:
        return _of_targets(targets)
    return None if topic is None else _of_file(Path(topic))


def is_about_nothing(topic: TopicRecord | None, settings: EffectiveSettings) -> bool:
    """Return whether the policy needs a topic and there is none."""
    return topic is None and settings.settings.policy.name in TOPIC_POLICIES


def _of_targets(targets: str) -> TopicRecord:
    types = tuple(each.strip().lower() for each in targets.split(",") if each.strip())
    for each in types:
        if not _CONTENT_TYPE.fullmatch(each):
            raise HinterlandError(f"--targets: {each!r} is not a content type such as application/pdf")
    if not types:
        raise HinterlandError("--targets: name a content type, such as application/pdf")
    return TopicRecord(", ".join(types), None, types)


def _of_file(path: Path) -> TopicRecord:
    try:
        model = TopicModel.from_bytes(path.read_bytes())
    except OSError as error:
        raise HinterlandError(f"--topic: {path} cannot be read: {error.strerror}; `topic new` makes one") from None
    except DamagedFile as error:
        raise HinterlandError(f"--topic: {path} is not a topic file: {error}") from None
    return TopicRecord(path.stem, model.to_bytes())
