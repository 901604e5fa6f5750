import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { aSigningPair, privateJwk } from '../../build/assertion.ts';
import { ALICE, type Answered, assertRefused, get, introspect, token, WEB } from '../../build/client.ts';
import { aProof, thumbprintOf } from '../../build/dpop.ts';
import { suiteServer } from '../../build/test-server.ts';

interface Made {
  readonly name: string;
  readonly proof: string;
  /** By jwcrypto; null: the proof is wrong. */
  readonly thumbprint: string | null;
  /** Null: the proof is right. */
  readonly error: string | null;
  /** What the error description names. */
  readonly part: string | null;
}

const SCRIPT = fileURLToPath(new URL('dpop_proofs.py', import.meta.url));
const now = () => Math.floor(Date.now() / 1000);

function madeFor(asked: object): readonly Made[] {
  const python = process.env.CLIENTS_PYTHON;
  assert(python, 'these are run by `npm run test:clients`');
  return JSON.parse(execFileSync(python, [SCRIPT], { input: JSON.stringify(asked), encoding: 'utf8' }));
}

const right = (made: readonly Made[]) => made.filter(({ error }) => error === null);
const hostile = (made: readonly Made[]) => made.filter(({ error }) => error !== null);

function assertHostile(answered: Answered, { name, error, part }: Made, status: number): void {
  assert.equal(answered.json?.error, error, `${name}: ${answered.text}`);
  assertRefused(answered, status, error ?? '', part === null ? undefined : `DPoP proof: ${part}`);
  assert.equal(answered.headers.has('dpop-nonce'), error === 'use_dpop_nonce', name);
}

/** Proofs of another implementation in another language (RFC 9449, RFC 7638). */
describe('DPoP proofs of jwcrypto', () => {
  // A host with letters, which have another case.
  const server = suiteServer({ hostname: 'localhost' });

  const request = (proof: string) =>
    token(server, { grant_type: 'password', ...ALICE }, { auth: WEB, headers: { dpop: proof } });

  describe('at the token endpoint', () => {
    let made: readonly Made[];
    before(() => {
      made = madeFor({ method: 'POST', url: `${server.at()}/token`, now: now() });
    });

    it('bind tokens once to the thumbprint that it computes, of every kind of key and way to write the address', async () => {
      assert.equal(right(made).length, 10);
      for (const { name, proof, thumbprint } of right(made)) {
        const answered = await request(proof);
        assert.equal(answered.status, 200, `${name}: ${answered.text}`);
        const seen = await introspect(server, { token: answered.json.access_token });
        assert.deepEqual(seen.json.cnf, { jkt: thumbprint }, name);
        assertRefused(await request(proof), 400, 'invalid_dpop_proof', 'DPoP proof: jti');
      }
    });

    it('attack: hostile ones are refused by the check that they fail', async () => {
      assert.equal(hostile(made).length, 23);
      for (const each of hostile(made)) assertHostile(await request(each.proof), each, 400);
    });
  });

  describe('at userinfo', () => {
    const KEY = aSigningPair('ES256', 'dpop');
    let accessToken: string;
    let made: readonly Made[];
    before(async () => {
      const url = `${server.at()}/token`;
      const answered = await request(aProof(KEY, 'POST', url));
      accessToken = answered.json.access_token;
      const nonce = (await request(aProof(KEY, 'POST', url, { now: 0 }))).headers.get('dpop-nonce');
      const proved = { access_token: accessToken, key: privateJwk(KEY), nonce };
      made = madeFor({ method: 'GET', url: `${server.at()}/userinfo`, now: now(), ...proved });
    });

    const use = (dpop: string) => get(`${server.at()}/userinfo`, { authorization: `DPoP ${accessToken}`, dpop });

    it('show the key of a token, once each', async () => {
      assert.equal(right(made).length, 5);
      for (const { name, proof, thumbprint } of right(made)) {
        assert.equal(thumbprint, thumbprintOf(KEY), name);
        const answered = await use(proof);
        assert.deepEqual(
          [answered.status, answered.json.preferred_username],
          [200, 'alice'],
          `${name}: ${answered.text}`,
        );
        assertRefused(await use(proof), 401, 'invalid_dpop_proof', 'DPoP proof: jti');
      }
    });

    it('attack: hostile ones are refused by the check that they fail', async () => {
      assert.equal(hostile(made).length, 15);
      for (const each of hostile(made)) assertHostile(await use(each.proof), each, 401);
    });
  });
});
