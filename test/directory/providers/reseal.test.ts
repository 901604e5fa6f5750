import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { resealProviders } from '../../../src/directory/providers/reseal.job.ts';
import { openProviderSecrets, sealProviderSecrets } from '../../../src/directory/providers/secrets.ts';
import { createKeyRing } from '../../../src/platform/crypto/key-ring.ts';
import { eventsDuring } from '../../build/events.ts';
import { suiteServer, TEST_SECRET } from '../../build/test-server.ts';

const OLD = 'an older secret that is to be taken away';
const LOST = 'a secret that nobody has written down any';

/** docs/operations.md, Secrets: some secrets at providers were made here, and no operator can type them again. */
describe('secrets at identity providers and another GATEHOUSE_SECRET', () => {
  const server = suiteServer({ env: { GATEHOUSE_SECRET: `${TEST_SECRET},${OLD}` } });
  before(async () => {
    const provider = { type: 'oidc', issuer: 'https://login.corp.example', client_id: 'gatehouse' } as const;
    await server.provision({ providers: [{ ...provider, id: 'corp', client_secret: 'corp-secret' }] });
    await server.provision({ providers: [{ ...provider, id: 'plain', token_endpoint_auth_method: 'none' }] });
  });

  const ringOf = (...secrets: string[]) => createKeyRing(secrets, server.services.random);
  const storeSealedBy = async (secret: string) => {
    const [corp] = await server.services.store.listProviders();
    assert(corp);
    const sealedSecrets = sealProviderSecrets({ ring: ringOf(secret) }, 'corp', { client_secret: 'corp-secret' });
    const provider = { ...corp, sealedSecrets };
    assert.deepEqual(await server.services.store.provision([{ kind: 'provider', provider }]), { kind: 'done' });
  };
  const openedBy = async (secret: string) => {
    const [corp] = await server.services.store.listProviders();
    return corp && openProviderSecrets({ ring: ringOf(secret) }, corp).client_secret;
  };
  const runs = () => eventsDuring(server, 'provider.updated', () => resealProviders(server.services, () => false));

  it('the job encrypts them with the newest, once', async () => {
    await storeSealedBy(OLD);
    assert.equal((await runs()).length, 1);
    assert.deepEqual([await openedBy(TEST_SECRET), await openedBy(OLD)], ['corp-secret', undefined]);
    assert.equal((await runs()).length, 0);
  });

  it('those of a lost secret stay as they are', async () => {
    await storeSealedBy(LOST);
    assert.equal((await runs()).length, 0);
    assert.equal(await openedBy(LOST), 'corp-secret');
  });
});
