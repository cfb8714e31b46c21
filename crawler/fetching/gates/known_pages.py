"""The pages that gates show, recognised by marks in their markup.

A mark must not occur on ordinary pages of sites behind a filter, which contain its scripts and cookies, too. So every
mark belongs to the gate itself; an ordinary script that announces the filter is not a mark, and words for readers count
only together with a mark. All patterns are applied to a page in lower case, without its comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from hinterland.crawler.fetching.gates.gate import GateKind

_MOST_TEXT: Final = 2_500
_REFUSING: Final = frozenset({401, 403, 405, 406, 429, 503})
_BY_MARKUP: Final = "by its markup"
_BY_TITLE: Final = "by its title and markup"


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page that a gate shows.

    `key` holds bytes that always occur in it, for a quick first check. All of `marks` must occur in its tags and
    scripts, and `without` must not. All of `says` must occur in its visible text, which has at most `most_text` bytes.
    `title` must match the whole title. `statuses` are the statuses with which the page is sent; None means any status.
    """

    owner: str
    kind: GateKind
    key: bytes
    marks: tuple[re.Pattern[bytes], ...] = ()
    says: tuple[re.Pattern[bytes], ...] = ()
    title: re.Pattern[bytes] | None = None
    without: re.Pattern[bytes] | None = None
    most_text: int = _MOST_TEXT
    statuses: frozenset[int] | None = None

    def comes_with(self, status: int) -> bool:
        """Return whether the page may be sent with this status."""
        return self.statuses is None or status in self.statuses

    @property
    def sign(self) -> str:
        """How the page is recognised, in words."""
        return _BY_MARKUP if self.title is None else _BY_TITLE


def _page(kind: GateKind, owner: str, key: bytes, *marks: bytes, title: bytes | None = None) -> KnownPage:
    compiled = tuple(re.compile(mark) for mark in marks)
    return KnownPage(owner, kind, key, compiled, title=None if title is None else re.compile(title))


def _challenge(owner: str, key: bytes, *marks: bytes, title: bytes | None = None) -> KnownPage:
    return _page(GateKind.CHALLENGE, owner, key, *marks, title=title)


def _refusal(owner: str, key: bytes, *marks: bytes, title: bytes | None = None) -> KnownPage:
    return replace(_page(GateKind.REFUSAL, owner, key, *marks, title=title), statuses=_REFUSING)


def _captcha(owner: str, key: bytes, widget: bytes) -> KnownPage:
    """Return a page that contains only a captcha, of a kind that sites also use in their forms."""
    return KnownPage(
        owner,
        GateKind.CHALLENGE,
        key,
        (re.compile(widget),),
        title=_ASKS_FOR_A_PERSON,
        without=re.compile(rb"type=[\"']?(?:password|email|search|tel)|<textarea[^<>]{0,200}required"),
        most_text=500,
    )


_ASKS_FOR_A_PERSON: Final = re.compile(
    rb"(?:just a moment|one more step|captcha|robot check|access denied|are you (?:a )?(?:human|robot)"
    rb"|robot or human|(?:human|bot|robot|captcha|browser) (?:verification|check|challenge)"
    rb"|(?:please )?(?:verify|confirm|prove) (?:that )?you(?:'re| are) (?:a )?(?:human|not a (?:ro)?bot)"
    rb"|(?:please )?(?:complete|solve) (?:the|this) captcha|checking your browser)[.?! \xe2\x80\xa6]*"
)

