"""The demo web as bytes: the answer to a request for each of its URLs."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import chain

from hinterland.cli.demo.archipelago import HOSTS, everything
from hinterland.cli.demo.declarations import DemoFile, DemoPage, DemoSection, Item, Link, Place, Redirect


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """The answer of the demo web to a request for one (host, path)."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@cache
def declared() -> Mapping[Place, Item]:
    """Return everything that the demo web serves, by host and path, before it becomes bytes."""
    return {item.place: item for item in everything()}


@cache
def demo_seeds() -> tuple[Place, ...]:
    """Return the front page of every host, the atlas first."""
    return tuple((host, "/") for host in HOSTS)


def demo_pages(port: int) -> Mapping[Place, DemoAnswer]:
    """Return the bytes of every page. Links to other hosts of the demo web contain `port`."""
    return {place: _answer(item, port) for place, item in declared().items()}


def home(page: DemoPage) -> Link:
    """Return the link at the top of a page, which leads to the front page of its host."""
    host = page.place[0]
    return Link((host, "/"), HOSTS[host].title)


def url(place: Place, port: int) -> str:
    """Return an absolute URL; hosts that are not part of the demo web use the default port."""
    host, path = place
    return f"http://{host}:{port}{path}" if host in HOSTS else f"http://{host}{path}"


def _answer(item: Item, port: int) -> DemoAnswer:
    match item:
        case Redirect(to=to, status=status):
            return DemoAnswer(status, {"Location": _href(item.place, to, port)}, b"")
        case DemoFile(content_type=content_type, text=text):
            return DemoAnswer(200, {"Content-Type": content_type}, text.encode())
        case DemoPage():
            charset = "" if item.charset_in_meta else f"; charset={item.charset}"
            headers = {"Content-Type": f"text/html{charset}", **item.headers}
            body = _html(item, port).encode(item.charset, "xmlcharrefreplace")
            if HOSTS[item.place[0]].gzipped:
                headers["Content-Encoding"] = "gzip"
                body = gzip.compress(body, mtime=0)
            return DemoAnswer(200, headers, body)


def _href(source: Place, target: Place, port: int) -> str:
    """Return a link as authors write it: a name within a directory, a path within a host, otherwise a whole URL."""
    directory = source[1].rpartition("/")[0] + "/"
    name = target[1].removeprefix(directory)
    if source[0] != target[0]:
        return url(target, port)
    if target[1].startswith(directory) and name and directory != "/" and "/" not in name:
        return name
    return target[1]


def _html(page: DemoPage, port: int) -> str:
    lines = [
        "<!doctype html>",
        f'<html lang="{page.language}">',
        *_head(page, port),
        f"<body><header>{_anchor(page, home(page), port)}</header>",
        f"<main><h1>{escape(page.title)}</h1>",
        *chain.from_iterable(_section(page, section, port) for section in page.sections),
        "</main></body></html>",
    ]
    return "\n".join(lines) + "\n"


def _head(page: DemoPage, port: int) -> list[str]:
    title = page.title if page.place == home(page).target else f"{page.title} · {home(page).text}"
    lines = [f'<meta charset="{page.charset}">'] if page.charset_in_meta else []
    lines += [f"<title>{escape(title)}</title>"]
    if page.sections and page.sections[0].sentences:
        lines.append(f'<meta name="description" content="{escape(page.sections[0].sentences[0])}">')
    if page.robots:
        lines.append(f'<meta name="robots" content="{page.robots}">')
    if page.refresh is not None:
        to = _href(page.place, page.refresh, port)
        lines.append(f'<meta http-equiv="refresh" content="0; url={to}">')
    for relation, target in (("canonical", page.canonical), ("next", page.next)):
        if target is not None:
            lines.append(f'<link rel="{relation}" href="{escape(_href(page.place, target, port))}">')
    return ["<head>", *lines, "</head>"]


def _section(page: DemoPage, section: DemoSection, port: int) -> list[str]:
    lines = [f"<h2>{escape(section.heading)}</h2>"] if section.heading else []
    if section.sentences:
        lines.append(f"<p>{escape(' '.join(section.sentences))}</p>")
    if section.links:
        items = [f"<li>{_anchor(page, link, port)}</li>" for link in section.links]
        lines += ["<ul>", *items, "</ul>"]
    return lines


def _anchor(page: DemoPage, link: Link, port: int) -> str:
    rel = ' rel="nofollow ugc"' if link.nofollow else ""
    return f'<a href="{escape(_href(page.place, link.target, port))}"{rel}>{escape(link.text)}</a>'
