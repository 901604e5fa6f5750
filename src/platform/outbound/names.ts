import { lookup } from 'node:dns';
import type { NameLookup, Outbound, Resolved } from './outbound.ts';

interface WaitingLookup {
  readonly isWanted: () => boolean;
  begin(): void;
}

/** Most lookups take a tenth of it. */
const SLOW_LOOKUP_MS = 1000;
const MAX_WAITING = 100;
const TOO_SLOW = 'the lookup of another name takes too long, so that of this one was not begun';

export const lookupOfAll: NameLookup = (hostname, options, done) => lookup(hostname, options, done);

/**
 * A lookup occupies one of the four threads that also hash passwords, for as long as the name servers of the name like, and cannot be
 * cancelled. libuv gives lookups two of the threads; all others wait. So names that strangers have chosen are looked up one after the
 * other: the second thread stays for those of the operator. While one is slow, further ones fail at once.
 */
export function oneAtATime(resolve: NameLookup, now: () => number = () => performance.now()): NameLookup {
  let startedAt: number | undefined;
  let waiting: WaitingLookup[] = [];
  const dropUnwanted = () => {
    waiting = waiting.filter(({ isWanted }) => isWanted());
  };
  const beginNext = () => {
    startedAt = undefined;
    dropUnwanted();
    waiting.shift()?.begin();
  };
  return (hostname, options, done, isWanted) => {
    const begin = () => {
      startedAt = now();
      const resolved: Resolved = (error, addresses) => {
        beginNext();
        done(error, addresses);
      };
      resolve(hostname, options, resolved, isWanted);
    };
    if (startedAt === undefined) return begin();
    dropUnwanted();
    if (now() - startedAt > SLOW_LOOKUP_MS || waiting.length >= MAX_WAITING) return done(new Error(TOO_SLOW), []);
    waiting.push({ isWanted, begin });
  };
}

/** Of the process, as its threads are. */
const lookupOfStrangers = oneAtATime(lookupOfAll);

/** For addresses that strangers name, such as a client that has registered itself. */
export function ofStrangers(outbound: Outbound): Outbound {
  return { ...outbound, lookup: lookupOfStrangers };
}
