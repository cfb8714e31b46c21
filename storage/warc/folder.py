"""Writes a folder of WARC files, one at a time, each up to a maximum size and then renamed to its final name."""

from __future__ import annotations

import fcntl
import os
import re
import socket
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from hinterland.storage.warc.captures import Capture, Original
from hinterland.storage.warc.new_lines import NewLines
from hinterland.storage.warc.originals import Originals
from hinterland.storage.warc.records import capture_members, revisit_member, sha1, warc_date, warcinfo_member

OPEN = ".open"
"""Suffix of a file that is being written, as the WARC implementation guidelines recommend."""


class WarcFolder:
    """Writes captures into files of at most about max_bytes each. Not thread-safe.

    An open file is locked, so that it is not mistaken for one left behind by a kill. Every call of `write` ends with
    its bytes handed to the system: a kill -9 loses none of them.
    """

    def __init__(
        self,
        folder: Path,
        fields: Mapping[str, str],
        max_bytes: int,
        originals: Originals | None = None,
        lines: NewLines | None = None,
    ) -> None:
        """Take the folder, and the fields of the warcinfo record at the start of each file.

        `originals` finds earlier responses that a new one repeats; without it every response is written in full.
        `lines` gets the line of each record for the index.
        """
        self._lines = lines
        self._originals = originals
        self._folder = folder
        self._fields = fields
        self._max_bytes = max_bytes
        self._host = re.sub(r"[^A-Za-z0-9.-]", "_", socket.gethostname()) or "unknown"
        self._handle: int | None = None
        self._path = folder
        self._bytes = 0
        self._serial = 0

    def write(self, captures: Sequence[Capture], now: float) -> None:
        """Write captures.

        Raises OSError. In that case incomplete records have been cut off again, if the disk allowed it.
        """
        self._require_open_file()
        for capture in captures:
            digest = sha1(capture.payload)
            original = None if self._originals is None else self._originals.repeated_by(capture, digest)
            if original is not None:
                member = revisit_member(capture, original)
                offset = self._append_whole(member, now)
                if self._lines is not None:
                    self._lines.add_revisit(capture, original.payload_digest, member, self._name, offset)
                continue
            member, request = capture_members(capture, digest)
            offset = self._append_whole(member + request, now)
            if self._lines is not None:
                self._lines.add_response(capture, digest, member, self._name, offset)
            self._note(capture, digest)

    @property
    def _name(self) -> str:
        """The final name of the open file."""
        return self._path.name.removesuffix(OPEN)

    def _append_whole(self, members: bytes, now: float) -> int:
        """Write records that belong together to a file with space for them; return where they begin in it."""
        if self._handle is not None and self._bytes + len(members) > self._max_bytes:
            self.close()
        if self._handle is None:
            self._open(now)
        offset = self._bytes
        self._append(members)
        return offset

    def _note(self, capture: Capture, digest: str) -> None:
        """Note the original that later repetitions can refer to."""
        if self._originals is not None and capture.status is not None and not capture.truncated:
            original = Original(warc_date(capture.captured_at), digest, capture.address, capture.head)
            self._originals.note(capture.url, capture.status, original)

    def close(self) -> None:
        """Give the open file, if there is one, its final name."""
        if self._handle is None:
            return
        handle, self._handle = self._handle, None
        try:
            self._path.rename(self._path.with_name(self._name))
            if self._lines is not None:
                self._lines.files.add(self._name)
        finally:
            os.close(handle)

    def _require_open_file(self) -> None:
        """Raise OSError if the open file no longer exists under its name."""
        if self._handle is None:
            return
        try:
            is_there = os.path.samestat(self._path.stat(), os.fstat(self._handle))
        except (FileNotFoundError, NotADirectoryError):
            is_there = False
        if not is_there:
            raise FileNotFoundError(f"{self._path} was deleted or moved while it was being written")

    def _open(self, now: float) -> None:
        while True:
            moment = datetime.fromtimestamp(now, UTC).strftime("%Y%m%d%H%M%S%f")[:17]
            name = f"hinterland-{moment}-{self._serial:05}-{self._host}.warc.gz"
            self._serial += 1
            if (self._folder / name).exists():
                continue
            try:
                handle = os.open(self._folder / (name + OPEN), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            except FileExistsError:
                continue
            break
        fcntl.flock(handle, fcntl.LOCK_EX)
        self._handle, self._path, self._bytes = handle, self._folder / (name + OPEN), 0
        self._append(warcinfo_member(name, self._fields, now))

    def _append(self, data: bytes) -> None:
        assert self._handle is not None
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._handle, rest) :]
        except OSError:
            os.ftruncate(self._handle, self._bytes)
            raise
        self._bytes += len(data)
