import { createHash, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { canonicalForm } from './canonical.rules.ts';
import { ENVELOPED_SIGNATURE, EXCLUSIVE_CANONICAL, SIGNATURE } from './names.rules.ts';
import { attribute, childrenNamed, onlyChild, textOf, type XmlElement } from './xml.rules.ts';

/**
 * The profile of XML Signature that SAML has (SAML core section 5.4), and nothing else: a signature is a child of what it signs, has one
 * reference, to the ID of that element, and exactly the two transforms that cannot select anything else. Keys are those of the metadata;
 * what the signature says of its key is not read.
 */
export type Signed =
  | { readonly kind: 'unsigned' }
  /** `canonical`: the octets that were digested. What is read is read from them. */
  | { readonly kind: 'signed'; readonly canonical: string }
  | { readonly kind: 'refused'; readonly fault: SignatureFault };

export type SignatureFault =
  | 'signatureForm'
  | 'signatureReference'
  | 'signatureTransform'
  | 'signatureAlgorithm'
  | 'signatureDigest'
  | 'signatureValue';

/** XML Signature Syntax 1.1 and RFC 6931. SHA-1 is not among them: collisions are affordable, so a signature of one text is that of another. */
const SIGNATURE_METHODS: Readonly<Record<string, Method>> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': { keyType: 'rsa', hash: 'sha256' },
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384': { keyType: 'rsa', hash: 'sha384' },
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': { keyType: 'rsa', hash: 'sha512' },
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256': { keyType: 'ec', hash: 'sha256' },
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384': { keyType: 'ec', hash: 'sha384' },
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512': { keyType: 'ec', hash: 'sha512' },
};

export const DIGEST_METHODS: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/04/xmlenc#sha256': 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#sha384': 'sha384',
  'http://www.w3.org/2001/04/xmlenc#sha512': 'sha512',
};

interface Method {
  /** Of the key too: the public key of an RSA signature never serves as a secret, or for another kind of signature. */
  readonly keyType: 'rsa' | 'ec';
  readonly hash: string;
}

const REFUSED = (fault: SignatureFault): Signed => ({ kind: 'refused', fault });

/** Whether one of these keys has signed the element. A signature somewhere else in it signs something else. */
export function readSigned(element: XmlElement, keys: readonly KeyObject[]): Signed {
  const signatures = childrenNamed(element, SIGNATURE, 'Signature');
  const [signature] = signatures;
  if (!signature) return { kind: 'unsigned' };
  if (signatures.length > 1) return REFUSED('signatureForm');
  const claim = claimOf(signature);
  if (typeof claim === 'string') return REFUSED(claim);
  const id = attribute(element, 'ID');
  if (id === undefined || id === '' || claim.uri !== `#${id}`) return REFUSED('signatureReference');
  // First, because it is little work: what follows is done for those alone who have had something signed.
  if (!keys.some(key => isSignedBy(key, claim))) return REFUSED('signatureValue');
  const canonical = canonicalForm(element, { without: signature, inclusive: claim.inclusive });
  const digest = createHash(claim.digest).update(canonical).digest();
  const isRight = digest.length === claim.digestValue.length && timingSafeEqual(digest, claim.digestValue);
  return isRight ? { kind: 'signed', canonical } : REFUSED('signatureDigest');
}

interface Claim {
  readonly method: Method;
  readonly uri: string;
  readonly inclusive: readonly string[];
  readonly digest: string;
  readonly digestValue: Buffer;
  readonly signedInfo: string;
  readonly value: Buffer;
}

function claimOf(signature: XmlElement): Claim | SignatureFault {
  const signedInfo = onlyChild(signature, SIGNATURE, 'SignedInfo');
  const value = bytesOf(onlyChild(signature, SIGNATURE, 'SignatureValue'));
  if (!signedInfo || !value || !hasOnly(signature, ['SignedInfo', 'SignatureValue', 'KeyInfo'])) return 'signatureForm';
  if (!hasOnly(signedInfo, ['CanonicalizationMethod', 'SignatureMethod', 'Reference'])) return 'signatureForm';
  const canonicalization = onlyChild(signedInfo, SIGNATURE, 'CanonicalizationMethod');
  const reference = onlyChild(signedInfo, SIGNATURE, 'Reference');
  const methodElement = onlyChild(signedInfo, SIGNATURE, 'SignatureMethod');
  if (!canonicalization || !methodElement) return 'signatureForm';
  if (!reference) return 'signatureReference';
  const method = own(SIGNATURE_METHODS, attribute(methodElement, 'Algorithm'));
  if (!method || methodElement.children.some(isElement)) return 'signatureAlgorithm';
  const prefixes = inclusivePrefixes(canonicalization);
  const read = readReference(reference);
  if (!prefixes) return 'signatureTransform';
  if (typeof read === 'string') return read;
  return { method, ...read, signedInfo: canonicalForm(signedInfo, { inclusive: prefixes }), value };
}

