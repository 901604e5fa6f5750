import type { KeyObject } from 'node:crypto';
import {
  type Assertion,
  type AssertionFault,
  type ExpectedAssertion,
  isIssuer,
  readAssertion,
} from './assertion.rules.ts';
import { type DecryptionFault, decryptElement } from './decrypt.rules.ts';
import { ASSERTION, PROTOCOL, STATUS } from './names.rules.ts';
import { readSigned, type SignatureFault } from './signature.rules.ts';
import {
  attribute,
  childrenNamed,
  elementsIn,
  onlyChild,
  readXml,
  type XmlElement,
  type XmlFault,
} from './xml.rules.ts';

/**
 * The verdict on a response. It has exactly one assertion, as its child. Accepted is one that is signed itself, or that stands in a signed
 * response; where both are signed, both signatures hold. What is read was canonicalised, digested and signed, and is parsed once more
 * from these very octets: nothing that a signature does not cover is reached.
 */
export type ResponseVerdict =
  | { readonly kind: 'accepted'; readonly assertion: Assertion }
  /** The provider says no: the names of its status codes, without their common beginning. */
  | { readonly kind: 'status'; readonly codes: readonly string[] }
  | { readonly kind: 'refused'; readonly fault: ResponseFault };

export type ResponseFault =
  | XmlFault
  | SignatureFault
  | DecryptionFault
  | AssertionFault
  | 'notResponse'
  | 'duplicateId'
  | 'foreignSignature'
  | 'assertionCount'
  | 'assertionPlace'
  | 'unsigned'
  | 'responseIssuer'
  | 'destination'
  | 'responseInResponseTo';

export interface Expected extends ExpectedAssertion {
  readonly keys: readonly KeyObject[];
  readonly decryptionKeys: readonly KeyObject[];
}

/** An assertion with some hundred groups has 100 KB; in base64 the form has a third more. */
export const MAX_RESPONSE_LENGTH = 256 * 1024;

const refused = (fault: ResponseFault) => ({ kind: 'refused', fault }) as const;

export function judgeResponse(text: string, expected: Expected): ResponseVerdict {
  const read = readXml(text, { maxLength: MAX_RESPONSE_LENGTH });
  if (read.kind === 'refused') return read;
  const fault = faultOfForm(read.root);
  if (fault) return refused(fault);
  const response = covered(read.root, expected.keys);
  if (response.kind === 'refused') return response;
  const { element: root, isSigned } = response;
  const codes = statusCodes(root);
  if (codes[0] !== 'Success') return { kind: 'status', codes };
  const envelope = faultOfEnvelope(root, isSigned, expected);
  if (envelope) return refused(envelope);
  const found = assertionIn(root, isSigned, expected);
  if ('kind' in found) return found;
  const assertion = coveredAssertion(read.root, found.element, expected.keys);
  if (assertion.kind === 'refused') return assertion;
  if (!isSigned && !assertion.isSigned) return refused('unsigned');
  const said = readAssertion(assertion.element, expected);
  if (typeof said === 'string') return refused(said);
  // The envelope answers what its assertion answers, also where nobody has signed it.
  const envelopeAnswers = attribute(root, 'InResponseTo');
  if (envelopeAnswers !== undefined && envelopeAnswers !== said.inResponseTo) return refused('responseInResponseTo');
  return { kind: 'accepted', assertion: said };
}

/** Which request a response names, verified or not: it says in which sign-in a refusal is told. */
export function claimedInResponseTo(text: string): string | undefined {
  const read = readXml(text, { maxLength: MAX_RESPONSE_LENGTH });
  return read.kind === 'read' ? attribute(read.root, 'InResponseTo') : undefined;
}

/** What holds before a signature is looked at. An assertion or a signature anywhere else is the material of a wrapping attack. */
function faultOfForm(root: XmlElement): ResponseFault | undefined {
  if (root.namespace !== PROTOCOL || root.name !== 'Response' || attribute(root, 'Version') !== '2.0')
    return 'notResponse';
  const all = [...elementsIn(root)];
  if (!areUnique(all)) return 'duplicateId';
  const children = root.children.filter(each => typeof each !== 'string');
  const assertions = all.filter(isAssertion);
  if (assertions.length > 1) return 'assertionCount';
  if (assertions.some(each => !children.includes(each) || each.namespace !== ASSERTION)) return 'assertionPlace';
  const places = [root, ...assertions].flatMap(each => each.children);
  return all.every(each => each.name !== 'Signature' || places.includes(each)) ? undefined : 'foreignSignature';
}

