"""What a page loses as Markdown: pages of many generators, to Markdown and back to HTML, beside other converters.

    python -m benchmarks.markdown WEBFARM/www --pages 300 --rivals

A folder for each host is read, as the loopback web of real sites has it, and the same number of pages is drawn from
each. Every converter gets whole pages. Its Markdown is read by markdown-it (CommonMark, tables, strikethrough, HTML),
and what stands in both trees is counted: headings (level and text), code (its lines, of every <pre>), cells of tables
that hold data, links outside code (where they lead, and their text), pictures, and words. White space is not compared,
except in code.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urldefrag, urljoin

from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser, LexborNode

from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.crawler.parsing.markdown.html_blocks import html_blocks
from hinterland.crawler.parsing.markdown.markdown_blocks import markdown_of

Converter = Callable[[bytes, str], str]
"""Returns the Markdown of HTML in UTF-8, found at a URL."""
KINDS: Final = ("headings", "code", "cells", "links", "pictures", "words")
_UNSEEN: Final = "head, script, style, noscript, template, iframe, title, noembed, noframes, audio, video, canvas"
_PARTS: Final = "table, h1, h2, h3, h4, h5, h6, pre"
_PERMALINKS: Final = frozenset({"", "¶", "#", "§", "\uf0c1", "\U0001f517"})
_SLASHES: Final = re.compile("/+")
_WORD: Final = re.compile(r"\w+")
_MOST_BYTES: Final = 2_000_000


def pages(folder: Path, count: int, seed: int) -> Iterator[tuple[str, str, bytes]]:
    """Yield host, URL and HTML of pages, the same number of each host where it has as many."""
    hosts = sorted(each for each in folder.iterdir() if each.is_dir())
    draw = random.Random(seed)
    files = {
        host.name: draw.sample(found, len(found))
        for host in hosts
        if (found := sorted(each for each in host.rglob("*.htm*") if each.is_file() and each.suffix != ".gz"))
    }
    given = 0
    while given < count and files:
        for host, rest in list(files.items()):
            if not rest:
                del files[host]
            elif given < count and (body := (file := rest.pop()).read_bytes()) and len(body) <= _MOST_BYTES:
                given += 1
                url = f"http://{host}/{file.relative_to(folder / host).as_posix()}"
                yield host, url, HtmlSource(body, "text/html").readable


def features(html: str | bytes, url: str) -> Mapping[str, Counter[tuple[str, ...]]]:
    """Return what a page holds, by kind."""
    tree = LexborHTMLParser(html)
    base = tree.css_first("base[href]")
    url = urljoin(url, base.attributes.get("href") or "") if base is not None else url
    for each in tree.css(_UNSEEN):
        each.decompose()
    for each in tree.css("wbr"):
        each.unwrap()
    for each in tree.css("a"):
        text = each.text().strip()
        if text in _PERMALINKS and (each.attributes.get("href") or "#").startswith("#") and not each.css("img"):
            each.decompose()
    found: dict[str, Counter[tuple[str, ...]]] = {kind: Counter() for kind in KINDS}
    body = tree.body
    if body is None:
        return found
    for heading in body.css("h1, h2, h3, h4, h5, h6"):
        if text := _without_space(heading.text()):
            found["headings"][heading.tag or "", text] += 1
    for code in body.css("pre, listing, xmp"):
        if (text := _lines_of(code)) and _is_outside_code(code):
            found["code"][(text,)] += 1
    for table in body.css("table"):
        if _holds_data(table):
            for cell in table.css("td, th"):
                if text := _without_space(cell.text()):
                    found["cells"][(text,)] += 1
    for picture in body.css("img"):
        source = picture.attributes.get("src") or ""
        if source and not source.startswith("data:") and _is_outside_code(picture):
            found["pictures"][(_target(source, url),)] += 1
    for link in body.css("a[href]"):
        href, text = link.attributes.get("href") or "", _without_space(link.text())
        if text and not href.lower().startswith(("javascript:", "data:")) and _is_outside_code(link):
            found["links"][_target(href, url), text] += 1
    found["words"].update((word,) for word in _WORD.findall(body.text(separator=" ")))
    return found


def _target(href: str, url: str) -> str:
    try:
        target, fragment = urldefrag(urljoin(url, href.strip()))
    except ValueError:
        return href
    scheme, separator, rest = target.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.lower()}{slash}{_SLASHES.sub('/', path)}#{unquote(fragment)}".rstrip(
        "#/"
    ).replace("%20", " ")


def _without_space(text: str) -> str:
    return "".join(text.split())


def _lines_of(code: LexborNode) -> str:
    for end in code.css("br"):
        end.replace_with("\n")
    lines = [line.rstrip() for line in code.text().replace("\r\n", "\n").split("\n")]
    return "\n".join(lines).strip("\n")


def _is_outside_code(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None and parent.tag not in ("pre", "listing", "xmp"):
        parent = parent.parent
    return parent is None


def _holds_data(table: LexborNode) -> bool:
    cells = [len(row.css("td, th")) for row in table.css("tr")]
    inside = [each for each in table.css(_PARTS) if each.mem_id != table.mem_id]
    return max(cells, default=0) > 1 and len(cells) > 1 and not inside


def converters(*, rivals: bool) -> dict[str, Converter]:
    """Return the converters by name."""
    found: dict[str, Converter] = {
        "ours": lambda html, url: markdown_of(html_blocks(html, url, is_whole=True)),
    }
    if rivals:
        markdownify = import_module("markdownify").markdownify
        found["markdownify"] = lambda html, _: markdownify(html.decode(), heading_style="ATX")
        other = import_module("html_to_markdown")
        options = other.ConversionOptions(
            escape_misc=True,
            escape_asterisks=True,
            escape_underscores=True,
            br_in_tables=True,
            hidden_content="all",
            preprocessing=other.PreprocessingOptions(enabled=False),  # which would leave out menus and forms
        )
        found["html-to-markdown"] = lambda html, _: other.convert(html.decode(), options).content
    return found


def measure(folder: Path, count: int, seed: int, *, rivals: bool, lost: str) -> None:
    """Print what each converter keeps, of all pages and for ours by host."""
    known = converters(rivals=rivals)
    back = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    vars(back)["validateLink"] = lambda _: True  # it would leave links to file: as text
    kept: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    there: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    seconds, failures, number = defaultdict[str, float](float), Counter[str](), 0
    for host, url, html in pages(folder, count, seed):
        number += 1
        wanted = features(html, url)
        for name, convert in known.items():
            began = time.process_time()
            try:
                markdown = convert(html, url)
            except Exception as error:
                failures[f"{name}: {type(error).__name__}"] += 1
                markdown = ""
            seconds[name] += time.process_time() - began
            found = features(f"<body>{back.render(markdown)}", url)
            for kind in KINDS:
                same = (wanted[kind] & found[kind]).total()
                for of in ("all", host):
                    kept[name, of][kind] += same
                    there[name, of][kind] += wanted[kind].total()
                if name == "ours" and kind == lost:
                    for each, times in (wanted[kind] - found[kind]).most_common(5):
                        print(url, times, *(part[:300] for part in each))
    print(f"{number} pages; " + ", ".join(f"{total:,} {kind}" for kind, total in there["ours", "all"].items()))
    print("| kept, % | " + " | ".join(KINDS) + " | ms a page |\n|" + "---|" * (len(KINDS) + 2))
    rows = [(name, "all") for name in known] + [key for key in there if key[0] == "ours" and key[1] != "all"]
    for name, of in rows:
        shares = (f"{100 * kept[name, of][k] / there[name, of][k]:.2f}" if there[name, of][k] else "" for k in KINDS)
        ms = f"{1000 * seconds[name] / number:.1f}" if of == "all" else ""
        print(f"| {name if of == 'all' else of} | " + " | ".join(shares) + f" | {ms} |")
    print(dict(failures))


def main() -> None:
    """Measure the pages in a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rivals", action="store_true", help="also measure markdownify and html-to-markdown")
    parser.add_argument("--lost", default="", choices=KINDS, help="print what ours loses of this kind")
    given = parser.parse_args()
    measure(given.folder, given.pages, given.seed, rivals=given.rivals, lost=given.lost)


if __name__ == "__main__":
    main()
