"""Pages as gates show them, and ordinary pages that look like them; shortened, and with tokens of no use."""

from __future__ import annotations

CLOUDFLARE = b"""<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title>
<meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><meta name="robots" content="noindex,nofollow">
<meta http-equiv="refresh" content="360"></head><body><div class="main-wrapper" role="main"><div class="main-content">
<noscript><div class="h2"><span id="challenge-error-text">Enable JavaScript and cookies to
        continue</span></div></noscript>
</div></div><script>(function(){window._cf_chl_opt = {cvId: '3',cZone: 'shop.example',cType: 'managed'};
var a = document.createElement('script');a.src = '/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8a1b';
document.getElementsByTagName('head')[0].appendChild(a);}());</script></body></html>"""

GATE_PAGES: dict[str, tuple[int, bytes, str]] = {
    "Cloudflare asks for a browser": (403, CLOUDFLARE, "a challenge page of Cloudflare"),
    "Cloudflare asks for a browser, as it once did": (
        503,
        b"""<html><head><title>Just a moment...</title></head><body><h1>Checking your browser before accessing
        shop.example.
        </h1><form class="challenge-form" id="challenge-form" action="/?__cf_chl_jschl_tk__=pmd_x" method="POST">
        <input type="hidden" name="r" value="x"/></form><p>DDoS protection by Cloudflare</p></body></html>""",
        "a challenge page of Cloudflare",
    ),
    "Cloudflare refuses": (
        403,
        b"""<!DOCTYPE html><html class="no-js" lang="en-US"><head><title>Attention Required! | Cloudflare</title>
        <link rel="stylesheet" id="cf_styles-css" href="/cdn-cgi/styles/cf.errors.css" /></head><body>
        <div id="cf-wrapper"><div id="cf-error-details" class="cf-error-details-wrapper"><h1>Sorry, you have been
        blocked</h1>
        <h2>You are unable to access shop.example</h2><p>This website is using a security service to protect itself from
        online attacks. The action you just performed triggered the security solution.</p></div></div></body></html>""",
        "a refusal by Cloudflare",
    ),
    "AWS WAF asks for a browser": (
        202,
        b"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title></title><script type="text/javascript">
        window.awsWafCookieDomainList = [];window.gokuProps = {"key":"AQID","iv":"CgAH","context":"x"};</script>
        <script src="https://x.y.us-east-1.token.awswaf.com/x/challenge.js"></script></head><body>
        <div id="challenge-container"></div><script type="text/javascript">AwsWafIntegration.saveReferrer();</script>
        <noscript><h1>JavaScript is disabled</h1>In order to continue, we need to verify that you're not a robot.
        </noscript></body></html>""",
        "a challenge page of AWS WAF",
    ),
    "AWS WAF asks for a person": (
        405,
        b"""<!DOCTYPE html><html lang="en"><head><title>Human Verification</title>
        <script src="https://x.y.eu-west-1.captcha.awswaf.com/x/captcha.js"></script></head><body>
        <div id="captcha-container"></div></body></html>""",
        "a challenge page of AWS WAF",
    ),
    "Akamai asks for a person, with status 200": (
        200,
        b"""<!DOCTYPE html><html lang="en"><body><script type="text/javascript"
        src="/Borx/KBSP/x?v=1&amp;t=15"></script>
        <div id="sec-if-cpt-container" role="main" style="display: none"><div class="behavioral-content"></div>
        <p class ="scf-akamai-protected-by">Powered and protected by</p></div></body></html>""",
        "a challenge page of Akamai",
    ),
    "Akamai asks for a browser": (
        200,
        b"""<html><head><meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQAAAAJ'" /></head><body><script>
        function triggerInterstitialChallenge() {}</script></body></html>""",
        "a challenge page of Akamai",
    ),
    "Akamai refuses": (
        403,
        b"""<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have permission to
        access
        "http&#58;&#47;&#47;shop&#46;example&#47;" on this server.<P>
        Reference&#32;&#35;18&#46;2d351ab8&#46;1557333295&#46;a4e16ab</BODY></HTML>""",
        "a refusal by Akamai",
    ),
    "Imperva, with an incident": (
        200,
        b"""<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"></head>
        <body style="margin:0px;height:100%"><iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=7-7"
        frameborder=0>Request unsuccessful. Incapsula incident ID: 4340008-4166</iframe></body></html>""",
        "a challenge page of Imperva",
    ),
    "Imperva, with nothing but a script": (
        200,
        b"""<html><head><META NAME="robots" CONTENT="noindex,nofollow">
        <script src="/_Incapsula_Resource?SWJIYLWA=5074a744"></script><body></body></html>""",
        "a challenge page of Imperva",
    ),
    "Imperva interrupts": (
        200,
        b"""<!DOCTYPE html><html><head><noscript><title>Pardon Our Interruption</title></noscript>
        <meta name="robots" content="noindex, nofollow"><script>window.reeseSkipExpirationCheck = true;</script></head>
        <body><h1>Pardon Our Interruption</h1><p>As you were browsing something about your browser made us think you
        were a bot.</p></body></html>""",
        "a challenge page of Imperva",
    ),
    "DataDome": (
        403,
        b"""<html lang="en"><head><title>shop.example</title><style>#cmsg{animation: A 1.5s;}</style></head>
        <body style="margin:0"><p id="cmsg">Please enable JS and disable any ad blocker</p><script data-cfasync="false">
        var dd={'rt':'i','cid':'AHrl','hsh':'9D','b':15,'s':3,'host':'geo.captcha-delivery.com'}</script>
        <script data-cfasync="false" src="https://ct.captcha-delivery.com/i.js"></script></body></html>""",
        "a challenge page of DataDome",
    ),
    "HUMAN": (
        403,
        b"""<!DOCTYPE html><html lang="en"><head><meta name="description" content="px-captcha">
        <title>Access to this page has been denied</title></head><body><script>
        window._pxAppId = 'PX1';window._pxJsClientSrc = '/x/init.js';</script>
        <script src="https://captcha.px-cloud.net/PX1/captcha.js?a=c&m=0"></script>
        <p>Press &amp; Hold to confirm you are a human (and not a bot).</p></body></html>""",
        "a challenge page of HUMAN",
    ),
    "Sucuri asks for a browser": (
        200,
        b"""<html><title>You are being redirected...</title><noscript>Javascript is required. Please enable javascript
        before you are allowed to see this page.</noscript><script>var s={},u,c,U,r,i,l=0,a,e=eval,
        w=String.fromCharCode,sucuri_cloudproxy_js='',S='dz0n';</script></html>""",
        "a challenge page of Sucuri",
    ),
    "Sucuri refuses": (
        403,
        b"""<!DOCTYPE html><html><head><title>Sucuri WebSite Firewall - Access Denied</title></head><body><h1>Access
        Denied</h1><p>If you are the site owner, see <a href="https://kb.sucuri.net/">our
        page</a>.</p></body></html>""",
        "a refusal by Sucuri",
    ),
    "DDoS-Guard": (
        403,
        b"""<!doctype html><html><head><title>DDoS-Guard</title><meta charset="utf-8">
        <script defer src="/.well-known/ddos-guard/js-challenge/index.js"></script></head>
        <body data-ddg-origin="true"><h1>Checking your browser before accessing forum.example</h1></body></html>""",
        "a challenge page of DDoS-Guard",
    ),
    "Anubis": (
        200,
        b"""<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title>
        <script id="anubis_version" type="application/json">"v1.21.3"</script><script id="anubis_challenge"
        type="application/json">{"rules":{"algorithm":"fast","difficulty":4},"challenge":"b2"}</script></head><body>
        <h1>Making sure you&#39;re not a bot!</h1><p>Loading...</p><details><summary>Why am I seeing this?</summary>
        <p>You are seeing this because the administrator of this website has set up Anubis to protect the server against
        the scourge of AI companies aggressively scraping websites.</p></details></body></html>""",
        "a challenge page of Anubis",
    ),
    "Anubis, of an earlier version": (
        200,
        b"""<!doctype html><html><head><title>Making sure you\xe2\x80\x99re not a bot!</title>
        <link rel="stylesheet" href="/.within.website/x/xess/xess.css"></head><body><img
        src="/.within.website/x/cmd/anubis/static/img/pensive.webp"></body></html>""",
        "a challenge page of Anubis",
    ),
    "Anubis refuses": (
        200,
        b"""<!doctype html><html><head><title>Oh noes!</title>
        <link rel="stylesheet" href="/.within.website/x/xess/xess.css"></head><body><p>Access
        denied</p></body></html>""",
        "a refusal by Anubis",
    ),
    "SiteGround": (
        202,
        b"""<html><head><link rel="icon" href="data:;"><meta http-equiv="refresh"
        content="0;/.well-known/sgcaptcha/?r=%2F&y=ipr:192.0.2.1:17"></meta></head></html>""",
        "a challenge page of SiteGround",
    ),
    "Vercel": (
        429,
        b"""<!DOCTYPE html><html lang="en"><head><title>Vercel Security Checkpoint</title></head><body><noscript>Enable
        JavaScript to continue</noscript><script src="/.well-known/vercel/security/static/challenge.v2.min.js">
        </script></body></html>""",
        "a challenge page of Vercel",
    ),
    "Fastly": (
        200,
        b"""<html lang="en"><head><title>Client Challenge</title><meta
        charset="utf-8"></head><body><noscript>JavaScript is
        disabled in your browser.</noscript><script src="/_fs-ch-1T1wmsGaOgGaSxcX/script.js?reload=true"></script>
        </body></html>""",
        "a challenge page of Fastly",
    ),
    "Kasada": (
        429,
        b"""<!DOCTYPE html><html><head></head><body><script>window.KPSDK={};KPSDK.now=Date.now;</script>
        <script src="/149e9513-01fa/2d206a39/ips.js?KP_UIDz=0x"></script></body></html>""",
        "a challenge page of Kasada",
    ),
    "Radware": (
        200,
        b"""<html><head><title>Radware Captcha Page</title></head><body><script src="https://cdn.perfdrive.com/x.js">
        </script><p>We apologize for the inconvenience...</p></body></html>""",
        "a challenge page of Radware",
    ),
    "Alibaba Cloud": (
        200,
        b"""<html><script>var arg1='3B7EE39A9A9F9B4E8B1A45B67BBDB86E5C1C2C0F';var _0x4818=['csKHwqMI'];function
        setCookie(name,value){}setCookie("acw_sc__v2", x);</script></html>""",
        "a challenge page of Alibaba Cloud",
    ),
    "Qrator": (
        401,
        b"""<!doctype html><html><head><title></title></head><body><script
        src="/__qrator/qauth_utm_v2.js"></script></body>
        </html>""",
        "a challenge page of Qrator",
    ),
    "Amazon": (
        200,
        b"""<!DOCTYPE html><html><head><title dir="ltr">Amazon.com</title></head><body><h4>Click the button below to
        continue shopping</h4><form method="get" action="/errors_page/validateCaptcha" name=""><button type="submit">
        Continue shopping</button></form></body></html>""",
        "a challenge page of Amazon",
    ),
    "Google": (
        429,
        b"""<html><head><title>https://www.google.com/search?q=x</title></head><body><form id="captcha-form"
        action="index" method="post"><div id="recaptcha" class="g-recaptcha"></div></form><b>About this page</b><br>Our
        systems have detected unusual traffic from your computer network.</body></html>""",
        "a challenge page of Google",
    ),
    "testcookie": (
        200,
        b"""<html><body><script type="text/javascript" src="/aes.js" ></script><script>function toNumbers(d){}
        var
        a=toNumbers("f6"),b=toNumbers("98"),c=toNumbers("5d");document.cookie="__test="+toHex(slowAES.decrypt(c,2,a,b));
        location.href="http://a.example/?i=1";</script><noscript>This site requires
        Javascript</noscript></body></html>""",
        "a page that asks for cookies, of testcookie",
    ),
    "nothing but a reCAPTCHA": (
        200,
        b"""<html><head><title>Are you a robot?</title></head><body><form method="post"><div class="g-recaptcha"
        data-sitekey="6L"></div><input type="submit" value="Go on"></form></body></html>""",
        "a challenge page of reCAPTCHA",
    ),
    "nothing but an hCaptcha": (
        403,
        b"""<html><head><title>Human Verification</title></head><body><div class="h-captcha" data-sitekey="x"></div>
        <script src="https://js.hcaptcha.com/1/api.js"></script></body></html>""",
        "a challenge page of hCaptcha",
    ),
    "nothing but a Turnstile": (
        200,
        b"""<html><head><title>Just a moment...</title></head><body><div class="cf-turnstile" data-sitekey="0x4"></div>
        </body></html>""",
        "a challenge page of Cloudflare Turnstile",
    ),
}
"""Names of gates -> a status, a page, and how it is recognised."""

