"""What the documents of a git repository said at any time."""

from __future__ import annotations

import re
import subprocess
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Version:
    """Of a document, from `time` (epoch seconds) on. blob: its content's name; "" when there is none any more."""

    time: float
    blob: str


class DocumentHistory:
    """The versions of the documents of a git repository, by the name of each, and their texts by blob. until: when the
    newest commit was made, epoch seconds.

    A document is a file in whose path `pattern` is found, and its name is what is found: so it keeps its history when
    it is moved to where the pattern finds the same. What is moved and stays as it was has not changed.
    """

    def __init__(self, folder: Path, path: str, pattern: str, since: float) -> None:
        """path: only files below it; "" for all. since: epoch seconds; what was there then is the first version."""
        self._folder = folder
        named = re.compile(pattern)
        self.versions: dict[str, list[Version]] = {}
        start = self._git("rev-list", "-1", f"--before={since:.0f}", "HEAD").strip()
        for line in self._git("ls-tree", "-r", start, *([path] if path else [])).splitlines():
            blob, name = line.split()[2], line.partition("\t")[2]
            if found := named.search(name):
                self.versions[found[0]] = [Version(since, blob)]
        log = self._git(
            "log", "--reverse", "--first-parent", "-m", "--raw", "--no-abbrev", "--no-renames", "--format=@%ct",
            f"{start}..HEAD", *(["--", path] if path else []),
        )  # fmt: skip
        at = since
        for line in log.splitlines():
            if line.startswith("@"):
                at = max(float(line[1:]), at)
            elif line.startswith(":") and (found := named.search(line.partition("\t")[2])):
                blob = line.split()[3]
                self._add(found[0], Version(at, "" if set(blob) == {"0"} else blob))
        self.until = at
        blobs = {version.blob for versions in self.versions.values() for version in versions} - {""}
        self.texts = self._contents(sorted(blobs))

    def at(self, name: str, now: float) -> Version | None:
        """The version that a document has, or had last; None before its first."""
        versions = self.versions.get(name, [])
        place = bisect_right(versions, now, key=lambda version: version.time)
        return versions[place - 1] if place else None

    def there(self, now: float) -> list[str]:
        """The names of the documents that there are."""
        return [name for name in self.versions if (version := self.at(name, now)) and version.blob]

    def _add(self, name: str, version: Version) -> None:
        versions = self.versions.setdefault(name, [])
        if versions and versions[-1].time == version.time:  # a file that is moved goes and comes at one time
            if not version.blob:
                return
            versions.pop()
        if version.blob != (versions[-1].blob if versions else ""):
            versions.append(version)

    def _git(self, *words: str) -> str:
        line = ["git", "-C", str(self._folder), *words]
        return subprocess.run(line, check=True, stdout=subprocess.PIPE).stdout.decode("utf-8", "replace")

    def _contents(self, blobs: Sequence[str]) -> dict[str, bytes]:
        line = ["git", "-C", str(self._folder), "cat-file", "--batch"]
        asked = "\n".join(blobs).encode() + b"\n"
        out = subprocess.run(line, input=asked, check=True, stdout=subprocess.PIPE).stdout
        found, place = {}, 0
        for _ in blobs:
            end = out.index(b"\n", place)
            name, _, size = out[place:end].split()
            place = end + 1 + int(size) + 1
            found[name.decode()] = out[end + 1 : place - 1]
        return found
