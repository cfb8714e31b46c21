"""What to do after a crawl. Pure."""

from __future__ import annotations

import shlex

from crawler.endings import EndReason

RUN = "python3 run.py"


def next_commands(reason: EndReason, store: str, *, is_estimated: bool = False, warc: str | None = None) -> list[str]:
    """Commands to copy, the most likely first. is_estimated: the crawl had a hinterland. warc: the folder of
    its archive."""
    file = shlex.quote(store)
    resume = f"{RUN} crawl --resume --store {file}" + (f" --warc {shlex.quote(warc)}" if warc else "")
    status, rank = f"{RUN} status {file}", f"{RUN} rank {file}   # what the web makes of the site"
    index = f"{RUN} index {file}   # a search engine of the pages"
    question = f"""sqlite3 {file} "SELECT url, title FROM pages WHERE state = 'fetched' LIMIT 10\""""
    match reason:
        case EndReason.EXHAUSTED:
            return [rank, index, status, question] if is_estimated else [index, status, question]
        case EndReason.SETTLED:
            return [rank, index, status]
        case EndReason.NOTHING_FETCHED:
            return [f"{status}   # says why", f"{RUN} explain SEED --store {file}", resume]
        case EndReason.MAX_PAGES:
            return [f"{resume} --max-pages N   # or without a budget", status]
        case EndReason.STORE_FAILED:
            return [f"{resume}   # once there is room on the disk", status]
        case EndReason.ARCHIVE_FAILED:
            return [f"{resume}   # once there is room on the disk, or with another folder", status]
    return [resume, status]
