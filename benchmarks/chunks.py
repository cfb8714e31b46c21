"""Whether chunks keep their promises, on pages of many generators.

    python -m benchmarks.chunks WEBFARM/www --pages 300 --tokens 512

The pages are drawn as benchmarks.markdown draws them; their main content is cut into chunks. Counted are chunks over
the bound, blocks of code that were cut though they alone are within it (in a list: within half of it), and pages whose
text, letters and digits, is not all in the chunks, each character once and in its order. Code that alone is over the
bound has to be cut: its parts are counted, too. What opens and closes code is not compared: parts repeat it.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Final

from benchmarks.markdown import pages
from hinterland.crawler.parsing.markdown.chunks import Chunk, chunks_of
from hinterland.crawler.parsing.markdown.html_blocks import html_blocks
from hinterland.crawler.parsing.markdown.markdown_blocks import BlockKind, MarkdownBlock, markdown_of
from hinterland.crawler.parsing.markdown.token_estimate import estimated_tokens

_FENCE: Final = re.compile(r"^[\s>]*(?:(?:[-*]|\d+[.)])\s+)*`{3,}.*$", re.MULTILINE)
_WORD: Final = re.compile(r"\w+")


def characters(text: str) -> str:
    """Return the letters and digits of Markdown, without what stands beside the marks of code."""
    return "".join(_WORD.findall(_FENCE.sub("", text)))


def broken_promises(blocks: Sequence[MarkdownBlock], chunks: Sequence[Chunk], most: int) -> Counter[str]:
    """Return what is wrong with the chunks of a page, by kind."""
    found = Counter[str]()
    found["over the bound"] = sum(chunk.tokens > most or estimated_tokens(chunk.text) > most for chunk in chunks)
    whole = [
        block.text
        for block in blocks
        if block.kind == BlockKind.CODE and estimated_tokens(block.text) <= (most // 2 if block.inside else most - 2)
    ]
    lines = "\n".join("\n".join(_bare(chunk.text)) + "\n\0" for chunk in chunks)
    found["code cut"] = sum("\n".join(_bare(code)) not in lines for code in whole)
    kept = "".join(characters(chunk.text) for chunk in chunks)
    found["text lost, doubled or moved"] = characters(markdown_of(blocks)) != kept
    return found


def _bare(text: str) -> list[str]:
    """Return the lines of Markdown without the marks of quotes and items before them."""
    return [line.lstrip(" >-*0123456789.)") for line in text.split("\n")]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder for each host, such as WEBFARM/www")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--tokens", type=int, default=512)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    total, seconds = Counter[str](), 0.0
    for _, url, html in pages(arguments.folder, arguments.pages, arguments.seed):
        blocks = html_blocks(html, url)
        before = process_time()
        chunks = list(chunks_of(blocks, arguments.tokens))
        seconds += process_time() - before
        total["pages"] += 1
        total["chunks"] += len(chunks)
        total["blocks of code"] += sum(block.kind == BlockKind.CODE for block in blocks)
        total["parts of code that alone is over the bound"] += sum(chunk.cuts_code for chunk in chunks)
        wrong = broken_promises(blocks, chunks, arguments.tokens)
        total.update(wrong)
        if any(wrong.values()):
            print(url, dict(+wrong))
    for what, count in total.items():
        print(f"{count:10,} {what}")
    print(f"{1000 * seconds / max(total['pages'], 1):10.1f} ms of CPU a page")


if __name__ == "__main__":
    main()
