import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ALICE, assertRefused, introspect, token, WEB } from '../../build/client.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';

interface Made {
  readonly name: string;
  readonly proof: string;
  /** By jwcrypto; null: the proof is wrong. */
  readonly thumbprint: string | null;
  /** What the error description names. */
  readonly part: string | null;
}

/** Proofs of another implementation in another language (RFC 9449, RFC 7638). */
describe('DPoP proofs of jwcrypto', () => {
  let server: TestServer;
  let made: readonly Made[];
  before(async () => {
    const python = process.env.CLIENTS_PYTHON;
    assert(python, 'these are run by `npm run test:clients`');
    server = await startTestServer();
    const script = fileURLToPath(new URL('dpop_proofs.py', import.meta.url));
    const now = String(Math.floor(Date.now() / 1000));
    made = JSON.parse(execFileSync(python, [script, `${server.at()}/token`, now], { encoding: 'utf8' }));
  });
  after(() => server.close());

  const ask = ({ proof }: Made) =>
    token(server, { grant_type: 'password', ...ALICE }, { auth: WEB, headers: { dpop: proof } });

  it('bind tokens to the thumbprint that it computes, of every kind of key', async () => {
    const right = made.filter(({ thumbprint }) => thumbprint !== null);
    assert.equal(right.length, 7);
    for (const each of right) {
      const answered = await ask(each);
      assert.equal(answered.status, 200, `${each.name}: ${answered.text}`);
      const seen = await introspect(server, { token: answered.json.access_token });
      assert.deepEqual(seen.json.cnf, { jkt: each.thumbprint }, each.name);
    }
  });

  it('attack: hostile ones are refused by the check that they fail', async () => {
    const hostile = made.filter(({ part }) => part !== null);
    assert.equal(hostile.length, 14);
    for (const each of hostile) assertRefused(await ask(each), 400, 'invalid_dpop_proof', `DPoP proof: ${each.part}`);
  });
});
