import { ASSERTION, BEARER, nameIdFormats } from './names.rules.ts';
import { secondsOf } from './time.rules.ts';
import { attribute, childrenNamed, onlyChild, textOf, type XmlElement } from './xml.rules.ts';

/** What an assertion says, once its signature holds: for whom it is, about whom, until when (SAML profiles section 4.1.4.3). */
export interface Assertion {
  readonly id: string;
  readonly nameId: string;
  readonly nameIdFormat: string;
  readonly nameQualifier: string | undefined;
  readonly spNameQualifier: string | undefined;
  /** The request that it answers; undefined: the provider began by itself. */
  readonly inResponseTo: string | undefined;
  readonly attributes: ReadonlyMap<string, readonly string[]>;
  readonly authnContext: string | undefined;
  /** When the person authenticated there, in seconds. */
  readonly authnInstant: number;
  readonly sessionIndex: string | undefined;
  /** Not accepted from this second on. */
  readonly validUntil: number;
  /** No later than this, whatever else it says: the same at every look, so that its id is remembered until then. */
  readonly staleAt: number;
}

export type AssertionFault =
  | 'version'
  | 'issuer'
  | 'issueInstant'
  | 'stale'
  | 'subject'
  | 'nameId'
  | 'encryptedNameId'
  | 'confirmation'
  | 'recipient'
  | 'inResponseTo'
  | 'unsolicited'
  | 'conditions'
  | 'audience'
  | 'notYetValid'
  | 'expired'
  | 'authnStatement'
  | 'sessionExpired'
  | 'attributes';

export interface ExpectedAssertion {
  /** The entity ID of the provider that was asked. */
  readonly issuer: string;
  /** Our own entity ID. */
  readonly audience: string;
  /** The address at which it arrived. */
  readonly callback: string;
  /** Whether this is the id of the request that was sent; of undefined, whether none has to have been sent. */
  readonly answers: (inResponseTo: string | undefined) => boolean;
  readonly now: number;
}

/** Between the clocks of two machines that are set by NTP, and of one that is not quite. */
export const SKEW_SECONDS = 60;
/** However long a provider calls an assertion valid: the browser brings it at once. Its id is remembered for no longer. */
export const MAX_AGE_SECONDS = 3600;
const MAX_NAME_ID_LENGTH = 1024;
const MAX_ATTRIBUTES = 200;
const MAX_VALUES = 2000;

type Read<T> = T | AssertionFault;

export function readAssertion(element: XmlElement, expected: ExpectedAssertion): Read<Assertion> {
  const { now } = expected;
  if (attribute(element, 'Version') !== '2.0') return 'version';
  const id = attribute(element, 'ID');
  if (!isIssuer(onlyChild(element, ASSERTION, 'Issuer'), expected.issuer)) return 'issuer';
  const issued = secondsOf(attribute(element, 'IssueInstant'));
  if (!id || issued === undefined) return 'issueInstant';
  if (issued > now + SKEW_SECONDS) return 'notYetValid';
  if (issued + MAX_AGE_SECONDS <= now) return 'stale';
  const subject = onlyChild(element, ASSERTION, 'Subject');
  if (!subject) return 'subject';
  const name = readNameId(subject);
  if (typeof name === 'string') return name;
  const confirmed = confirmationOf(subject, expected);
  if (typeof confirmed === 'string') return confirmed;
  const conditionsEnd = conditionsOf(element, expected);
  if (typeof conditionsEnd === 'string') return conditionsEnd;
  const authenticated = authenticationOf(element, now);
  if (typeof authenticated === 'string') return authenticated;
  const attributes = attributesOf(element);
  if (typeof attributes === 'string') return attributes;
  const ends = [issued + MAX_AGE_SECONDS, confirmed.until + SKEW_SECONDS, (conditionsEnd ?? Infinity) + SKEW_SECONDS];
  const { inResponseTo } = confirmed;
  const staleAt = issued + MAX_AGE_SECONDS;
  return { id, ...name, inResponseTo, ...authenticated, attributes, validUntil: Math.min(...ends), staleAt };
}

/** Section 2.2.5 of SAML core: without a format, or with that of an entity. */
export function isIssuer(issuer: XmlElement | undefined, entityId: string): boolean {
  const format = issuer && attribute(issuer, 'Format');
  const isEntity = format === undefined || format === 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity';
  return issuer !== undefined && isEntity && textOf(issuer) === entityId;
}

/** Exactly as it is written: "alice" and "alice " may be two people there. */
export function readNameId(
  subject: XmlElement,
): Read<Pick<Assertion, 'nameId' | 'nameIdFormat' | 'nameQualifier' | 'spNameQualifier'>> {
  if (childrenNamed(subject, ASSERTION, 'EncryptedID').length > 0) return 'encryptedNameId';
  const element = onlyChild(subject, ASSERTION, 'NameID');
  const nameId = element && textOf(element);
  if (!element || !nameId || nameId.length > MAX_NAME_ID_LENGTH) return 'nameId';
  if (nameId.trim() !== nameId || /\p{Cc}/u.test(nameId)) return 'nameId';
  return {
    nameId,
    nameIdFormat: attribute(element, 'Format') ?? nameIdFormats.unspecified,
    nameQualifier: attribute(element, 'NameQualifier'),
    spNameQualifier: attribute(element, 'SPNameQualifier'),
  };
}

