"""The parts of warcio that `reading` replaces or relies on."""

from __future__ import annotations

from io import BytesIO

from warcio.archiveiterator import WARCIterator
from warcio.bufferedreaders import DecompressingBufferedReader

from hinterland.distribution.private_parts import require_parts


def check_warcio() -> None:
    """Raise MissingPackage if the installed warcio lacks one of these parts."""
    reader = DecompressingBufferedReader(BytesIO())
    records = WARCIterator(BytesIO(), no_record_parse=True)
    require_parts(
        "warcio",
        {
            "WARCIterator._consume_blanklines": hasattr(WARCIterator, "_consume_blanklines"),
            "WARCIterator.fh": hasattr(records, "fh"),
            "WARCIterator.reader": hasattr(records, "reader"),
            "WARCIterator.offset": hasattr(records, "offset"),
            "DecompressingBufferedReader._decompress": hasattr(reader, "_decompress"),
            "DecompressingBufferedReader.read_next_member": hasattr(reader, "read_next_member"),
            "DecompressingBufferedReader.decompressor": hasattr(reader, "decompressor"),
            "DecompressingBufferedReader.num_block_read": hasattr(reader, "num_block_read"),
        },
    )
