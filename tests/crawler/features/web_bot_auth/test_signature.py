"""Signatures are those of RFC 9421 and of the draft, and a verifier that is not ours accepts them."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import http_message_signatures as hms
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.web_bot_auth.keys import (
    Ed25519Key,
    directory,
    former_keys,
    make_key,
    read_key,
)
from hinterland.crawler.features.web_bot_auth.publication import published_files
from hinterland.crawler.features.web_bot_auth.settings import WebBotAuthSettings
from hinterland.crawler.features.web_bot_auth.signature import (
    DIRECTORY_PATH,
    Challenge,
    read_challenge,
    signature_base,
    signature_parameters,
    signed_fields,
    thumbprint,
)
from hinterland.crawler.features.web_bot_auth.signer import SECONDS, Signer
from hinterland.crawler.fetching.access.access import NO_ACCESS, Asked
from hinterland.crawler.fetching.access.secret_sources import SecretUnusable
from hinterland.crawler.fetching.access.target import Target, target_of
from hinterland.crawler.settings import SettingsError

AGENT = "https://signature-agent.test"
RFC_KEY = base64.urlsafe_b64decode("n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU=")
"""test-key-ed25519 of RFC 9421 appendix B.1.4, which the draft uses, too."""


def rfc_key() -> Ed25519Key:
    return Ed25519Key.of(Ed25519PrivateKey.from_private_bytes(RFC_KEY))


def in_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_the_signature_of_rfc_9421_b_2_6_is_made() -> None:
    names = ("date", "@method", "@path", "@authority", "content-type", "content-length")
    values = ("Tue, 20 Apr 2021 02:07:55 GMT", "POST", "/foo", "example.com", "application/json", "18")
    identifiers = [f'"{name}"' for name in names]
    parameters = signature_parameters(identifiers, {"created": 1618884473, "keyid": "test-key-ed25519"})
    base = signature_base(list(zip(identifiers, values, strict=True)), parameters)
    assert in_base64(rfc_key().sign(base.encode())) == (
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="
    )


PUBLIC = base64.urlsafe_b64decode("JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs=")
DRAFT: Mapping[str, int | str] = {
    "created": 1735689600,
    "keyid": thumbprint(PUBLIC),
    "alg": "ed25519",
    "expires": 4889289600,
}


@pytest.mark.parametrize(
    "components, nonce, signature",
    [
        (
            [('"@authority"', "example.com")],
            "zIW8+cdmA3vdYagbxojpONwa/l0EKJ/O3/wD486VvsQjO/RxPaSt6ZxvQaMcQzNnqKN/mQ6hpGiFro2L2qkz5A==",
            "QKN4fTdIYfh82fvoZCQiQA1weuozfCS/Led2zTMbewMMqH8PI2Wsy/5c4ao6B6D09nraNQdBNOADg8aM1MqfCg==",
        ),
        (
            [('"@authority"', "example.com"), ('"signature-agent";key="agent2"', f'"{AGENT}"')],
            "n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==",
            "RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==",
        ),
    ],
)
def test_the_signatures_of_the_draft_are_made(components: list[tuple[str, str]], nonce: str, signature: str) -> None:
    identifiers = [identifier for identifier, _ in components]
    parameters = signature_parameters(identifiers, {**DRAFT, "nonce": nonce, "tag": "web-bot-auth"})
    assert in_base64(rfc_key().sign(signature_base(components, parameters).encode())) == signature


def test_the_keyid_is_the_thumbprint_of_the_draft() -> None:
    assert rfc_key().keyid == "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"


class OfDirectory(hms.HTTPSignatureKeyResolver):
    """Finds keys as a site does: in the directory."""

    def __init__(self, keys: Mapping[str, Any]) -> None:
        self._keys = {key["kid"]: key["x"] for key in keys["keys"]}

    def resolve_public_key(self, key_id: str) -> Ed25519PublicKey:
        return Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(self._keys[key_id] + "="))


@dataclass(frozen=True, slots=True)
class Message:
    """A request as the verifier wants it."""

    url: str
    headers: dict[str, str]
    method: str = "GET"


def is_verified(url: str, fields: Mapping[str, str], keys: Mapping[str, Any]) -> bool:
    verifier = hms.HTTPMessageVerifier(signature_algorithm=hms.algorithms.ED25519, key_resolver=OfDirectory(keys))
    required = ("@authority", '"signature-agent";key="sig1"')
    try:
        verifier.verify(Message(url, dict(fields)), expect_tag="web-bot-auth", require_components=required)
    except hms.InvalidSignature:
        return False
    return True


def target(url: str) -> Target:
    found = target_of(url)
    assert found is not None
    return found


def asked(url: str, now: float) -> Asked:
    return Asked(target(url), now)


def nonces() -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"nonce{number}"


def signer(key: Ed25519Key, **changes: Any) -> Signer:
    source = nonces()
    given_: dict[str, Any] = {"hosts": ["*"], "nonce": lambda: next(source), **changes}
    return Signer(lambda: key, AGENT, **given_)


# --- what a verifier that is not ours says ------------------------------------------------------


@pytest.mark.parametrize(
    "url", ["https://example.com/path?query=1", "https://example.com:8443/", "http://127.0.0.1:8080/", "https://a.b/"]
)
@pytest.mark.parametrize("components", [(), ("@method", "@scheme", "@path")])
def test_signatures_are_verified_by_a_verifier_that_is_not_ours(
    url: str, components: tuple[str, ...], tmp_path: Path
) -> None:
    key, _ = make_key(tmp_path)
    challenge = Challenge(("@authority", *components, "signature-agent"))
    now = int(time.time())
    fields = dict(
        signed_fields(target(url), key, AGENT, challenge=challenge, created=now, expires=now + 300, nonce="n")
    )
    keys = directory(tmp_path)
    assert is_verified(url, fields, keys)
    assert not is_verified(url.replace("://", "://evil."), fields, keys)
    assert not is_verified(url, {**fields, "Signature-Agent": 'sig1="https://evil.test"'}, keys)
    if components:
        assert not is_verified(url.partition("?")[0] + "x", fields, keys)
    other, _ = make_key(tmp_path / "other")
    assert not is_verified(url, fields, {"keys": [{**other.public_jwk(), "kid": key.keyid}]})


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_the_method_that_is_signed_is_that_of_the_request(method: str) -> None:
    signs = signer(rfc_key(), hosts=[], nonce=lambda: "n")
    request = Asked(target("https://a.example/"), 1000.0, "", method)
    signs.answered(request, 401, {"Accept-Signature": 'sig1=("@authority" "@method")'}, ())
    expected = signed_fields(
        request.target,
        rfc_key(),
        AGENT,
        challenge=Challenge(("@authority", "@method", "signature-agent")),
        created=1000,
        expires=1000 + SECONDS + 60,
        nonce="n",
        method=method,
    )
    assert signs.access(request).fields == expected


@pytest.mark.parametrize("off, is_good", [(0, True), (-250, True), (-400, False), (+60, False)])
def test_a_wrong_clock_makes_signatures_that_are_refused(off: int, is_good: bool, tmp_path: Path) -> None:
    key, _ = make_key(tmp_path)
    access = signer(key).access(asked("https://example.com/", time.time() + off))
    assert is_verified("https://example.com/", dict(access.fields), directory(tmp_path)) is is_good


# --- the signer ---------------------------------------------------------------------------------

CHALLENGE = 'sig1=("@authority" "signature-agent";key="sig1");created;expires;keyid;tag="web-bot-auth"'


def test_a_host_gets_one_signature_in_five_minutes_and_another_host_another_one() -> None:
    signs = signer(rfc_key())
    first = signs.access(asked("https://a.example/1", 1000.0))
    assert signs.access(asked("https://a.example/2", 1299.0)) is first
    assert signs.access(asked("https://a.example:8443/2", 1299.0)).fields != first.fields
    second = signs.access(asked("https://a.example/3", 1000.0 + SECONDS))
    assert second.fields != first.fields
    assert signs.made == 3
    assert "expires=1660" in dict(second.fields)["Signature-Input"]


def test_a_host_that_asks_is_answered_and_no_other_one_is() -> None:
    signs = signer(rfc_key(), hosts=[])
    request = asked("https://a.example/", 1000.0)
    assert signs.access(request) is NO_ACCESS
    signs.answered(request, 403, {"Accept-Signature": CHALLENGE}, ())
    assert signs.access(request).fields
    assert signs.access(asked("https://b.example/", 1000.0)) is NO_ACCESS
    assert signs.access(asked("http://a.example/", 1000.0)) is NO_ACCESS
    assert signs.refused == {}


def test_no_host_is_answered_if_the_settings_say_so() -> None:
    signs = signer(rfc_key(), hosts=[], challenged=False)
    request = asked("https://a.example/", 1000.0)
    signs.answered(request, 403, {"Accept-Signature": CHALLENGE}, ())
    assert signs.access(request) is NO_ACCESS


@pytest.mark.parametrize(
    "patterns, host, is_signed",
    [
        (["a.example"], "a.example", True),
        (["a.example"], "b.a.example", False),
        (["*.a.example"], "b.a.example", True),
        (["*.a.example"], "a.example", False),
        (["*.a.example"], "evil-a.example", False),
        ([], "a.example", False),
    ],
)
def test_hosts_are_named_by_patterns(patterns: list[str], host: str, is_signed: bool) -> None:
    access = signer(rfc_key(), hosts=patterns).access(asked(f"https://{host}/", 1000.0))
    assert (access is not NO_ACCESS) is is_signed


def test_the_nonce_of_a_challenge_is_sent_back_once() -> None:
    signs = signer(rfc_key(), hosts=[])
    request = asked("https://a.example/", 1000.0)
    signs.answered(request, 401, {"Accept-Signature": f'{CHALLENGE};nonce="from them"'}, ())
    assert 'nonce="from them"' in dict(signs.access(request).fields)["Signature-Input"]
    assert 'nonce="nonce' in dict(signs.access(request).fields)["Signature-Input"]


def test_a_host_that_wants_the_path_signed_gets_a_signature_for_each_url() -> None:
    signs = signer(rfc_key(), hosts=[])
    field = CHALLENGE.replace('"@authority"', '"@authority" "@path"')
    signs.answered(asked("https://a.example/", 1000.0), 403, {"Accept-Signature": field}, ())
    for path in ("/1", "/2"):
        assert '"@path"' in dict(signs.access(asked(f"https://a.example{path}", 1000.0)).fields)["Signature-Input"]
    assert signs.made == 2


@pytest.mark.parametrize(
    "field, found",
    [
        (CHALLENGE, Challenge()),
        ('x=("@authority")', Challenge()),
        ('x=();tag="other", y=();nonce="1"', Challenge(nonce="1")),
        ('x=("@authority" "@method")', Challenge(("@authority", "@method", "signature-agent"))),
        ('x=("content-digest")', None),
        ('x=();alg="rsa-pss-sha512"', None),
        ("x", None),
        ("(((", None),
        ("é", None),
    ],
)
def test_a_challenge_is_read_or_ignored(field: str, found: Challenge | None) -> None:
    assert read_challenge(field) == found


@given(st.text(max_size=200))
def test_no_challenge_does_harm(field: str) -> None:
    challenge = read_challenge(field)
    if challenge is not None:
        fields = signed_fields(
            target("https://a.example/"), rfc_key(), AGENT, challenge=challenge, created=1, expires=2, nonce="n"
        )
        assert all(character.isprintable() for _, value in fields for character in value)


@pytest.mark.parametrize(
    "date, said",
    [
        (None, "no reason"),
        ("Thu, 01 Jan 1970 00:16:40 GMT", "does it know your directory?"),
        ("Thu, 01 Jan 1970 00:10:00 GMT", "400 s ahead of the host's"),
        ("Thu, 01 Jan 1970 00:20:00 GMT", "200 s behind the host's"),
    ],
)
def test_a_refusal_says_whether_it_may_be_the_clock(date: str | None, said: str) -> None:
    signs = signer(rfc_key())
    request = asked("https://a.example/", 1000.0)
    signs.access(request)
    signs.answered(request, 403, {"Accept-Signature": CHALLENGE, **({} if date is None else {"Date": date})}, ())
    assert said in signs.refused["https://a.example:443"]


def test_a_new_key_is_used_within_five_minutes_and_the_directory_has_both(tmp_path: Path) -> None:
    first, _ = make_key(tmp_path)
    signs = Signer(lambda: read_key(str(tmp_path / "key.pem")), AGENT, hosts=["*"], nonce=lambda: "n")
    now = time.time()
    before = signs.access(asked("https://a.example/", now))
    second, former = make_key(tmp_path)
    assert former is not None
    assert former.keyid == first.keyid
    assert signs.access(asked("https://a.example/", now + 1)) is before
    after = signs.access(asked("https://a.example/", now + SECONDS))
    assert second.keyid in dict(after.fields)["Signature-Input"]
    keys = directory(tmp_path)
    assert [key["kid"] for key in keys["keys"]] == [second.keyid, first.keyid]
    assert is_verified("https://a.example/", dict(before.fields), keys)
    assert "d" not in keys["keys"][0]


def test_former_keys_leave_the_directory_when_they_have_expired(tmp_path: Path) -> None:
    make_key(tmp_path)
    make_key(tmp_path)
    file = tmp_path / "former-keys.json"
    [entry] = json.loads(file.read_text())
    assert former_keys(tmp_path) == [entry]
    file.write_text(json.dumps([{**entry, "exp": int(time.time()) - 1}]))
    assert former_keys(tmp_path) == []


def test_a_key_that_others_can_read_or_that_is_none_is_refused(tmp_path: Path) -> None:
    make_key(tmp_path)
    file = tmp_path / "key.pem"
    file.chmod(0o640)
    with pytest.raises(SecretUnusable, match="others can read"):
        read_key(str(file))
    file.chmod(0o600)
    file.write_text("no key")
    with pytest.raises(SecretUnusable, match="is not a private key"):
        read_key(str(file))


def test_what_is_published_says_who_asks_and_quotes_markup(tmp_path: Path) -> None:
    make_key(tmp_path)
    files = published_files(
        directory(tmp_path), name="Test_Bot", agent=AGENT, contact="mailto:me@a.example", purpose="<b>For</b> fun."
    )
    assert json.loads(files[DIRECTORY_PATH.lstrip("/")]) == directory(tmp_path)
    page = files["index.html"]
    assert "User-agent: Test_Bot" in page
    assert "&lt;b&gt;For&lt;/b&gt; fun." in page
    assert "PRIVATE" not in "".join(files.values())


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"key": "k.pem"}, "needed with a key"),
        ({"agent": "http://a.example"}, "write the origin of your key directory"),
        ({"agent": "https://a.example/x"}, "write the origin of your key directory"),
        ({"hosts": ("https://a.example",)}, "is not a host"),
        ({"hosts": ("a.*",)}, "is not a host"),
    ],
)
def test_wrong_settings_say_what_to_write(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        WebBotAuthSettings(**changes)
