"""Writes DPoP proofs that jwcrypto has made, right and hostile ones: a second implementation of JWK, JWS and RFC 7638.

Arguments: the address and the time for which they are made. Output: a list of JSON objects.
"""

import json
import sys
import uuid

from jwcrypto import jwk, jws

URL, NOW = sys.argv[1], int(sys.argv[2])
KEYS = {
    "ES256": jwk.JWK.generate(kty="EC", crv="P-256"),
    "ES384": jwk.JWK.generate(kty="EC", crv="P-384"),
    "ES512": jwk.JWK.generate(kty="EC", crv="P-521"),
    "RS256": jwk.JWK.generate(kty="RSA", size=2048),
    "EdDSA": jwk.JWK.generate(kty="OKP", crv="Ed25519"),
}
KEYS["PS256"] = KEYS["RS512"] = KEYS["RS256"]
OTHER = jwk.JWK.generate(kty="EC", crv="P-256")
SHARED = jwk.JWK.generate(kty="oct", size=256)
SHORT = jwk.JWK.generate(kty="RSA", size=1024)
SECP256K1 = jwk.JWK.generate(kty="EC", crv="secp256k1")


def proof(alg, key, shown=None, header=None, claims=None):
    shown = key.export_public(as_dict=True) if shown is None else shown
    head = {"typ": "dpop+jwt", "alg": alg, "jwk": shown, **(header or {})}
    body = {"jti": str(uuid.uuid4()), "htm": "POST", "htu": URL, "iat": NOW, **(claims or {})}
    signed = jws.JWS(json.dumps(body))
    signed.allowed_algs = [alg]
    signed.add_signature(key, alg, json.dumps(head))
    return signed.serialize(compact=True)


made = [
    {"name": alg, "proof": proof(alg, key), "thumbprint": key.thumbprint(), "part": None} for alg, key in KEYS.items()
]
ES256 = KEYS["ES256"]
public = ES256.export_public(as_dict=True)
for name, part, text in [
    ("a shared secret", "alg", proof("HS256", SHARED, shown={})),
    ("a shared secret, shown", "alg", proof("HS256", SHARED, shown=SHARED.export_symmetric(as_dict=True))),
    ("the public key as a shared secret", "alg", proof("HS256", SHARED, shown=public)),
    ("the private key, shown", "jwk", proof("ES256", ES256, shown=ES256.export_private(as_dict=True))),
    ("an RSA private key, shown", "jwk", proof("RS256", KEYS["RS256"], shown=KEYS["RS256"].export_private(as_dict=True))),
    ("the key of somebody else, shown", "signature", proof("ES256", ES256, shown=OTHER.export_public(as_dict=True))),
    ("a curve that is not offered", "alg", proof("ES256K", SECP256K1)),
    ("an RSA key of 1024 bits", "jwk", proof("RS256", SHORT)),
    ("a key for encryption", "jwk", proof("ES256", ES256, shown={**public, "use": "enc"})),
    ("a key for another algorithm", "jwk", proof("ES256", ES256, shown={**public, "alg": "ES384"})),
    ("another address", "htu", proof("ES256", ES256, claims={"htu": URL + "/"})),
    ("another method", "htm", proof("ES256", ES256, claims={"htm": "GET"})),
    ("another type", "typ", proof("ES256", ES256, header={"typ": "JWT"})),
    ("the public key by its name only", "jwk", proof("ES256", ES256, shown="x", header={"kid": "x"})),
]:
    made.append({"name": name, "proof": text, "thumbprint": None, "part": part})
json.dump(made, sys.stdout)
