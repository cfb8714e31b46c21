"""Pages with which bot filters answer instead of the host: status, fields and marks as the well-known ones have them.

They are made from what these services document and what their pages are recognised by, shortened. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge; `fields` are those of the answer, without those about its body."""

    name: str
    status: int
    fields: tuple[tuple[str, str], ...]
    body: bytes


def _page(title: str, content: str) -> bytes:
    return (
        f'<!DOCTYPE html><html lang="en-US"><head><title>{title}</title><meta name="robots" content="noindex,nofollow">'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"></head><body>{content}</body></html>\n'
    ).encode()


_CLOUDFLARE: Final = _page(
    "Just a moment...",
    '<div class="main-wrapper" role="main"><noscript><span id="challenge-error-text">Enable JavaScript and cookies to'
    " continue</span></noscript></div><script>(function(){window._cf_chl_opt={cvId:'3',cType:'managed',"
    "cRay:'8f0c2d3b9a1e4c55'};var a=document.createElement('script');"
    "a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8f0c2d3b9a1e4c55';"
    "document.getElementsByTagName('head')[0].appendChild(a);}());</script>",
)
_CLOUDFLARE_OLD: Final = _page(
    "Just a moment...",
    '<div id="cf-content"><h1>Checking your browser before accessing this site.</h1><p>This process is automatic. Your'
    " browser will redirect to your requested content shortly.</p>"
    '<form id="challenge-form" action="/?__cf_chl_f_tk=a1b2" method="POST"></form>'
    '<p>DDoS protection by <a href="https://www.cloudflare.com/">Cloudflare</a></p></div>',
)
_DATADOME: Final = _page(
    "Access blocked",
    "<p id=\"cmsg\">Please enable JS and disable any ad blocker</p><script data-cfasync=\"false\">var dd={'rt':'c',"
    "'cid':'AHrlqAAAAAMA','hsh':'0A1B2C','t':'bv','s':4711,'host':'geo.captcha-delivery.com'}</script>"
    '<script data-cfasync="false" src="https://ct.captcha-delivery.com/c.js"></script>',
)
_AKAMAI: Final = _page(
    "Access Denied",
    "<h1>Access Denied</h1>You don't have permission to access this page on this server.<p>Reference&#32;&#35;18&#46;"
    "2f1c1202&#46;1732600000&#46;1a2b3c4d<p>https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18&#46;2f1c1202",
)
_IMPERVA: Final = (
    b'<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"></head><body style="margin:0px">'
    b'<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=9-1234567-0&incident_id=1234" frameborder=0'
    b">Request unsuccessful. Incapsula incident ID: 1234000560123456789-98765</iframe></body></html>\n"
)
_HUMAN: Final = _page(
    "Access to this page has been denied",
    '<div id="px-captcha"></div><p>Press &amp; Hold to confirm you are a human (and not a bot).</p>'
    "<script>window._pxAppId='PXabcdefgh';window._pxJsClientSrc='/abcdefgh/init.js';</script>",
)
_AWS: Final = (
    b'<!DOCTYPE html><html lang="en"><head><title></title><script>window.awsWafCookieDomainList=[];window.gokuProps={'
    b'"key":"AQIDAHjc","iv":"CgAH","context":"a"};</script><script src="https://a1b2.token.awswaf.com/challenge.js">'
    b'</script></head><body><div id="challenge-container"></div><noscript><h1>JavaScript is disabled</h1>In order to'
    b" continue, we need to verify that you're not a robot.</noscript></body></html>\n"
)
_ANUBIS: Final = _page(
    "Making sure you&#39;re not a bot!",
    '<script id="anubis_challenge" type="application/json">{"rules":{"algorithm":"fast","difficulty":4}}</script>'
    "<main><h1>Making sure you&#39;re not a bot!</h1><p>Protected by Anubis</p></main>"
    '<script async type="module" src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script>',
)
_SUCURI: Final = _page(
    "You are being redirected...",
    "<noscript>Javascript is required. Please enable javascript before you are allowed to see this page.</noscript>"
    "<script>var s={},u,c,U,r,i,l=0,a,e=eval,w=String.fromCharCode,sucuri_cloudproxy_js='',S='cz0nYSc=';</script>",
)
_DDOS_GUARD: Final = _page(
    "DDoS-Guard",
    '<h1 id="title">Checking your browser before accessing the site</h1>'
    '<script src="/.well-known/ddos-guard/check?context=free_splash"></script>',
)

CHALLENGES: Final = (
    Challenge(
        "cloudflare",
        403,
        (("Server", "cloudflare"), ("cf-mitigated", "challenge"), ("CF-RAY", "8f0c-FRA")),
        _CLOUDFLARE,
    ),
    Challenge("cloudflare, old", 503, (("Server", "cloudflare"), ("CF-RAY", "8f0c-FRA")), _CLOUDFLARE_OLD),
    Challenge("datadome", 403, (("X-DataDome", "protected"), ("X-DD-B", "1"), ("Server", "DataDome")), _DATADOME),
    Challenge("akamai", 403, (("Server", "AkamaiGHost"), ("Mime-Version", "1.0")), _AKAMAI),
    Challenge("imperva", 200, (("X-Iinfo", "9-1234567-0 0NNN RT"), ("X-CDN", "Imperva")), _IMPERVA),
    Challenge("human", 403, (("Server", "openresty"),), _HUMAN),
    Challenge("aws waf", 202, (("x-amzn-waf-action", "challenge"), ("Server", "awselb/2.0")), _AWS),
    Challenge("anubis", 200, (("Set-Cookie", "techaro.lol-anubis-cookie-verification=1; Path=/"),), _ANUBIS),
    Challenge("sucuri", 200, (("Server", "Sucuri/Cloudproxy"), ("X-Sucuri-ID", "11005")), _SUCURI),
    Challenge("ddos-guard", 403, (("Server", "ddos-guard"),), _DDOS_GUARD),
)
