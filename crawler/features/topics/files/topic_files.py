"""Reads and writes topics in files NAME.topic, by default in the current folder."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from hinterland.crawler.features.topics.model.array_file import DamagedFile
from hinterland.crawler.features.topics.model.topic_file import MOST_BYTES, SUFFIX, Topic, from_bytes, is_name, to_bytes


class NoTopic(ValueError):
    """Raised if a topic cannot be read or written. The message says why."""


def path_of(name: str) -> Path:
    """Return the path of a topic that is given by name or by path. Raises NoTopic for an impossible name."""
    path = Path(name) if name.endswith(SUFFIX) else Path(name + SUFFIX)
    if not is_name(path.name.removesuffix(SUFFIX)):
        raise NoTopic(f"{name!r} cannot be the name of a topic: use up to 100 letters, digits, _, . and -")
    return path


def read_topic(path: Path) -> Topic:
    """Return the topic in a file. Raises NoTopic."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise NoTopic(f"{path} is not a topic file: it has {path.stat().st_size:,} bytes, more than {MOST_BYTES:,}")
        return from_bytes(path.read_bytes())
    except FileNotFoundError:
        raise NoTopic(f"there is no topic {path}; `topic new` makes one") from None
    except OSError as error:
        raise NoTopic(f"{path} cannot be read: {error.strerror}") from error
    except DamagedFile as error:
        raise NoTopic(f"{path} is not a topic file, or is damaged: {error}") from error


def write_topic(topic: Topic, path: Path) -> None:
    """Write a topic, completely or not at all. Raises NoTopic."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(to_bytes(topic))
        beside.replace(path)
    except OSError as error:
        with suppress(OSError):  # on a disk that is read-only, this fails as well
            beside.unlink()
        raise NoTopic(f"{path} cannot be written: {error.strerror}") from error


def topics_in(folder: Path) -> list[Path]:
    """Return the topic files in a folder, sorted."""
    return sorted(path for path in folder.glob("*" + SUFFIX) if path.is_file() and not path.name.startswith("."))
