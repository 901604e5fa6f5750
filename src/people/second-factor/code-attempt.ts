import type { CookieJar } from '../../platform/http/cookies.ts';
import type { Request } from '../../platform/http/message.ts';
import { type SharedAttempts, type SharedBucket, UNCOUNTED } from '../../platform/throttle/all-nodes.ts';
import type { CodeAttempt } from '../../platform/throttle/attempts.ts';
import type { Throttle } from '../../platform/throttle/throttle.ts';
import { type BrowserSealing, knownBrowser } from '../known-browsers/known-browser.ts';

export interface Counting {
  readonly throttle: Throttle;
  readonly shared?: SharedAttempts | undefined;
  readonly cookies: CookieJar;
  readonly ring: BrowserSealing;
}

export type CountedCode =
  | { readonly kind: 'refused'; readonly wait: number }
  | { readonly kind: 'admitted'; succeeded(): Promise<void> };

/**
 * Counts a code for its user, beside the limit of one sign-in: who knows the password could begin one after the other. Each code writes to
 * the store anyway, so the attempt is taken there before the code is compared. A browser in which the user has proved a second factor
 * before has a count of its own here too. Only a user who has proved the first factor comes here, so whoever knows no more than a user
 * name takes nothing from these buckets.
 */
export async function countCode(
  services: Counting,
  request: Request,
  sub: string,
  of: CodeAttempt['of'],
): Promise<CountedCode> {
  const { throttle, shared } = services;
  const browser = knownBrowser(services, request);
  const known = browser?.secondFactors?.includes(sub) ? browser.id : undefined;
  const attempt: CodeAttempt = { kind: 'code', of, account: sub, browser: known };
  const { wait } = await throttle.admit(attempt);
  if (wait > 0) return { kind: 'refused', wait };
  const common = shared && (await shared.admit(bucketsOf(shared, attempt), undefined));
  if (common?.kind === 'refused') {
    throttle.withdrawn(attempt);
    return common;
  }
  const { succeeded } = common?.attempt ?? UNCOUNTED;
  return {
    kind: 'admitted',
    async succeeded() {
      throttle.succeeded(attempt);
      await succeeded();
    },
  };
}

function bucketsOf({ limits }: SharedAttempts, { of, account, browser }: CodeAttempt): readonly SharedBucket[] {
  const own: SharedBucket =
    browser === undefined
      ? { key: `${account} codes`, ...limits.account }
      : { key: `${account} codes in ${browser}`, ...limits.browser };
  const where = browser === undefined ? 'in other browsers' : 'in known browsers';
  const ofDay: SharedBucket = { key: `${account} codes ${where}`, ...limits.dailyCodes, isCommon: true };
  return [...(of === 'email' ? [] : [own]), ...(of === 'passkey' ? [] : [ofDay])];
}
