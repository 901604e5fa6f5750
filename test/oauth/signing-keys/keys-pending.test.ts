import assert from 'node:assert/strict';
import { generateKeyPair } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { decodeProtectedHeader } from 'jose';
import { startOwnJobs, startSharedJobs } from '../../../src/assembly/jobs.ts';
import { prepareStore } from '../../../src/assembly/serving.ts';
import { readApplyFiles } from '../../../src/operators/apply/apply-file.ts';
import { planChanges } from '../../../src/operators/apply/plan.ts';
import { generateSystemKeyPair } from '../../../src/platform/crypto/key-pair.ts';
import { aTokenSet, get } from '../../build/client.ts';
import { fields } from '../../build/fields.ts';
import { anApplication } from '../../build/fixture.ts';
import { createMigratedDatabase, stopOwnServer } from '../../build/postgres.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';

after(stopOwnServer);

const generate = promisify(generateKeyPair);
const CODES = Array.from({ length: 50 }, (_, index) => `app-${String(index).padStart(2, '0')}`);

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`an apply file with many applications, on ${store} (issue 12)`, () => {
    let server: TestServer;
    const close: (() => unknown)[] = [];
    /** RSA keys, small ones, which are made fast. */
    let made = 0;
    before(async () => {
      const database = store === 'PostgreSQL' ? await createMigratedDatabase() : undefined;
      server = await startTestServer({
        applications: [],
        env: { GATEHOUSE_DEMO: 'false', ...(database && { DATABASE_URL: database.url }) },
        generateKeyPair: alg => {
          if (alg !== 'RS256') return generateSystemKeyPair(alg);
          made++;
          return generate('rsa', { modulusLength: 1024 });
        },
      });
      close.push(
        () => server.close(),
        () => database?.drop(),
      );
    });
    after(async () => {
      for (const each of close) await each();
    });

    const pending = () => server.services.store.pendingKeys(100);

    it('makes 16 RSA keys, leaves the others to the server, and says so', async () => {
      const { services } = server;
      const read = readApplyFiles(fields, [
        { name: 'many', text: JSON.stringify({ applications: CODES.map(code => anApplication({ code })) }) },
      ]);
      assert(read.kind === 'valid');
      const { changes, notes } = await planChanges(services, read.file);
      assert.deepEqual(notes, ['34 signing keys are left to the server, which makes them now or when it starts']);
      await services.store.provision(changes);
      assert.equal(made, 16);
      assert.deepEqual(await pending(), CODES.slice(16));
    });

    it('does not make the start of a server wait for them', async () => {
      made = 0;
      await prepareStore(server.services);
      assert.equal(made, 0);
    });

    it('lets no request wait for a key: a server has spare ones', async () => {
      made = 0;
      const stop = startOwnJobs(server.services);
      await until('the spare keys are made', () => made === 8);
      stop();
      const { keys } = (await get(`${server.at('app-40')}/jwks`)).json;
      assert.deepEqual(
        keys.map(({ alg }: { alg: string }) => alg),
        ['RS256'],
      );
      const { id_token } = await aTokenSet(server, {}, undefined, 'app-40');
      assert.equal(decodeProtectedHeader(id_token).kid, keys[0].kid);
      assert((await aTokenSet(server, {}, undefined, 'app-41')).id_token);
      assert.doesNotMatch(server.logged(), /key\.missing/, 'a request has made a key');
    });

    it('gets all its keys from a running server, each application one of its own', async () => {
      const stop = startSharedJobs(server.services);
      await until('all keys are made', async () => (await pending()).length === 0);
      stop();
      const keys = await Promise.all(CODES.map(code => server.services.store.signingKeys(code)));
      assert.deepEqual(
        keys.map(all => all.map(({ alg }) => alg)),
        CODES.map(() => ['RS256']),
      );
      assert.equal(new Set(keys.flat().map(({ kid }) => kid)).size, CODES.length);
    });
  });
}
