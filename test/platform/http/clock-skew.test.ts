import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { replaceCompromisedKeys } from '../../../src/oauth/signing-keys/rotation.ts';
import { aTokenSet, get } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';

/** No two machines agree on the second, and a clock that runs ahead is set back. */
describe('a node whose clock is a little behind the one that made the key', () => {
  const [ahead, behind] = [fixedClock(1_800_000_005), fixedClock(1_800_000_000)];
  let first: TestServer;
  let second: TestServer;
  before(async () => {
    first = await startTestServer({ clock: ahead });
    const env = { DATABASE_URL: first.services.config.database.url, BASE_URL: first.base };
    second = await startTestServer({ clock: behind, env, applications: [], users: [] });
  });
  after(async () => {
    await second.close();
    await first.close();
  });

  it('signs and publishes with the very first key', async () => {
    await aTokenSet(first);
    assert((await aTokenSet(second)).id_token);
    assert.equal((await get(`${second.at()}/jwks`)).status, 200);
  });

  it('signs with the key that took the place of a compromised one', async () => {
    behind.advance(60);
    ahead.advance(60);
    await replaceCompromisedKeys(first.services, 'shop');
    second.services.signer.invalidate();
    assert((await aTokenSet(second)).id_token);
  });
});
