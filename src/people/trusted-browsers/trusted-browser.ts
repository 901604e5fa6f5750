import { hash } from 'node:crypto';
import type { Event } from '../../audit/events/rules.ts';
import type { CookieJar } from '../../platform/http/cookies.ts';
import { type Request, userAgentOf } from '../../platform/http/message.ts';
import type { Deps } from '../../services.ts';
import type { NewTrustedBrowser } from './store.ts';

/**
 * A browser in which a user need not type the code of the second factor for 30 days, where an application allows it
 * (`trusted_browsers`). The cookie holds a token for each user that trusts the browser, the store their hashes.
 */
const COOKIE = 'gatehouse_trusted_browser';
const TRUST_SECONDS = 30 * 86_400;
const TOKEN_BYTES = 32;
/** Secret scanners recognise it in a log or a repository. */
const PREFIX = 'gtb_';
/** Users of one browser. */
const MAX_TOKENS = 5;
/** Browsers of one user. */
const MAX_BROWSERS = 10;

type Trusting = Pick<Deps, 'store' | 'clock' | 'random'> & { readonly cookies: CookieJar };

/** The user, if the browser is trusted for that user. Without the cookie, the store is not asked. */
export async function trustedFor(
  deps: Trusting,
  request: Request,
  sub: string | undefined,
): Promise<string | undefined> {
  const tokens = tokensOf(deps, request);
  if (sub === undefined || tokens.length === 0) return undefined;
  const isTrusted = await deps.store.isTrustedBrowser(sub, tokens.map(digestOf), deps.clock.now());
  return isTrusted ? sub : undefined;
}

/**
 * Trusts the browser of a user who has now proved both factors. Each time with a new token: one that somebody else has put into the
 * browser must not become worth anything. Returns the cookie lines.
 */
export async function trustBrowser(
  deps: Trusting,
  request: Request,
  user: Pick<NewTrustedBrowser, 'sub' | 'passwordHash' | 'totpKey'>,
  event: Event,
): Promise<string[]> {
  const { store, clock, random, cookies } = deps;
  const token = PREFIX + random.bytes(TOKEN_BYTES).toString('base64url');
  const createdAt = clock.now();
  const browser = {
    ...user,
    id: random.bytes(16).toString('base64url'),
    tokenHash: digestOf(token),
    userAgent: userAgentOf(request),
    createdAt,
    expiresAt: createdAt + TRUST_SECONDS,
  };
  if (!(await store.trustBrowser(browser, MAX_BROWSERS, event))) return [];
  const tokens = [token, ...tokensOf(deps, request)].slice(0, MAX_TOKENS);
  return [cookies.write(COOKIE, tokens.join('.'), TRUST_SECONDS)];
}

function tokensOf({ cookies }: Trusting, request: Request): string[] {
  const tokens = cookies.read(request, COOKIE)?.split('.', MAX_TOKENS) ?? [];
  return tokens.filter(token => token.startsWith(PREFIX));
}

/** Without a salt: 256 random bits cannot be guessed. */
function digestOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
