"""No archive is read by a warcio that lacks the private parts we rely on."""

from __future__ import annotations

from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import BufferedReader

from hinterland.errors import MissingPackage
from hinterland.storage.warc.reading import records_from


@pytest.mark.parametrize(
    "owner, part", [(ArchiveIterator, "_consume_blanklines"), (BufferedReader, "read_next_member")]
)
def test_a_part_that_is_gone_is_named(owner: type, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.warc"
    file.write_bytes(b"")
    assert list(records_from(file, 0)) == []
    monkeypatch.delattr(owner, part)
    with pytest.raises(MissingPackage, match=rf"warcio .* lacks \w+\.{part}.*to get a version that has it"):
        list(records_from(file, 0))
