import assert from 'node:assert/strict';
import { beforeEach } from 'node:test';
import type { TokenFamily } from '../../../src/oauth/token/store.ts';
import type { NewSession } from '../../../src/people/sessions/store.ts';
import type { Store } from '../../../src/store.ts';
import { standIn } from '../../build/stand-in.ts';
import { aFixture, DAY, type Fixture, NOW, type OpenStore } from './given.ts';
import { code, presentedCode, tokens } from './given-tokens.ts';
import { openLater } from './open-store.ts';

/** Those of earlier tests, for longer than any test takes notices. */
export async function leaseNotices(store: Store): Promise<void> {
  await store.takeLogoutNotices(NOW + DAY, NOW + 9 * DAY, 10_000);
}

/** A store with an application, a client and a user for each test of the suites that call `prepareEach`, and what tests do with sessions in it. */
export function sessionsFixture(open: OpenStore) {
  const { store, another, openEach } = openLater(open);
  let current: Fixture | undefined;
  const fixture = standIn(() => current ?? assert.fail('it is made before each test'));
  const prepareEach = () => {
    openEach();
    beforeEach(async () => {
      current = await aFixture(store);
      await leaseNotices(store);
    });
  };

  const use = (idHash: Uint8Array, now = NOW, at = store) => at.useSession(idHash, now, now + 3600);
  const aCode = async (grant: TokenFamily) => {
    const put = code(grant);
    await store.addCode(fixture.app, put);
    return put;
  };
  const redeem = (codeHash: Uint8Array, pair = tokens(), at: Store = store) =>
    at.redeemCode(fixture.app, codeHash, { ...presentedCode, clientId: 'web' }, pair);
  /** The queued notices, each as "application client user session". */
  const queuedNotices = async () =>
    (await store.takeLogoutNotices(NOW + DAY, NOW + 2 * DAY, 1000))
      .map(({ app, clientId, sub, sid }) => `${app} ${clientId} ${sub} ${sid}`)
      .sort();
  const notice = ({ sub, sid }: NewSession, clientId = 'web') => `${fixture.app} ${clientId} ${sub} ${sid}`;
  return { store, another, fixture, prepareEach, use, aCode, redeem, queuedNotices, notice };
}
