import assert from 'node:assert/strict';
import type { Store } from '../../src/store.ts';
import { aFixture, type Fixture, NOW } from './contract/given.ts';
import { aSession } from './contract/given-sessions.ts';
import { code, presentedCode, rotation, tokens } from './contract/given-tokens.ts';

/** Requests as nodes send them, one after the other on every store, until `stop`. */
export interface Load {
  /** Of every request so far, in milliseconds. */
  readonly durations: readonly number[];
  stop(): Promise<void>;
}

/** Code exchanges, refreshes, lookups and logins. The first that fails fails `stop`. */
export async function underLoad(stores: readonly Store[], each = 2): Promise<Load> {
  const durations: number[] = [];
  let stopped = false;
  const timed = async <T>(work: Promise<T>): Promise<T> => {
    const begun = performance.now();
    const outcome = await work;
    durations.push(performance.now() - begun);
    return outcome;
  };
  const run = async (store: Store, fixture: Fixture) => {
    while (!stopped) {
      const put = code(fixture.grant);
      assert.equal(await timed(store.addCode(fixture.app, put)), 'issued');
      const pair = tokens();
      const redeemed = await timed(store.redeemCode(fixture.app, put.codeHash, presentedCode, pair));
      assert.equal(redeemed.kind, 'redeemed');
      assert(await timed(store.findAccessToken(fixture.app, pair.access.hash, pair.issuedAt)));
      const turn = rotation(pair.refresh.hash);
      assert.equal((await timed(store.rotateRefreshToken(fixture.app, turn))).kind, 'rotated');
      assert(await timed(store.findTokenUser(fixture.app, turn.access.hash, turn.issuedAt)));
      const { idHash } = await timed(aSession(store, fixture));
      assert(await timed(store.useSession(idHash, NOW, NOW + 7200)));
      await timed(store.endSession({ idHash }, NOW));
      assert.deepEqual(await timed(store.signingKeys(fixture.app)), []);
      assert(await timed(store.findAccount(fixture.user.username)));
    }
  };
  // Each caller has its own user: what a login and a logout of the same user do to each other is not tested here.
  const callers = stores.flatMap(store => Array.from({ length: each }, () => store));
  const fixtures = await Promise.all(callers.map(store => aFixture(store)));
  const ended = Promise.all(callers.map((store, index) => run(store, fixtures[index] as Fixture)));
  ended.catch(() => {});
  return {
    durations,
    stop: async () => {
      stopped = true;
      await ended;
    },
  };
}

/** The duration that this share of them does not exceed, in whole milliseconds. */
export function percentile(durations: readonly number[], share: number): number {
  const sorted = [...durations].sort((a, b) => a - b);
  return Math.ceil(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}
