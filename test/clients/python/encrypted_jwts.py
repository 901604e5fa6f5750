"""Writes authorization requests that jwcrypto has signed and encrypted, right and hostile ones, and opens what the server has encrypted.

Arguments: the issuer, the client, and the address of its redirect. Input: a JSON object, either {"keys": [...]} with the keys of the
application, or {"private": {...}, "answers": {...}} with a private key and encrypted answers. Output: a JSON object.
"""

import json
import sys

from jwcrypto import jwe, jwk, jws
from jwcrypto.common import base64url_encode, json_encode

ISSUER, CLIENT, CALLBACK = sys.argv[1:4]
GIVEN = json.load(sys.stdin)
ALGS = ["RSA-OAEP", "RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW", "RSA1_5", "dir", "A128KW"]
ALGS += ["PBES2-HS256+A128KW", "A128CBC-HS256", "A256CBC-HS512", "A128GCM", "A256GCM"]


def opened(key, text):
    made = jwe.JWE(algs=ALGS)
    made.deserialize(text, key)
    return {"header": json.loads(made.objects["protected"]), "text": made.payload.decode()}


if "answers" in GIVEN:
    private = jwk.JWK(**GIVEN["private"])
    json.dump({name: opened(private, text) for name, text in GIVEN["answers"].items()}, sys.stdout)
    sys.exit()

SIGNING = jwk.JWK.generate(kty="EC", crv="P-256", kid="python")
STRANGER = jwk.JWK.generate(kty="EC", crv="P-256", kid="python")
OURS = {key["alg"]: key for key in GIVEN["keys"] if key.get("use") == "enc"}


def signed(key=SIGNING, header=None, **over):
    body = {"iss": CLIENT, "aud": ISSUER, "client_id": CLIENT, "response_type": "code", "redirect_uri": CALLBACK}
    made = jws.JWS(json_encode({**body, "scope": "openid", "prompt": "none", "state": "python", **over}))
    made.add_signature(key, "ES256", json_encode({"alg": "ES256", "kid": "python", **(header or {})}))
    return made.serialize(compact=True)


def encrypted(alg="ECDH-ES", key=None, text=None, compact=True, **header):
    known = OURS.get(alg, OURS["ECDH-ES"])
    head = {"alg": alg, "enc": "A128CBC-HS256", "kid": known["kid"], "cty": "JWT", **header}
    made = jwe.JWE(
        (text or signed()).encode(),
        json_encode({name: value for name, value in head.items() if value is not None}),
        algs=ALGS,
    )
    made.add_recipient(key or jwk.JWK(**known))
    return made.serialize(compact=compact)


def replaced(text, part, value):
    parts = text.split(".")
    parts[part] = value
    return ".".join(parts)


def head(**members):
    return base64url_encode(json_encode(members))


RSA = jwk.JWK(**OURS["RSA-OAEP-256"])
OTHER = jwk.JWK.generate(kty="EC", crv="P-256")
SECRET = jwk.JWK.generate(kty="oct", size=256)
right = {
    "nested": encrypted(),
    "without kid": encrypted(kid=None),
    "without cty": encrypted(cty=None),
    "cty in lower case": encrypted(cty="jwt"),
}
hostile = {
    "encrypted to another key": encrypted(key=OTHER),
    "encrypted to another key, without kid": encrypted(key=OTHER, kid=None),
    "RSA1_5 to our key": encrypted("RSA1_5", RSA, kid=OURS["RSA-OAEP-256"]["kid"]),
    "another RSA padding than the registered algorithm": encrypted("RSA-OAEP", RSA, kid=OURS["RSA-OAEP-256"]["kid"]),
    "alg dir with a key of the sender": encrypted("dir", SECRET, kid=None),
    "alg dir under the name of our key": encrypted("dir", SECRET),
    "a shared secret that wraps": encrypted("A128KW", jwk.JWK.generate(kty="oct", size=128)),
    "a password": encrypted("PBES2-HS256+A128KW", jwk.JWK.from_password("secret"), kid=None),
    "our public key as a shared secret": encrypted("dir", jwk.JWK(kty="oct", k=OURS["ECDH-ES"]["x"])),
    "compressed": encrypted(zip="DEF"),
    "a bomb": encrypted(zip="DEF", text="A" * 30_000_000)[:12_000],
    "another enc": encrypted(enc="A256GCM"),
    "not signed": encrypted(text=json_encode({"client_id": CLIENT, "response_type": "code", "redirect_uri": CALLBACK})),
    "unsecured inside": encrypted(text=f"{head(alg='none')}.{signed().split('.')[1]}."),
    "signed by another": encrypted(text=signed(STRANGER)),
    "for another server": encrypted(text=signed(aud="https://other.example")),
    "encrypted twice": encrypted(text=encrypted()),
    "signed around encrypted": None,
    "in JSON serialisation": encrypted(compact=False),
    "another cty": encrypted(cty="at+jwt"),
    "a kid of the other key": encrypted(kid=OURS["RSA-OAEP-256"]["kid"]),
    "a changed header": replaced(encrypted(), 0, head(alg="ECDH-ES", enc="A128CBC-HS256")),
    "a changed text": replaced(encrypted(), 3, base64url_encode(b"0" * 64)),
    "a cut tag": replaced(encrypted(), 4, "AAAA"),
    "an empty tag": replaced(encrypted(), 4, ""),
    "an encrypted key beside ECDH-ES": replaced(encrypted(), 1, base64url_encode(b"0" * 40)),
}
outer = jws.JWS(encrypted())
outer.add_signature(SIGNING, "ES256", json_encode({"alg": "ES256", "kid": "python", "cty": "JWT"}))
hostile["signed around encrypted"] = outer.serialize(compact=True)
json.dump({"key": SIGNING.export_public(as_dict=True), "right": right, "hostile": hostile}, sys.stdout)
