import { SESSION_COOKIE } from '../../../build/people.ts';
import { fc } from '../../../build/random.ts';
import type { Fields } from '../../../build/visitor.ts';
import { code, follow, formOn, type Manner, passkey, password, press, resume, skip } from './forms.ts';
import { claimantOf } from './learn.ts';
import type { Browser } from './oracle.ts';
import { count, type Page, type Post, type Walk } from './state.ts';
import { APPS, type Person } from './town.ts';
import { open, post, request } from './walk.ts';

/** What a walk can do next. A move that makes no sense on the page does nothing. */
export interface Move extends Manner {
  readonly kind: (typeof KINDS)[number];
  readonly browser: 0 | 1;
  /** Of both browsers: 0 is the newest. */
  readonly page: number;
  readonly demand: number;
}

const KINDS = [
  /** What an honest user does on the newest page of the browser. */
  'forward',
  'open',
  'password',
  'code',
  'passkey',
  'press',
  'back',
  'link',
  'resume',
  'replay',
  'skip',
  'wait',
  /** The session is forgotten; what else the browser knows stays. */
  'sign out',
  'withdraw trust',
  'demand a new password',
] as const;
const WEIGHTS: Readonly<Record<Move['kind'], number>> = {
  ...{
    forward: 60,
    skip: 4,
    replay: 4,
    back: 4,
    open: 4,
    link: 2,
    passkey: 5,
    password: 5,
    code: 5,
    press: 3,
    resume: 4,
  },
  ...{ wait: 2, 'sign out': 5, 'withdraw trust': 1, 'demand a new password': 1 },
};

const essential = (value: string) => JSON.stringify({ id_token: { acr: { essential: true, value } } });
export const DEMANDS: readonly Fields[] = [
  {},
  {},
  { prompt: 'login' },
  { prompt: 'none' },
  { prompt: 'select_account' },
  { prompt: 'consent' },
  { max_age: '0' },
  { max_age: '60' },
  { acr_values: '2' },
  { acr_values: 'phr' },
  { claims: essential('2') },
  { claims: essential('phr') },
];
const LINKS = ['/login/recovery', '/login/totp', '/login/passkey', '/signup', 'gatehouse_pending'];
const BUTTONS = ['continue', 'another', 'allow', 'deny', 'cancel', 'send'];
/** The last is longer than a session and a trusted browser last. */
const WAITS = [31, 31, 90, 90, 400, 400, 400, 31 * 86_400];

const kind = fc.oneof(...KINDS.map(each => ({ weight: WEIGHTS[each], arbitrary: fc.constant(each) })));
/** Mostly the newest page, sometimes an old one. */
const page = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(12) });

export const aMove: fc.Arbitrary<Move> = fc.record({
  kind,
  browser: fc.constantFrom(0 as const, 0 as const, 0 as const, 1 as const),
  page,
  tab: fc.oneof(fc.constant(undefined), fc.nat(5)),
  who: fc.constantFrom(0, 0, 0, 1, 1, 2),
  app: fc.constantFrom(0, 1, 1, 2, 3, 4, 5),
  demand: fc.nat(DEMANDS.length - 1),
  pick: fc.nat(15),
  isRight: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  isUserVerified: fc.boolean(),
  trusts: fc.boolean(),
});

const LOGIN = DEMANDS.findIndex(each => each.prompt === 'login');
const ACR_2 = DEMANDS.findIndex(each => each.acr_values === '2');
const FORWARD: Move = {
  ...{ kind: 'forward', browser: 0, page: 0, tab: undefined, who: 0, app: 0, demand: 0, pick: 7 },
  ...{ isRight: true, isUserVerified: false, trusts: true },
};
const OPEN: Move = { ...FORWARD, kind: 'open' };

/** Where a walk begins, so that what takes many steps in a row is reached as often as the rest. */
export const OPENINGS: Readonly<Record<'none' | 'trusted' | 'signUp' | 'stepUp' | 'otherUser', readonly Move[]>> = {
  none: [],
  trusted: [OPEN, FORWARD, FORWARD, { ...FORWARD, kind: 'sign out' }, OPEN, FORWARD, { ...OPEN, demand: ACR_2 }],
  signUp: [OPEN, { ...FORWARD, who: 2 }, FORWARD, FORWARD],
  stepUp: [{ ...OPEN, app: 1 }, FORWARD, { ...OPEN, app: 4 }, FORWARD],
  otherUser: [{ ...OPEN, app: 1 }, FORWARD, { ...OPEN, app: 1, demand: LOGIN }, { ...FORWARD, who: 1 }],
};

