import type { KeyObject } from 'node:crypto';
import { type AssertionFault, isIssuer, readNameId, SKEW_SECONDS } from './assertion.rules.ts';
import { ASSERTION, PROTOCOL } from './names.rules.ts';
import { areUnique } from './response.rules.ts';
import { detachedFault, readSigned, type SignatureFault } from './signature.rules.ts';
import { secondsOf } from './time.rules.ts';
import {
  attribute,
  childrenNamed,
  elementsIn,
  onlyChild,
  readXml,
  textOf,
  type XmlElement,
  type XmlFault,
} from './xml.rules.ts';

/** A provider that ends a session of a person, and with it the sessions that came from it (SAML core section 3.7.1, profiles section 4.4). */
export interface LogoutRequested {
  readonly id: string;
  readonly nameId: string;
  readonly nameIdFormat: string;
  readonly nameQualifier: string | undefined;
  readonly spNameQualifier: string | undefined;
  /** Empty: every session of the person that came from this provider. */
  readonly sessionIndexes: readonly string[];
  /** No later than this, whatever else it says: its id is remembered until then. */
  readonly staleAt: number;
}

export type LogoutFault =
  | XmlFault
  | SignatureFault
  | Extract<AssertionFault, 'version' | 'issuer' | 'issueInstant' | 'nameId' | 'encryptedNameId' | 'notYetValid'>
  | 'notLogoutRequest'
  | 'duplicateId'
  | 'foreignSignature'
  | 'unsignedRequest'
  | 'requestDestination'
  | 'requestExpired';

export interface LogoutMessage {
  readonly xml: string;
  /** HTTP-Redirect: over the parameters as they were sent. HTTP-POST has it in the XML. */
  readonly detached?: { readonly algorithm: string; readonly octets: string; readonly value: Buffer } | undefined;
}

export interface ExpectedLogout {
  /** The entity ID of the provider at whose address it arrived. */
  readonly issuer: string;
  readonly keys: readonly KeyObject[];
  /** The address at which it arrived. */
  readonly destination: string;
  readonly now: number;
}

export type LogoutVerdict =
  | { readonly kind: 'accepted'; readonly request: LogoutRequested }
  | { readonly kind: 'refused'; readonly fault: LogoutFault };

export const MAX_LOGOUT_LENGTH = 64 * 1024;
/** The browser brings it at once. */
const MAX_AGE_SECONDS = 300;
const MAX_SESSION_INDEXES = 100;

const refused = (fault: LogoutFault) => ({ kind: 'refused', fault }) as const;

export function judgeLogoutRequest({ xml, detached }: LogoutMessage, expected: ExpectedLogout): LogoutVerdict {
  const read = readXml(xml, { maxLength: MAX_LOGOUT_LENGTH });
  if (read.kind === 'refused') return read;
  const form = faultOfForm(read.root, detached !== undefined);
  if (form) return refused(form);
  const signed = detached ? coveredBeside(read.root, detached, expected.keys) : coveredInside(read.root, expected.keys);
  if (typeof signed === 'string') return refused(signed);
  const request = readRequest(signed, expected);
  return typeof request === 'string' ? refused(request) : { kind: 'accepted', request };
}

function faultOfForm(root: XmlElement, isSignedBeside: boolean): LogoutFault | undefined {
  if (root.namespace !== PROTOCOL || root.name !== 'LogoutRequest') return 'notLogoutRequest';
  const all = [...elementsIn(root)];
  if (!areUnique(all)) return 'duplicateId';
  // SAML bindings section 3.4.4.1: in an address there is none in the XML.
  const places = isSignedBeside ? [] : root.children;
  return all.every(each => each.name !== 'Signature' || places.includes(each)) ? undefined : 'foreignSignature';
}

function coveredBeside(
  root: XmlElement,
  detached: NonNullable<LogoutMessage['detached']>,
  keys: readonly KeyObject[],
): XmlElement | LogoutFault {
  return detachedFault(detached, keys) ?? root;
}

/** As it was signed, read from the octets that were digested. */
function coveredInside(root: XmlElement, keys: readonly KeyObject[]): XmlElement | LogoutFault {
  const signed = readSigned(root, keys);
  if (signed.kind === 'unsigned') return 'unsignedRequest';
  if (signed.kind === 'refused') return signed.fault;
  const read = readXml(signed.canonical, { maxLength: 2 * MAX_LOGOUT_LENGTH });
  return read.kind === 'read' ? read.root : read.fault;
}

function readRequest(root: XmlElement, { issuer, destination, now }: ExpectedLogout): LogoutRequested | LogoutFault {
  if (attribute(root, 'Version') !== '2.0') return 'version';
  if (!isIssuer(onlyChild(root, ASSERTION, 'Issuer'), issuer)) return 'issuer';
  if (attribute(root, 'Destination') !== destination) return 'requestDestination';
  const id = attribute(root, 'ID');
  const issued = secondsOf(attribute(root, 'IssueInstant'));
  if (!id || issued === undefined) return 'issueInstant';
  if (issued > now + SKEW_SECONDS) return 'notYetValid';
  const ends = attribute(root, 'NotOnOrAfter');
  const isOver = ends !== undefined && !(now < (secondsOf(ends) ?? Number.NaN) + SKEW_SECONDS);
  if (isOver || issued + MAX_AGE_SECONDS + SKEW_SECONDS <= now) return 'requestExpired';
  const name = readNameId(root);
  if (typeof name === 'string') return name as LogoutFault;
  const sessionIndexes = childrenNamed(root, PROTOCOL, 'SessionIndex').map(each => textOf(each) ?? '');
  if (sessionIndexes.length > MAX_SESSION_INDEXES) return 'tooLarge';
  return { id, ...name, sessionIndexes, staleAt: issued + MAX_AGE_SECONDS };
}
