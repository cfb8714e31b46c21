"""Faults of all kinds, injected into a site, with what an audit has to say of each. Pure."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final

from benchmarks.injected_faults.site import KEPT, FaultySite, Reply, SitePage
from benchmarks.injected_faults.texts import english, german

Said = set[tuple[str, str]]
"""(rule, URL at fault)."""


class Injection:
    """The site under injection. Mutable: no page has two faults, and `expected` grows."""

    def __init__(self, site: FaultySite, dice: random.Random) -> None:
        """Inject into a clean site."""
        self.site, self.dice = site, dice
        self.expected: Said = set()
        leaves = [page for url, page in self.site.pages.items() if not url.endswith("/")]
        plain = [page for page in leaves if not any("hreflang" in each for each in page.heads)]
        self._free = self.dice.sample(plain, len(plain))
        self._groups = [page for page in leaves if page not in plain][::2]
        self._made = 0

    def page(self, host: str = "") -> SitePage:
        """Return a page without a fault, of this host if one is given."""
        found = next(each for each in self._free if each.url.startswith(host or "http"))
        self._free.remove(found)
        return found

    def translated(self) -> tuple[SitePage, SitePage]:
        """Return a page with a translation, and the translation; neither has a fault."""
        first = self._groups.pop()
        return first, self.site.pages[first.url.removesuffix("p0") + "p1"]

    def name(self, what: str) -> str:
        """Return a name that nothing has yet."""
        self._made += 1
        return f"{what}-{self._made}"

    def say(self, page: str, *rules: str) -> None:
        """Note what an audit has to say of a URL."""
        self.expected |= {(rule, page) for rule in rules}

    def answer(self, path: str, reply: Reply, host: str = "") -> str:
        """Let a host, the home if none is given, answer at a path; return the URL."""
        url = f"{host or self.site.home}/{path}"
        self.site.replies[url] = reply
        return url

    def redirect(self, what: str, target: str, status: int = 301) -> str:
        """Let a new address redirect; return its URL."""
        return self.answer(self.name(what), Reply(status, fields={"Location": target}))

    def new_page(self, linked_from: list[SitePage], like: SitePage | None = None) -> SitePage:
        """Add a page that these link to, and which links back to the start page; perhaps a copy of another."""
        url = f"{self.site.home}/{self.name('page')}"
        name = url.rpartition("/")[2]
        made = SitePage(
            url,
            f"New {name}",
            f"What is new of {name}.",
            english(self.dice, 20),
            [(1, f"New {name}")],
            canonical=url,
            links=[f"{self.site.home}/"],
        )
        if like is not None:
            made.title, made.description, made.text = like.title, like.description, like.text
            made.headings, made.links, made.heads, made.bodies = like.headings, like.links, like.heads, like.bodies
        for page in linked_from:
            page.links = [*page.links, url]
        return self.site.add(made)


GONE: Final = Reply(404, b"<title>Not found</title>nothing")
BROKEN: Final = Reply(500, b"<title>Error</title>an error")
UNKEPT: Final = Reply(200, bytes(9), "image/png", {"Cache-Control": "no-store"})
REFUSED: Final = Reply(403, b"<title>Forbidden</title>no")


def _linked(what: str, reply: Reply, rule: str, *, is_outside: bool = False) -> Callable[[Injection], None]:
    def inject(injection: Injection) -> None:
        host = injection.site.outside if is_outside else ""
        url = injection.answer(injection.name(what), reply, host)
        injection.page().links.append(url)
        injection.say(url, rule)

    return inject


def _loaded(what: str, markup: str, reply: Reply, rule: str) -> Callable[[Injection], None]:
    def inject(injection: Injection) -> None:
        url = injection.answer(injection.name(what), reply)
        injection.page(injection.site.home).bodies.append(markup.format(url))
        injection.say(url, rule)

    return inject


def _changed(rule: str, change: Callable[[SitePage], None]) -> Callable[[Injection], None]:
    def inject(injection: Injection) -> None:
        page = injection.page()
        change(page)
        injection.say(page.url, rule)

    return inject


def _without(fields: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in fields.items() if name not in names}


def _with(page: SitePage, **changes: object) -> None:
    for name, value in changes.items():
        setattr(page, name, value)


# -------------------------------------------------------------------- links and redirects


def _outside_forbidden(injection: Injection) -> None:
    url = injection.answer(f"private/{injection.name('page')}", Reply(), injection.site.outside)
    injection.page().links.append(url)
    injection.say(url, "unchecked-outside-link")


def _fragment(injection: Injection) -> None:
    target, fragment = injection.page(), injection.name("part")
    injection.page().links.append(f"{target.url}#{fragment}")
    injection.say(f"{target.url}#{fragment}", "broken-fragment")


def _own_fragment(injection: Injection) -> None:
    page, fragment = injection.page(), injection.name("part")
    page.links.append(f"#{fragment}")
    injection.say(f"{page.url}#{fragment}", "broken-fragment")


def _redirect(status: int, rule: str) -> Callable[[Injection], None]:
    def inject(injection: Injection) -> None:
        url = injection.redirect("old", injection.page().url, status)
        injection.page().links.append(url)
        injection.say(url, rule)

    return inject


def _redirect_to_nothing(injection: Injection) -> None:
    gone = injection.answer(injection.name("gone"), GONE)
    url = injection.redirect("old", gone)
    injection.page().links.append(url)
    injection.say(url, "redirected-link")
    injection.say(gone, "broken-link")


def _redirect_chain(injection: Injection) -> None:
    url = injection.redirect("older", injection.redirect("old", injection.page().url))
    injection.page().links.append(url)
    injection.say(url, "redirected-link", "redirect-chain")


def _redirect_loop(injection: Injection) -> None:
    name = injection.name("circle")
    back = injection.redirect("back", f"{injection.site.home}/{name}")
    url = injection.answer(name, Reply(301, fields={"Location": back}))
    injection.page().links.append(url)
    injection.say(url, "redirected-link", "redirect-loop")


def _insecure(injection: Injection) -> None:
    target = injection.page(injection.site.secure).url
    url = target.replace("https://", "http://", 1)
    injection.site.replies[url] = Reply(301, fields={"Location": target})
    injection.page().links.append(url)
    injection.say(url, "insecure-link", "redirected-link")


# -------------------------------------------------------------------- indexing


def _blocked(injection: Injection) -> None:
    url = injection.answer(f"private/{injection.name('page')}", Reply())
    injection.page().links.append(url)
    injection.say(url, "blocked-linked")


def _canonical(injection: Injection) -> None:
    page = injection.page()
    _with(page, canonical=injection.page(injection.site.home).url, is_listed=False)
    injection.say(page.url, "canonical-elsewhere")


def _canonical_broken(injection: Injection) -> None:
    page = injection.page()
    _with(page, canonical=injection.answer(injection.name("gone"), GONE), is_listed=False)
    injection.say(page.url, "canonical-elsewhere", "canonical-broken")


def _canonical_chain(injection: Injection) -> None:
    first, second, third = (injection.page(injection.site.home) for _ in range(3))
    for page, canonical in ((first, second), (second, third)):
        _with(page, canonical=canonical.url, is_listed=False)
        injection.say(page.url, "canonical-elsewhere")
    injection.say(first.url, "canonical-chain")


def _noindex(injection: Injection) -> None:
    page = injection.page()
    _with(page, is_listed=False)
    page.heads.append("<meta name=robots content=noindex>")
    injection.say(page.url, "noindex-linked")


def _noindex_by_field(injection: Injection) -> None:
    page = injection.page()
    page.fields["X-Robots-Tag"] = "noindex"
    injection.say(page.url, "noindex-linked", "sitemap-closed")


def _listed(what: str, reply: Reply, rule: str) -> Callable[[Injection], None]:
    def inject(injection: Injection) -> None:
        url = injection.answer(injection.name(what), reply)
        injection.site.listed.append(url)
        injection.say(url, rule)

    return inject


def _listed_redirect(injection: Injection) -> None:
    url = injection.redirect("old", injection.page().url)
    injection.site.listed.append(url)
    injection.say(url, "sitemap-redirected")


# -------------------------------------------------------------------- texts and languages


def _same(rule: str, attribute: str) -> Callable[[Injection], None]:
    def inject(injection: Injection) -> None:
        first, second = injection.page(injection.site.home), injection.page(injection.site.home)
        setattr(first, attribute, getattr(second, attribute))
        injection.say(first.url, rule)
        injection.say(second.url, rule)

    return inject


def _foreign_text(injection: Injection) -> None:
    page = injection.page()
    page.text = german(injection.dice, 20)
    injection.say(page.url, "language-differs")


def _no_return(injection: Injection) -> None:
    first, second = injection.translated()
    second.heads = [each for each in second.heads if f'"{first.url}"' not in each]
    second.heads.append(f'<link rel=alternate hreflang="x-default" href="{second.url}">')
    injection.say(first.url, "hreflang-no-return")


def _no_default(injection: Injection) -> None:
    for page in injection.translated():
        page.heads = [each for each in page.heads if "x-default" not in each]
        injection.say(page.url, "hreflang-default")


def _broken_translation(injection: Injection) -> None:
    page, _ = injection.translated()
    url = injection.answer(injection.name("gone"), GONE)
    page.heads.append(f'<link rel=alternate hreflang="es" href="{url}">')
    injection.say(page.url, "hreflang-broken")


def _wrong_code(injection: Injection) -> None:
    page, _ = injection.translated()
    page.heads.append(f'<link rel=alternate hreflang="en-UK" href="{page.url}">')
    injection.say(page.url, "hreflang-code")


# -------------------------------------------------------------------- duplicates and structure


def _copy(injection: Injection) -> None:
    page = injection.page(injection.site.home)
    page.canonical = ""
    made = injection.new_page([injection.page(), injection.page()], page)
    made.canonical = ""
    for each in (page, made):
        injection.say(each.url, "exact-duplicate", "near-duplicate", "title-duplicate", "description-duplicate")


def _near_copy(injection: Injection) -> None:
    page = injection.page(injection.site.home)
    made = injection.new_page([injection.page(), injection.page()])
    made.text = f"{page.text.rpartition(' ')[0]} otherwise."
    made.headings, made.bodies, made.links = page.headings, page.bodies, page.links
    for each in (page, made):
        injection.say(each.url, "near-duplicate")


def _orphan(injection: Injection) -> None:
    injection.say(injection.new_page([]).url, "orphan")


def _single(injection: Injection) -> None:
    injection.say(injection.new_page([injection.page()]).url, "single-inlink")


def _dead_end(injection: Injection) -> None:
    page = injection.page()
    _with(page, links=[])
    injection.say(page.url, "dead-end")


def _deep(injection: Injection) -> None:
    above = injection.page(injection.site.home)
    for depth in range(3, 7):
        first, second = injection.new_page([above]), injection.new_page([above])
        first.links, second.links = [*first.links, second.url], [*second.links, first.url]
        if depth > 5:
            injection.say(first.url, "deep-page")
            injection.say(second.url, "deep-page")
        above = first


# -------------------------------------------------------------------- files and fields


def _font(injection: Injection) -> None:
    font, style = injection.name("font"), injection.name("style")
    css = f"@font-face {{ font-family: y; src: url(/{font}) }}".encode()
    injection.answer(style, Reply(200, css, "text/css", KEPT))
    page = injection.page(injection.site.home)
    page.heads.append(f"<link rel=stylesheet href=/{style}>")
    injection.say(injection.answer(font, GONE), "broken-asset")


def _heavy_background(injection: Injection) -> None:
    image, style = injection.name("image"), injection.name("style")
    css = f"p {{ background: url(/{image}) }}".encode()
    injection.answer(style, Reply(200, css, "text/css", KEPT))
    injection.page(injection.site.home).heads.append(f"<link rel=stylesheet href=/{style}>")
    injection.say(injection.answer(image, Reply(200, bytes(600_000), PNG, KEPT)), "heavy-image")


def _forbidden_file(injection: Injection) -> None:
    url = injection.answer(f"private/{injection.name('script')}", Reply(200, b"", "text/javascript"))
    injection.page(injection.site.home).bodies.append(f"<script src={url}></script>")
    injection.say(url, "unchecked-asset")


def _mixed(injection: Injection) -> None:
    page = injection.page(injection.site.secure)
    page.bodies.append(f'<img src="{injection.site.home}/files/a.png" alt="by http">')
    injection.say(page.url, "mixed-content")


def _no_fields(injection: Injection) -> None:
    done = {url for rule, url in injection.expected if rule == "security-headers"}
    host = next(each for each in (injection.site.home, injection.site.secure) if each not in done)
    injection.page(host).fields.pop("X-Content-Type-Options")
    injection.say(host, "security-headers")


def _late_certificate(injection: Injection) -> None:
    injection.site.certificate_days = 5
    injection.say(injection.site.secure, "certificate-ends")


def _random(bytes_wanted: int, dice: random.Random) -> str:
    return f"<!-- {dice.randbytes(bytes_wanted // 2).hex()} -->"


def _heavy(injection: Injection) -> None:
    page = injection.page()
    page.bodies.append(_random(1_200_000, injection.dice))
    injection.say(page.url, "heavy-page")


def _uncompressed(injection: Injection) -> None:
    page = injection.page()
    page.bodies.append(_random(12_000, injection.dice))
    page.is_compressed = False
    injection.say(page.url, "uncompressed-page")


PNG: Final = "image/png"
KINDS: Final[Mapping[str, Callable[[Injection], None]]] = {
    "link to nothing": _linked("gone", GONE, "broken-link"),
    "link to a page that is gone": _linked("gone", Reply(410), "broken-link"),
    "link to an error": _linked("error", BROKEN, "unreachable-link"),
    "link to a refusal": _linked("refused", REFUSED, "unchecked-link"),
    "link to a log-in": _linked("login", Reply(401), "unchecked-link"),
    "outside link to nothing": _linked("gone", GONE, "broken-outside-link", is_outside=True),
    "outside link to an error": _linked("error", BROKEN, "unreachable-outside-link", is_outside=True),
    "outside link to a refusal": _linked("refused", REFUSED, "unchecked-outside-link", is_outside=True),
    "outside link that robots.txt forbids": _outside_forbidden,
    "link to a missing anchor": _fragment,
    "link to a missing anchor of the same page": _own_fragment,
    "link that is no URL": _changed("malformed-link", lambda page: page.links.append("http://[x/")),
    "link to a redirect": _redirect(301, "redirected-link"),
    "link to a permanent redirect": _redirect(308, "redirected-link"),
    "link to a temporary redirect": _redirect(302, "temporary-redirect"),
    "link to a redirect to nothing": _redirect_to_nothing,
    "link to a chain of redirects": _redirect_chain,
    "link to a loop of redirects": _redirect_loop,
    "link by http": _insecure,
    "link to a forbidden page": _blocked,
    "another canonical page": _canonical,
    "a canonical page that is gone": _canonical_broken,
    "a chain of canonical pages": _canonical_chain,
    "several canonical pages": _changed(
        "several-canonicals", lambda page: page.heads.append(f'<link rel=canonical href="{page.url}">')
    ),
    "noindex": _noindex,
    "noindex by a field": _noindex_by_field,
    "a dead page in the sitemap": _listed("gone", GONE, "sitemap-dead"),
    "a redirect in the sitemap": _listed_redirect,
    "a forbidden page in the sitemap": _listed("private/page", Reply(), "sitemap-blocked"),
    "a page that the sitemap does not list": _changed("sitemap-missing", lambda page: _with(page, is_listed=False)),
    "broken JSON-LD": _changed(
        "structured-data-broken",
        lambda page: page.heads.append('<script type="application/ld+json">{"a": 1,}</script>'),
    ),
    "no title": _changed("title-missing", lambda page: _with(page, title="")),
    "a long title": _changed("title-long", lambda page: _with(page, title=f"{page.title} {'and more ' * 8}")),
    "the title of another page": _same("title-duplicate", "title"),
    "no description": _changed("description-missing", lambda page: _with(page, description="")),
    "a long description": _changed(
        "description-long", lambda page: _with(page, description=f"{page.description} {'and more ' * 16}")
    ),
    "the description of another page": _same("description-duplicate", "description"),
    "no h1": _changed("h1-missing", lambda page: _with(page, headings=[(2, "Second")])),
    "an empty h1": _changed("h1-missing", lambda page: _with(page, headings=[(1, ""), (2, "Second")])),
    "two h1": _changed("h1-several", lambda page: _with(page, headings=[(1, "First"), (1, "Second")])),
    "a long h1": _changed("h1-long", lambda page: _with(page, headings=[(1, "A paragraph, not a heading. " * 6)])),
    "a skipped level": _changed("heading-skipped", lambda page: _with(page, headings=[(1, "First"), (3, "Third")])),
    "no language": _changed("language-missing", lambda page: _with(page, language="")),
    "a text in another language": _foreign_text,
    "a translation without a way back": _no_return,
    "translations without a default": _no_default,
    "a translation that is gone": _broken_translation,
    "a wrong language code": _wrong_code,
    "a copy": _copy,
    "a near copy": _near_copy,
    "an orphan": _orphan,
    "a page with one link": _single,
    "a dead end": _dead_end,
    "a deep page": _deep,
    "a missing image": _loaded("image", '<img src="{}" alt="x">', GONE, "broken-image"),
    "a missing image of a srcset": _loaded("image", '<img srcset="{} 2x" alt="x">', GONE, "broken-image"),
    "a missing script": _loaded("script", '<script src="{}"></script>', GONE, "broken-asset"),
    "a missing style sheet": _loaded("style", '<link rel=stylesheet href="{}">', GONE, "broken-asset"),
    "a missing film": _loaded("film", '<video src="{}"></video>', GONE, "broken-asset"),
    "a missing font of a style sheet": _font,
    "a script with an error": _loaded("script", '<script src="{}"></script>', BROKEN, "unreachable-asset"),
    "an image that is refused": _loaded("image", '<img src="{}" alt="x">', REFUSED, "unchecked-asset"),
    "a script that robots.txt forbids": _forbidden_file,
    "a heavy image": _loaded("image", '<img src="{}" alt="x">', Reply(200, bytes(600_000), PNG, KEPT), "heavy-image"),
    "an image without alt": _changed("image-alt", lambda page: page.bodies.append('<img src="/files/a.png">')),
    "no viewport": _changed("viewport-missing", lambda page: _with(page, has_viewport=False)),
    "a slow page": _changed("slow-page", lambda page: _with(page, seconds=2.3)),
    "a heavy page": _heavy,
    "an uncompressed page": _uncompressed,
    "mixed content": _mixed,
    "a page that says no-store": _changed(
        "cache-headers", lambda page: page.fields.update({"Cache-Control": "private, no-store"})
    ),
    "a page without caching fields": _changed(
        "cache-headers", lambda page: _with(page, fields=_without(page.fields, "Cache-Control", "ETag"))
    ),
    "an image that says no-store": _loaded(
        "image",
        '<img src="{}" alt="x">',
        UNKEPT,
        "asset-cache-headers",
    ),
    "a script without caching fields": _loaded(
        "script", '<script src="{}"></script>', Reply(200, b"", "text/javascript"), "asset-cache-headers"
    ),
    "a heavy image of a style sheet": _heavy_background,
    "no security fields": _no_fields,
    "a certificate that ends soon": _late_certificate,
}
"""What is injected, by its name."""
MOST: Final = {"no security fields": 2, "a certificate that ends soon": 1}
"""How often a kind can be injected: for each host, or host with a certificate, once."""


def inject(site: FaultySite, count: int, dice: random.Random, *, without: tuple[str, ...] = ()) -> Said:
    """Inject this number of faults into a clean site, each kind before any a second time.

    Returns what an audit has to say, and no more. Raises StopIteration if the site has too few pages.
    """
    injection = Injection(site, dice)
    names = [name for name in KINDS if name not in without]
    for number in range(count):
        name = names[number % len(names)]
        if number // len(names) < MOST.get(name, count):
            KINDS[name](injection)
    return injection.expected
