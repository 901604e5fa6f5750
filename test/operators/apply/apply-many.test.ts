import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { runCommand } from '../../build/command.ts';
import { createDatabase, stopOwnServer } from '../../build/postgres.ts';
import { TEST_SECRET } from '../../build/test-server.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

after(stopOwnServer);

const APPLICATIONS = 100;

function manyApplications(): string {
  const client = (client_id: string, app: number) => ({
    client_id,
    redirect_uris: [`https://${client_id}-${app}.example/callback`],
    ...(client_id === 'spa'
      ? { token_endpoint_auth_method: 'none' }
      : { client_secret: `secret-of-${client_id}-${app}` }),
  });
  const applications = Array.from({ length: APPLICATIONS }, (_, app) => ({
    code: `app-${app}`,
    name: `Application ${app}`,
    clients: ['web', 'spa', 'api'].map(client_id => client(client_id, app)),
  }));
  return JSON.stringify({ applications });
}

describe(`apply of ${APPLICATIONS} applications with 3 clients and an RSA key each (issue 12, What it must reach)`, () => {
  for (const store of ['SQLite', 'PostgreSQL'] as const) {
    it(`on ${store} makes 16 keys and leaves the others to the server: an RSA key takes 56 ms of processor time`, async t => {
      const folder = temporaryFolder();
      const database = store === 'PostgreSQL' ? await createDatabase() : undefined;
      const DATABASE_URL = database?.url ?? `sqlite:${folder.file('gatehouse.db')}`;
      writeFileSync(folder.file('many.json'), manyApplications());
      const startedAt = performance.now();
      const ran = await runCommand(['apply', folder.file('many.json')], {
        DATABASE_URL,
        GATEHOUSE_SECRET: TEST_SECRET,
      });
      const took = performance.now() - startedAt;
      await database?.drop();
      folder.remove();
      assert.equal(ran.code, 0, ran.err);
      assert.equal(ran.out.match(/: created$/gm)?.length, 4 * APPLICATIONS);
      assert.match(ran.err, /^84 signing keys are left to the server/);
      t.diagnostic(`${Math.round(took)} ms`);
    });
  }
});
