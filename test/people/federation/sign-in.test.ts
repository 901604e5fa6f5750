import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimsOf, redeem, userinfo } from '../../build/client.ts';
import type { TestServer } from '../../build/test-server.ts';
import { answerIn } from '../../build/visitor.ts';
import { federated, signInAtCorp } from './federated.ts';

const BOB = {
  sub: 'u-1',
  email: 'bob@corp.example',
  email_verified: true,
  preferred_username: 'bob',
  name: 'Bob Builder',
};

describe('a sign-in with an OpenID provider', () => {
  const { server, corp } = federated();

  it('makes an account at the first time, and finds it at the second', async () => {
    corp.person = BOB;
    const first = await tokensOf(server);
    assert.deepEqual(first.amr, ['fed']);
    assert.equal(first.acr, '1');
    assert.equal(first.preferred_username, 'bob');
    assert.equal(first.name, 'Bob Builder');
    assert.equal(first.email, 'bob@corp.example');
    // The operator has not said that the provider is to be believed about addresses.
    assert.equal(first.email_verified, false);
    const second = await tokensOf(server);
    assert.equal(second.sub, first.sub);
  });

  async function tokensOf(server: TestServer) {
    const { seen } = await signInAtCorp(server);
    const { code } = answerIn(seen);
    assert(code, seen.text);
    const { json } = await redeem(server, code);
    return { ...(await userinfo(server, json.access_token)).json, ...claimsOf(json.id_token) };
  }
});
