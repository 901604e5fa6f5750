"""Writes client assertions and software statements that jwcrypto has made, right and hostile ones.

Arguments: the issuer, the client, another client with the same keys, and the time for which they are made. Output: a JSON object with
the public keys and both lists.
"""

import json
import sys
import uuid

from jwcrypto import jwe, jwk, jws

ISSUER, CLIENT, OTHER_CLIENT, NOW = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
DIRECTORY = "https://directory.example"
KEYS = {
    "ES256": jwk.JWK.generate(kty="EC", crv="P-256", kid="ec256"),
    "ES384": jwk.JWK.generate(kty="EC", crv="P-384", kid="ec384"),
    "ES512": jwk.JWK.generate(kty="EC", crv="P-521", kid="ec521"),
    "RS256": jwk.JWK.generate(kty="RSA", size=2048, kid="rsa"),
    "EdDSA": jwk.JWK.generate(kty="OKP", crv="Ed25519", kid="ed"),
}
# Of the same type, so that its kid names a key that could have signed.
SECOND = jwk.JWK.generate(kty="EC", crv="P-256", kid="second")
PUBLIC = [key.export_public(as_dict=True) for key in [*KEYS.values(), SECOND]]
KEYS["RS384"] = KEYS["RS512"] = KEYS["PS256"] = KEYS["PS384"] = KEYS["PS512"] = KEYS["RS256"]
OTHER = jwk.JWK.generate(kty="EC", crv="P-256", kid="ec256")
EC = KEYS["ES256"]
# The public key, as text, taken for a shared secret.
CONFUSED = jwk.JWK.from_password(EC.export_to_pem().decode())


def signed(alg, key, body, header=None, compact=True):
    made = jws.JWS(json.dumps(body))
    made.allowed_algs = [alg]
    head = {"alg": alg, **({"kid": key.get("kid")} if key.get("kid") else {}), **(header or {})}
    made.add_signature(key, alg, json.dumps(head))
    return made.serialize(compact=compact)


def assertion(alg="ES256", key=None, header=None, compact=True, **claims):
    body = {"iss": CLIENT, "sub": CLIENT, "aud": ISSUER, "exp": NOW + 60, "jti": str(uuid.uuid4()), **claims}
    return signed(alg, key or KEYS[alg], body, header, compact)


def statement(alg="ES256", key=None, header=None, compact=True, **claims):
    body = {"iss": DIRECTORY, "iat": NOW, "client_name": "Vouched", **claims}
    return signed(alg, key or KEYS[alg], body, header, compact)


def unsecured(text):
    head, body, _ = text.split(".")
    none = jws.base64url_encode(json.dumps({"alg": "none"}))
    return [f"{none}.{body}.", f"{head}.{body}."]


def encrypted(text):
    made = jwe.JWE(text, json.dumps({"alg": "ECDH-ES", "enc": "A128GCM", "kid": "ec256"}))
    made.add_recipient(EC)
    return made.serialize(compact=True)


def hostile(make):
    right = make()
    return [
        ("a key of another", make(key=OTHER)),
        ("the public key as a shared secret", make(alg="HS256", key=CONFUSED, header={"kid": "ec256"})),
        ("not signed", unsecured(right)[0]),
        ("the signature cut off", unsecured(right)[1]),
        ("encrypted in place of signed", encrypted(right)),
        ("in JSON serialisation", make(compact=False)),
        ("a key in the header", make(key=OTHER, header={"kid": "own", "jwk": OTHER.export_public(as_dict=True)})),
        ("keys at an address in the header", make(key=OTHER, header={"kid": "own", "jku": ISSUER + "/jwks"})),
        ("another type of token", make(header={"typ": "at+jwt"})),
        ("the kid of another key", make(header={"kid": "second"})),
        ("a path as kid", make(header={"kid": "../../../../dev/null"})),
        ("SQL as kid", make(header={"kid": "' OR '1'='1"})),
        ("an algorithm of another key", make(alg="ES384", header={"kid": "ec256"})),
        ("expired", make(exp=NOW - 120)),
        ("not valid yet", make(nbf=NOW + 120)),
        ("for another server", make(aud="https://other.example")),
    ]


of_assertions = [
    ("another issuer", assertion(iss=OTHER_CLIENT)),
    ("another subject", assertion(sub=OTHER_CLIENT)),
    ("an expiry in ten years", assertion(exp=NOW + 315_360_000)),
    ("null as expiry", assertion(exp=None)),
    ("null as jti", assertion(jti=None)),
]

json.dump(
    {
        "keys": PUBLIC,
        "assertions": {"right": {alg: assertion(alg) for alg in KEYS}, "hostile": dict(hostile(assertion) + of_assertions)},
        "statements": {"right": {alg: statement(alg) for alg in KEYS}, "hostile": dict(hostile(statement))},
        "unapproved": statement(iss="https://other.example"),
    },
    sys.stdout,
)