/** By its name in any namespace: nothing that could pass for one is left aside. */
function isAssertion({ name }: XmlElement): boolean {
  return name === 'Assertion' || name === 'EncryptedAssertion';
}

export function areUnique(elements: readonly XmlElement[]): boolean {
  const ids = elements.flatMap(({ attributes }) =>
    attributes.filter(({ name }) => /^id$/i.test(name)).map(({ value }) => value),
  );
  return new Set(ids).size === ids.length;
}

type Covered =
  | { readonly kind: 'covered'; readonly element: XmlElement; readonly isSigned: boolean }
  | { readonly kind: 'refused'; readonly fault: ResponseFault };

/** The element as it was signed, read from the octets that were digested; or as it is, where nobody signed it. */
function covered(element: XmlElement, keys: readonly KeyObject[]): Covered {
  const signed = readSigned(element, keys);
  if (signed.kind === 'refused') return signed;
  if (signed.kind === 'unsigned') return { kind: 'covered', element, isSigned: false };
  const read = readXml(signed.canonical, { maxLength: 2 * MAX_RESPONSE_LENGTH });
  return read.kind === 'read' ? { kind: 'covered', element: read.root, isSigned: true } : read;
}

/**
 * A signature of its own was made of the assertion as it was sent: with prefixes that a `PrefixList` names and that only the response
 * declares. The octets of a signed response do not have these. `found` is in them; without a signature of its own, that is what is read.
 */
function coveredAssertion(sent: XmlElement, found: XmlElement, keys: readonly KeyObject[]): Covered {
  const own = covered(onlyChild(sent, ASSERTION, 'Assertion') ?? found, keys);
  return own.kind === 'covered' && !own.isSigned ? { ...own, element: found } : own;
}

const MAX_STATUS_DEPTH = 3;

function statusCodes(root: XmlElement): readonly string[] {
  const codes: string[] = [];
  let element = onlyChild(root, PROTOCOL, 'Status');
  while (element && codes.length < MAX_STATUS_DEPTH) {
    element = onlyChild(element, PROTOCOL, 'StatusCode');
    const value = element && attribute(element, 'Value');
    // Told to operators: the codes of the specification, and no other text of the provider.
    if (value !== undefined) codes.push(/^[A-Za-z]{1,40}$/.exec(value.replace(STATUS, ''))?.[0] ?? 'other');
  }
  return codes;
}

function faultOfEnvelope(
  root: XmlElement,
  isSigned: boolean,
  { issuer, callback }: Expected,
): ResponseFault | undefined {
  const issuers = childrenNamed(root, ASSERTION, 'Issuer');
  if (issuers.length > 0 && !isIssuer(issuers.length === 1 ? issuers[0] : undefined, issuer)) return 'responseIssuer';
  const destination = attribute(root, 'Destination');
  // SAML bindings section 3.5.5.2: a signed message names it.
  if (destination === undefined) return isSigned ? 'destination' : undefined;
  return destination === callback ? undefined : 'destination';
}

type Found = { readonly element: XmlElement } | { readonly kind: 'refused'; readonly fault: ResponseFault };

function assertionIn(root: XmlElement, isSigned: boolean, { decryptionKeys }: Expected): Found {
  const plain = onlyChild(root, ASSERTION, 'Assertion');
  if (plain) return { element: plain };
  const container = onlyChild(root, ASSERTION, 'EncryptedAssertion');
  if (!container) return refused('assertionCount');
  const decrypted = decryptElement(container, decryptionKeys, isSigned);
  if (decrypted.kind === 'refused') return decrypted;
  const read = readXml(decrypted.text, { maxLength: MAX_RESPONSE_LENGTH, scope: container.scope });
  if (read.kind === 'refused') return read;
  const { root: element } = read;
  if (element.namespace !== ASSERTION || element.name !== 'Assertion') return refused('encryptionForm');
  const all = [...elementsIn(element)];
  if (!areUnique(all)) return refused('duplicateId');
  if (all.filter(isAssertion).length > 1) return refused('assertionCount');
  const isForeign = all.some(each => each.name === 'Signature' && !element.children.includes(each));
  return isForeign ? refused('foreignSignature') : { element };
}
