import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { acrOf } from '../../src/protocol/acr.ts';
import { anAuthenticator, TOTP_SECRET } from '../build/authenticator.ts';
import { claimsOf, redeem } from '../build/client.ts';
import { type FixedClock, fixedClock } from '../build/clock.ts';
import { anApplication, aUser, CALLBACK, PASSWORD } from '../build/fixture.ts';
import { bob } from '../build/people.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { authorizationUrl, type Fields, type Form, formWith, type Seen, Visitor } from '../build/visitor.ts';

/**
 * The sign-in as a model: random walks over its pages with two browsers, back buttons, two tabs, replays, skipped steps, forms and
 * addresses that are moved to the other browser. Whatever happens, no session and no client's answer says more than what this very
 * browser has proved, and none lacks what was demanded (accounts contract, Sign-in is a sequence of steps).
 */
const RUNS = 80;
const STEPS = 30;

type Username = 'alice' | 'bob';
const USERNAMES: readonly Username[] = ['alice', 'bob'];
/** `shop` asks those who have a second factor for it, `open` nobody, `bank` everybody. */
const APPS = ['shop', 'open', 'bank'] as const;
const ESSENTIAL_2 = JSON.stringify({ id_token: { acr: { essential: true, values: ['2'] } } });
const DEMANDS: readonly Fields[] = [
  {},
  { prompt: 'login' },
  { prompt: 'none' },
  { prompt: 'select_account' },
  { prompt: 'consent' },
  { max_age: '0' },
  { max_age: '60' },
  { acr_values: '2' },
  { claims: ESSENTIAL_2 },
];
const PATHS = ['/login', '/login/totp', '/login/recovery', '/consent'];

type Action =
  | { readonly kind: 'open'; readonly app: number; readonly demand: number }
  | { readonly kind: 'password'; readonly page: number; readonly user: number; readonly right: boolean }
  | { readonly kind: 'code'; readonly page: number; readonly code: 'right' | 'wrong' | 'spent'; readonly path: number }
  | { readonly kind: 'press'; readonly page: number; readonly button: number }
  | { readonly kind: 'back'; readonly page: number }
  | { readonly kind: 'resume'; readonly page: number; readonly app: number }
  /** What an honest user does on the newest page. */
  | { readonly kind: 'forward'; readonly user: number }
  | { readonly kind: 'wait'; readonly seconds: number };

const BUTTONS = ['cancel', 'continue', 'another', 'allow', 'deny'];

/** Mostly the newest page, sometimes an old one. */
const page = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(12) });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ kind: fc.constant('forward' as const), user: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('open' as const), app: fc.nat(2), demand: fc.nat(8) }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('password' as const), page, user: fc.nat(1), right: fc.boolean() }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('code' as const),
      page,
      code: fc.constantFrom('right' as const, 'right' as const, 'wrong' as const, 'spent' as const),
      path: fc.nat(15),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('press' as const), page, button: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('back' as const), page }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resume' as const), page, app: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(31, 90, 400) }) },
);
const walk = fc.array(fc.tuple(fc.constantFrom(0 as const, 0 as const, 0 as const, 1 as const), action), {
  minLength: STEPS,
  maxLength: STEPS,
});

interface Browser {
  readonly visitor: Visitor;
  /** What was typed rightly in this browser, and when: at most this may its sessions claim. */
  readonly proved: Map<string, number>;
}

interface World {
  readonly browsers: readonly [Browser, Browser];
  /** Of both browsers, the newest first: a walk moves what it finds there. */
  readonly pages: Seen[];
  /** When the request of a `state` was made, and what it demands. */
  readonly requests: Map<string, { readonly app: string; readonly fields: Fields; readonly at: number }>;
  /** The answers with a code that clients got, by their `acr`. */
  readonly answers: string[];
}

let server: TestServer;
let clock: FixedClock;
/** The code that was accepted last: it must not count again. */
let spentCode: string | undefined;
let subs: Map<string, Username>;

before(async () => {
  clock = fixedClock();
  server = await startTestServer({
    clock,
    applications: [
      anApplication(),
      anApplication({ code: 'open', name: 'Open', mfa: 'off' }),
      anApplication({ code: 'bank', name: 'Bank', mfa: 'required' }),
    ],
    users: [aUser(), bob({ totp_secret: TOTP_SECRET })],
    wrapStore: store => ({
      ...store,
      acceptTotpStep: async (...args) => {
        const accepted = await store.acceptTotpStep(...args);
        if (accepted) spentCode = authenticator.code();
        return accepted;
      },
    }),
  });
  const found = await Promise.all(USERNAMES.map(name => server.services.store.findAccount(name)));
  subs = new Map(USERNAMES.map((name, index) => [found[index]?.sub ?? '', name]));
});
after(() => server.close());

const authenticator = anAuthenticator({ now: () => clock.now() });

function aWorld(): World {
  const browser = (): Browser => ({ visitor: new Visitor(server.base), proved: new Map() });
  return { browsers: [browser(), browser()], pages: [], requests: new Map(), answers: [] };
}

function formOn(page: Seen | undefined, control: string): Form | undefined {
  return page?.text.includes(`name="${control}"`) ? formWith(page, control) : undefined;
}

