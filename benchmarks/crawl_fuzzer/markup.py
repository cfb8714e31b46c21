"""Pages as markup: the same title, words and links in several dresses. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from benchmarks.crawl_fuzzer.site import Link, Page

DRESSES: Final = (
    "html", "fragment", "loud", "broken", "nested", "table", "noise", "frames", "late-head", "comments", "xhtml",
    "xhtml-empty", "shadow", "template-beside", "svg", "json-ld",
)  # fmt: skip
XML_DRESSES: Final = ("xhtml", "xhtml-empty")
_SPACE: Final = frozenset(" \t\n\r\f\"'`=<>")


def markup(page: Page) -> str:
    """Return the document before it is encoded."""
    head = [f"<title>{escape(page.title)}</title>"]
    if page.base:
        head.append(f'<base href="{escape(page.base)}">')
    if page.directives:
        head.append(f'<meta name="robots" content="{escape(page.directives)}">')
    head += [_head_element(link) for link in page.links if link.kind in _HEAD_KINDS]
    anchors = [_element(link, number, page.dress) for number, link in enumerate(page.links) if link.kind in _BODY_KINDS]
    text = f"<h1>{escape(page.title)}</h1><p>{escape(page.words)}</p>"
    if page.dress in XML_DRESSES:
        return _xhtml(page, head, text, anchors)
    return _DRESSED.get(page.dress, _html)(page, "".join(head), text, anchors)


def link_fields(page: Page) -> list[bytes]:
    """Return the links in the header of the response."""
    return [
        b"Link: <%s>; rel=next" % link.href.encode("ascii", "ignore") for link in page.links if link.kind == "field"
    ]


_HEAD_KINDS: Final = frozenset({"canonical", "next", "alternate", "refresh"})
_BODY_KINDS: Final = frozenset({"a", "area", "iframe", "frame"})


def _head_element(link: Link) -> str:
    if link.kind == "refresh":
        return f'<meta http-equiv="refresh" content="5; url={escape(link.href)}">'
    return f'<link rel="{link.kind}" href="{escape(link.href)}">'


def _element(link: Link, number: int, dress: str) -> str:
    rel = ' rel="nofollow"' if link.nofollow else ""
    href = escape(link.href)
    if link.kind == "area":
        return f'<map name="m{number}"><area href="{href}"{rel} alt="area {number}"></map>'
    if link.kind in ("iframe", "frame"):
        return f'<iframe src="{href}"></iframe>'
    if dress == "loud":
        if not link.nofollow and not _SPACE & set(link.href) and link.href and "&" not in link.href:
            return f"<A ID=x HREF={link.href} >LINK {number}</A>"
        return f"<A\nHREF\n=\n'{href}'{rel.upper()} HREF='/second'>LINK {number}</A>"
    return f'<a href="{href}"{rel}>link {number}</a>'


def _html(page: Page, head: str, text: str, anchors: Sequence[str]) -> str:
    items = "".join(f"<li>{each}</li>" for each in anchors)
    return (
        f'<!doctype html><html lang="{page.language}"><head>{head}</head>'
        f"<body><nav><a>no href</a></nav>{text}<ul>{items}</ul></body></html>"
    )


def _fragment(page: Page, head: str, text: str, anchors: Sequence[str]) -> str:
    return head + text + "\n".join(anchors)


def _broken(page: Page, head: str, text: str, anchors: Sequence[str]) -> str:
    before = f"<html><head>{head}<body><p><b><i>{text}<div></span></p><ul><li>"
    return before + "<li><b>".join(anchors) + "</body><p>x"


def _nested(page: Page, head: str, text: str, anchors: Sequence[str]) -> str:
    inner = "".join(f"<div><span>{each}</span>" for each in anchors)
    return f"<!doctype html>{head}<body>{'<div>' * 60}{text}{inner}"


def _table(page: Page, head: str, text: str, anchors: Sequence[str]) -> str:
    rows = "".join(f"<tr><td>{each}" for each in anchors)
    return f"<!doctype html>{head}<table>{rows}</table>{text}"


def _noise(page: Page, head: str, text: str, anchors: Sequence[str]) -> str:
    noise = '<script>document.write("<a href=/from-script>x</a>")</script><style>a{}</style><noscript></noscript>'
    before = f"\ufeff<!doctype html>{noise}{head}{noise}{text}"
    return before + noise.join(anchors) + "<!-- <a href=/in-comment>x</a> -->"


def _frames(page: Page, head: str, text: str, anchors: Sequence[str]) -> str:
    main = f"<main><article>{''.join(anchors)}</article></main>"
    return f"<!doctype html>{head}{text}{main}<object></object><video></video>"


def _late_head(page: Page, head: str, text: str, anchors: Sequence[str]) -> str:
    body = f"<body>{text}{''.join(anchors)}</body>"
    return f"<!doctype html>\n\n<html>\n<head>{' ' * 3000}{head}</head>{body}</html>\n\n\n"


def _comments(page: Page, head: str, text: str, anchors: Sequence[str]) -> str:
    before = f"<!-- a --><!doctype html><!---->{head}<!-->-->{text}<![CDATA[x]]>"
    return before + "<!-- - -- -->".join(anchors) + "<?x y?>"


def _shadow(page: Page, head: str, text: str, anchors: Sequence[str]) -> str:
    return f"<!doctype html>{head}{text}<x-y><template shadowrootmode=open>{''.join(anchors)}</template></x-y>"


def _template_beside(page: Page, head: str, text: str, anchors: Sequence[str]) -> str:
    return f"<!doctype html>{head}<template><a href=/in-template>x</a></template>{text}{''.join(anchors)}"


def _svg(page: Page, head: str, text: str, anchors: Sequence[str]) -> str:
    return f"<!doctype html>{head}{text}<svg><title>s</title><g/></svg><math><mi>x</mi></math>{''.join(anchors)}"


def _json_ld(page: Page, head: str, text: str, anchors: Sequence[str]) -> str:
    data = f'<script type="application/ld+json">{{"@type": "Article", "headline": "{page.language}"}};</script>'
    return f"<!doctype html>{head}{data}{text}{''.join(anchors)}"


_DRESSED: Final = {
    "html": _html, "loud": _html, "fragment": _fragment, "broken": _broken, "nested": _nested, "table": _table,
    "noise": _noise, "frames": _frames, "late-head": _late_head, "comments": _comments, "shadow": _shadow,
    "template-beside": _template_beside, "svg": _svg, "json-ld": _json_ld,
}  # fmt: skip


def _xhtml(page: Page, head: Sequence[str], text: str, anchors: Sequence[str]) -> str:
    """Well-formed XML, with elements that only XML may close at once."""
    closed = "".join(each if each.startswith("<title") else each[:-1] + "/>" for each in head)
    areas = "".join(each.replace("></map>", "/></map>") for each in anchors)
    empty = '<script src="/x.js"/><style/>' if page.dress == "xhtml-empty" else ""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">'
        f'<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="{page.language}"><head>{closed}{empty}</head>'
        f"<body>{text}{'<textarea/>' if empty else ''}<div>{areas}</div><br/></body></html>"
    )
