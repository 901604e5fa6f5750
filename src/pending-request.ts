import { hash } from 'node:crypto';
import type { CookieJar } from './cookies.ts';
import type { Clock, Random } from './deps.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { Request } from './message.ts';

/**
 * The pending authorization request, while a person is on our own pages.
 *
 *   GET {issuer}/auth ──needs a person──▶ /login?pending=… ──POST──▶ {issuer}/auth?gatehouse_pending=… ──▶ client
 *
 * Nothing is stored for somebody who is not signed in: the request travels sealed in the address and in the form,
 * for ten minutes, and only opens in the browser that holds the cookie it was made with.
 */
export interface Pending {
  readonly id: string;
  readonly app: string;
  /** The authorization request as it came, form-encoded. */
  readonly request: string;
  readonly cancelled: boolean;
}

/** The parameter that brings the browser back to the authorization endpoint. */
export const RESUME = 'gatehouse_pending';

export interface PendingRequests {
  /** The sealed request, and the cookie to set when the browser has none yet. */
  begin(request: Request, app: string, authRequest: string): { sealed: string; cookies: string[] };
  open(request: Request, sealed: string): Pending | undefined;
  /** The same request, marked as given up by the person. */
  cancel(pending: Pending): string;
}

const COOKIE = 'gatehouse_browser';
const CONTEXT = 'pending request';
const LIFETIME = 600;

interface Sealed extends Pending {
  readonly browser: string;
  readonly expiresAt: number;
}

export function createPendingRequests(deps: {
  readonly ring: KeyRing;
  readonly clock: Clock;
  readonly random: Random;
  readonly cookies: CookieJar;
}): PendingRequests {
  const { ring, clock, random, cookies } = deps;
  const seal = (value: Sealed) => ring.seal(Buffer.from(JSON.stringify(value)), CONTEXT).toString('base64url');
  const browserOf = (request: Request) => cookies.read(request, COOKIE);

  return {
    begin(request, app, authRequest) {
      const present = browserOf(request);
      const browser = present ?? random.bytes(16).toString('base64url');
      const sealed = seal({
        id: random.bytes(16).toString('base64url'),
        app,
        request: authRequest,
        cancelled: false,
        browser: fingerprint(browser),
        expiresAt: clock.now() + LIFETIME,
      });
      return { sealed, cookies: present === undefined ? [cookies.write(COOKIE, browser)] : [] };
    },
    open(request, sealed) {
      const browser = browserOf(request);
      const plain = ring.open(Buffer.from(sealed, 'base64url'), CONTEXT);
      if (browser === undefined || plain === undefined) return undefined;
      const pending = JSON.parse(plain.toString()) as Sealed;
      if (pending.browser !== fingerprint(browser) || clock.now() >= pending.expiresAt) return undefined;
      return pending;
    },
    cancel: pending => seal({ ...(pending as Sealed), cancelled: true }),
  };
}

function fingerprint(browser: string): string {
  return hash('sha256', browser, 'base64url');
}
