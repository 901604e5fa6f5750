import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { presenting } from '../../build/assertion.ts';
import { introspect, send } from '../../build/client.ts';
import { aClient } from '../../build/fixture.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';

interface Made {
  readonly keys: readonly Record<string, unknown>[];
  readonly assertions: Kinds;
  readonly statements: Kinds;
  /** Of an issuer that the application does not trust. */
  readonly unapproved: string;
}
/** The JWTs by their names. */
interface Kinds {
  readonly right: Readonly<Record<string, string>>;
  readonly hostile: Readonly<Record<string, string>>;
}

const CLIENT = 'signs-in-python';
/** With the same keys: only `iss` and `sub` tell the two apart. */
const OTHER_CLIENT = 'signs-in-python-too';

/** What another implementation in another language signs (RFC 7523, RFC 7591 section 2.3). */
describe('assertions and software statements of jwcrypto', () => {
  let server: TestServer;
  let made: Made;
  before(async () => {
    const python = process.env.CLIENTS_PYTHON;
    assert(python, 'these are run by `npm run test:clients`');
    server = await startTestServer({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
    const script = fileURLToPath(new URL('signed_jwts.py', import.meta.url));
    const now = String(Math.floor(Date.now() / 1000));
    made = JSON.parse(execFileSync(python, [script, server.at(), CLIENT, OTHER_CLIENT, now], { encoding: 'utf8' }));
    const jwks = { keys: [...made.keys] };
    await server.provision({
      shop: {
        dynamic_registration: 'open',
        software_statements: { issuers: [{ issuer: 'https://directory.example', jwks }] },
        clients: [CLIENT, OTHER_CLIENT].map(client_id =>
          aClient({ client_id, client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt', jwks }),
        ),
      },
    });
  });
  after(() => server.close());

  /** Each from a network of its own: failures are limited, and so are registrations. */
  let networks = 0;
  const elsewhere = () => ({ 'x-forwarded-for': `10.0.${++networks}.1` });
  const authenticate = (jwt: string) =>
    introspect(server, { token: 'x', ...presenting(jwt) }, { headers: elsewhere() });
  const register = (software_statement: string) =>
    send(`${server.at()}/register`, {
      method: 'POST',
      body: JSON.stringify({ client_name: 'Plain', redirect_uris: ['https://a.example/cb'], software_statement }),
      headers: { 'content-type': 'application/json', ...elsewhere() },
    });

  it('authenticate a client once, with every algorithm', async () => {
    assert.equal(Object.keys(made.assertions.right).length, 10);
    for (const [alg, jwt] of Object.entries(made.assertions.right)) {
      const answered = await authenticate(jwt);
      assert.equal(answered.status, 200, `${alg}: ${answered.text}`);
      const { status, json } = await authenticate(jwt);
      assert.deepEqual([status, json.error], [401, 'invalid_client'], `${alg}, a second time`);
    }
  });

  it('attack: hostile assertions are refused', async () => {
    assert.equal(Object.keys(made.assertions.hostile).length, 21);
    for (const [name, jwt] of Object.entries(made.assertions.hostile)) {
      const { status, json } = await authenticate(jwt);
      assert.deepEqual([status, json.error], [401, 'invalid_client'], name);
    }
  });

  it('vouch for a client, with every algorithm', async () => {
    assert.equal(Object.keys(made.statements.right).length, 10);
    for (const [alg, jwt] of Object.entries(made.statements.right)) {
      const { status, json, text } = await register(jwt);
      assert.deepEqual([status, json.client_name, json.software_statement], [201, 'Vouched', jwt], `${alg}: ${text}`);
    }
  });

  it('attack: hostile statements register nothing', async () => {
    const before = (await server.services.store.clientsOf('shop')).length;
    assert.equal(Object.keys(made.statements.hostile).length, 16);
    for (const [name, jwt] of Object.entries(made.statements.hostile)) {
      const { status, json } = await register(jwt);
      assert.deepEqual([status, json.error], [400, 'invalid_software_statement'], name);
    }
    const { status, json } = await register(made.unapproved);
    assert.deepEqual([status, json.error], [400, 'unapproved_software_statement']);
    assert.equal((await server.services.store.clientsOf('shop')).length, before);
  });
});
