"""Whether pages that say "not found" with status 200 are told from pages, on the pages of real sites.

    python -m benchmarks.soft_404 webfarm/www --pages 40

Each folder is a site. Its answer to URLs that it does not have is made of what stands at the beginning and the end of
its pages (their frame), and of what such answers say: a few words, the URL that was asked for, suggestions drawn anew
each time, a search without results, the way to log in, or the front page. Of each site as many of its pages as of such
answers are judged by one probe, clocks and counters in both. Front pages are not judged:
`decisions.soft_404` takes none for an error.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile
from pathlib import Path
from random import Random
from typing import Final

from hinterland.crawler.features.soft_404.soft_404 import PageText, directory_of, probe_url, says_the_same
from hinterland.crawler.parsing.html.page_elements import read_elements

Answerer = Callable[[Random, str, Sequence[PageText]], tuple[str, str]]
"""(title, what is said) of the answer to a URL, given pages of the site."""


def _suggested(random: Random, pages: Sequence[PageText], count: int) -> str:
    return " ".join(page.title for page in random.sample(pages, count))


def _slug(url: str) -> str:
    return url.rpartition("/")[2].removesuffix(".html").replace("-", " ").replace("_", " ")


ANSWERS: Final[dict[str, Answerer]] = {
    "plain": lambda r, url, pages: ("Page not found", "Sorry, we cannot find that page. It may have moved."),
    "echo": lambda r, url, pages: (f"{_slug(url)} not found", f"The page {url} does not exist on this server."),
    "suggestions": lambda r, url, pages: ("Not found", f"We could not find it. Try {_suggested(r, pages, 2)}"),
    "many suggestions": lambda r, url, pages: ("Oops!", f"Perhaps you meant {_suggested(r, pages, 6)}"),
    "search": lambda r, url, pages: (f"Search: {_slug(url)}", f"No results for {_slug(url)}. Check the spelling."),
    "log in": lambda r, url, pages: ("Log in", "Log in to go on. Name Password Remember me Forgot your password?"),
    "front page": lambda r, url, pages: (pages[0].title, pages[0].text),
}


def site_pages(folder: Path, most: int, random: Random) -> list[PageText]:
    """The front page first."""
    paths = sorted(folder.rglob("*.html"), key=lambda path: (len(path.parts), path.name != "index.html", path.name))
    if len(paths) < 12:
        return []
    chosen = [paths[0], *random.sample(paths[1:], min(most, len(paths) - 1))]
    return [_read(f"https://{folder.name}/{path.relative_to(folder)}", path.read_bytes()) for path in chosen]


def _read(url: str, html: bytes) -> PageText:
    elements = read_elements(html.decode("utf-8", "replace").encode(), max_anchors=1, with_text=True)
    return PageText(url, elements.title, elements.text.decode())


def frame(pages: Sequence[PageText]) -> tuple[list[str], list[str]]:
    """What the pages have in common at their beginning and at their end: half of those pages in which it is longest."""
    words = [page.text.split() for page in pages]
    first = sorted((_common(a, b) for a, b in pairwise(words)), key=len)
    last = sorted((_common(a[::-1], b[::-1]) for a, b in pairwise(words)), key=len)
    return first[len(first) // 2], last[len(last) // 2][::-1]


def _common(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """What both begin with."""
    return [word for word, _ in takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False))]


def with_noise(text: str, random: Random) -> str:
    clock = f"{random.randrange(24):02}:{random.randrange(60):02}:{random.randrange(60):02}"
    return f"{text} Generated {clock}, {random.randrange(10**6)} views, request {random.randbytes(8).hex()}"


def judged(pages: Sequence[PageText], answerer: Answerer, random: Random) -> Iterator[tuple[bool, bool]]:
    """(is no page, is taken for none) of the site's pages, and of as many answers for pages that it has no more."""
    first, last = frame(pages)

    def answer(url: str) -> PageText:
        title, said = answerer(random, url, pages)
        is_page = said == pages[0].text
        text = said if is_page else " ".join((*first, said, *last))
        return PageText(url, title, with_noise(text, random))

    for page in pages[1:]:
        token = "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=16))
        probe = answer(probe_url(directory_of(page.url), token))
        yield False, says_the_same(PageText(page.url, page.title, with_noise(page.text, random)), probe)
        yield True, says_the_same(answer(page.url.replace(".html", f"-{random.randrange(99)}.html")), probe)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure precision and recall of soft 404s.")
    parser.add_argument("sites", type=Path, help="a folder with a folder of pages for each site")
    parser.add_argument("--pages", type=int, default=40, help="of each site at most")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random = Random(arguments.seed)
    folders = sorted(arguments.sites.iterdir())
    sites = [pages for folder in folders if (pages := site_pages(folder, arguments.pages, random))]
    total = Counter[tuple[bool, bool]]()
    print(f"{len(sites)} sites, {sum(map(len, sites)):,} pages")
    for name, answerer in ANSWERS.items():
        found = Counter(each for pages in sites for each in judged(pages, answerer, random))
        total += found
        print(f"{name:20} {_figures(found)}")
    print(f"{'all':20} {_figures(total)}")


def _figures(found: Counter[tuple[bool, bool]]) -> str:
    right, wrong, missed = found[True, True], found[False, True], found[True, False]
    precision, recall = right / max(right + wrong, 1), right / max(right + missed, 1)
    return f"precision {precision:6.1%}  recall {recall:6.1%}  ({right:,} right, {wrong:,} wrong, {missed:,} missed)"


if __name__ == "__main__":
    main()