export async function perform(walk: Walk, move: Move): Promise<void> {
  const browser = walk.browsers[move.browser];
  const at = walk.pages[move.page];
  const withForm = walk.pages.slice(move.page).find(({ seen }) => formOn(seen, move.kind));
  switch (move.kind) {
    case 'forward':
      return forward(walk, browser, move);
    case 'open':
      return request(walk, browser, APPS[move.app] ?? APPS[0], DEMANDS[move.demand] ?? {});
    case 'wait':
      return walk.town.clock.advance(WAITS[move.pick % WAITS.length] ?? 31);
    case 'sign out':
      return signOut(browser);
    case 'withdraw trust':
      return withdrawTrust(walk, move);
    case 'demand a new password':
      return demandNewPassword(walk, walk.people[move.who]);
    case 'replay':
      return replay(walk, browser, walk.posts[move.page]);
    case 'press':
      return at && press(walk, browser, at, BUTTONS[move.pick % BUTTONS.length] ?? '', move.tab);
    case 'back':
      return at && open(walk, browser, at.seen.url, at.trail);
    case 'link':
      return at && follow(walk, browser, at, LINKS[move.pick % LINKS.length] ?? '');
    case 'resume':
      return at && resume(walk, browser, at, move);
    case 'password':
      return withForm && password(walk, browser, withForm, move);
    case 'passkey':
      return withForm && passkey(walk, browser, withForm, walk.people[move.who], move);
    case 'code':
      return withForm && code(walk, browser, withForm, walk.people[move.who], move);
    case 'skip':
      return at && skip(walk, browser, at, move);
  }
}

async function replay(walk: Walk, browser: Browser, sent: Post | undefined): Promise<void> {
  if (!sent) return;
  count(walk, 'form sent again');
  return post(walk, browser, sent);
}

async function withdrawTrust(walk: Walk, { who }: Move): Promise<void> {
  const person = walk.people[who];
  if (!person) return;
  const trusting = walk.browsers.filter(({ trustedBy }) => trustedBy.delete(person));
  if (trusting.length > 0) count(walk, 'trust withdrawn');
  return walk.town.withdrawTrust(person);
}

function signOut(browser: Browser): void {
  browser.visitor.cookies.delete(SESSION_COOKIE);
  browser.session = undefined;
}

async function demandNewPassword({ town }: Walk, who: Person | undefined): Promise<void> {
  if (who?.sub === undefined) return;
  who.mustChangePassword = true;
  return town.demandNewPassword(who);
}

async function forward(walk: Walk, browser: Browser, move: Move): Promise<void> {
  const at = walk.pages.find(({ trail }) => trail.browser === browser);
  const path = at && new URL(at.seen.url).pathname;
  if (!at || !path || at.seen.location !== undefined) {
    if (move.pick > 11) signOut(browser);
    return perform(walk, { ...move, kind: 'open' });
  }
  const { text } = at.seen;
  const who = claimantOf(at.trail, browser) ?? walk.people[move.who];
  const honest = { ...move, isRight: true, tab: undefined };
  if (text.includes('class="recovery-code"')) return follow(walk, browser, at, 'gatehouse_pending');
  if (text.includes('value="another"') && move.pick % 2 === 0) return press(walk, browser, at, 'another');
  if (text.includes('value="continue"')) return press(walk, browser, at, 'continue');
  if (text.includes('value="allow"')) return press(walk, browser, at, 'allow');
  if (path === '/login/passkey') return passkey(walk, browser, at, who, { ...honest, isUserVerified: move.pick > 5 });
  if (formOn(at.seen, 'code')) return honestCode(walk, browser, at, who, honest);
  if (path === '/signup') return password(walk, browser, at, { ...honest, who: NEWCOMER });
  if (path === '/login' && move.who === NEWCOMER && walk.people[NEWCOMER]?.sub === undefined) {
    if (text.includes('/signup?')) return follow(walk, browser, at, '/signup');
  }
  if (path === '/login' && move.pick < 5 && walk.people[move.who]?.passkey) {
    return passkey(walk, browser, at, walk.people[move.who], honest);
  }
  if (formOn(at.seen, 'password')) return password(walk, browser, at, honest);
  return perform(walk, { ...move, kind: 'open' });
}

/** In `people`: the one without an account. */
const NEWCOMER = 2;

/** A code of the app is good once: an honest user waits for the next one. Now and then the person takes a recovery code instead. */
async function honestCode(walk: Walk, browser: Browser, at: Page, who: Person | undefined, move: Move): Promise<void> {
  const path = new URL(at.seen.url).pathname;
  if (path === '/login/totp' && move.pick % 3 === 0)
    return open(walk, browser, at.seen.url.replace('/totp', '/recovery'), at.trail);
  if (who?.totp && who.usedCodes.has(who.totp.code())) walk.town.clock.advance(30);
  const trusts = move.pick % 2 === 1;
  return code(walk, browser, at, at.trail.signUp ? at.trail.signUp.who : who, { ...move, trusts });
}