async function perform(world: World, browser: Browser, act: Action): Promise<Seen | undefined> {
  const { visitor, proved } = browser;
  const at = 'page' in act ? world.pages[act.page] : undefined;
  switch (act.kind) {
    case 'open': {
      const app = APPS[act.app] ?? 'shop';
      const fields = { scope: 'openid', ...DEMANDS[act.demand], state: `st${world.requests.size}` };
      world.requests.set(fields.state, { app, fields, at: clock.now() });
      return visitor.follow(authorizationUrl(server, fields, app));
    }
    case 'password': {
      const form = formOn(at, 'password');
      if (!form) return undefined;
      const username = USERNAMES[act.user] ?? 'alice';
      if (act.right) proved.set(`${username} pwd`, clock.now());
      return visitor.send(form, { username, password: act.right ? PASSWORD : 'wrong horse' });
    }
    case 'code': {
      const form = formOn(at, 'code') ?? formOn(at, 'pending');
      if (!form) return undefined;
      const path = PATHS[act.path];
      const code = codeToType(act.code);
      if (act.code === 'right' && code !== spentCode) proved.set('bob otp', clock.now());
      return visitor.send(path ? { ...form, action: `${server.base}${path}` } : form, { code });
    }
    case 'press': {
      const button = BUTTONS[act.button] ?? '';
      const form = at?.text.includes(`value="${button}"`) && formWith(at, `action" value="${button}`);
      return form ? visitor.send(form, { action: button }) : undefined;
    }
    case 'back':
      return at?.url.startsWith(server.base) ? visitor.follow(at.url) : undefined;
    case 'resume': {
      const pending = at && formOn(at, 'pending')?.fields.get('pending');
      const query = `gatehouse_pending=${encodeURIComponent(pending ?? '')}`;
      return pending ? visitor.follow(`${server.at(APPS[act.app])}/auth?${query}`) : undefined;
    }
    case 'forward':
      return perform(world, browser, honest(world.pages[0], act.user));
    case 'wait':
      clock.advance(act.seconds);
      return undefined;
  }
}

function honest(page: Seen | undefined, user: number): Action {
  if (formOn(page, 'password')) return { kind: 'password', page: 0, user, right: true };
  if (formOn(page, 'code')) return { kind: 'code', page: 0, code: 'right', path: PATHS.length };
  const button = BUTTONS.findIndex((each, index) => index > 0 && page?.text.includes(`value="${each}"`));
  return button === -1 ? { kind: 'wait', seconds: 31 } : { kind: 'press', page: 0, button };
}

function codeToType(kind: 'right' | 'wrong' | 'spent'): string {
  if (kind === 'right') return authenticator.code();
  return kind === 'spent' && spentCode !== undefined ? spentCode : authenticator.wrongCode();
}

/** What the session of the browser says, asked by an application that demands nothing. */
async function assertSession(browser: Browser): Promise<void> {
  const seen = await browser.visitor.go(authorizationUrl(server, { prompt: 'none', scope: 'openid' }, 'open'));
  const code = new URL(seen.location ?? 'none:').searchParams.get('code');
  if (code !== null) assertProved(browser, await idTokenOf(code, 'open'));
}

interface Claims {
  readonly sub: string;
  readonly amr: readonly string[];
  readonly acr: string;
  readonly auth_time: number;
}

async function idTokenOf(code: string, app: string): Promise<Claims> {
  const { json, status, text } = await redeem(server, code, {}, undefined, app);
  assert.equal(status, 200, text);
  return claimsOf(json.id_token) as unknown as Claims;
}

function assertProved({ proved }: Browser, { sub, amr, acr, auth_time }: Claims): void {
  const username = subs.get(sub);
  for (const method of amr.filter(each => each !== 'mfa')) {
    assert(proved.has(`${username} ${method}`), `${username} never proved ${method} in this browser`);
  }
  assert.equal(acr, acrOf(amr));
  const newest = Math.max(...amr.map(method => proved.get(`${username} ${method}`) ?? 0));
  assert(auth_time <= newest, 'the time of the authentication is later than the last proof');
}

async function assertAnswer(world: World, browser: Browser, seen: Seen | undefined): Promise<void> {
  if (!seen?.location?.startsWith(CALLBACK)) return;
  const { searchParams } = new URL(seen.location);
  const code = searchParams.get('code');
  const request = world.requests.get(searchParams.get('state') ?? '');
  if (code === null || !request) return;
  const claims = await idTokenOf(code, request.app);
  world.answers.push(claims.acr);
  assertProved(browser, claims);
  const { app, fields, at } = request;
  const username = subs.get(claims.sub);
  if (app === 'bank' || fields.claims === ESSENTIAL_2) assert.equal(claims.acr, '2');
  if (app === 'shop' && username === 'bob') assert.equal(claims.acr, '2');
  if (fields.acr_values === '2' && username === 'bob' && fields.prompt !== 'none') assert.equal(claims.acr, '2');
  if (fields.prompt === 'login' || fields.max_age === '0') assert(claims.auth_time >= at, 'an older login was taken');
  if (fields.max_age === '60') assert(claims.auth_time >= at - 60, 'an older login was taken');
}

describe('random walks over the pages of a sign-in', () => {
  it('never reach a session or an answer that lacks a demanded proof, or has one of another browser', async () => {
    const answers: string[] = [];
    await fc.assert(
      fc.asyncProperty(walk, async acts => {
        const world = aWorld();
        clock.advance(3600);
        for (const [which, act] of acts) {
          const browser = world.browsers[which];
          const seen = await perform(world, browser, act);
          if (seen) world.pages.unshift(seen);
          if (seen) assert(seen.status < 500, `${seen.status} ${seen.url}`);
          await assertAnswer(world, browser, seen);
        }
        for (const browser of world.browsers) await assertSession(browser);
        answers.push(...world.answers);
      }),
      { numRuns: RUNS },
    );
    for (const acr of ['1', '2']) assert(answers.includes(acr), `no walk reached an answer with acr ${acr}`);
  });
});