interface Confirmed {
  readonly inResponseTo: string | undefined;
  readonly until: number;
}

/** One of them has to hold in all its parts; otherwise the fault of the first says why. */
function confirmationOf(subject: XmlElement, expected: ExpectedAssertion): Read<Confirmed> {
  const read = childrenNamed(subject, ASSERTION, 'SubjectConfirmation')
    .filter(each => attribute(each, 'Method') === BEARER)
    .map(each => confirmed(each, expected));
  return read.find(each => typeof each !== 'string') ?? read[0] ?? 'confirmation';
}

function confirmed(element: XmlElement, { callback, answers, now }: ExpectedAssertion): Read<Confirmed> {
  const data = onlyChild(element, ASSERTION, 'SubjectConfirmationData');
  if (!data) return 'confirmation';
  if (attribute(data, 'Recipient') !== callback) return 'recipient';
  const until = secondsOf(attribute(data, 'NotOnOrAfter'));
  if (until === undefined) return 'confirmation';
  const inTime = isInTime(data, now);
  if (inTime) return inTime;
  const inResponseTo = attribute(data, 'InResponseTo');
  if (answers(inResponseTo)) return { inResponseTo, until };
  return inResponseTo === undefined ? 'unsolicited' : 'inResponseTo';
}

function isInTime(element: XmlElement, now: number): AssertionFault | undefined {
  const [from, until] = ['NotBefore', 'NotOnOrAfter'].map(name => {
    const text = attribute(element, name);
    return text === undefined ? undefined : (secondsOf(text) ?? Number.NaN);
  });
  if (from !== undefined && !(from <= now + SKEW_SECONDS)) return 'notYetValid';
  if (until !== undefined && !(now < until + SKEW_SECONDS)) return 'expired';
  return undefined;
}

const KNOWN_CONDITIONS = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];

/** The end of the conditions, where they have one. A condition that is not understood is not met (SAML core section 2.5.1.1). */
function conditionsOf(assertion: XmlElement, { audience, now }: ExpectedAssertion): Read<number | undefined> {
  const conditions = onlyChild(assertion, ASSERTION, 'Conditions');
  if (!conditions) return 'conditions';
  const inTime = isInTime(conditions, now);
  if (inTime) return inTime;
  const isKnown = conditions.children.every(
    each => typeof each === 'string' || (each.namespace === ASSERTION && KNOWN_CONDITIONS.includes(each.name)),
  );
  if (!isKnown) return 'conditions';
  const restrictions = childrenNamed(conditions, ASSERTION, 'AudienceRestriction');
  const isForUs = restrictions.every(each =>
    childrenNamed(each, ASSERTION, 'Audience').some(one => textOf(one) === audience),
  );
  return restrictions.length > 0 && isForUs ? secondsOf(attribute(conditions, 'NotOnOrAfter')) : 'audience';
}

function authenticationOf(assertion: XmlElement, now: number) {
  const [statement] = childrenNamed(assertion, ASSERTION, 'AuthnStatement');
  const authnInstant = statement && secondsOf(attribute(statement, 'AuthnInstant'));
  if (!statement || authnInstant === undefined) return 'authnStatement';
  if (authnInstant > now + SKEW_SECONDS) return 'notYetValid';
  const ends = attribute(statement, 'SessionNotOnOrAfter');
  if (ends !== undefined && !(now < (secondsOf(ends) ?? Number.NaN) + SKEW_SECONDS)) return 'sessionExpired';
  const context = onlyChild(statement, ASSERTION, 'AuthnContext');
  const reference = context && onlyChild(context, ASSERTION, 'AuthnContextClassRef');
  return {
    authnInstant,
    authnContext: reference && textOf(reference)?.trim(),
    sessionIndex: attribute(statement, 'SessionIndex'),
  };
}

/** Values that are elements, such as eduPersonTargetedID, are left out. */
function attributesOf(assertion: XmlElement): Read<Assertion['attributes']> {
  const attributes = new Map<string, string[]>();
  let count = 0;
  const all = childrenNamed(assertion, ASSERTION, 'AttributeStatement').flatMap(each =>
    childrenNamed(each, ASSERTION, 'Attribute'),
  );
  for (const each of all) {
    const values = childrenNamed(each, ASSERTION, 'AttributeValue').flatMap(value => textOf(value) ?? []);
    count += values.length;
    const name = attribute(each, 'Name') ?? '';
    attributes.set(name, [...(attributes.get(name) ?? []), ...values]);
  }
  return attributes.size > MAX_ATTRIBUTES || count > MAX_VALUES ? 'attributes' : attributes;
}
