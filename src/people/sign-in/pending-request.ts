import { hash } from 'node:crypto';
import type { PendingFault } from '../../audit/refusals/facts.rules.ts';
import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { Clock, Random } from '../../platform/deps.ts';
import type { CookieJar } from '../../platform/http/cookies.ts';
import type { Request } from '../../platform/http/message.ts';

/**
 * A request that waits while a person is on the server's own pages.
 *
 *   GET {issuer}/auth ──needs a person──▶ /login or /consent ──POST──▶ {issuer}/auth?gatehouse_pending=… ──▶ client
 *   GET /account ──needs a person──▶ /login ──POST──▶ /account                          (both: progress.ts)
 *   GET {issuer}/logout ──needs a confirmation──▶ /logout ──POST──▶ client
 *
 * The server stores nothing for a browser that is not signed in (row 26): the content travels sealed in the address and in
 * the form, for ten minutes, for half an hour where the person waits for a mail or is at an identity provider, and for 50 minutes at most. It opens only in the browser that holds the
 * cookie it was made with, and only for its purpose.
 */
export interface Pending<Content> {
  /** The same from the first page to the last. */
  readonly id: string;
  readonly purpose: Purpose;
  readonly content: Content;
  /** A hash of the cookie of the browser that it belongs to. */
  readonly browser: string;
  /** Undefined: an earlier version of the server has begun it. */
  readonly begunAt?: number | undefined;
  readonly expiresAt: number;
}

export type Purpose =
  | 'sign-in'
  | 'logout'
  | 'ended-logout'
  | 'enrolment'
  | 'email'
  | 'passkey'
  | 'provider'
  | 'provider-logout'
  | 'provider trial';

export interface PendingRequests {
  /** The sealed request, and the cookie to set when the browser has none yet. */
  begin<Content extends object>(
    request: Request,
    purpose: Purpose,
    content: Content,
    lifetimeSeconds?: number,
  ): { readonly id: string; readonly sealed: string; readonly cookies: string[] };
  /** What was sealed for this purpose: each purpose has one type of content. */
  open<Content extends object>(
    request: Request,
    sealed: string | undefined,
    purpose: Purpose,
  ): Pending<Content> | undefined;
  /** Why `open` returned nothing, for the explanation of the refusal. */
  faultOf(request: Request, sealed: string | undefined, purpose: Purpose): PendingFault;
  /** Seals an opened one again, after its content has changed. */
  seal(pending: Pending<object>): string;
  /** For a person who waits for a mail, or is at an identity provider. However often that is, it ends MAX_LIFETIME_SECONDS after its beginning. */
  prolonged<Content extends object>(pending: Pending<Content>): Pending<Content>;
}

const COOKIE = 'gatehouse_browser';
const LIFETIME_SECONDS = 600;
/** Also for a person who is at an identity provider. As long as the code of a mail is good (people/email/confirmation.ts). */
export const WAITING_SECONDS = 1800;
/**
 * From the beginning, however often it is prolonged. Shorter than it is recorded that a login was spent (SPENT_LOGIN_RETENTION_SECONDS), and than
 * wrong codes are: otherwise it could be used anew when these rows are gone.
 */
export const MAX_LIFETIME_SECONDS = 3000;
/** How long wrong codes of one are counted: as long as it can live, and a minute more for clocks that differ. */
export const ATTEMPTS_KEPT_SECONDS = MAX_LIFETIME_SECONDS + 60;

export function createPendingRequests(deps: {
  readonly ring: KeyRing;
  readonly clock: Clock;
  readonly random: Random;
  readonly cookies: CookieJar;
}): PendingRequests {
  const { ring, clock, random, cookies } = deps;
  const seal = (pending: Pending<object>) =>
    ring.seal('pending request', Buffer.from(JSON.stringify(pending))).toString('base64url');
  const browserOf = (request: Request) => cookies.read(request, COOKIE);

  return {
    begin(request, purpose, content, lifetimeSeconds = LIFETIME_SECONDS) {
      const present = browserOf(request);
      const browser = present ?? random.bytes(16).toString('base64url');
      const id = random.bytes(16).toString('base64url');
      const sealed = seal({
        id,
        purpose,
        content,
        browser: fingerprint(browser),
        begunAt: clock.now(),
        expiresAt: clock.now() + lifetimeSeconds,
      });
      return { id, sealed, cookies: present === undefined ? [cookies.write(COOKIE, browser)] : [] };
    },
    open<Content extends object>(request: Request, sealed: string | undefined, purpose: Purpose) {
      const browser = browserOf(request);
      // The decoder would stop at a character that is none of base64url, and the rest would travel on unread.
      if (browser === undefined || sealed === undefined || !/^[\w-]+$/.test(sealed)) return undefined;
      const plain = ring.open('pending request', Buffer.from(sealed, 'base64url'));
      if (plain === undefined) return undefined;
      const pending = JSON.parse(plain.toString()) as Pending<Content>;
      if (pending.browser !== fingerprint(browser) || clock.now() >= pending.expiresAt) return undefined;
      if (pending.purpose !== purpose) return undefined;
      return pending;
    },
    faultOf(request, sealed, purpose) {
      const browser = browserOf(request);
      if (sealed === undefined) return { kind: 'missing' };
      const plain = /^[\w-]+$/.test(sealed)
        ? ring.open('pending request', Buffer.from(sealed, 'base64url'))
        : undefined;
      if (plain === undefined) return { kind: 'unreadable' };
      const pending = JSON.parse(plain.toString()) as Pending<object>;
      if (clock.now() >= pending.expiresAt) return { kind: 'expired', expiredAt: pending.expiresAt };
      if (browser === undefined) return { kind: 'noCookie' };
      if (pending.browser !== fingerprint(browser)) return { kind: 'otherBrowser' };
      return { kind: pending.purpose === purpose ? 'unreadable' : 'otherPurpose' };
    },
    seal,
    prolonged: pending => {
      const { begunAt = pending.expiresAt - LIFETIME_SECONDS } = pending;
      const expiresAt = Math.min(clock.now() + WAITING_SECONDS, begunAt + MAX_LIFETIME_SECONDS);
      return { ...pending, begunAt, expiresAt };
    },
  };
}

function fingerprint(browser: string): string {
  return hash('sha256', browser, 'base64url');
}
