import type { TokenFamily } from '../../../src/oauth/token/store.ts';
import type { NewSession } from '../../../src/people/sessions/store.ts';
import type { Store } from '../../../src/store.ts';
import { aFixture, code, DAY, type Fixture, NOW, type Opened, type OpenStore, presentedCode, tokens } from './given.ts';

/** Those of earlier tests, for longer than any test takes notices. */
export async function leaseNotices(store: Store): Promise<void> {
  await store.takeLogoutNotices(NOW + DAY, NOW + 9 * DAY, 10_000);
}

/** Before each test: a store with an application, a client and a user, and what tests do with sessions in it. */
export function sessionsFixture(open: OpenStore) {
  let opened: Opened;
  let store: Store;
  let fixture: Fixture;
  const prepare = async () => {
    opened = await open();
    store = opened.store;
    fixture = await aFixture(store);
    await leaseNotices(store);
  };
  const discard = () => opened.discard();

  const use = (idHash: Uint8Array, now = NOW) => store.useSession(idHash, now, now + 3600);
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
  return {
    prepare,
    discard,
    use,
    aCode,
    redeem,
    queuedNotices,
    notice,
    get opened() {
      return opened;
    },
    get store() {
      return store;
    },
    get fixture() {
      return fixture;
    },
  };
}
