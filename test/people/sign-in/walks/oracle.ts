import assert from 'node:assert/strict';
import type { Fields, Visitor } from '../../../build/visitor.ts';
import type { AppPolicy, Person } from './town.ts';

/**
 * What a browser may claim, computed from what was really proved in it. It shares no code with src/people/sign-in: a fault there must not be
 * repeated here.
 */

export interface ShownFactor {
  readonly who: Person;
  readonly method: 'pwd' | 'otp' | 'rec' | 'hwk';
  readonly at: number;
  /** It said who the user is: the others only add to it. */
  readonly isFirst: boolean;
  /** Of a passkey: with PIN or fingerprint. */
  readonly isUserVerified?: boolean;
  /** Of a password: the one that was typed. */
  readonly password?: string;
  /** Of a password: another one was demanded when it was typed, and was not chosen yet. */
  readonly isOutdated?: boolean;
  /** When it was given. A factor that is added later, elsewhere, is asked for by the next request. */
  readonly hadTotp: boolean;
}

/** An authorization request. */
export interface Asked {
  readonly app: AppPolicy;
  readonly fields: Fields;
  readonly at: number;
}

/** What has happened in one sign-in until a page was shown. A form of an older page knows less. */
export interface Trail {
  readonly asked: Asked;
  readonly browser: Browser;
  readonly proofs: readonly ShownFactor[];
  readonly selected?: Person | undefined;
  readonly consentedBy?: Person | undefined;
  readonly signUp?: { readonly who: Person | undefined; readonly password: string } | undefined;
}

export interface Session {
  readonly who: Person;
  readonly proofs: readonly ShownFactor[];
  readonly openedFor: Asked;
}

export interface Browser {
  readonly visitor: Visitor;
  session: Session | undefined;
  /** When the trust ends. */
  readonly trustedBy: Map<Person, number>;
}

export interface Claims {
  readonly sub: string;
  readonly amr: readonly string[];
  readonly acr: string;
  readonly auth_time: number;
}

/** Who has proved a first factor in this sign-in. */
export function firstOf({ proofs }: Pick<Trail, 'proofs'>): ShownFactor | undefined {
  return proofs.find(({ isFirst }) => isFirst);
}

/** A method counts once, the last time. Whoever signs in as somebody else leaves the proofs of the former account behind. */
export function withProof(trail: Trail, proof: ShownFactor): Trail {
  const others = trail.proofs.filter(({ who, method }) => who === proof.who && method !== proof.method);
  return { ...trail, proofs: [...others, proof] };
}

/** The session that a sign-in may open: by its own proofs, or by what it adds to the session of the same user. */
export function openedBy(trail: Trail, former: Session | undefined): Session {
  const who = firstOf(trail)?.who ?? former?.who;
  assert(who, 'a session was opened for nobody');
  const own = trail.proofs.filter(proof => proof.who === who);
  assert(own.length > 0, 'a session was opened without a proof');
  const outdated = own.some(({ password }) => password !== undefined && password !== who.password);
  assert(!outdated, 'a password that was changed meanwhile has opened a session');
  const proofs = firstOf(trail) ? own : [...(former?.proofs ?? []), ...own];
  return { who, proofs, openedFor: trail.asked };
}

const has = ({ proofs }: Pick<Session, 'proofs'>, ...methods: ShownFactor['method'][]) =>
  proofs.some(({ method }) => methods.includes(method));
const isVerifiedByKey = ({ proofs }: Session) => proofs.some(({ isUserVerified }) => isUserVerified);
const hasPossession = (session: Session) => has(session, 'otp', 'rec', 'hwk');
const hasTwo = (session: Session) => isVerifiedByKey(session) || (has(session, 'pwd') && hasPossession(session));

/** `1` one factor, `2` two, `phr` a passkey with user verification (accounts contract). */
export function acrOfSession(session: Session): '1' | '2' | 'phr' {
  if (isVerifiedByKey(session)) return 'phr';
  return hasTwo(session) ? '2' : '1';
}

const authTimeOf = ({ proofs }: Session) => Math.max(...proofs.map(({ at }) => at));

