import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { register } from '../../build/assistant.ts';
import { gatehouseReading } from '../../build/command.ts';
import { suiteConsole } from '../../build/in-console.ts';

const OWN = 'com.example.app:/cb';
const ONLY_PUBLIC =
  'only a client with token_endpoint_auth_method none may have the scheme com.example.app: (RFC 8252 section 7.1)';
const SLIP = 'must not use the scheme htps: (do you mean https://shop.example/cb?)';

describe('the scheme of a redirect URI (row 62)', () => {
  const fixture = suiteConsole({ shop: { dynamic_registration: 'open' } });

  const byApi = (fields: object) => fixture.owner.ask('POST', '/applications/shop/clients', fields);
  const byFile = (fields: object) => {
    const file = { applications: [{ code: 'shop', clients: [{ client_id: 'app', ...fields }] }] };
    return gatehouseReading(fixture.server, JSON.stringify(file), 'apply', '-');
  };
  const byItself = (metadata: object) => register(fixture.server, metadata);

  for (const [what, redirect_uri, fault] of [
    ['of its own is refused for a client with a secret', OWN, ONLY_PUBLIC],
    ['that is a slip of https is refused with the likely fix', 'htps://shop.example/cb', SLIP],
  ] as const) {
    it(`${what}: admin API, apply file, dynamic registration`, async () => {
      const fields = { redirect_uris: [redirect_uri] };
      const answer = await byApi(fields);
      assert.equal(answer.status, 400, answer.text);
      assert(answer.text.includes(fault), answer.text);
      const { code, err } = await byFile(fields);
      assert.equal(code, 65);
      assert(err.includes(fault), err);
      const { status, json } = await byItself({ ...fields, token_endpoint_auth_method: 'client_secret_basic' });
      assert.deepEqual([status, json.error], [400, 'invalid_redirect_uri'], JSON.stringify(json));
    });
  }

  it('of its own is for clients without a secret', async () => {
    const fields = { redirect_uris: [OWN], token_endpoint_auth_method: 'none' };
    assert.equal((await byApi(fields)).status, 201);
    assert.equal((await byFile(fields)).code, 0);
    assert.equal((await byItself(fields)).status, 201);
  });

  it('keeps a client from getting a secret', async () => {
    const { json } = await byApi({ redirect_uris: [OWN], token_endpoint_auth_method: 'none' });
    const path = `/applications/shop/clients/${json.client_id}`;
    const answer = await fixture.owner.ask('PATCH', path, { token_endpoint_auth_method: 'client_secret_basic' });
    assert.equal(answer.status, 400);
    assert(answer.text.includes(ONLY_PUBLIC), answer.text);
  });
});
