import assert from 'node:assert/strict';
import { anAuthenticator } from '../../../build/authenticator.ts';
import type { Seen } from '../../../build/visitor.ts';
import { type Browser, firstOf, type ShownFactor, type Trail, withProof } from './oracle.ts';
import { count, type Post, type Walk } from './state.ts';
import type { Accepted, Person } from './town.ts';

/**
 * What a form has proved: the test knows which answers are right, the store which ones the server has taken. An answer that was taken
 * and is not right is a fault; one that is right and was not taken, because nobody asked for it, proves nothing.
 */
export function learn(walk: Walk, browser: Browser, post: Post, first: Seen): Promise<Trail> | Trail {
  const learnFrom = LESSONS[post.path];
  return learnFrom ? learnFrom({ walk, browser, post, first, trail: post.page.trail }) : post.page.trail;
}

interface Lesson {
  readonly walk: Walk;
  readonly browser: Browser;
  readonly post: Post;
  /** The answer to the form itself. */
  readonly first: Seen;
  readonly trail: Trail;
}

const LESSONS: Readonly<Record<string, (lesson: Lesson) => Promise<Trail> | Trail>> = {
  '/login': fromLogin,
  '/login/passkey': fromPasskey,
  '/login/totp': fromTotp,
  '/login/recovery': fromRecovery,
  '/login/enrol': fromEnrolment,
  '/login/verify-email': fromMailedCode,
  '/login/new-password': fromNewPassword,
  '/signup': fromSignUp,
  '/consent': fromConsent,
};

const TRUST_SECONDS = 30 * 86_400;
const RECENT_SECONDS = 300;
const isTaken = ({ status }: Seen) => status === 302 || status === 303;

/** Whom a second factor is asked of: who has proved a first one here, or the user of the session. */
export function claimantOf(trail: Trail, browser: Browser): Person | undefined {
  return firstOf(trail)?.who ?? browser.session?.who;
}

function proved({ walk, trail }: Lesson, proof: Omit<ShownFactor, 'at' | 'hadTotp'>, before = trail.proofs): Trail {
  const { method, isUserVerified, who, isFirst } = proof;
  count(walk, `proof ${method}${isUserVerified ? ' with user verification' : ''}${isFirst ? '' : ' as second factor'}`);
  return withProof(
    { ...trail, proofs: before },
    { ...proof, at: walk.town.clock.now(), hadTotp: who.totp !== undefined },
  );
}

/** The person whose answer the store has taken. */
function takenFrom({ walk }: Lesson, kind: Accepted['kind']): Person | undefined {
  const { accepted } = walk.town;
  const taken = accepted.find(each => each.kind === kind);
  if (!taken) return undefined;
  return walk.people.find(({ sub }) => sub === taken.sub) ?? assert.fail(`${kind} of a stranger`);
}

function fromLogin(lesson: Lesson): Trail {
  const { walk, browser, post, first, trail } = lesson;
  const action = post.fields.get('action');
  if (action === 'passkey') return fromPasskey(lesson);
  if (!isTaken(first) || action === 'cancel') return trail;
  if (action === 'continue') return { ...trail, selected: browser.session?.who };
  if (action === 'another') return { ...trail, selected: undefined };
  const who = walk.people.find(({ username }) => username === post.fields.get('username'));
  const password = post.fields.get('password') ?? '';
  assert(who?.sub !== undefined && password === who.password, 'a wrong password was taken');
  return proved(lesson, { who, method: 'pwd', isFirst: true, password, isOutdated: who.mustChangePassword });
}

function fromPasskey(lesson: Lesson): Trail {
  const { walk, browser, post, trail } = lesson;
  const who = takenFrom(lesson, 'passkey');
  if (!who) return trail;
  const { passkey } = post;
  assert(passkey?.who === who, 'the passkey of somebody else was taken');
  assert.equal(passkey.pending, post.fields.get('pending'), 'a passkey was asked for by another page');
  assert(!passkey.isSpent, 'an assertion was taken twice');
  passkey.isSpent = true;
  if (post.path === '/login/passkey') assert.equal(who, claimantOf(trail, browser), 'the passkey of another user');
  const { isUserVerified } = passkey;
  // On /login it begins the sign-in anew.
  if (post.path === '/login') return proved(lesson, { who, method: 'hwk', isFirst: true, isUserVerified }, []);
  count(walk, 'passkey as second factor');
  return proved(lesson, { who, method: 'hwk', isFirst: firstOf(trail) !== undefined, isUserVerified });
}

function fromTotp(lesson: Lesson): Trail {
  const { walk, browser, post, trail } = lesson;
  const who = takenFrom(lesson, 'totp');
  if (!who) return trail;
  const code = post.fields.get('code') ?? '';
  assert.equal(who, claimantOf(trail, browser), 'the code of another user was taken');
  assertCode(who, who.totp, code);
  if (post.fields.get('trust') === 'true' && trail.asked.app.trusted_browsers) {
    browser.trustedBy.set(who, walk.town.clock.now() + TRUST_SECONDS);
    count(walk, 'browser trusted');
  }
  return proved(lesson, { who, method: 'otp', isFirst: false });
}

