import {
  type BinaryLike,
  constants,
  createCipheriv,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  publicEncrypt,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import type { Expected } from '../../../src/people/saml/response.rules.ts';

/**
 * Responses of an identity provider, right and hostile ones. Signatures are made by xml-crypto on xmldom, so that nothing that verifies
 * them here has made them.
 */
export const NOW = Date.parse('2027-03-01T12:00:00Z') / 1000;
export const ISSUER = 'https://idp.example.com/metadata';
export const AUDIENCE = 'https://id.example.com/login/provider/corp/metadata';
export const CALLBACK = 'https://id.example.com/login/provider/corp/callback';
export const REQUEST = '_request-1';

const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Of the provider, of somebody else, and ours for encryption. */
export const provider = pair();
export const stranger = pair();
export const ours = pair();
export const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });

export const expected: Expected = {
  issuer: ISSUER,
  audience: AUDIENCE,
  callback: CALLBACK,
  answers: inResponseTo => inResponseTo === REQUEST,
  now: NOW,
  keys: [provider.publicKey],
  decryptionKeys: [ours.privateKey],
};

export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';

const at = (seconds: number) => new Date((NOW + seconds) * 1000).toISOString();

export interface AssertionParts {
  readonly id?: string;
  readonly issuer?: string;
  readonly issued?: number;
  readonly nameId?: string;
  readonly subject?: string;
  readonly method?: string;
  readonly recipient?: string;
  readonly inResponseTo?: string | null;
  readonly confirmedUntil?: number;
  readonly notBefore?: number;
  readonly notOnOrAfter?: number;
  readonly audience?: string;
  readonly conditions?: string;
  readonly authenticated?: number;
  readonly sessionEnd?: number;
  readonly attributes?: string;
}

export function assertionXml(parts: AssertionParts = {}): string {
  const { id = '_assertion-1', issuer = ISSUER, issued = -5, nameId = 'alice@corp.example' } = parts;
  const { method = 'urn:oasis:names:tc:SAML:2.0:cm:bearer', recipient = CALLBACK, inResponseTo = REQUEST } = parts;
  const { confirmedUntil = 300, notBefore = -30, notOnOrAfter = 300, audience = AUDIENCE, sessionEnd = 3600 } = parts;
  const answered = inResponseTo === null ? '' : ` InResponseTo="${inResponseTo}"`;
  const restriction = `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>`;
  const subject =
    parts.subject ??
    `<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">${nameId}</saml:NameID>`;
  return `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:xs="http://www.w3.org/2001/XMLSchema" ID="${id}" Version="2.0" IssueInstant="${at(issued)}">
<saml:Issuer>${issuer}</saml:Issuer>
<saml:Subject>${subject}<saml:SubjectConfirmation Method="${method}"><saml:SubjectConfirmationData NotOnOrAfter="${at(confirmedUntil)}" Recipient="${recipient}"${answered}/></saml:SubjectConfirmation></saml:Subject>
<saml:Conditions NotBefore="${at(notBefore)}" NotOnOrAfter="${at(notOnOrAfter)}">${parts.conditions ?? restriction}</saml:Conditions>
<saml:AuthnStatement AuthnInstant="${at(parts.authenticated ?? -60)}" SessionIndex="_session-1" SessionNotOnOrAfter="${at(sessionEnd)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>
<saml:AttributeStatement>${parts.attributes ?? attributeXml('mail', 'alice@corp.example') + attributeXml('groups', 'engineers', 'staff &amp; friends')}</saml:AttributeStatement>
</saml:Assertion>`;
}

export function attributeXml(name: string, ...values: readonly string[]): string {
  const all = values.map(
    value =>
      `<saml:AttributeValue xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">${value}</saml:AttributeValue>`,
  );
  return `<saml:Attribute Name="${name}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic">${all.join('')}</saml:Attribute>`;
}

export interface ResponseParts {
  readonly issuer?: string;
  readonly destination?: string | null;
  readonly inResponseTo?: string | null;
  readonly status?: string;
  readonly before?: string;
}

export function responseXml(content: string, parts: ResponseParts = {}): string {
  const { issuer = ISSUER, destination = CALLBACK, inResponseTo = REQUEST, before = '' } = parts;
  const { status = '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>' } = parts;
  const named = destination === null ? '' : ` Destination="${destination}"`;
  const answered = inResponseTo === null ? '' : ` InResponseTo="${inResponseTo}"`;
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_response-1" Version="2.0" IssueInstant="${at(-5)}"${named}${answered}><saml:Issuer>${issuer}</saml:Issuer>${before}<samlp:Status>${status}</samlp:Status>${content}</samlp:Response>`;
}

export interface Signing {
  readonly key?: KeyObject;
  readonly algorithm?: string;
  readonly digest?: string;
  readonly transforms?: readonly string[];
  readonly inclusive?: readonly string[];
  /** Of the element that is signed, where it is another one than that which gets the signature. */
  readonly reference?: string;
}

