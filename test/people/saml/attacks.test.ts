import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeResponse, type ResponseFault } from '../../../src/people/saml/response.rules.ts';
import {
  assertionIn,
  assertionXml,
  elliptic,
  encrypted,
  expected,
  goodResponse,
  NOW,
  provider,
  REQUEST,
  RSA_SHA256,
  responseXml,
  signatureIn,
  signed,
  stranger,
  withMac,
} from './messages.ts';

const good = goodResponse();
const evil = assertionXml({ id: '_evil', nameId: 'admin@corp.example' });
const unsignedAssertion = assertionIn(good).replace(signatureIn(good), '');
const evilWith = (inside: string) => evil.replace('<saml:Subject>', `${inside}<saml:Subject>`);
/** The signed response, whole, somewhere in another one. */
const goodEnvelope = signed(responseXml(assertionXml()), '_response-1');
const evilEnvelope = (inside: string) =>
  responseXml(evil)
    .replace('ID="_response-1"', 'ID="_evil-response"')
    .replace('<samlp:Status>', `${inside}<samlp:Status>`);
const signedWith = (xml: string, id = '_assertion-1') => signed(responseXml(xml), id);

/** As Okta writes them: `xs` is declared once, around everything. */
const PREFIX_OUTSIDE = responseXml(assertionXml().replace(' xmlns:xs="http://www.w3.org/2001/XMLSchema"', '')).replace(
  '<samlp:Response',
  '<samlp:Response xmlns:xs="http://www.w3.org/2001/XMLSchema"',
);

