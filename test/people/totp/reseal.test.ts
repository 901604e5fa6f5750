import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { openTotpKey, sealTotpKey } from '../../../src/people/totp/key.ts';
import { resealTotpKeys } from '../../../src/people/totp/reseal.job.ts';
import { decodeBase32 } from '../../../src/people/totp/rules.ts';
import { createKeyRing } from '../../../src/platform/crypto/key-ring.ts';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { fixedClock } from '../../build/clock.ts';
import { gatehouse } from '../../build/command.ts';
import { delivered } from '../../build/delivered.ts';
import { testPart } from '../../build/suite-part.ts';
import { startTestServer, TEST_SECRET } from '../../build/test-server.ts';
import { formWith, signIn, Visitor } from '../../build/visitor.ts';

const OLD = 'an older secret that is to be taken away';
const LOST = 'a secret that nobody has written down any';

/** docs/operations.md, Secrets: a key of an authenticator app lives as long as its user, and GATEHOUSE_SECRET may change before. */
describe('keys of authenticator apps and another GATEHOUSE_SECRET', () => {
  let sub: string;
  const clock = testPart(fixedClock);
  const server = testPart(() => startTestServer({ clock, env: { GATEHOUSE_SECRET: `${TEST_SECRET},${OLD}` } }));
  beforeEach(async () => {
    sub = (await server.services.store.findAccount('alice'))?.sub ?? '';
  });

  const ringOf = (...secrets: string[]) => createKeyRing(secrets, server.services.random);
  const sealWith = async (secret: string) => {
    const sealedKey = sealTotpKey(ringOf(secret), sub, decodeBase32(TOTP_SECRET) ?? Buffer.alloc(0));
    assert(await server.services.store.addTotp(sub, { sealedKey, step: 1, recoveryHashes: [] }, clock.now()));
  };
  const opensWith = async (secret: string) => {
    const { totp } = await server.services.store.secondFactorsOf(sub);
    return openTotpKey(ringOf(secret), sub, totp?.sealedKey ?? '') !== undefined;
  };
  const canSignIn = async () => {
    clock.advance(60);
    const visitor = new Visitor(server.base);
    const page = await signIn(server, {}, { visitor });
    const seen = await visitor.send(formWith(page, 'code'), { code: anAuthenticator(clock).code() });
    return delivered(seen).fields.code !== undefined;
  };

  it('an older secret of the list opens them, and the job encrypts them with the newest', async () => {
    await sealWith(OLD);
    assert.equal(await canSignIn(), true);
    await resealTotpKeys(server.services, () => false);
    assert.deepEqual([await opensWith(TEST_SECRET), await opensWith(OLD)], [true, false]);
    assert.equal(await canSignIn(), true, 'and the last code stays spent');
    assert.match(server.logged(), /"event":"totp.resealed".*"keys":1/);
    assert(!server.logged().includes(TOTP_SECRET));
  });

  it('a key that none of them opens stays as it is, stops the commands, and can be removed', async () => {
    await sealWith(LOST);
    await resealTotpKeys(server.services, () => false);
    assert.equal(await opensWith(LOST), true);
    const stopped = await gatehouse(server, 'users', 'list');
    assert.equal(stopped.code, 78, stopped.out);
    assert.match(stopped.err, /1 key of an authenticator app in it was made with another/);
    assert.equal((await gatehouse(server, 'keys', 'forget-totp')).code, 64);
    const reset = await gatehouse(server, 'keys', 'forget-totp', '--lost-secret');
    assert.deepEqual([reset.code, reset.out], [0, 'The second factors of 1 user were removed.\n'], reset.err);
    assert.equal((await gatehouse(server, 'users', 'list')).code, 0);
    assert(delivered(await signIn(server)).fields.code, 'the password is enough again');
  });
});
