import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { AuthMethod } from '../../../src/directory/clients/rules.ts';
import type { ClientAuthMethod } from '../../../src/oauth/client-authentication/method.ts';
import { clientAuthMethods } from '../../../src/oauth/client-authentication/methods.ts';
import { ALICE, assertRefused, token, WEB } from '../../build/client.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';

const GRANT = { grant_type: 'password', ...ALICE };
const KEY = 'a key that the client and this method share';
const used = new Set<string>();

const signed = (message: string) => `${message}.${createHmac('sha256', KEY).update(message).digest('base64url')}`;
const assertion = (id: string, clientId = 'web') => ({ test_assertion: signed(`${clientId}.${id}`) });

/** In the manner of private_key_jwt (OIDC Core section 9): an assertion that names the client and is good once. */
const assertionMethod: ClientAuthMethod = {
  name: 'test_assertion' as AuthMethod,
  parameters: ['test_assertion'],
  reusable: false,
  presented: (_request, params) => params.get('test_assertion'),
  readings: presented => [{ clientId: presented.split('.')[0] ?? '', secret: presented }],
  async verify({ client, credentials: { secret } }) {
    const [clientId, id = ''] = secret.split('.');
    if (secret !== signed(`${clientId}.${id}`) || clientId !== client.client_id || used.has(id)) return 'wrong';
    used.add(id);
    return 'verified';
  },
};

describe('a further client authentication method is a file and a row', () => {
  const table = clientAuthMethods as ClientAuthMethod[];
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    table.push(assertionMethod);
  });
  after(async () => {
    table.splice(table.indexOf(assertionMethod), 1);
    await server.close();
  });

  it('authenticates the client that the assertion names', async () => {
    const answered = await token(server, { ...GRANT, ...assertion('first') }, {});
    assert.equal(answered.status, 200, answered.text);
  });

  it('verifies a single-use assertion each time: its replay is refused, one after the other and in parallel', async () => {
    const sent = { ...GRANT, ...assertion('second') };
    const statuses = (await Promise.all([1, 2, 3].map(() => token(server, sent, {})))).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 401, 401]);
    assertRefused(await token(server, sent, {}), 401, 'invalid_client');
  });

  it('refuses a forged assertion as invalid_client', async () => {
    const test_assertion = `${assertion('third').test_assertion}x`;
    assertRefused(await token(server, { ...GRANT, test_assertion }, {}), 401, 'invalid_client');
  });

  it('refuses the assertion beside another method (RFC 6749 section 2.3)', async () => {
    assertRefused(await token(server, { ...GRANT, ...assertion('fourth') }, { auth: WEB }), 400, 'invalid_request');
  });

  it('refuses the assertion of one client beside the client_id of another', async () => {
    const answered = await token(server, { ...GRANT, ...assertion('fifth'), client_id: 'other' }, {});
    assertRefused(answered, 400, 'invalid_request');
  });
});