/** The document with a signature of the element in it, after its issuer. */
export function signed(xml: string, id: string, signing: Signing = {}): string {
  const { key = provider.privateKey, algorithm = RSA_SHA256, digest = SHA256, inclusive = [] } = signing;
  const signer = new SignedXml({
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }) as string,
    signatureAlgorithm: algorithm,
    canonicalizationAlgorithm: EXCLUSIVE,
  });
  signer.SignatureAlgorithms = { ...signer.SignatureAlgorithms, ...EC_SHA256 } as never;
  signer.addReference({
    xpath: `//*[@ID='${signing.reference ?? id}']`,
    transforms: signing.transforms ?? [ENVELOPED, EXCLUSIVE],
    digestAlgorithm: digest,
    inclusiveNamespacesPrefixList: [...inclusive],
  });
  signer.computeSignature(xml, {
    prefix: 'ds',
    location: { reference: `//*[@ID='${id}']/*[local-name()='Issuer']`, action: 'after' },
  });
  return signer.getSignedXml();
}

const EC_SHA256 = {
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256': class {
    getSignature(text: BinaryLike, key: string): string {
      return signEc(text, key);
    }
    getAlgorithmName(): string {
      return 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256';
    }
  },
};

function signEc(text: BinaryLike, key: string): string {
  return sign('sha256', Buffer.from(text as string), { key, dsaEncoding: 'ieee-p1363' }).toString('base64');
}

/** With the assertion signed, as most providers do it. */
export const goodResponse = (parts: AssertionParts = {}, envelope: ResponseParts = {}, signing: Signing = {}) =>
  signed(responseXml(assertionXml(parts), envelope), parts.id ?? '_assertion-1', signing);

/** Whether xml-crypto holds the signature of the document for one of this certificate. */
export function isSignedWith(xml: string, certificate: string): boolean {
  const verifier = new SignedXml({ publicCert: new X509Certificate(Buffer.from(certificate, 'base64')).toString() });
  verifier.loadSignature(signatureIn(xml));
  return verifier.checkSignature(xml);
}

/** The signature element of the document, to be put elsewhere. */
export function signatureIn(xml: string): string {
  return /<ds:Signature[\s\S]*?<\/ds:Signature>/.exec(xml)?.[0] ?? '';
}

/** The signed assertion of the document. */
export function assertionIn(xml: string): string {
  return /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml)?.[0] ?? '';
}

/** A signature with the public key as the secret of a MAC, which everybody has. */
export function withMac(xml: string): string {
  const method = 'http://www.w3.org/2000/09/xmldsig#hmac-sha256';
  const changed = xml.replace(RSA_SHA256, method);
  const info = /<ds:SignedInfo>[\s\S]*?<\/ds:SignedInfo>/.exec(changed)?.[0] ?? '';
  const canonical = info.replace('<ds:SignedInfo>', '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">');
  const secret = provider.publicKey.export({ type: 'spki', format: 'pem' });
  const mac = createHmac('sha256', secret).update(canonical).digest('base64');
  return changed.replace(/(<ds:SignatureValue>)[^<]*/, `$1${mac}`);
}

export interface Encrypting {
  readonly to?: KeyObject;
  readonly mode?: 'gcm' | 'cbc';
  readonly keyMethod?: string;
}

const ENCRYPTION = 'http://www.w3.org/2001/04/xmlenc#';

/** XML Encryption of a text, as the element `EncryptedAssertion`. */
export function encrypted(text: string, { to = ours.publicKey, mode = 'gcm', keyMethod }: Encrypting = {}): string {
  const secret = randomBytes(32);
  const wrapped = publicEncrypt({ key: to, oaepHash: 'sha1', padding: constants.RSA_PKCS1_OAEP_PADDING }, secret);
  const method = mode === 'gcm' ? 'http://www.w3.org/2009/xmlenc11#aes256-gcm' : `${ENCRYPTION}aes256-cbc`;
  const value = mode === 'gcm' ? sealGcm(secret, text) : sealCbc(secret, text);
  return `<saml:EncryptedAssertion><xenc:EncryptedData xmlns:xenc="${ENCRYPTION}" Type="${ENCRYPTION}Element"><xenc:EncryptionMethod Algorithm="${method}"/><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><xenc:EncryptedKey><xenc:EncryptionMethod Algorithm="${keyMethod ?? `${ENCRYPTION}rsa-oaep-mgf1p`}"/><xenc:CipherData><xenc:CipherValue>${wrapped.toString('base64')}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo><xenc:CipherData><xenc:CipherValue>${value.toString('base64')}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData></saml:EncryptedAssertion>`;
}

function sealGcm(secret: Buffer, text: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', secret, nonce);
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

function sealCbc(secret: Buffer, text: string): Buffer {
  const start = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', secret, start);
  return Buffer.concat([start, cipher.update(text), cipher.final()]);
}
