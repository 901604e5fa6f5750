"""Writes DPoP proofs that jwcrypto has made, right and hostile ones: a second implementation of JWK, JWS and RFC 7638.

Input: a JSON object with the method, the address and the time for which they are made. With an access token in it, they are for the use of
this token, and `key` is the private key that it is bound to, `nonce` one of the server. Output: a list of JSON objects.
"""

import hashlib
import json
import sys
import uuid
from urllib.parse import urlsplit

from jwcrypto import jwk, jws

ASKED = json.load(sys.stdin)
METHOD, URL, NOW = ASKED["method"], ASKED["url"], ASKED["now"]
TOKEN = ASKED.get("access_token")
HOUR = 3600
OTHER = jwk.JWK.generate(kty="EC", crv="P-256")


def hash_of(token):
    return jws.base64url_encode(hashlib.sha256(token.encode()).digest())


def claims_with(claims):
    body = {"jti": str(uuid.uuid4()), "htm": METHOD, "htu": URL, "iat": NOW, "ath": TOKEN and hash_of(TOKEN), **claims}
    return json.dumps({name: value for name, value in body.items() if value is not None})


def proof(alg, key, shown=None, header=None, **claims):
    shown = key.export_public(as_dict=True) if shown is None else shown
    head = {"typ": "dpop+jwt", "alg": alg, "jwk": shown, **(header or {})}
    signed = jws.JWS(claims_with(claims))
    signed.allowed_algs = [alg]
    signed.add_signature(key, alg, json.dumps(head))
    return signed.serialize(compact=True)


def unsecured(key):
    """No library signs with `none`: the parts by hand, without a signature and with that of another proof."""
    head = jws.base64url_encode(json.dumps({"typ": "dpop+jwt", "alg": "none", "jwk": key.export_public(as_dict=True)}))
    unsigned = f"{head}.{jws.base64url_encode(claims_with({}))}."
    return unsigned, unsigned + proof("ES256", key).split(".")[2]


def right(name, text, key):
    return {"name": name, "proof": text, "thumbprint": key.thumbprint(), "error": None, "part": None}


def invalid(name, part, text):
    return {"name": name, "proof": text, "thumbprint": None, "error": "invalid_dpop_proof", "part": part}


def untimely(name, text):
    return {"name": name, "proof": text, "thumbprint": None, "error": "use_dpop_nonce", "part": None}


def anywhere(key):
    """What does not depend on whether a token is requested or used."""
    address = urlsplit(URL)
    rest = URL.removeprefix(f"{address.scheme}://{address.netloc}")
    unsigned, with_other_signature = unsecured(key)
    return [
        right("a query in the address", proof("ES256", key, htu=URL + "?x=1"), key),
        right("a query and a fragment in the address", proof("ES256", key, htu=URL + "?x=1#y"), key),
        right("scheme and host in upper case", proof("ES256", key, htu=f"HTTP://{address.netloc.upper()}{rest}"), key),
        invalid("alg none", "not a JWT", unsigned),
        invalid("alg none, with a signature", "alg", with_other_signature),
        invalid("another port", "htu", proof("ES256", key, htu=f"{address.scheme}://{address.hostname}:1{rest}")),
        invalid("no port", "htu", proof("ES256", key, htu=f"{address.scheme}://{address.hostname}{rest}")),
        invalid("another address", "htu", proof("ES256", key, htu=URL + "/")),
        invalid("another method", "htm", proof("ES256", key, htm="PUT")),
        untimely("made an hour ago", proof("ES256", key, iat=NOW - HOUR)),
        untimely("made in an hour", proof("ES256", key, iat=NOW + HOUR)),
        untimely("a nonce of nobody", proof("ES256", key, nonce="nonce")),
        untimely("a nonce of the form of the server's", proof("ES256", key, nonce="eh5c1-" + "A" * 43)),
    ]


def for_a_token():
    keys = {
        "ES256": jwk.JWK.generate(kty="EC", crv="P-256"),
        "ES384": jwk.JWK.generate(kty="EC", crv="P-384"),
        "ES512": jwk.JWK.generate(kty="EC", crv="P-521"),
        "RS256": jwk.JWK.generate(kty="RSA", size=2048),
        "EdDSA": jwk.JWK.generate(kty="OKP", crv="Ed25519"),
    }
    keys["PS256"] = keys["RS512"] = keys["RS256"]
    ec, rsa = keys["ES256"], keys["RS256"]
    public = ec.export_public(as_dict=True)
    shared = jwk.JWK.generate(kty="oct", size=256)
    # The public key, as the two texts in which it is shown, taken for a shared secret.
    confused = [jwk.JWK.from_password(text) for text in (ec.export_to_pem().decode(), ec.export_public())]
    short = jwk.JWK.generate(kty="RSA", size=1024)
    secp256k1 = jwk.JWK.generate(kty="EC", crv="secp256k1")
    hostile = [
        ("a shared secret", "alg", proof("HS256", shared, shown={})),
        ("a shared secret, shown", "alg", proof("HS256", shared, shown=shared.export_symmetric(as_dict=True))),
        ("the public key as a shared secret, in PEM", "alg", proof("HS256", confused[0], shown=public)),
        ("the public key as a shared secret, as JWK", "alg", proof("HS256", confused[1], shown=public)),
        ("the private key, shown", "jwk", proof("ES256", ec, shown=ec.export_private(as_dict=True))),
        ("an RSA private key, shown", "jwk", proof("RS256", rsa, shown=rsa.export_private(as_dict=True))),
        ("the key of somebody else, shown", "signature", proof("ES256", ec, shown=OTHER.export_public(as_dict=True))),
        ("a curve that is not offered", "alg", proof("ES256K", secp256k1)),
        ("an RSA key of 1024 bits", "jwk", proof("RS256", short)),
        ("a key for encryption", "jwk", proof("ES256", ec, shown={**public, "use": "enc"})),
        ("a key for another algorithm", "jwk", proof("ES256", ec, shown={**public, "alg": "ES384"})),
        ("another type", "typ", proof("ES256", ec, header={"typ": "JWT"})),
        ("the public key by its name only", "jwk", proof("ES256", ec, shown="x", header={"kid": "x"})),
    ]
    made = [right(alg, proof(alg, key), key) for alg, key in keys.items()]
    return made + anywhere(ec) + [invalid(*each) for each in hostile]


def for_a_use():
    key = jwk.JWK(**ASKED["key"])
    other_key = {**invalid("another key", None, proof("ES256", OTHER)), "error": "invalid_token"}
    hexadecimal = hashlib.sha256(TOKEN.encode()).hexdigest()
    return anywhere(key) + [
        right("the key of the token", proof("ES256", key), key),
        right("a nonce of the server, and a clock without a battery", proof("ES256", key, iat=0, nonce=ASKED["nonce"]), key),
        other_key,
        invalid("no ath", "ath", proof("ES256", key, ath=None)),
        invalid("the ath of another token", "ath", proof("ES256", key, ath=hash_of(TOKEN + "x"))),
        invalid("ath in hexadecimal", "ath", proof("ES256", key, ath=hexadecimal)),
        invalid("the token itself as ath", "ath", proof("ES256", key, ath=TOKEN)),
    ]


json.dump(for_a_use() if TOKEN else for_a_token(), sys.stdout)
