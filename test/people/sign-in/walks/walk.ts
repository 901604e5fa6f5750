import assert from 'node:assert/strict';
import { claimsOf, redeem } from '../../../build/client.ts';
import { CALLBACK } from '../../../build/fixture.ts';
import { SESSION_COOKIE } from '../../../build/people.ts';
import { authorizationUrl, type Fields, type Seen, Visitor } from '../../../build/visitor.ts';
import { learn } from './learn.ts';
import {
  type Asked,
  acrOfSession,
  assertClaims,
  type Browser,
  type Claims,
  missingAtLogin,
  missingIn,
  openedBy,
  type Trail,
} from './oracle.ts';
import { count, type Post, type Walk } from './state.ts';
import { APPS, type Person, type Town } from './town.ts';

export async function aWalk(
  town: Town,
  traits: Parameters<Town['people']>[0],
  reached: Walk['reached'],
): Promise<Walk> {
  town.clock.advance(3600);
  const browser = (): Browser => ({
    visitor: new Visitor(town.server.base),
    session: undefined,
    trustedBy: new Map(),
  });
  const people = await town.people(traits);
  return { town, people, browsers: [browser(), browser()], pages: [], posts: [], consents: new Set(), reached };
}

/** A new request, or an address of the authorization endpoint that another browser or tab had. */
export function request(walk: Walk, browser: Browser, app: Asked['app'], demands: Fields): Promise<void> {
  const fields = { scope: 'openid', ...demands, state: `st${walk.pages.length}` };
  const trail: Trail = { asked: { app, fields, at: walk.town.clock.now() }, browser, proofs: [] };
  return navigate(walk, browser, authorizationUrl(walk.town.server, fields, app.code), trail);
}

export async function open(walk: Walk, browser: Browser, url: string, trail: Trail): Promise<void> {
  const { app, fields } = trail.asked;
  if (new URL(url).searchParams.has('client_id')) return request(walk, browser, app, fields);
  return navigate(walk, browser, url, trail);
}

async function navigate(walk: Walk, browser: Browser, url: string, trail: Trail): Promise<void> {
  const before = browser.visitor.cookies.get(SESSION_COOKIE);
  const seen = await browser.visitor.follow(url);
  assert.equal(browser.visitor.cookies.get(SESSION_COOKIE), before, 'a link has opened a session');
  await settle(walk, browser, trail, seen);
}

export async function post(walk: Walk, browser: Browser, sent: Post): Promise<void> {
  const { town, posts } = walk;
  const { visitor } = browser;
  const { base } = town.server;
  const before = visitor.cookies.get(SESSION_COOKIE);
  posts.unshift(sent);
  town.accepted.length = 0;
  const first = await visitor.go(`${base}${sent.path}`, {
    method: 'POST',
    body: sent.fields.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: base },
  });
  const { trail } = sent.page;
  if (trail.browser !== browser) {
    assert.deepEqual([first.location, town.accepted], [undefined, []], 'a form of another browser was taken');
    assert.equal(visitor.cookies.get(SESSION_COOKIE), before, 'a form of another browser has opened a session');
    count(walk, 'form of the other browser refused');
    return settle(walk, browser, trail, first);
  }
  const learnt = await learn(walk, browser, sent, first);
  const isOpened = visitor.cookies.get(SESSION_COOKIE) !== before;
  const seen = first.location?.startsWith(`${base}/`) ? await visitor.follow(first.location) : first;
  if (!isOpened) return settle(walk, browser, learnt, seen);
  openSession(walk, browser, learnt);
  return settle(walk, browser, { ...learnt, proofs: [], signUp: undefined }, seen);
}

function openSession(walk: Walk, browser: Browser, trail: Trail): void {
  const former = browser.session;
  const session = openedBy(trail, former);
  browser.session = session;
  const missing = missingAtLogin(session, browser, trail, walk.town.clock.now());
  assert.deepEqual(missing, [], `a session was opened without: ${missing}`);
  count(walk, trail.proofs.some(({ isFirst }) => isFirst) ? 'session opened' : 'session stepped up');
  if (former && former.who !== session.who) count(walk, 'session of another user replaced');
}

/** Whatever page it is: if it brings a code to the client, the code is judged. */
async function settle(walk: Walk, browser: Browser, trail: Trail, seen: Seen): Promise<void> {
  const { server, clock } = walk.town;
  assert(seen.status < 500, `${seen.status} ${seen.url}`);
  assert(!seen.location?.startsWith(`${server.base}/`), `redirects without end: ${seen.location}`);
  walk.pages.unshift({ seen, trail });
  if (seen.status === 200) count(walk, `page ${new URL(seen.url).pathname}`);
  if (!seen.location?.startsWith(CALLBACK)) return;
  const { searchParams } = new URL(seen.location);
  const code = searchParams.get('code');
  const error = searchParams.get('error');
  if (error !== null) count(walk, `error ${error}`);
  if (code === null) return;
  assert.equal(trail.browser, browser, 'a sign-in of another browser was answered');
  assert.equal(searchParams.get('state'), trail.asked.fields.state);
  const { app, fields } = trail.asked;
  const claims = await idTokenOf(walk, code, app.code);
  const { session } = browser;
  assertClaims(session, claims);
  if (!session) return;
  const missing = missingIn(session, browser, trail, clock.now(), walk.consents);
  assert.deepEqual(missing, [], `an answer was given without: ${missing}`);
  countAnswer(walk, fields, app, acrOfSession(session), session.who);
}

function countAnswer(walk: Walk, fields: Fields, app: Asked['app'], acr: string, who: Person): void {
  count(walk, `answer with acr ${acr}`);
  count(walk, `answer of ${app.code}`);
  const { state: _, scope: __, ...demands } = fields;
  for (const [name, value] of Object.entries(demands)) count(walk, `answer to ${name}=${value}`);
  if (acr === '1' && (app.mfa === 'required' || who.totp) && app.trusted_browsers) count(walk, 'answer by trust');
}

async function idTokenOf({ town }: Walk, code: string, app: string): Promise<Claims> {
  const { json, status, text } = await redeem(town.server, code, {}, undefined, app);
  assert.equal(status, 200, text);
  return claimsOf(json.id_token) as Claims;
}

/** What the session of the browser says, asked by an application that demands nothing. */
export async function assertSession(walk: Walk, browser: Browser): Promise<void> {
  const app = APPS.find(({ mfa }) => mfa === 'off') ?? APPS[0];
  await request(walk, browser, app, { prompt: 'none' });
}
