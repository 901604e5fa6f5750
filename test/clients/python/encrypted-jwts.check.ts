import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { keyEncryptionAlgs } from '../../../src/oauth/encryption/algorithms.rules.ts';
import { aSigningPair } from '../../build/assertion.ts';
import { aTokenSet, basic, get } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { anEncryptionPair } from '../../build/encryption.ts';
import { aClient, CALLBACK } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { query } from '../../build/visitor.ts';

const CLIENT = 'encrypts-in-python';

interface Made {
  readonly key: Record<string, unknown>;
  readonly right: Readonly<Record<string, string>>;
  readonly hostile: Readonly<Record<string, string>>;
}

/** What another implementation in another language encrypts, and opens (RFC 7516). */
describe('encrypted requests and answers of jwcrypto', () => {
  const python = (given: object) => {
    const script = fileURLToPath(new URL('encrypted_jwts.py', import.meta.url));
    const program = process.env.CLIENTS_PYTHON;
    assert(program, 'these are run by `npm run test:clients`');
    const input = JSON.stringify(given);
    return JSON.parse(execFileSync(program, [script, server.at(), CLIENT, CALLBACK], { encoding: 'utf8', input }));
  };
  const keys = ['RSA', 'P-256'].map(kind => anEncryptionPair(kind as 'RSA').publicJwk);
  const registered = {
    jwks: { keys: [aSigningPair('ES256').publicJwk] },
    request_object_signing_alg: 'ES256',
  } as const;
  const server = suiteServer({
    clients: [
      aClient(),
      aClient({ client_id: CLIENT, ...registered, request_object_encryption_alg: 'ECDH-ES' }),
      aClient({ client_id: 'rsa', ...registered, request_object_encryption_alg: 'RSA-OAEP-256' }),
      ...keyEncryptionAlgs.map(alg =>
        aClient({ client_id: alg, jwks: { keys }, id_token_encrypted_response_alg: alg }),
      ),
    ],
  });
  const alice = suitePart(() => signedIn(server));
  const made = suitePart(async (): Promise<Made> => python({ keys: (await get(`${server.at()}/jwks`)).json.keys }));
  before(async () => {
    const owner = await anOperatorClient(server);
    const answered = await owner.ask('PATCH', `/applications/shop/clients/${CLIENT}`, { jwks: { keys: [made.key] } });
    assert.equal(answered.status, 200, answered.text);
  });

  const auth = async (request: string) => {
    const beside = { client_id: CLIENT, response_type: 'code', redirect_uri: CALLBACK, state: 'beside' };
    return delivered(await alice.go(`${server.at()}/auth?${query({ ...beside, request })}`)).fields;
  };

  it('are opened', async () => {
    assert.equal(Object.keys(made.right).length, 4);
    for (const [name, request] of Object.entries(made.right)) {
      const { code, state, error } = await auth(request);
      assert.deepEqual([code !== undefined, state], [true, 'python'], `${name}: ${error}`);
    }
  });

  it('attack: hostile requests are refused', async () => {
    assert.equal(Object.keys(made.hostile).length, 26);
    for (const [name, request] of Object.entries(made.hostile)) {
      const { error, state } = await auth(request);
      assert.deepEqual([error, state], ['invalid_request_object', 'beside'], name);
    }
  });

  it('opens ID tokens of every algorithm', async () => {
    for (const alg of keyEncryptionAlgs) {
      const { id_token } = await aTokenSet(server, { scope: 'openid' }, { auth: basic(alg, 'web-secret-1') });
      const pair = anEncryptionPair(alg.startsWith('RSA') ? 'RSA' : 'P-256');
      const opened = python({ private: pair.privateKey.export({ format: 'jwk' }), answers: { id_token } }).id_token;
      assert.equal(opened.header.alg, alg);
      assert.equal(opened.text.split('.').length, 3);
    }
  });
});