function readReference(reference: XmlElement) {
  if (!hasOnly(reference, ['Transforms', 'DigestMethod', 'DigestValue'])) return 'signatureForm';
  const transforms = onlyChild(reference, SIGNATURE, 'Transforms');
  const digestMethod = onlyChild(reference, SIGNATURE, 'DigestMethod');
  const digestValue = bytesOf(onlyChild(reference, SIGNATURE, 'DigestValue'));
  if (!transforms || !digestMethod || !digestValue) return 'signatureForm';
  const digest = own(DIGEST_METHODS, attribute(digestMethod, 'Algorithm'));
  if (!digest) return 'signatureAlgorithm';
  const [enveloped, exclusive, ...others] = transforms.children.filter(isElement);
  const isKnown =
    others.length === 0 &&
    hasOnly(transforms, ['Transform']) &&
    enveloped !== undefined &&
    exclusive !== undefined &&
    attribute(enveloped, 'Algorithm') === ENVELOPED_SIGNATURE &&
    // It has no parameters; xml-crypto writes those of the other one here too.
    enveloped.children.filter(isElement).every(({ name }) => name === 'InclusiveNamespaces');
  const inclusive = isKnown ? inclusivePrefixes(exclusive) : undefined;
  return inclusive ? { uri: attribute(reference, 'URI') ?? '', inclusive, digest, digestValue } : 'signatureTransform';
}

/** Providers name one or two. Each is looked for at every element, before anything is known about who sent it. */
const MAX_PREFIX_LIST_LENGTH = 200;

/** The prefixes of exclusive canonicalisation; undefined: it is not that, or has parameters that it does not have. */
function inclusivePrefixes(transform: XmlElement): readonly string[] | undefined {
  if (attribute(transform, 'Algorithm') !== EXCLUSIVE_CANONICAL) return undefined;
  const elements = transform.children.filter(isElement);
  const [inclusive] = elements;
  if (!inclusive) return [];
  const list = attribute(inclusive, 'PrefixList') ?? '';
  const isRight = elements.length === 1 && isInclusiveNamespaces(inclusive) && list.length <= MAX_PREFIX_LIST_LENGTH;
  const prefixes = [...new Set(list.split(' '))].filter(prefix => prefix !== '');
  return isRight ? prefixes.map(prefix => (prefix === '#default' ? '' : prefix)) : undefined;
}

function isInclusiveNamespaces({ namespace, name }: XmlElement): boolean {
  return namespace === EXCLUSIVE_CANONICAL && name === 'InclusiveNamespaces';
}

/** A signature beside what it signs, as in an address (SAML bindings section 3.4.4.1). Undefined: it holds. */
export function detachedFault(
  { algorithm, octets, value }: { readonly algorithm: string; readonly octets: string; readonly value: Buffer },
  keys: readonly KeyObject[],
): SignatureFault | undefined {
  const method = own(SIGNATURE_METHODS, algorithm);
  if (!method) return 'signatureAlgorithm';
  return keys.some(key => isSignedBy(key, { method, signedInfo: octets, value })) ? undefined : 'signatureValue';
}

function isSignedBy(
  key: KeyObject,
  { method, signedInfo, value }: Pick<Claim, 'method' | 'signedInfo' | 'value'>,
): boolean {
  if (key.asymmetricKeyType !== method.keyType) return false;
  // RFC 6931 section 2.3.6: r and s, one after the other.
  const how = method.keyType === 'ec' ? ({ key, dsaEncoding: 'ieee-p1363' } as const) : key;
  return verify(method.hash, Buffer.from(signedInfo), how, value);
}

function hasOnly({ children }: XmlElement, names: readonly string[]): boolean {
  return children.filter(isElement).every(child => child.namespace === SIGNATURE && names.includes(child.name));
}

function isElement(child: XmlElement | string): child is XmlElement {
  return typeof child !== 'string';
}

/** Base64 of an element, which may be broken into lines. */
export function bytesOf(element: XmlElement | undefined): Buffer | undefined {
  const text = element && textOf(element)?.replace(/[ \t\r\n]/g, '');
  return text && /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

export function own<T>(record: Readonly<Record<string, T>>, name: string | undefined): T | undefined {
  return name !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