function assertCode(who: Person, totp: Person['totp'], code: string): void {
  assert(totp && [-1, 0, 1].map(totp.code).includes(code), 'a wrong code was taken');
  assert(!who.usedCodes.has(code), 'a code was taken twice');
  who.usedCodes.add(code);
}

function fromRecovery(lesson: Lesson): Trail {
  const { browser, post, trail } = lesson;
  const who = takenFrom(lesson, 'recovery');
  if (!who) return trail;
  assert.equal(who, claimantOf(trail, browser), 'the recovery code of another user was taken');
  const index = who.recoveryCodes.indexOf(post.fields.get('code') ?? '');
  assert(index >= 0, 'a recovery code was taken that is spent or unknown');
  who.recoveryCodes.splice(index, 1);
  return proved(lesson, { who, method: 'rec', isFirst: false });
}

/** The key is in the sealed sign-in, and on the page. */
export function totpKeyOn({ text }: Seen): string | undefined {
  return /id="totp-key">([A-Z2-7]+)</.exec(text)?.[1];
}

function fromEnrolment(lesson: Lesson): Trail {
  const { walk, browser, post, first, trail } = lesson;
  const who = takenFrom(lesson, 'totp added');
  if (!who) return trail;
  assert.equal(who, claimantOf(trail, browser), 'a factor was added for another user');
  const proofs = firstOf(trail) ? trail.proofs : (browser.session?.proofs ?? []);
  const newest = Math.max(...proofs.filter(proof => proof.who === who).map(({ at }) => at));
  assert(walk.town.clock.now() - newest <= RECENT_SECONDS, 'a factor was added long after the last proof');
  assert(!who.totp, 'a factor was replaced');
  const key = totpKeyOn(post.page.seen) ?? assert.fail('the key was never shown');
  const totp = anAuthenticator(walk.town.clock, key);
  assertCode(who, totp, post.fields.get('code') ?? '');
  who.totp = totp;
  for (const [, code] of first.text.matchAll(/class="recovery-code">([^<]+)</g)) who.recoveryCodes.push(code ?? '');
  count(walk, 'authenticator app enrolled');
  return proved(lesson, { who, method: 'otp', isFirst: false });
}

async function fromMailedCode(lesson: Lesson): Promise<Trail> {
  const { walk, browser, post, trail } = lesson;
  const { signUp } = trail;
  const who = signUp ? signUp.who : claimantOf(trail, browser);
  if (!who) return trail;
  const account = await walk.town.server.services.store.findAccount(who.email);
  const code = post.fields.get('code') ?? '';
  const isRight = async () => (await walk.town.mailedCodes(who.email)).includes(code);
  if (signUp && account && who.sub === undefined) {
    assert(await isRight(), 'an account was made without the code of the mail');
    Object.assign(who, { sub: account.sub, password: signUp.password, isVerified: true });
    count(walk, 'account made');
    return proved(lesson, { who, method: 'pwd', isFirst: true, password: signUp.password });
  }
  if (signUp || who.isVerified || account?.emailVerified !== true) return trail;
  assert(await isRight(), 'an address was verified without the code of the mail');
  who.isVerified = true;
  count(walk, 'address verified');
  return trail;
}

/** It ends everything else that the old password was good for. */
function fromNewPassword(lesson: Lesson): Trail {
  const { walk, post, trail } = lesson;
  const who = takenFrom(lesson, 'password changed');
  if (!who) return trail;
  const old = trail.proofs.find(proof => proof.who === who && proof.method === 'pwd');
  assert(old && old.password === who.password, 'a password was set without the present one');
  const password = post.fields.get('password') ?? '';
  Object.assign(who, { password, mustChangePassword: false });
  for (const browser of walk.browsers) {
    browser.trustedBy.delete(who);
    if (browser.session?.who === who) browser.session = undefined;
  }
  count(walk, 'password changed');
  const renewed = { ...old, password, isOutdated: false };
  return { ...trail, proofs: trail.proofs.map(proof => (proof === old ? renewed : proof)) };
}

function fromSignUp({ walk, post, first, trail }: Lesson): Trail {
  if (!isTaken(first)) return trail;
  const who = walk.people.find(({ email }) => email === post.fields.get('email'));
  return { ...trail, signUp: { who, password: post.fields.get('password') ?? '' } };
}

function fromConsent({ walk, browser, post, first, trail }: Lesson): Trail {
  if (post.fields.get('action') !== 'allow' || !isTaken(first)) return trail;
  const who = browser.session?.who;
  assert(who && who.sub === post.fields.get('sub'), 'a consent of another user was taken');
  walk.consents.add(`${trail.asked.app.code} ${who.username}`);
  count(walk, 'consent given');
  return { ...trail, consentedBy: who };
}
