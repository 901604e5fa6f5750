import type { CookieJar } from '../../platform/http/cookies.ts';
import type { Request } from '../../platform/http/message.ts';
import {
  type CountedCode,
  type Counting,
  countTypedCode,
  type SharedBucket,
} from '../../platform/throttle/all-nodes.ts';
import type { CodeAttempt } from '../../platform/throttle/attempts.ts';
import type { ThrottleLimits } from '../../platform/throttle/throttle.ts';
import { type BrowserSealing, knownBrowser } from '../known-browsers/known-browser.ts';

export interface CodeCounting extends Counting {
  readonly cookies: CookieJar;
  readonly ring: BrowserSealing;
}

/**
 * Counts a code for its user, beside the limit of one sign-in: who knows the password could begin one after the other. Each code writes to
 * the store anyway, so the attempt is taken there before the code is compared. A browser in which the user has proved a second factor
 * before has a count of its own here too. Only a user who has proved the first factor comes here, so whoever knows no more than a user
 * name takes nothing from these buckets.
 */
export function countCode(
  services: CodeCounting,
  request: Request,
  sub: string,
  of: CodeAttempt['of'],
): Promise<CountedCode> {
  const browser = knownBrowser(services, request);
  const known = browser?.secondFactors?.includes(sub) ? browser.id : undefined;
  return countTypedCode(services, { kind: 'code', of, account: sub, browser: known }, bucketsOf);
}

function bucketsOf(limits: ThrottleLimits, { of, account, browser }: CodeAttempt): readonly SharedBucket[] {
  const own: SharedBucket =
    browser === undefined
      ? { key: `${account} codes`, ...limits.account }
      : { key: `${account} codes in ${browser}`, ...limits.browser };
  const where = browser === undefined ? 'in other browsers' : 'in known browsers';
  const ofDay: SharedBucket = { key: `${account} codes ${where}`, ...limits.dailyCodes, isCommon: true };
  return [...(of === 'email' ? [] : [own]), ...(of === 'passkey' ? [] : [ofDay])];
}
