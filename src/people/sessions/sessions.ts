import type { Event } from '../../audit/events/rules.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import { keyOf, newCredential } from '../../platform/crypto/credential.ts';
import type { CookieJar } from '../../platform/http/cookies.ts';
import { type Request, userAgentOf } from '../../platform/http/message.ts';
import type { Deps } from '../../services.ts';
import { type BrowserSealing, knownBrowser, rememberUser } from '../known-browsers/known-browser.ts';
import { hasTwoFactors } from '../sign-in/acr.rules.ts';
import type { ConsentKey, EndedSession, ListedSession, LiveSession, LoginEvents } from './store.ts';

/** The single-sign-on session of one browser, for all applications. The cookie holds a secret, the store its hash. */
const COOKIE = 'gatehouse_session';
const IDLE_SECONDS = 8 * 3600;
const MAX_SESSION_SECONDS = 30 * 86_400;
const SID_BYTES = 16;

export type SessionDeps = Pick<Deps, 'store' | 'clock' | 'random'> & { readonly cookies: CookieJar };

export async function currentSession(
  deps: SessionDeps,
  request: Request,
  consentOf?: ConsentKey,
): Promise<LiveSession | undefined> {
  const id = deps.cookies.read(request, COOKIE);
  if (id === undefined) return undefined;
  const now = deps.clock.now();
  return deps.store.useSession(keyOf(id), now, now + IDLE_SECONDS, consentOf);
}

/**
 * When the session was last used, to the minute (platform/store/retention.ts). In the last hours of a session, which no use prolongs, it is not
 * known any more, and this is when they began.
 */
export function lastSeen({ idleExpiresAt, authTime }: ListedSession): number {
  return Math.max(idleExpiresAt - IDLE_SECONDS, authTime);
}

export function carriesSession(deps: SessionDeps, request: Request): boolean {
  return deps.cookies.read(request, COOKIE) !== undefined;
}

export type Opened =
  | { readonly kind: 'opened'; readonly cookies: string[] }
  | { readonly kind: 'replayed' }
  /** The session to step up has ended. */
  | { readonly kind: 'ended' };

/** The result of signing in: the user, and how and when the user authenticated. */
export interface Login {
  readonly sub: string;
  /** The hash that the password was compared with. If the stored one has changed since, no session is opened. */
  readonly passwordHash: string | undefined;
  /** The ids of the passkeys that were proved. If one was removed since, no session is opened. */
  readonly passkeys?: readonly string[];
  readonly authTime: number;
  readonly amr: readonly string[];
  /** The user proved only what the browser's present session lacked: without that, no session is opened. */
  readonly stepsUp: boolean;
}

/** Every login creates a new identifier (no session fixation); the browser's former session ends. */
export async function openSession(
  deps: SessionDeps & { readonly ring: BrowserSealing },
  request: Request,
  login: Login,
  openedByRequest: string,
  events: LoginEvents | undefined,
  /** The mail about it, where the browser is not known for the user. */
  newBrowserMail?: () => NewMail,
): Promise<Opened> {
  const previous = deps.cookies.read(request, COOKIE);
  const now = deps.clock.now();
  const expiresAt = now + MAX_SESSION_SECONDS;
  const id = newCredential('session', expiresAt, deps.random);
  const isKnownBrowser = knownBrowser(deps, request)?.users.includes(login.sub) === true;
  const outcome = await deps.store.openSession(
    {
      idHash: keyOf(id),
      sid: deps.random.bytes(SID_BYTES).toString('base64url'),
      ...login,
      openedByRequest,
      idleExpiresAt: now + IDLE_SECONDS,
      expiresAt,
      userAgent: userAgentOf(request),
      address: request.address,
      replaces: previous === undefined ? undefined : keyOf(previous),
      mail: isKnownBrowser ? undefined : newBrowserMail?.(),
    },
    now,
    events,
  );
  if (outcome !== 'opened') return { kind: outcome };
  const remembered = rememberUser(deps, request, login.sub, hasTwoFactors(login.amr) ? 'twoFactors' : 'oneFactor');
  return { kind: 'opened', cookies: [deps.cookies.write(COOKIE, id, MAX_SESSION_SECONDS), remembered] };
}

/** Ends the session of this browser; returns the cookie line that deletes its cookie. */
export async function endSession(
  deps: SessionDeps,
  request: Request,
  event: (ended: EndedSession) => Event,
): Promise<string> {
  const id = deps.cookies.read(request, COOKIE);
  if (id !== undefined) await deps.store.endSession({ idHash: keyOf(id) }, deps.clock.now(), event);
  return eraseSession(deps);
}

/** The cookie line, where the store has ended the session already. */
export function eraseSession({ cookies }: Pick<SessionDeps, 'cookies'>): string {
  return cookies.erase(COOKIE);
}
