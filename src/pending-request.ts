import { hash } from 'node:crypto';
import type { CookieJar } from './cookies.ts';
import type { Clock, Random } from './deps.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { Request } from './message.ts';

/**
 * What a browser came for, while a person is on our own pages.
 *
 *   GET {issuer}/auth ──needs a person──▶ /login or /consent ──POST──▶ {issuer}/auth?gatehouse_pending=… ──▶ client
 *   GET {issuer}/logout ──needs a yes──▶ /logout ──POST──▶ client
 *   GET /account ──needs a person──▶ /login ──POST──▶ /account
 *
 * Nothing is stored for somebody who is not signed in: the request travels sealed in the address and in the form,
 * for ten minutes, and only opens in the browser that holds the cookie it was made with, for the purpose it was made for.
 */
export interface Pending {
  readonly id: string;
  readonly purpose: Purpose;
  /** Undefined for the account page, which belongs to no application. */
  readonly app: string | undefined;
  /** The request as it came, form-encoded, after its checks. */
  readonly request: string;
  readonly cancelled: boolean;
  readonly chosenBy: string | undefined;
  readonly consentedBy: string | undefined;
}

export type Purpose = 'authorize' | 'logout' | 'account';

/** The parameter that brings the browser back to the authorization endpoint. */
export const RESUME = 'gatehouse_pending';

export interface PendingRequests {
  /** The sealed request, and the cookie to set when the browser has none yet. */
  begin(
    request: Request,
    what: { readonly purpose: Purpose; readonly app?: string; readonly request?: string },
  ): { readonly sealed: string; readonly cookies: string[] };
  open(request: Request, sealed: string | undefined, ...purposes: Purpose[]): Pending | undefined;
  /** The same request, further on. */
  advance(pending: Pending, change: Partial<Pick<Pending, 'cancelled' | 'chosenBy' | 'consentedBy'>>): string;
}

const COOKIE = 'gatehouse_browser';
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
  const seal = (value: Sealed) =>
    ring.seal('pending request', Buffer.from(JSON.stringify(value))).toString('base64url');
  const browserOf = (request: Request) => cookies.read(request, COOKIE);

  return {
    begin(request, what) {
      const present = browserOf(request);
      const browser = present ?? random.bytes(16).toString('base64url');
      const sealed = seal({
        id: random.bytes(16).toString('base64url'),
        purpose: what.purpose,
        app: what.app,
        request: what.request ?? '',
        cancelled: false,
        chosenBy: undefined,
        consentedBy: undefined,
        browser: fingerprint(browser),
        expiresAt: clock.now() + LIFETIME,
      });
      return { sealed, cookies: present === undefined ? [cookies.write(COOKIE, browser)] : [] };
    },
    open(request, sealed, ...purposes) {
      const browser = browserOf(request);
      // The decoder would stop at a character that is none of base64url, and the rest would travel on unread.
      if (browser === undefined || sealed === undefined || !/^[\w-]+$/.test(sealed)) return undefined;
      const plain = ring.open('pending request', Buffer.from(sealed, 'base64url'));
      if (plain === undefined) return undefined;
      const pending = JSON.parse(plain.toString()) as Sealed;
      if (pending.browser !== fingerprint(browser) || clock.now() >= pending.expiresAt) return undefined;
      return purposes.includes(pending.purpose) ? pending : undefined;
    },
    advance: (pending, change) => seal({ ...(pending as Sealed), ...change }),
  };
}

function fingerprint(browser: string): string {
  return hash('sha256', browser, 'base64url');
}
