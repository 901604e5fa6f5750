import type { CodeAttempt } from '../attempts.ts';
import type { CookieJar } from '../cookies.ts';
import type { Request } from '../message.ts';
import type { Throttle } from '../throttle.ts';
import { type BrowserSealing, knownBrowser } from './known-browser.ts';
import { type SharedAttempts, type SharedBucket, UNCOUNTED } from './shared-attempts.ts';

interface Counting {
  readonly throttle: Throttle;
  readonly shared?: SharedAttempts | undefined;
  readonly cookies: CookieJar;
  readonly ring: BrowserSealing;
}

export type CountedCode =
  | { readonly kind: 'refused'; readonly wait: number }
  | { readonly kind: 'admitted'; succeeded(): Promise<void> };

/**
 * Counts a code of a second factor for its user, beside the limit of one sign-in: who knows the password could begin one after the
 * other. Each code writes to the store anyway, so the attempt is taken there before the code is compared. A browser in which the user
 * has proved a second factor before has a count of its own here too.
 */
export async function countCode(services: Counting, request: Request, sub: string): Promise<CountedCode> {
  const { throttle, shared } = services;
  const browser = knownBrowser(services, request);
  const known = browser?.secondFactors?.includes(sub) ? browser.id : undefined;
  const attempt: CodeAttempt = { kind: 'code', account: sub, browser: known };
  const { wait } = await throttle.admit(attempt);
  if (wait > 0) return { kind: 'refused', wait };
  const common = shared && (await shared.admit(bucketsOf(shared, sub, known), undefined, request.receivedAt));
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

function bucketsOf({ limits }: SharedAttempts, sub: string, known: string | undefined): readonly SharedBucket[] {
  if (known === undefined) return [{ key: `${sub} codes`, ...limits.account }];
  return [
    { key: `${sub} codes in ${known}`, ...limits.browser },
    { key: `${sub} codes in known browsers`, ...limits.knownCodes, isCommon: true },
  ];
}
