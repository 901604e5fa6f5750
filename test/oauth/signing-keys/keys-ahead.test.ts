import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { beforeEach, describe, it } from 'node:test';
import { decodeProtectedHeader, type JWK } from 'jose';
import { startOwnJobs } from '../../../src/assembly/jobs.ts';
import { prepareStore } from '../../../src/assembly/serving.ts';
import { rotateDueKeys } from '../../../src/oauth/signing-keys/rotation.ts';
import { aTokenSet, basic, get } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { gatehouse } from '../../build/command.ts';
import { type ApplicationInput, aClient, anApplication } from '../../build/fixture.ts';
import { keyPairsFor } from '../../build/key-pairs.ts';
import { createMigratedDatabase } from '../../build/postgres.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

const DAY = 86_400;

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`no request waits for a key to be made, on ${store} (issue 10 A.1)`, () => {
    /** How many keys this server has made itself. */
    let made = 0;
    const clock = fixedClock(Math.floor(Date.now() / 1000));
    const folder = suitePart(temporaryFolder, ({ remove }) => remove());
    const database = suitePart(
      async () =>
        store === 'PostgreSQL' ? createMigratedDatabase() : { url: `sqlite:${folder.file('gatehouse.db')}` },
      part => 'drop' in part && part.drop(),
    );
    const server = suiteServer(() => {
      const generate = keyPairsFor(database.url);
      return {
        clock,
        env: { DATABASE_URL: database.url, GATEHOUSE_DEMO: 'false' },
        applications: [],
        generateKeyPair: alg => {
          made++;
          return generate(alg);
        },
      };
    });
    suitePart(
      () => ({ stop: startOwnJobs(server.services) }),
      ({ stop }) => stop(),
    );
    beforeEach(() => {
      made = 0;
    });

    const jwt = (client_id: string, over = {}) => aClient({ client_id, access_token_format: 'jwt', ...over });
    const signedBy = (clientId: string, app: string) =>
      aTokenSet(server, {}, { auth: basic(clientId, 'web-secret-1') }, app);
    const headerOf = async (clientId: string, app: string) =>
      decodeProtectedHeader((await signedBy(clientId, app)).id_token);
    const shown = async (app: string) => (await get(`${server.at(app)}/jwks`)).json.keys as JWK[];
    const apply = async (application: ApplicationInput, ...options: string[]) => {
      const path = folder.file('apply.json');
      writeFileSync(path, JSON.stringify({ applications: [application] }));
      const ran = await gatehouse(server, 'apply', ...options, path);
      assert.equal(ran.code, 0, ran.err);
    };
    const untilSignedWith = async (clientId: string, app: string, wanted: (kid: string, alg: string) => boolean) => {
      for (;;) {
        const { kid = '', alg = '' } = await headerOf(clientId, app);
        if (wanted(kid, alg)) return kid;
      }
    };
    const assertNoneMade = () => {
      assert.equal(made, 0, 'a request has made a key');
      assert.doesNotMatch(server.logged(), /key\.missing/);
    };

    it('the first key set, ID token and JWT access token after apply, by this process', async () => {
      await server.provision({ shop: { code: 'own', clients: [jwt('web')] } });
      assert.equal(made, 1, 'apply makes it');
      made = 0;
      assert.equal((await shown('own')).length, 1);
      const { id_token, access_token } = await signedBy('web', 'own');
      for (const token of [id_token, access_token]) assert.equal(decodeProtectedHeader(token).alg, 'RS256');
      assertNoneMade();
    });

    for (const first of ['key set', 'token'] as const) {
      it(`the first ${first} after apply, by another process`, async () => {
        const code = `other-${first.replace(' ', '-')}`;
        await apply(
          anApplication({ code, clients: [jwt('web'), jwt('ed', { id_token_signed_response_alg: 'EdDSA' })] }),
        );
        const wanted = ['EdDSA', 'RS256'];
        if (first === 'key set') assert.deepEqual((await shown(code)).map(({ alg }) => alg).sort(), wanted);
        assert.deepEqual([(await headerOf('ed', code)).alg, (await headerOf('web', code)).alg], wanted);
        assertNoneMade();
      });
    }

    it('the first token of a client that came later with another algorithm; its key is in the key set by then', async () => {
      const application = anApplication({ code: 'grown', clients: [jwt('web')] });
      await apply(application);
      await headerOf('web', 'grown');
      await shown('grown');
      await apply({ ...application, clients: [jwt('web'), jwt('late', { id_token_signed_response_alg: 'ES256' })] });
      const { alg, kid } = await headerOf('late', 'grown');
      assert.equal(alg, 'ES256');
      assert((await shown('grown')).some(key => key.kid === kid));
      assertNoneMade();
    });

    it('the first token after the default of the application has changed', async () => {
      const application = anApplication({ code: 'changed', clients: [jwt('web')] });
      await apply(application);
      await headerOf('web', 'changed');
      await apply({ ...application, id_token_signed_response_alg: 'ES256' });
      await untilSignedWith('web', 'changed', (_, alg) => alg === 'ES256');
      assertNoneMade();
    });

    it('while a compromised key is replaced by another process', async () => {
      await apply(anApplication({ code: 'leaked', clients: [jwt('web')] }));
      const { kid: old } = await headerOf('web', 'leaked');
      const replaced = gatehouse(server, 'keys', 'rotate', '--app', 'leaked', '--compromised');
      const kid = await untilSignedWith('web', 'leaked', now => now !== old);
      assert.equal((await replaced).code, 0);
      assert.deepEqual(
        (await shown('leaked')).map(key => key.kid),
        [kid],
      );
      assertNoneMade();
    });

    it('when a rotation takes effect', async () => {
      await apply(anApplication({ code: 'rotated', clients: [jwt('web')] }));
      const { kid: old } = await headerOf('web', 'rotated');
      // A little more, since the key was made by a process with another clock.
      clock.advance(90 * DAY);
      await rotateDueKeys(server.services, (await server.services.registry.application('rotated')) ?? assert.fail());
      assert.equal(made, 1, 'the job makes it');
      made = 0;
      clock.advance(DAY);
      assert.notEqual((await headerOf('web', 'rotated')).kid, old);
      assertNoneMade();
    });

    it('after a start on data without keys, as an earlier release may have left it', async () => {
      await apply(anApplication({ code: 'keyless', clients: [jwt('web', { id_token_signed_response_alg: 'ES256' })] }));
      const kids = (await server.services.store.signingKeys('keyless')).map(({ kid }) => kid);
      await server.services.store.dropSigningKeys('keyless', kids);
      await prepareStore(server.services);
      assert.equal(made, 1, 'the default, which no client uses, waits for the job');
      made = 0;
      assert.equal((await headerOf('web', 'keyless')).alg, 'ES256');
      assertNoneMade();
      await rotateDueKeys(server.services, (await server.services.registry.application('keyless')) ?? assert.fail());
      assert.deepEqual((await shown('keyless')).map(({ alg }) => alg).sort(), ['ES256', 'RS256']);
    });

    it('apply --dry-run makes none either', async () => {
      await apply(anApplication({ code: 'dry' }), '--dry-run');
      assert.deepEqual(await server.services.store.signingKeys('dry'), []);
    });
  });
}
