"""A SAML identity provider made of pysaml2. Whoever comes is the person that the test has chosen, without a page to sign in."""

import functools
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import saml2.entity
import saml2.sigver
from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.config import IdPConfig
from saml2.metadata import create_metadata_string
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
from saml2.server import Server
from saml2.sigver import verify_redirect_signature

BASE, FOLDER, XMLSEC, SP_METADATA = sys.argv[1:]
SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256"
RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
AES_GCM = "http://www.w3.org/2009/xmlenc11#aes256-gcm"
PASSWORD = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"

state = {
    "key": "first",
    "sign_response": False,
    "sign_assertion": True,
    "encrypt": None,
    "wants_signed": False,
    "bindings": ["redirect", "post"],
    "subject": "u-1",
    "attributes": {},
}
seen = {"signed": None, "binding": None}
BINDINGS = {"redirect": BINDING_HTTP_REDIRECT, "post": BINDING_HTTP_POST}


def config():
    return IdPConfig().load(
        {
            "entityid": f"{BASE}/metadata",
            "xmlsec_binary": XMLSEC,
            "key_file": f"{FOLDER}/{state['key']}.key",
            "cert_file": f"{FOLDER}/{state['key']}.pem",
            "metadata": {"local": [SP_METADATA]},
            "service": {
                "idp": {
                    "endpoints": {
                        "single_sign_on_service": [(f"{BASE}/sso", BINDINGS[name]) for name in state["bindings"]],
                        "single_logout_service": [(f"{BASE}/slo", BINDING_HTTP_REDIRECT)],
                    },
                    "want_authn_requests_signed": state["wants_signed"],
                    "name_id_format": [NAMEID_FORMAT_PERSISTENT],
                    "policy": {"default": {"lifetime": {"minutes": 5}, "attribute_restrictions": None}},
                }
            },
        }
    )


plain_template = saml2.sigver.pre_encryption_part
plain_encrypt = saml2.sigver.CryptoBackendXmlSec1.encrypt_assertion


def choose_encryption():
    """pysaml2 has no setting for it: Triple DES unless both places say otherwise."""
    is_gcm = state["encrypt"] == "aes-gcm"
    saml2.entity.pre_encryption_part = functools.partial(plain_template, **({"msg_enc": AES_GCM} if is_gcm else {}))

    def encrypt(self, statement, enc_key, template, key_type, node_xpath=None, node_id=None):
        return plain_encrypt(self, statement, enc_key, template, "aes-256" if is_gcm else "des-192", node_xpath, node_id)

    saml2.sigver.CryptoBackendXmlSec1.encrypt_assertion = encrypt


def answer(query, binding):
    choose_encryption()
    server = Server(config=config())
    signature = {name: query[key] for name, key in (("sigalg", "SigAlg"), ("signature", "Signature")) if key in query}
    request = server.parse_authn_request(query["SAMLRequest"], binding, **signature)
    seen.update(binding=binding, signed="Signature" in query or request.message.signature is not None)
    where = server.response_args(request.message, [BINDING_HTTP_POST])
    response = server.create_authn_response(
        state["attributes"],
        in_response_to=where["in_response_to"],
        destination=where["destination"],
        sp_entity_id=where["sp_entity_id"],
        name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text=state["subject"]),
        authn={"class_ref": PASSWORD},
        sign_response=state["sign_response"],
        sign_assertion=state["sign_assertion"],
        encrypt_assertion=state["encrypt"] is not None,
        sign_alg=RSA_SHA256,
        digest_alg=SHA256,
    )
    page = server.apply_binding(BINDING_HTTP_POST, str(response), where["destination"], response=True)
    return page["data"]


def sign_out(query):
    """Reads the request, and sends the browser back as the metadata of the service provider say."""
    server = Server(config=config())
    request = server.parse_logout_request(query["SAMLRequest"], BINDING_HTTP_REDIRECT)
    issuer = request.message.issuer.text
    certificates = [certificate for _, certificate in server.metadata.certs(issuer, "any", "signing")]
    seen.update(
        name_id=request.message.name_id.text,
        session_index=[index.text for index in request.message.session_index],
        signed=any(verify_redirect_signature(query, server.sec.sec_backend, each) for each in certificates),
    )
    response = server.create_logout_response(request.message, [BINDING_HTTP_REDIRECT], sign=False)
    where = server.response_args(request.message, [BINDING_HTTP_REDIRECT])
    page = server.apply_binding(BINDING_HTTP_REDIRECT, str(response), where["destination"], response=True)
    return dict(page["headers"])["Location"]


def end_session(query):
    """A request of this provider to end the sessions of the person, as a browser would bring it."""
    server = Server(config=config())
    binding = BINDINGS[query["binding"]]
    issuer = next(iter(server.metadata.service_providers()))
    where = server.metadata.single_logout_service(issuer, binding, "spsso")[0]["location"]
    is_signed = query.get("sign") != "no"
    _, request = server.create_logout_request(
        where,
        issuer,
        name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text=query.get("subject", state["subject"])),
        session_indexes=[query["index"]] if "index" in query else None,
        sign=is_signed and binding == BINDING_HTTP_POST,
        sign_alg=RSA_SHA256,
        digest_alg=SHA256,
    )
    is_redirect = binding == BINDING_HTTP_REDIRECT
    signing = {"sign": is_signed, "sigalg": RSA_SHA256} if is_redirect else {}
    page = server.apply_binding(binding, str(request), where, "their-state", **signing)
    return {"location": dict(page["headers"])["Location"]} if is_redirect else {"page": str(page["data"])}


def signed_out(query):
    """Reads the answer of the service provider."""
    server = Server(config=config())
    answer = server.parse_logout_request_response(query["SAMLResponse"], BINDING_HTTP_REDIRECT)
    certificates = [certificate for _, certificate in server.metadata.certs(answer.issuer(), "any", "signing")]
    seen.update(
        relay_state=query.get("RelayState"),
        status=answer.response.status.status_code.value,
        answered=answer.response.in_response_to,
        signed=any(verify_redirect_signature(query, server.sec.sec_backend, each) for each in certificates),
    )
    return "signed out"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, body, kind="text/html"):
        data = body if isinstance(body, bytes) else str(body).encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        place = urlsplit(self.path)
        if place.path == "/metadata":
            self.reply(create_metadata_string(None, config=config()), "application/samlmetadata+xml")
        elif place.path == "/seen":
            self.reply(json.dumps(seen), "application/json")
        elif place.path == "/sso":
            self.reply(answer({name: values[0] for name, values in parse_qs(place.query).items()}, BINDING_HTTP_REDIRECT))
        elif place.path == "/end":
            query = {name: values[0] for name, values in parse_qs(place.query).items()}
            self.reply(json.dumps(end_session(query)), "application/json")
        elif place.path == "/slo" and "SAMLResponse=" in place.query:
            self.reply(signed_out({name: values[0] for name, values in parse_qs(place.query).items()}))
        elif place.path == "/slo":
            self.send_response(302)
            self.send_header("location", sign_out({name: values[0] for name, values in parse_qs(place.query).items()}))
            self.end_headers()
        else:
            self.send_error(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if self.path == "/state":
            state.update(json.loads(body))
            self.reply("{}", "application/json")
        elif self.path == "/sso":
            self.reply(answer({name: values[0] for name, values in parse_qs(body).items()}, BINDING_HTTP_POST))
        else:
            self.send_error(404)


ThreadingHTTPServer(("127.0.0.1", urlsplit(BASE).port), Handler).serve_forever()
