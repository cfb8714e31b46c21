"""The application that shows archived pages, on a port of its own.

/                  what is in the archive
/MOMENT/URL        a bar, and below it the page as it was at that moment, in a sandbox
/MOMENTmp_/URL     the page itself, and everything that it loads
/A-B/URL           two versions side by side

The pages of an archive are hostile: they may try to run scripts, or to reach the web, other pages of this server or the
pages of `serve`. So they are rewritten (crawler/parsing/resources/rewriting), get a content policy that lets them load
from this origin only, and are sandboxed: they cannot run scripts or send forms, and have no origin and thus no cookies.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

from aiohttp import web

from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.warc.capture_index import CapturedVersion, CaptureIndex
from hinterland.storage.warc.cdxj import update_index
from hinterland.web.rendering import Renderer, static_files
from hinterland.web.replay.choosing import chosen, is_same_page, nearest
from hinterland.web.replay.showing import MAX_BYTES, NotShown, marks_of, shown
from hinterland.web.security import names_this_machine

T = TypeVar("T")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_INDEX = web.AppKey("index", CaptureIndex)
_RENDERER = web.AppKey("renderer", Renderer)
_PLACES = web.AppKey("places", asyncio.Semaphore)
_MOST_AT_ONCE: Final = 4
_MOST_LISTED: Final = 500
_MOST_REDIRECTS: Final = 5
_MOST_VERSIONS_SHOWN: Final = 200

_BARE_HEADERS: Final = {
    "Content-Security-Policy": "sandbox allow-top-navigation-by-user-activation; default-src 'none'; img-src 'self'"
    " data:; style-src 'self' 'unsafe-inline' data:; font-src 'self' data:; media-src 'self' data:; frame-src 'self';"
    " script-src 'none'; connect-src 'none'; object-src 'none'; form-action 'none'; base-uri 'none'",
    "Access-Control-Allow-Origin": "*",  # fonts of a page that has no origin
    "X-DNS-Prefetch-Control": "off",
    "Referrer-Policy": "same-origin",
}
"""Header fields for responses from the archive."""
_OWN_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; frame-src 'self'; form-action 'self'; base-uri"
    " 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}
"""Header fields for the pages of the replay itself."""
_ALL_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}


def replay_application(folder: Path, *, only_this_machine: bool) -> web.Application:
    """Return the application for a folder of WARC files. Raises OSError if its index cannot be brought up to date."""
    update_index(folder)
    guards = [_guarded, *([_only_to_this_machine] if only_this_machine else [])]
    app = web.Application(middlewares=guards, handler_args={"max_line_size": 16_384, "max_field_size": 16_384})
    app[_INDEX] = CaptureIndex(folder)
    app[_RENDERER] = Renderer(static_files())
    app[_PLACES] = asyncio.Semaphore(_MOST_AT_ONCE)
    app.add_routes(
        [
            web.get("/", _list),
            web.get("/replay.css", _style),
            web.get("/robots.txt", _robots),
            web.get(r"/{moment:\d{1,14}}mp_/{url:.+}", _show),
            web.get(r"/{before:\d{14}}-{after:\d{14}}/{url:.+}", _compare),
            web.get(r"/{moment:\d{1,14}}/{url:.+}", _show_with_bar),
        ]
    )
    return app


# --- pages of the replay ------------------------------------------------------------------------


async def _list(request: web.Request) -> web.Response:
    if wanted := request.query.get("url", "").strip():
        url = Canonicaliser().canonical(wanted if "://" in wanted else f"http://{wanted}")
        if url is None:
            return _message(request, 400, "No URL", "This is not the URL of a page on the web.")
        raise web.HTTPFound(f"/{_now()}/{quote(url, safe=_SAFE)}")
    pages = await _in_thread(request, lambda: request.app[_INDEX].newest(_MOST_LISTED, "text/html"))
    return _page(request, "replay/list.html", pages=[(_path(each), each) for each in pages], most=_MOST_LISTED)


async def _show_with_bar(request: web.Request) -> web.Response:
    url, moment = _url(request), request.match_info["moment"]
    index = request.app[_INDEX]
    found = await _in_thread(request, lambda: chosen(index, url, moment, MAX_BYTES))
    if found is None:
        return _message(request, 404, "Not in the archive", f"The archive has nothing of {url}.")
    version = found.version
    if version.moment != moment:
        raise web.HTTPFound(_path(version))
    if found.target is not None and not found.leads_to_itself:
        raise web.HTTPFound(f"/{version.moment}/{quote(found.target, safe=_SAFE)}")
    versions = await _in_thread(request, lambda: index.versions(url))
    answer = found.answer
    marks = [] if answer is None else await _in_thread(request, lambda: marks_of(answer))
    return _page(
        request,
        "replay/page.html",
        version=version,
        marks=marks,
        frame=f"/{version.moment}mp_/{quote(version.url, safe=_SAFE)}",
        versions=[(_path(each), each) for each in versions[-_MOST_VERSIONS_SHOWN:]],
        before=_before(versions, version),
    )


async def _compare(request: web.Request) -> web.Response:
    url = _url(request)
    versions = await _in_thread(request, lambda: request.app[_INDEX].versions(url))
    both = [nearest(versions, request.match_info[name]) for name in ("before", "after")]
    sides = [(f"/{each.moment}mp_/{quote(each.url, safe=_SAFE)}", each) for each in both if each is not None]
    if len(sides) < 2:
        return _message(request, 404, "Not in the archive", f"The archive has nothing of {url}.")
    return _page(request, "replay/compare.html", sides=sides, url=url)


# --- what the archive holds ---------------------------------------------------------------------


async def _show(request: web.Request) -> web.Response:
    url, moment, index = _url(request), request.match_info["moment"], request.app[_INDEX]

    try:
        found = await _in_thread(request, lambda: chosen(index, url, moment, MAX_BYTES))
        if found is None:
            return _bare(404, f"The archive has nothing of {url}.")
        version, answer, target = found.version, found.answer, found.target
        if answer is None:
            return _bare(502, f"This cannot be shown: {found.problem}.")
        if found.is_redirect:
            if target is None or found.leads_to_itself:
                return _bare(404, "It redirects to nothing that could be archived.")
            return _headed(web.Response(status=302, headers={"Location": f"/{moment}mp_/{quote(target, safe=_SAFE)}"}))
        destination = request.headers.get("Sec-Fetch-Dest", "")
        made = await _in_thread(request, lambda: shown(answer, version.url, version.moment, destination))
        target = Canonicaliser().canonical(made.moves_to) if made.moves_to else None
        if (
            target is not None
            and not is_same_page(target, version.url)
            and await _in_thread(request, lambda: bool(index.versions(target)))
        ):
            return _headed(web.Response(status=302, headers={"Location": f"/{moment}mp_/{quote(target, safe=_SAFE)}"}))
    except NotShown as error:
        return _bare(502, f"This cannot be shown: {error}.")
    except MemoryError:
        return _bare(502, "This cannot be shown: it needs too much memory.")
    response = web.Response(status=answer.status if answer.status >= 400 else 200, body=made.body)
    response.headers["Content-Type"] = made.content_type
    if made.is_download:
        response.headers["Content-Disposition"] = "attachment"
    return _headed(response)


def _bare(status: int, text: str) -> web.Response:
    return _headed(web.Response(status=status, text=text, content_type="text/plain"))


def _headed(response: web.Response) -> web.Response:
    response.headers.update(_BARE_HEADERS)
    return response


async def _style(request: web.Request) -> web.Response:
    _, data = static_files()["replay.css"]
    return web.Response(body=data, content_type="text/css", charset="utf-8")


async def _robots(_: web.Request) -> web.Response:
    return web.Response(text="User-agent: *\nDisallow: /\n")


# --- parts --------------------------------------------------------------------------------------

_SAFE: Final = "/:?&=%+,;@!$'()*~[]#-._"
_SLASHES: Final = re.compile(r"^(https?):/+", re.IGNORECASE)


def _url(request: web.Request) -> str:
    """Return the URL after /MOMENT/ in a request, with its query, percent-encoded as in the request."""
    raw = request.raw_path.split("/", 2)[2]
    url = Canonicaliser().canonical(_SLASHES.sub(r"\1://", raw))
    if url is None:
        raise web.HTTPNotFound
    return url


def _before(versions: list[CapturedVersion], version: CapturedVersion) -> str:
    """Return the address that compares a version with the previous one that differs; "" if there is none."""
    earlier = [each for each in versions if each.moment < version.moment and each.digest != version.digest]
    return f"/{earlier[-1].moment}-{version.moment}/{quote(version.url, safe=_SAFE)}" if earlier else ""


def _path(version: CapturedVersion) -> str:
    return f"/{version.moment}/{quote(version.url, safe=_SAFE)}"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y%m%d%H%M%S")


async def _in_thread(request: web.Request, work: Callable[[], T]) -> T:
    async with request.app[_PLACES]:
        return await asyncio.to_thread(work)


def _page(request: web.Request, template: str, status: int = 200, **values: object) -> web.Response:
    text = request.app[_RENDERER].page(template, **values)
    response = web.Response(text=text, status=status, content_type="text/html")
    response.headers.update(_OWN_HEADERS)
    return response


def _message(request: web.Request, status: int, title: str, message: str) -> web.Response:
    return _page(request, "replay/message.html", status, title=title, message=message)


@web.middleware
async def _guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        response = await handler(request)
    except web.HTTPException as error:
        response = web.Response(status=error.status, text=error.reason, headers=dict(error.headers))
        if "Location" not in error.headers:
            response.headers.update(_BARE_HEADERS)
    response.headers.update(_ALL_HEADERS)
    return response


@web.middleware
async def _only_to_this_machine(request: web.Request, handler: Handler) -> web.StreamResponse:
    if not names_this_machine(request.host):
        raise web.HTTPForbidden
    return await handler(request)