KNOWN_PAGES: Final = (
    _challenge("Cloudflare", b"_cf_chl_opt", rb"window\._cf_chl_opt\s*="),
    _challenge("Cloudflare", b"__cf_chl_", rb"id=[\"']?challenge-form", rb"__cf_chl_[a-z_]*tk"),
    _refusal(
        "Cloudflare",
        b"cf-error-details",
        rb"id=[\"']?cf-error-details",
        title=rb"attention required! \| cloudflare|access denied.*used cloudflare to restrict access"
        rb"|(?:access denied|you are being rate limited|error 10\d\d)(?: \|.*)?",
    ),
    _challenge("AWS WAF", b"window.gokuprops", rb"window\.gokuprops\s*="),
    _challenge("AWS WAF", b".awswaf.com/", rb"\.awswaf\.com/", title=rb"human verification"),
    _challenge("Akamai", b"sec-if-cpt-container", rb"id=[\"']?sec-if-cpt-container"),
    _challenge("Akamai", b"bm-verify=", rb"http-equiv=[\"']?refresh[^<>]{0,80}[?&;]bm-verify="),
    KnownPage(
        "Akamai",
        GateKind.REFUSAL,
        b"reference",
        says=(re.compile(rb"reference(?:&#32;|\s)(?:&#35;|#)[0-9a-f]+(?:&#46;|\.)[0-9a-f]{4}"),),
        title=re.compile(rb"access denied"),
        statuses=_REFUSING,
    ),
    _challenge("Imperva", b"_incapsula_resource?", rb"<iframe[^<>]{0,200}src=[\"']?/_incapsula_resource\?"),
    KnownPage(
        "Imperva",
        GateKind.CHALLENGE,
        b"_incapsula_resource?",
        (re.compile(rb"<script[^<>]{0,80}src=[\"']?/_incapsula_resource\?"), re.compile(rb"noindex")),
        most_text=0,
    ),
    _challenge(
        "Imperva",
        b"pardon our interruption",
        rb"reeseskip|distil_|showblockpage|onprotectioninitialized",
        title=rb"pardon our interruption(?:\.\.\.)?",
    ),
    _challenge("DataDome", b"captcha-delivery.com", rb"var dd\s*=\s*\{", rb"captcha-delivery\.com"),
    _challenge("HUMAN", b"_pxappid", rb"window\._pxappid\s*=", rb"px-captcha|captcha\.px-c|/captcha/captcha\.js"),
    _challenge("Sucuri", b"sucuri_cloudproxy_js", rb"sucuri_cloudproxy_js\s*="),
    _refusal(
        "Sucuri",
        b"sucuri.net",
        rb"sucuri\.net",
        title=rb"sucuri website firewall.*|access denied - sucuri website firewall",
    ),
    _challenge(
        "DDoS-Guard", b"ddos-guard", rb"/\.well-known/ddos-guard/|data-ddg-|check\.ddos-guard", title=rb"ddos-guard"
    ),
    _challenge("Anubis", b"anubis_challenge", rb"id=[\"']?anubis_challenge"),
    _challenge("Anubis", b"/.within.website/", rb"/\.within\.website/", title=rb"making sure you.{1,6}re not a bot!?"),
    _page(GateKind.REFUSAL, "Anubis", b"/.within.website/", rb"/\.within\.website/", title=rb"oh noes!?"),
    _challenge("SiteGround", b"/.well-known/", rb"http-equiv=[\"']?refresh[^<>]{0,40}/\.well-known/(?:sg)?captcha/"),
    _challenge("Vercel", b"vercel security checkpoint", rb"/vercel/security/", title=rb"vercel security checkpoint"),
    _challenge("Fastly", b"/_fs-ch-", rb"/_fs-ch-[a-z0-9]+/", title=rb"client challenge"),
    _challenge("Kasada", b"window.kpsdk", rb"window\.kpsdk\s*=\s*\{", rb"/ips\.js\?"),
    _challenge(
        "Radware", b"perfdrive", rb"perfdrive\.com", title=rb"radware (?:bot manager )?(?:block |captcha )?page"
    ),
    _challenge("Alibaba Cloud", b"acw_sc__v2", rb"var arg1\s*=\s*[\"'][0-9a-f]{40}", rb"acw_sc__v2"),
    _challenge("Qrator", b"/__qrator/", rb"<script[^<>]{0,80}src=[\"']?/__qrator/qauth"),
    _challenge("Amazon", b"validatecaptcha", rb"action=[\"']?/errors(?:_page)?/validatecaptcha"),
    KnownPage(
        "Google",
        GateKind.CHALLENGE,
        b"captcha-form",
        (re.compile(rb"id=[\"']?captcha-form"),),
        says=(re.compile(rb"our systems have detected unusual traffic"),),
    ),
    KnownPage(
        "testcookie",
        GateKind.COOKIES,
        b"slowaes.decrypt",
        (re.compile(rb"slowaes\.decrypt\("), re.compile(rb"document\.cookie\s*=")),
    ),
    _captcha("reCAPTCHA", b"g-recaptcha", rb"class=[\"']?[^<>\"']{0,80}g-recaptcha"),
    _captcha("hCaptcha", b"h-captcha", rb"class=[\"']?[^<>\"']{0,80}h-captcha"),
    _captcha("Cloudflare Turnstile", b"cf-turnstile", rb"class=[\"']?[^<>\"']{0,80}cf-turnstile"),
)
