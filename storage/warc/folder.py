"""Writes a folder of WARC files, one file after another.

Each file grows up to a maximum size, and is then renamed to its final name.
"""

from __future__ import annotations

import fcntl
import os
import re
import socket
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from hinterland.storage.warc.captures import Capture, Original
from hinterland.storage.warc.new_lines import NewLines
from hinterland.storage.warc.originals import Originals
from hinterland.storage.warc.packed_captures import PackedCapture
from hinterland.storage.warc.records import revisit_member, warcinfo_member

OPEN = ".open"
"""Suffix of a file that is being written, as the WARC implementation guidelines recommend."""


_MOST_UNWRITTEN: Final = 1 << 20
"""Bytes of packed records that are collected before they are written."""


class WarcFolder:
    """Writes captures into files of at most about max_bytes each. Not thread-safe.

    An open file is locked, so that it is not mistaken for a file left behind by a killed crawl. `write` returns once
    its bytes are handed to the system, so a kill -9 loses none of them.
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

        `originals` finds the earlier response that a new response repeats; without it, every response is written in
        full. `lines` receives the index line of each record.
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
        """The size of the open file, with what is not yet written."""
        self._unwritten: list[bytes] = []
        self._unwritten_bytes = 0
        self._serial = 0

    def write(self, captures: Sequence[Capture], now: float) -> None:
        """Write captures; see `write_packed`."""
        self.write_packed([PackedCapture(each) for each in captures], now)

    def write_packed(self, captures: Sequence[PackedCapture], now: float) -> None:
        """Write captures; the bytes of one call are handed to the system together.

        Raises OSError. In that case incomplete records have been cut off again, if the disk allowed it.
        """
        self._require_open_file()
        originals = self._originals
        with nullcontext() if originals is None else originals.together(each.capture.url for each in captures):
            self._append(captures, now)
        self._hand_over()

    def _append(self, captures: Sequence[PackedCapture], now: float) -> None:
        for each in captures:
            original = None if self._originals is None else self._originals.repeated_by(each.capture, each.digest)
            if original is not None:
                member = revisit_member(each.capture, original, each.date)
                offset = self._append_whole(now, member)
                if self._lines is not None:
                    self._lines.add_revisit(each, original.payload_digest, member, self._name, offset)
                continue
            member, request = each.members
            offset = self._append_whole(now, member, request)
            if self._lines is not None:
                self._lines.add_response(each, member, self._name, offset)
            self._note(each)

    @property
    def _name(self) -> str:
        """The final name of the open file."""
        return self._path.name.removesuffix(OPEN)

    def _append_whole(self, now: float, *members: bytes) -> int:
        """Append records that belong together to one file that has space for them; return their offset in the file."""
        size = sum(map(len, members))
        if self._handle is not None and self._bytes + size > self._max_bytes:
            self.close()
        if self._handle is None:
            self._open(now)
        offset = self._bytes
        self._unwritten += members
        self._bytes += size
        self._unwritten_bytes += size
        if self._unwritten_bytes > _MOST_UNWRITTEN:
            self._hand_over()
        return offset

    def _note(self, packed: PackedCapture) -> None:
        """Record a response as an original, to which later repetitions can refer."""
        capture, status = packed.capture, packed.capture.status
        if self._originals is not None and status is not None and not capture.truncated:
            original = Original(packed.date, packed.digest, capture.address, capture.head)
            self._originals.note(capture.url, status, original)

    def close(self) -> None:
        """Give the open file, if there is one, its final name."""
        if self._handle is None:
            return
        self._hand_over()
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
        self._handle, self._path = handle, self._folder / (name + OPEN)
        self._unwritten = [warcinfo_member(name, self._fields, now)]
        self._bytes = self._unwritten_bytes = len(self._unwritten[0])

    def _hand_over(self) -> None:
        """Write all appended records to the open file, so that a killed process loses none of them."""
        if self._handle is None or not self._unwritten:
            return
        rest = memoryview(b"".join(self._unwritten))
        before = self._bytes - self._unwritten_bytes
        self._unwritten, self._unwritten_bytes = [], 0
        try:
            while rest:
                rest = rest[os.write(self._handle, rest) :]
        except OSError:
            self._bytes = before
            os.ftruncate(self._handle, before)
            raise
