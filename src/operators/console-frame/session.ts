import { currentSession } from '../../people/sessions/sessions.ts';
import type { LiveSession } from '../../people/sessions/store.ts';
import { hasTwoFactors } from '../../people/sign-in/acr.rules.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import type { Operator } from '../roles/store.ts';

/**
 * The console has a session of its own, beside the single-sign-on session of the browser and never without it: it begins with a
 * recent authentication, ends after half an hour without use, and after twelve hours at the latest. It is a sealed cookie; the store
 * is asked with every request whether the browser's session and the operator's role still exist.
 */
const COOKIE = 'gatehouse_console';
const IDLE_SECONDS = 30 * 60;
const LONGEST_SECONDS = 12 * 3600;
const RENEW_SECONDS = 60;
/** An authentication that is older does not open the console. */
export const RECENT_SECONDS = 15 * 60;
/** An authentication that is older does not allow a dangerous act. */
const FRESH_SECONDS = 5 * 60;

export interface ConsoleSession {
  readonly kind: 'operator';
  readonly browser: LiveSession;
  readonly operator: Operator;
  /** Of the answer. */
  readonly cookies: string[];
}

interface Sealed {
  readonly sid: string;
  readonly openedAt: number;
  readonly usedAt: number;
}

/** Somebody who is signed in and has no role. */
export interface Stranger {
  readonly kind: 'stranger';
  readonly user: LiveSession['user'];
}

/** An operator who has no second factor and needs one (GATEHOUSE_OPERATOR_MFA). */
export interface Enrolling {
  readonly kind: 'enrolling';
  readonly browser: LiveSession;
}

export type FoundSession = ConsoleSession | Stranger | Enrolling | 'signIn';

export async function findConsoleSession(services: Services, request: Request): Promise<FoundSession> {
  const browser = await currentSession(services, request);
  if (!browser) return 'signIn';
  const operator = await services.store.findOperator(browser.user.sub);
  if (!operator || operator.disabled) return { kind: 'stranger', user: browser.user };
  if (lacksFactor(browser)) return 'signIn';
  const now = services.clock.now();
  const known = readCookie(services, request, browser.sid, now);
  if (!known && now - browser.authTime > RECENT_SECONDS) return 'signIn';
  if (services.config.operatorMfa === 'required' && !hasTwoFactors(browser.amr)) return { kind: 'enrolling', browser };
  return { kind: 'operator', browser, operator, cookies: renewed(services, browser.sid, known, now) };
}

/**
 * Whoever has a second factor uses it here, whatever application the session was opened for. Whoever must have one and has none is asked
 * to sign in, which leads to setting it up.
 */
function lacksFactor({ hasTotp, hasPasskey, requiresMfa, amr }: LiveSession): boolean {
  return (hasTotp || hasPasskey || requiresMfa) && !hasTwoFactors(amr);
}

export function isFresh({ clock }: Services, { browser }: ConsoleSession): boolean {
  return clock.now() - browser.authTime <= FRESH_SECONDS;
}

function readCookie({ cookies, ring }: Services, request: Request, sid: string, now: number): Sealed | undefined {
  const sealed = cookies.read(request, COOKIE);
  const plain = sealed === undefined ? undefined : ring.open('console session', Buffer.from(sealed, 'base64url'));
  if (!plain) return undefined;
  const session = JSON.parse(plain.toString()) as Sealed;
  const isLive = now - session.usedAt < IDLE_SECONDS && now - session.openedAt < LONGEST_SECONDS;
  return session.sid === sid && isLive ? session : undefined;
}

function renewed({ cookies, ring }: Services, sid: string, known: Sealed | undefined, now: number): string[] {
  if (known && now - known.usedAt < RENEW_SECONDS) return [];
  const session: Sealed = { sid, openedAt: known?.openedAt ?? now, usedAt: now };
  const sealed = ring.seal('console session', Buffer.from(JSON.stringify(session)));
  return [cookies.write(COOKIE, sealed.toString('base64url'))];
}
