"""The formats that `import` reads, one module each. A further format needs a module and a line here."""

from __future__ import annotations

from typing import Final

from hinterland.library.importing.format import ImportFormat

FORMATS: Final = (
    ImportFormat(
        "WARC",
        (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz"),
        "requests and responses, by Heritrix, browsertrix, wget or crawl --warc",
        "warc",
    ),
    ImportFormat("WACZ", (".wacz",), "WARC files, packed with an index", "wacz"),
    ImportFormat("WET", (".wet", ".wet.gz"), "the text of each page, by Common Crawl", "warc"),
    ImportFormat("WAT", (".wat", ".wat.gz"), "the links of each page, by Common Crawl", "warc"),
    ImportFormat("OWI", (".parquet",), "the text of each page, by the Open Web Index", "open_web_index"),
    ImportFormat("HAR", (".har",), "what a browser fetched, saved from its network panel", "har"),
    ImportFormat("CDXJ", (".cdxj",), "an index whose lines name the links of each page", "cdxj", is_in_folders=False),
)
INDEX_ANSWER: Final = ".jsonl"
"""The suffix of answers of an archive index. They name records of archives elsewhere, which are requested
(`index_answers`).
"""
