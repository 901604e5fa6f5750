import type { Random } from '../../platform/deps.ts';
import type { CookieJar } from '../../platform/http/cookies.ts';
import type { Request } from '../../platform/http/message.ts';

/**
 * A browser that remembers who has signed in with it. Its attempts for these users have a count of their own (platform/throttle/throttle.ts), so that
 * an attacker who uses up the attempts of an account cannot keep its owner out. The cookie is encrypted and proves nothing else: a
 * stolen one gives as many guesses as its count allows.
 */
export interface KnownBrowser {
  readonly id: string;
  /** The `sub` of each, the last to sign in first. */
  readonly users: readonly string[];
  /**
   * Those of them who have proved two factors in it. Only their codes of a second factor are counted apart: a password alone makes a
   * browser known, and whoever has stolen it could make as many known as there are codes to try.
   */
  readonly secondFactors?: readonly string[];
}

const COOKIE = 'gatehouse_known_browser';
const MAX_USERS = 5;
const ID_BYTES = 16;
/** Counts from the last sign-in. */
const MAX_AGE_SECONDS = 365 * 86_400;

/** Of the key ring (platform/crypto/key-ring.ts). */
export interface BrowserSealing {
  seal(purpose: 'known browser', plain: Buffer): Buffer;
  open(purpose: 'known browser', sealed: Uint8Array): Buffer | undefined;
}

interface Sealing {
  readonly cookies: CookieJar;
  readonly ring: BrowserSealing;
}

/** Undefined: nobody has signed in with it, as far as this server's secrets can tell. */
export function knownBrowser({ cookies, ring }: Sealing, request: Request): KnownBrowser | undefined {
  const sealed = cookies.read(request, COOKIE);
  if (sealed === undefined || !/^[\w-]+$/.test(sealed)) return undefined;
  const plain = ring.open('known browser', Buffer.from(sealed, 'base64url'));
  return plain && (JSON.parse(plain.toString()) as KnownBrowser);
}

/** The cookie of a browser in which this user has now proved the password or more, sealed with the newest secret. */
export function rememberUser(
  deps: Sealing & { readonly random: Random },
  request: Request,
  sub: string,
  proved: 'oneFactor' | 'twoFactors',
): string {
  const before = knownBrowser(deps, request);
  const users = [sub, ...(before?.users ?? []).filter(other => other !== sub)].slice(0, MAX_USERS);
  const secondFactors = [...(before?.secondFactors ?? []), ...(proved === 'twoFactors' ? [sub] : [])];
  const browser: KnownBrowser = {
    id: before?.id ?? deps.random.bytes(ID_BYTES).toString('base64url'),
    users,
    secondFactors: users.filter(user => secondFactors.includes(user)),
  };
  const sealed = deps.ring.seal('known browser', Buffer.from(JSON.stringify(browser)));
  return deps.cookies.write(COOKIE, sealed.toString('base64url'), MAX_AGE_SECONDS);
}
