import { anAuthenticator } from '../../../build/authenticator.ts';
import { askedBy } from '../../../build/passkey.ts';
import { type Fields, type Form, formWith, type Seen } from '../../../build/visitor.ts';
import { totpKeyOn } from './learn.ts';
import type { Browser } from './oracle.ts';
import { count, type Page, type Post, type Walk } from './state.ts';
import { APPS, type Person } from './town.ts';
import { open, post } from './walk.ts';

/** The forms and links of the pages, filled in as a move says. What a page has not does nothing. */
export interface Manner {
  /** The page whose sealed sign-in the form is sent with: that of another tab. Undefined: its own. */
  readonly tab: number | undefined;
  readonly who: number;
  readonly app: number;
  readonly pick: number;
  readonly isRight: boolean;
  readonly isUserVerified: boolean;
  readonly trusts: boolean;
}

/** Where a form can be sent that the person was not shown. */
const PATHS = [
  '/login/totp',
  '/login/recovery',
  '/login/enrol',
  '/login/verify-email',
  '/login/new-password',
  '/consent',
  '/login/keep-account',
];
export function formOn({ text, ...seen }: Seen, control: string): Form | undefined {
  return text.includes(`name="${control}"`) ? formWith({ ...seen, text }, control) : undefined;
}

/** Sends a form of a page, with the sealed sign-in of another tab if the move says so. */
function send(
  walk: Walk,
  browser: Browser,
  at: Page,
  form: Form,
  values: Fields,
  more: { readonly tab?: number | undefined; readonly passkey?: Post['passkey'] } = {},
): Promise<void> {
  const tab = more.tab === undefined ? undefined : walk.pages[more.tab];
  const pending = tab && formOn(tab.seen, 'pending')?.fields.get('pending');
  const fields = new URLSearchParams(form.fields);
  for (const [name, value] of Object.entries(values)) if (value !== undefined) fields.set(name, value);
  if (pending) fields.set('pending', pending);
  if (pending) count(walk, 'form sent with the sign-in of another tab');
  const path = new URL(form.action).pathname;
  const { passkey } = more;
  return post(walk, browser, { path, fields, page: pending && tab ? tab : at, ...(passkey ? { passkey } : {}) });
}

export async function press(walk: Walk, browser: Browser, at: Page, button: string, tab?: number): Promise<void> {
  const form = formOn(at.seen, `action" value="${button}`);
  if (form) return send(walk, browser, at, form, { action: button }, { tab });
}

/** To another factor, to the sign-up, back to where an address was typed, or on from the recovery codes. */
export async function follow(walk: Walk, browser: Browser, at: Page, to: string): Promise<void> {
  const links = [...at.seen.text.matchAll(/<a href="([^"]+pending=[^"]+)"/g)].map(([, href]) => href ?? '');
  const href = links.find(each => each.includes(to))?.replaceAll('&amp;', '&');
  if (href === undefined) return;
  const trail = to === '/signup' ? { ...at.trail, signUp: undefined } : at.trail;
  return open(walk, browser, new URL(href, walk.town.server.base).href, trail);
}

export async function resume(walk: Walk, browser: Browser, at: Page, { app, isRight }: Manner): Promise<void> {
  const pending = formOn(at.seen, 'pending')?.fields.get('pending');
  if (!pending) return;
  const code = isRight ? at.trail.asked.app.code : (APPS[app] ?? APPS[0]).code;
  return open(
    walk,
    browser,
    `${walk.town.server.at(code)}/auth?${new URLSearchParams({ gatehouse_pending: pending })}`,
    at.trail,
  );
}

export async function password(walk: Walk, browser: Browser, at: Page, { who, isRight, tab }: Manner): Promise<void> {
  const person = walk.people[who];
  const form = formOn(at.seen, 'password');
  if (!form || !person) return;
  if (form.action.endsWith('/login/new-password')) return newPassword(walk, browser, at, form, isRight, tab);
  if (form.action.endsWith('/signup')) return signUp(walk, browser, at, form, person, tab);
  const typed = isRight ? person.password : 'a wrong password';
  return send(walk, browser, at, form, { username: person.username, password: typed }, { tab });
}

function newPassword(walk: Walk, browser: Browser, at: Page, form: Form, isRight: boolean, tab?: number) {
  const chosen = isRight ? `a new passphrase ${walk.posts.length}` : '1234';
  return send(walk, browser, at, form, { password: chosen }, { tab });
}

function signUp(walk: Walk, browser: Browser, at: Page, form: Form, { username, email }: Person, tab?: number) {
  return send(walk, browser, at, form, { username, email, password: 'a passphrase to sign up' }, { tab });
}

export async function passkey(
  walk: Walk,
  browser: Browser,
  at: Page,
  who: Person | undefined,
  move: Manner,
): Promise<void> {
  const form = formOn(at.seen, 'passkey');
  if (!form || !who?.passkey) return;
  const { isUserVerified } = move;
  const answer = who.passkey.assert(askedBy(at.seen), { isVerified: isUserVerified });
  const made = { who, isUserVerified, pending: form.fields.get('pending') ?? '', isSpent: false };
  return send(walk, browser, at, form, { passkey: answer }, { tab: move.tab, passkey: made });
}

export async function code(
  walk: Walk,
  browser: Browser,
  at: Page,
  who: Person | undefined,
  move: Manner,
): Promise<void> {
  const form = formOn(at.seen, 'code');
  if (!form || !who) return;
  const path = new URL(form.action).pathname;
  const typed = move.isRight ? await rightCode(walk, at, path, who) : '000000';
  const trust = move.trusts ? 'true' : undefined;
  if (typed !== undefined) return send(walk, browser, at, form, { code: typed, trust }, { tab: move.tab });
}

async function rightCode(walk: Walk, at: Page, path: string, who: Person): Promise<string | undefined> {
  const key = totpKeyOn(at.seen);
  if (path === '/login/enrol') return key === undefined ? undefined : anAuthenticator(walk.town.clock, key).code();
  if (path === '/login/recovery') return who.recoveryCodes[0];
  if (path === '/login/verify-email') return (await walk.town.mailedCodes(who.email)).at(-1);
  return who.totp?.code();
}

/** Sends the form of a step that is not due, with what would be right there. */
export async function skip(walk: Walk, browser: Browser, at: Page, { pick, who }: Manner): Promise<void> {
  const form = formOn(at.seen, 'pending');
  const person = walk.people[who];
  const path = PATHS[pick % PATHS.length];
  if (!form || !person || !path) return;
  const typed = (await rightCode(walk, at, path, person)) ?? '000000';
  const action = { '/consent': 'allow', '/login/keep-account': 'keep' }[path];
  const fields = new URLSearchParams({ pending: form.fields.get('pending') ?? '', code: typed, sub: person.sub ?? '' });
  if (action) fields.set('action', action);
  fields.set('password', `a skipped passphrase ${walk.posts.length}`);
  count(walk, 'step skipped');
  return post(walk, browser, { path, fields, page: at });
}