/** Each is refused by the rule that it breaks, and by no other one before. */
const attacks: Readonly<Record<string, readonly [xml: string, fault: ResponseFault]>> = {
  'nothing is signed': [responseXml(assertionXml()), 'unsigned'],
  'XSW1: the signed response inside of the signature of a forged one': [
    evilEnvelope(
      signatureIn(goodEnvelope).replace('</ds:Signature>', `<ds:Object>${goodEnvelope}</ds:Object></ds:Signature>`),
    ),
    'assertionCount',
  ],
  'XSW2: a detached signature beside the signed response': [
    evilEnvelope(signatureIn(goodEnvelope) + goodEnvelope.replace(signatureIn(goodEnvelope), '')),
    'assertionCount',
  ],
  'XSW3: a forged assertion before the signed one': [
    good.replace('<saml:Assertion', `${evil}<saml:Assertion`),
    'assertionCount',
  ],
  'XSW4: the signed assertion inside of a forged one': [responseXml(evilWith(assertionIn(good))), 'assertionCount'],
  'XSW5: the signature in a forged assertion, the signed one after it': [
    responseXml(evilWith(signatureIn(good)) + unsignedAssertion),
    'assertionCount',
  ],
  'XSW6: the signed assertion inside of the signature of a forged one': [
    responseXml(evilWith(signatureIn(good).replace('</ds:Signature>', `${unsignedAssertion}</ds:Signature>`))),
    'assertionCount',
  ],
  'XSW7: a forged assertion in Extensions': [
    good.replace('<samlp:Status>', `<samlp:Extensions>${evil}</samlp:Extensions><samlp:Status>`),
    'assertionCount',
  ],
  'XSW8: the signed assertion in an Object of the signature': [
    responseXml(
      evilWith(
        signatureIn(good).replace('</ds:Signature>', `<ds:Object>${unsignedAssertion}</ds:Object></ds:Signature>`),
      ),
    ),
    'assertionCount',
  ],
  'the only assertion stands in Extensions': [
    responseXml('', { before: `<samlp:Extensions>${assertionIn(good)}</samlp:Extensions>` }),
    'assertionPlace',
  ],
  'an assertion of another namespace beside it': [
    good.replace('</samlp:Response>', '<x:Assertion xmlns:x="urn:example:other"/></samlp:Response>'),
    'assertionCount',
  ],
  'two signed assertions': [
    signed(signed(responseXml(assertionXml() + evil), '_assertion-1'), '_evil'),
    'assertionCount',
  ],
  'an encrypted assertion beside a signed one': [
    good.replace('</samlp:Response>', `${encrypted(evil)}</samlp:Response>`),
    'assertionCount',
  ],
  'the id of the assertion twice': [
    good.replace('<saml:Conditions', '<saml:Conditions ID="_assertion-1"'),
    'duplicateId',
  ],
  'the id of the assertion as another kind of id': [
    good.replace('<samlp:Status>', '<samlp:Status xml:id="_assertion-1">'),
    'duplicateId',
  ],
  'a signature over the status': [
    responseXml(assertionXml()).replace('<samlp:Status>', '<samlp:Status ID="_status"><saml:Issuer/>'),
    'unsigned',
  ],
  'a signature in the assertion over the response': [
    signed(responseXml(assertionXml()), '_assertion-1', { reference: '_response-1' }),
    'signatureReference',
  ],
  'a signature in the status over the assertion': [
    good.replace(signatureIn(good), '').replace('</samlp:Status>', `${signatureIn(good)}</samlp:Status>`),
    'foreignSignature',
  ],
  'two references': [good.replace(/(<ds:Reference[\s\S]*<\/ds:Reference>)/, '$1$1'), 'signatureReference'],
  'an empty reference': [good.replace('URI="#_assertion-1"', 'URI=""'), 'signatureReference'],
  'an XPointer as reference': [good.replace('URI="#_assertion-1"', 'URI="#xpointer(/)"'), 'signatureReference'],
  'two SignedInfo': [good.replace(/(<ds:SignedInfo>[\s\S]*<\/ds:SignedInfo>)/, '$1$1'), 'signatureForm'],
  'an Object in the signature': [good.replace('</ds:Signature>', '<ds:Object/></ds:Signature>'), 'signatureForm'],
  'XSLT as a transform': [
    good.replace(
      'http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms>',
      'http://www.w3.org/TR/1999/REC-xslt-19991116"/></ds:Transforms>',
    ),
    'signatureTransform',
  ],
  'a PrefixList that takes the time of a day': [
    goodResponse({}, {}, { inclusive: ['xs'] }).replaceAll('PrefixList="xs"', `PrefixList="${'xs '.repeat(100)}"`),
    'signatureTransform',
  ],
  'more elements than any assertion has': [
    good.replace('<saml:Conditions', `${'<a/>'.repeat(5000)}<saml:Conditions`),
    'tooLarge',
  ],
  'XPath as a third transform': [
    good.replace(
      '</ds:Transforms>',
      '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>false()</ds:XPath></ds:Transform></ds:Transforms>',
    ),
    'signatureTransform',
  ],
  'base64 as a transform': [
    good.replace('http://www.w3.org/2000/09/xmldsig#enveloped-signature', 'http://www.w3.org/2000/09/xmldsig#base64'),
    'signatureTransform',
  ],
  'canonicalisation with comments': [
    good.replaceAll('xml-exc-c14n#"', 'xml-exc-c14n#WithComments"'),
    'signatureTransform',
  ],
  'the key of a stranger': [goodResponse({}, {}, { key: stranger.privateKey }), 'signatureValue'],
  'the key of a stranger, who names it in KeyInfo': [
    goodResponse({}, {}, { key: stranger.privateKey }).replace(
      '</ds:Signature>',
      `<ds:KeyInfo><ds:KeyValue>${stranger.publicKey.export({ format: 'jwk' }).n}</ds:KeyValue></ds:KeyInfo></ds:Signature>`,
    ),
    'signatureValue',
  ],
  'the key of another provider (mix-up)': [
    goodResponse(
      { issuer: 'https://other.example.com/metadata' },
      { issuer: 'https://other.example.com/metadata' },
      { key: stranger.privateKey },
    ),
    'responseIssuer',
  ],
  'an algorithm of another kind than the key': [
    good.replace(RSA_SHA256, 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256'),
    'signatureValue',
  ],
  'SHA-1': [goodResponse({}, {}, { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }), 'signatureAlgorithm'],
  'SHA-1 as digest': [goodResponse({}, {}, { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }), 'signatureAlgorithm'],
  'no algorithm': [good.replace(RSA_SHA256, 'none'), 'signatureAlgorithm'],
  'the name of an inherited property as algorithm': [good.replace(RSA_SHA256, '__proto__'), 'signatureAlgorithm'],
  'HMAC with the public key': [withMac(good), 'signatureAlgorithm'],
  'another name in the signed assertion': [good.replace('alice@corp.example', 'admin@corp.example'), 'signatureDigest'],
  'another digest': [good.replace(/<ds:DigestValue>..../, '<ds:DigestValue>AAAA'), 'signatureValue'],
  'a signed assertion in a response whose signature is broken': [
    signed(good, '_response-1').replace(`InResponseTo="${REQUEST}">`, `InResponseTo="${REQUEST}" Consent="urn:x">`),
    'signatureDigest',
  ],
  'a signed response whose assertion has a broken signature': [
    signed(good.replace('alice@corp.example', 'admin@corp.example'), '_response-1'),
    'signatureDigest',
  ],
  'a comment in NameID': [good.replace('alice@corp.example', 'alice@corp.example<!---->.evil.example'), 'comment'],
  'CDATA in NameID': [good.replace('alice@corp.example', '<![CDATA[alice@corp.example]]>'), 'cdata'],
  'a processing instruction in NameID': [
    good.replace('alice@corp.example', 'alice@corp.example<?x?>'),
    'processingInstruction',
  ],
  'an element in NameID': [
    signedWith(assertionXml({ nameId: 'alice<x xmlns="urn:example:x"/>@corp.example' })),
    'nameId',
  ],
  'a space around NameID': [signedWith(assertionXml({ nameId: 'alice@corp.example ' })), 'nameId'],
  'an empty NameID': [signedWith(assertionXml({ nameId: '' })), 'nameId'],
  'two NameID': [
    signedWith(assertionXml({ subject: '<saml:NameID>admin</saml:NameID><saml:NameID>alice</saml:NameID>' })),
    'nameId',
  ],
  'a document type': [`<!DOCTYPE samlp:Response>${good}`, 'documentType'],
  'entities that expand': [
    `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>${good.replace('alice', '&b;')}`,
    'documentType',
  ],
  'an external entity': [
    `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${good.replace('alice', '&x;')}`,
    'documentType',
  ],
  'an entity without a document type': [good.replace('alice', '&alice;'), 'entity'],
  'NUL as a character reference': [good.replace('alice', '&#0;'), 'entity'],
  'a relative namespace': [good.replace('xmlns:xs="http://www.w3.org/2001/XMLSchema"', 'xmlns:xs="1"'), 'namespace'],
  'a prefix that is not declared': [good.replace('<saml:Conditions', '<saml:Conditions evil:x=""'), 'namespace'],
  'the namespace of xmlns': [
    good.replace('<saml:Conditions', '<saml:Conditions xmlns:x="http://www.w3.org/2000/xmlns/"'),
    'namespace',
  ],
  'an attribute twice, by two prefixes': [
    good.replace(
      '<saml:Conditions',
      '<saml:Conditions xmlns:a="urn:example:a" xmlns:b="urn:example:a" a:x="1" b:x="2"',
    ),
    'duplicateAttribute',
  ],
  'SAML elements of another namespace': [
    good.replaceAll('urn:oasis:names:tc:SAML:2.0:protocol', 'urn:oasis:names:tc:SAML:1.0:protocol'),
    'notResponse',
  ],
  'something after the end': [`${good}<x/>`, 'malformed'],
  'no end': [good.slice(0, -5), 'malformed'],
  'another encoding': [`<?xml version="1.0" encoding="UTF-16"?>${good}`, 'encoding'],
  'very many elements in each other': [
    good.replace('</samlp:Status>', `${'<x>'.repeat(100)}${'</x>'.repeat(100)}</samlp:Status>`),
    'tooDeep',
  ],
  megabytes: [good.replace('<samlp:Status>', `<samlp:Status>${' '.repeat(300_000)}`), 'tooLarge'],
  'another audience': [signedWith(assertionXml({ audience: 'https://shop.example.com' })), 'audience'],
  'no audience': [signedWith(assertionXml({ conditions: '<saml:OneTimeUse/>' })), 'audience'],
  'a condition that nobody knows': [signedWith(assertionXml({ conditions: '<saml:Condition/>' })), 'conditions'],
  'another recipient': [signedWith(assertionXml({ recipient: 'https://shop.example.com/acs' })), 'recipient'],
  'another destination': [goodResponse({}, { destination: 'https://shop.example.com/acs' }), 'destination'],
  'a signed response without a destination': [
    signed(responseXml(assertionXml(), { destination: null }), '_response-1'),
    'destination',
  ],
  'the answer to another request': [signedWith(assertionXml({ inResponseTo: '_request-2' })), 'inResponseTo'],
  'the answer to no request': [signedWith(assertionXml({ inResponseTo: null })), 'unsolicited'],
  'an envelope that answers another request': [
    goodResponse({}, { inResponseTo: '_request-2' }),
    'responseInResponseTo',
  ],
  'another issuer of the assertion': [signedWith(assertionXml({ issuer: 'https://other.example.com' })), 'issuer'],
  'another way of confirmation': [
    signedWith(assertionXml({ method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' })),
    'confirmation',
  ],
  'conditions that have expired': [signedWith(assertionXml({ notOnOrAfter: -61 })), 'expired'],
  'a confirmation that has expired': [signedWith(assertionXml({ confirmedUntil: -61 })), 'expired'],
  'conditions of the future': [signedWith(assertionXml({ notBefore: 61 })), 'notYetValid'],
  'issued in the future': [signedWith(assertionXml({ issued: 61 })), 'notYetValid'],
  'issued long ago, however long it calls itself valid': [
    signedWith(assertionXml({ issued: -3601, confirmedUntil: 999_999, notOnOrAfter: 999_999 })),
    'stale',
  ],
  'authenticated in the future': [signedWith(assertionXml({ authenticated: 61 })), 'notYetValid'],
  'a session there that has ended': [signedWith(assertionXml({ sessionEnd: -61 })), 'sessionExpired'],
  'encrypted to another key': [responseXml(encrypted(assertionIn(good), { to: stranger.publicKey })), 'decryption'],
  'encrypted, and signed by nobody': [responseXml(encrypted(assertionXml())), 'unsigned'],
  'encrypted, and signed by a stranger': [
    responseXml(encrypted(assertionIn(goodResponse({}, {}, { key: stranger.privateKey })))),
    'signatureValue',
  ],
  'AES-CBC that no signature covers': [
    responseXml(encrypted(assertionIn(good), { mode: 'cbc' })),
    'encryptionUnauthenticated',
  ],
  'a key with PKCS #1 1.5': [
    responseXml(encrypted(assertionIn(good), { keyMethod: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5' })),
    'encryptionAlgorithm',
  ],
  'something else than an assertion, encrypted': [responseXml(encrypted(good)), 'encryptionForm'],
};

describe('SAML responses that are refused', () => {
  for (const [name, [xml, fault]] of Object.entries(attacks)) {
    it(`${name}: ${fault}`, () => {
      assert.deepEqual(judgeResponse(xml, expected), { kind: 'refused', fault });
    });
  }
});

describe('SAML responses that are accepted', () => {
  const accepted: Readonly<Record<string, string>> = {
    'the assertion is signed': good,
    'the response is signed, and its assertion is not': goodEnvelope,
    'both are signed': signed(good, '_response-1'),
    'both are signed, and the assertion counts on a prefix of the response': signed(
      signed(PREFIX_OUTSIDE, '_assertion-1', { inclusive: ['xs'] }),
      '_response-1',
    ),
    'the issuer of the response is left out': good.replace(
      /(<samlp:Response[^>]*>)<saml:Issuer>.*?<\/saml:Issuer>/,
      '$1',
    ),
    'with inclusive namespaces': goodResponse({}, {}, { inclusive: ['xs'] }),
    'with SHA-512': goodResponse(
      {},
      {},
      {
        algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
        digest: 'http://www.w3.org/2001/04/xmlenc#sha512',
      },
    ),
    'an encrypted assertion that is signed': responseXml(encrypted(assertionIn(good))),
    'an encrypted assertion in a signed response': signed(responseXml(encrypted(assertionXml())), '_response-1'),
    'AES-CBC in a signed response': signed(responseXml(encrypted(assertionIn(good), { mode: 'cbc' })), '_response-1'),
    'with an XML declaration and Windows line ends': `<?xml version="1.0" encoding="UTF-8"?>\r\n${good.replaceAll('\n', '\r\n')}`,
    'within the difference of two clocks': goodResponse({ issued: 50, notBefore: 50, notOnOrAfter: 30 }),
  };
  for (const [name, xml] of Object.entries(accepted)) {
    it(name, () => {
      const verdict = judgeResponse(xml, expected);
      assert.equal(verdict.kind, 'accepted', JSON.stringify(verdict));
      const { assertion } = verdict as Extract<typeof verdict, { kind: 'accepted' }>;
      assert.equal(assertion.nameId, 'alice@corp.example');
      assert.deepEqual(assertion.attributes.get('groups'), ['engineers', 'staff & friends']);
      assert.equal(assertion.inResponseTo, REQUEST);
    });
  }

  it('with the second of two keys, which is an elliptic curve', () => {
    const xml = goodResponse(
      {},
      {},
      { key: elliptic.privateKey, algorithm: 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256' },
    );
    const verdict = judgeResponse(xml, { ...expected, keys: [provider.publicKey, elliptic.publicKey] });
    assert.equal(verdict.kind, 'accepted', JSON.stringify(verdict));
  });

  it('says for how long its id is remembered', () => {
    const verdict = judgeResponse(good, expected);
    assert(verdict.kind === 'accepted');
    assert.equal(verdict.assertion.validUntil, NOW + 300 + 60);
  });
});

describe('a provider that says no', () => {
  const status = (top: string, inner: string) =>
    `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${top}"><samlp:StatusCode Value="${inner}"/></samlp:StatusCode>`;

  it('is told by its codes', () => {
    const xml = responseXml('', { status: status('Responder', 'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed') });
    assert.deepEqual(judgeResponse(xml, expected), { kind: 'status', codes: ['Responder', 'AuthnFailed'] });
  });

  it('by no text of its own', () => {
    const xml = responseXml('', { status: status('Responder', 'call 555 now') });
    assert.deepEqual(judgeResponse(xml, expected), { kind: 'status', codes: ['Responder', 'other'] });
  });

  it('with an assertion all the same', () => {
    const xml = good.replace('status:Success', 'status:Requester');
    assert.deepEqual(judgeResponse(xml, expected), { kind: 'status', codes: ['Requester'] });
  });
});