_STORY = b"<p>" + b"It was a quiet evening, and the crawler had fetched nothing since the moon rose. " * 40 + b"</p>"

ORDINARY_PAGES: dict[str, bytes] = {
    "a page that Cloudflare serves": b"""<html><head><title>Garden chairs</title></head><body><p>Two chairs, one
        table.</p>
    <script>(function(){window.__CF$cv$params={r:'8a',t:'MTc='};var a=document.createElement('script');
    a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js';}());</script>
    <script src="/cdn-cgi/scripts/5c5dd728/cloudflare-static/email-decode.min.js"></script></body></html>""",
    "a page that Imperva serves": b"""<html><head><title>Opening hours</title></head><body><p>From nine to five.</p>
    <script type="text/javascript" src="/_Incapsula_Resource?SWJIYLWA=719d34d3"></script></body></html>""",
    "a page that HUMAN watches": b"""<html><head><title>Shoes</title><script>window._pxAppId = 'PX1';
    (function(){var
        s=document.createElement('script');s.src='/x/init.js';})();</script></head><body>Shoes</body></html>""",
    "a page that DataDome watches": b"""<html><head><title>News</title><script>window.ddjskey = '1';
    window.ddoptions = {endpoint: 'https://dd.example/js/'};</script><script src="https://js.datadome.co/tags.js" async>
    </script></head><body>News of today</body></html>""",
    "a page with the script of AWS WAF": b"""<html><head><title>Hotels</title><script
    src="https://x.y.us-east-1.token.awswaf.com/x/challenge.js" defer></script></head><body>Rooms</body></html>""",
    "a form for a password with a reCAPTCHA": b"""<html><head><title>Access denied</title></head><body><form><input
    name="u"><input type="password" name="p"><div class="g-recaptcha" data-sitekey="6L"></div></form></body></html>""",
    "a form for letters with an hCaptcha": b"""<html><head><title>Write to
        us</title></head><body><form><textarea></textarea>
    <div class="h-captcha" data-sitekey="x"></div></form></body></html>""",
    "a page with a banner for cookies": b"""<html><head><title>Recipes</title></head><body><div
        id="onetrust-banner-sdk">We
    use cookies. <button>Accept</button></div><h1>Soup</h1><script>document.cookie="seen=1"</script></body></html>""",
    "an article about challenge pages": b"""<html><head><title>Just a moment...</title></head><body><h1>What is Just a
    moment?</h1><pre>&lt;script&gt;window._cf_chl_opt = {}&lt;/script&gt;
    &lt;script id="anubis_challenge"&gt; &lt;iframe src="/_Incapsula_Resource?SWUDNSAI=31"&gt;</pre></body></html>""",
    "a long article that shows a challenge in a frame": b"""<html><head><title>Pardon Our
        Interruption</title></head><body>
    <iframe src="/_Incapsula_Resource?SWUDNSAI=31"></iframe><script>reeseSkip=1;window._cf_chl_opt = {}</script>"""
    + _STORY
    + b"</body></html>",
    "a page that has left a challenge in a comment": b"""<html><head><title>Fine</title></head><body>Fine
    <!-- <script>window._cf_chl_opt = {}</script><script id="anubis_challenge"></script> --></body></html>""",
    "a page of many links with a captcha": b"<html><head><title>Captcha</title></head><body>"
    b"<div class='g-recaptcha'></div>" + b"".join(b"<a href='/%d'>%d</a>" % (n, n) for n in range(30)),
    "a story with the title of a gate": b"<html><head><title>Access Denied</title></head><body>" + _STORY,
    "a report with a reference": b"""<html><head><title>Access Denied: a review</title></head><body>Reference
        #18.2d351ab8
    was read.</body></html>""",
    "an error of the site's own": b"<html><head><title>403 Forbidden</title></head><body><h1>Forbidden</h1>"
    b"</body></html>",
    "an empty page": b"",
    "no page at all": b"\x00\xff\xfe<title",
}