export function assertClaims(session: Session | undefined, { sub, amr, acr, auth_time }: Claims): void {
  assert(session, 'a client got an answer without a session');
  const methods = session.proofs.map(({ method }) => method as string);
  if (isVerifiedByKey(session)) methods.push('user');
  if (hasTwo(session)) methods.push('mfa');
  assert.equal(sub, session.who.sub, 'the answer is for another user');
  assert.deepEqual([...amr].sort(), [...new Set(methods)].sort(), 'amr');
  assert.equal(acr, acrOfSession(session), 'acr');
  assert.equal(auth_time, authTimeOf(session), 'auth_time');
}

const RANKS = ['1', '2', 'phr'];
const isAtLeast = (session: Session, acr: string) => RANKS.indexOf(acrOfSession(session)) >= RANKS.indexOf(acr);

/** What the request demands and the session has not: nothing, or the server is wrong. `now`: when a code was issued. */
export function missingIn(
  session: Session,
  browser: Browser,
  trail: Trail,
  now: number,
  consents: Set<string>,
): string[] {
  const { asked } = trail;
  const { app, fields } = asked;
  const demands: Record<string, boolean> = {
    ...missingOfAccount(session, browser, asked, now, session.who.totp !== undefined),
    acr: isBelowRequested(session, asked),
    age: isTooOld(session, asked, now),
    selection: fields.prompt === 'select_account' && session.openedFor !== asked && trail.selected !== session.who,
    'remembered consent': app.require_consent === true && !consents.has(`${app.code} ${session.who.username}`),
    consent: fields.prompt === 'consent' && trail.consentedBy !== session.who,
  };
  return Object.keys(demands).filter(name => demands[name]);
}

/** The same for a session that was just opened: consent comes after it. */
export function missingAtLogin(session: Session, browser: Browser, { asked }: Trail, now: number): string[] {
  const hadTotp = session.proofs.some(proof => proof.hadTotp);
  const demands: Record<string, boolean> = {
    ...missingOfAccount(session, browser, asked, now, hadTotp),
    essential: isBelowEssential(session, asked),
  };
  return Object.keys(demands).filter(name => demands[name]);
}

function missingOfAccount(session: Session, browser: Browser, { app }: Asked, now: number, hasTotp: boolean) {
  const { who } = session;
  const hasFactor = hasTotp || (who.passkey !== undefined && app.passkeys !== false);
  const isTrusted = app.trusted_browsers === true && hasFactor && (browser.trustedBy.get(who) ?? 0) > now;
  const isRequired = app.mfa === 'required' || who.mustHaveSecondFactor;
  const isWanted = isRequired || (app.mfa === 'optional' && (hasFactor || hasPossession(session)));
  return {
    'second factor': isWanted && !hasTwo(session) && !isTrusted,
    'verified address': app.require_verified_email === true && !who.isVerified,
    // Of those who type the old one: a passkey alone needs no password, and a live session goes on.
    'new password': session.proofs.some(({ isOutdated }) => isOutdated),
  };
}

const ESSENTIAL = /"essential":true,"value":"(\w+)"/;

function isBelowEssential(session: Session, { fields }: Asked): boolean {
  const essential = ESSENTIAL.exec(fields.claims ?? '')?.[1];
  return essential !== undefined && !isAtLeast(session, essential);
}

/** A voluntary class is demanded of those who can reach it, where a page may be shown. */
function isBelowRequested(session: Session, asked: Asked): boolean {
  const { app, fields } = asked;
  const { who } = session;
  if (isBelowEssential(session, asked)) return true;
  const wanted = fields.acr_values;
  if (wanted === undefined || fields.prompt === 'none' || isAtLeast(session, wanted)) return false;
  // A recovery code says that the passkey is lost.
  const hasKey = who.passkey !== undefined && app.passkeys !== false && !has(session, 'rec');
  return hasKey || (wanted === '2' && (who.totp !== undefined || hasPossession(session)));
}

function isTooOld(session: Session, asked: Asked, now: number): boolean {
  const { fields, at } = asked;
  const isFresh = session.proofs.some(proof => proof.isFirst && proof.at >= at);
  if (fields.prompt === 'login' || fields.max_age === '0') return !isFresh;
  // What was proved for this very request does not age while its other steps take their time.
  if (fields.max_age === undefined || session.openedFor === asked) return false;
  return now - authTimeOf(session) > Number(fields.max_age);
}
