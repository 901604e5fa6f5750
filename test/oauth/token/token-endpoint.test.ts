import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { StoreUnavailable } from '../../../src/platform/store/faults.ts';
import type { Store } from '../../../src/store.ts';
import {
  ALICE,
  assertNotStored,
  assertRefused,
  aTokenSet,
  basic,
  parameter,
  post,
  refresh,
  send,
  token,
  WEB,
} from '../../build/client.ts';
import { aClient, aPublicClient } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import type { Fields } from '../../build/visitor.ts';

const PASSWORD_GRANT = 'grant_type=password&username=alice&password=correct+horse+battery+staple';
const WITHOUT_CREDENTIALS = { auth: undefined };

describe('token endpoint', () => {
  let url: string;
  let down = false;
  const server = suiteServer(() => ({
    clients: [aClient(), aClient({ client_id: 'codes', grant_types: ['authorization_code'] }), aPublicClient()],
    wrapStore: store => breakable(store, () => down),
  }));
  before(async () => {
    url = `${server.at()}/token`;
  });

  describe('answers (rows 31, 32; interface 2)', () => {
    it('gives the token set and nothing else', async () => {
      const answered = await token(server, { grant_type: 'password', ...ALICE, scope: 'openid email' });
      assert.equal(answered.status, 200);
      assertNotStored(answered);
      const { access_token, refresh_token, id_token, ...rest } = answered.json;
      assert.deepEqual(rest, { expires_in: 3600, token_type: 'Bearer', scope: 'openid email' });
      for (const text of [access_token, refresh_token, id_token]) assert.match(text, /^[\w.-]{40,}$/);
    });

    for (const [name, auth, error] of [
      ['without credentials', undefined, 'access_denied'],
      ['with a wrong secret', basic('web', 'wrong'), 'invalid_client'],
    ] as const) {
      it(`asks for Basic, by name of the realm, ${name}`, async () => {
        const answered = await token(server, { grant_type: 'password', ...ALICE }, { auth });
        assertRefused(answered, 401, error);
        assertNotStored(answered);
        assert.match(answered.headers.get('www-authenticate') ?? '', /^Basic realm="[^"]+"/);
      });
    }

    it('has no WWW-Authenticate on a 400', async () => {
      const answered = await token(server, { grant_type: 'nonsense' });
      assertRefused(answered, 400, 'unsupported_grant_type');
      assertNotStored(answered);
      assert.equal(answered.headers.get('www-authenticate'), null);
    });

    it('answers 404 in JSON for an unknown application (row 5)', async () => {
      const answered = await token(server, { grant_type: 'password', ...ALICE }, { auth: WEB }, 'nowhere');
      assert.equal(answered.status, 404);
      assertNotStored(answered);
      assert.deepEqual(Object.keys(answered.json).sort(), ['error', 'error_description', 'error_uri']);
    });

    it('answers 503 with Retry-After while the store cannot serve, and recovers', async () => {
      const { refresh_token } = await aTokenSet(server);
      down = true;
      const answered = await refresh(server, refresh_token).finally(() => {
        down = false;
      });
      assertRefused(answered, 503, 'temporarily_unavailable');
      assertNotStored(answered);
      assert.match(answered.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.equal((await refresh(server, refresh_token)).status, 200);
    });

    it('links each error to a page that is really there (row 6)', async () => {
      const { json } = await token(server, { grant_type: 'nonsense' });
      const page = await send(json.error_uri, {});
      assert.equal(page.status, 200, page.text);
      assert.match(page.text, /unsupported_grant_type/);
    });
  });

  describe('grant_type and the parameters of the grant (row 36)', () => {
    for (const [name, body, error, description] of [
      ['grant_type missing', {}, 'invalid_request', parameter('grant_type')],
      ['grant_type empty', { grant_type: '' }, 'invalid_request', parameter('grant_type')],
      ['grant_type unknown', { grant_type: 'saml2' }, 'unsupported_grant_type', parameter('grant_type')],
      ['grant_type in another case', { grant_type: 'Password' }, 'unsupported_grant_type', parameter('grant_type')],
      ['a flow that is no grant here', { grant_type: 'implicit' }, 'unsupported_grant_type', parameter('grant_type')],
      ['code missing', { grant_type: 'authorization_code', redirect_uri: 'x' }, 'invalid_request', parameter('code')],
      [
        'code empty',
        { grant_type: 'authorization_code', code: '', redirect_uri: 'x' },
        'invalid_request',
        parameter('code'),
      ],
      [
        'redirect_uri missing',
        { grant_type: 'authorization_code', code: 'x' },
        'invalid_request',
        parameter('redirect_uri'),
      ],
      ['refresh_token missing', { grant_type: 'refresh_token' }, 'invalid_request', parameter('refresh_token')],
      [
        'refresh_token empty',
        { grant_type: 'refresh_token', refresh_token: '' },
        'invalid_request',
        parameter('refresh_token'),
      ],
      ['username missing', { grant_type: 'password', password: 'x' }, 'invalid_request', parameter('username')],
      [
        'password empty',
        { grant_type: 'password', username: 'x', password: '' },
        'invalid_request',
        parameter('password'),
      ],
    ] as const satisfies readonly (readonly [string, Fields, string, string])[]) {
      it(`refuses: ${name}`, async () => assertRefused(await token(server, body), 400, error, description));
    }

    for (const grant_type of ['password', 'refresh_token']) {
      it(`refuses ${grant_type} to a client that it is not enabled for`, async () => {
        const body = { grant_type, ...ALICE, refresh_token: 'x' };
        assertRefused(await token(server, body, { auth: basic('codes', 'web-secret-1') }), 400, 'unauthorized_client');
      });
    }

    it('ignores an empty optional parameter (RFC 6749 section 3.2)', async () => {
      assert.equal((await aTokenSet(server, { scope: '' })).scope, 'openid profile email phone');
    });
  });

  describe('order of checks', () => {
    const everythingWrong = 'grant_type=nonsense&scope=a&scope=b';

    it('looks at the method before the content type', async () => {
      const headers = { 'content-type': 'application/json' };
      assert.equal((await send(url, { method: 'PUT', body: everythingWrong, headers })).status, 405);
    });

    it('looks at the content type before duplicated parameters', async () => {
      const answered = await post(url, everythingWrong, { headers: { 'content-type': 'text/plain' } });
      assert.match(answered.json.error_description, /content-type/i);
    });

    for (const name of [
      ...['grant_type', 'code', 'redirect_uri', 'code_verifier', 'refresh_token'],
      ...['username', 'password', 'scope', 'client_id', 'client_secret'],
    ]) {
      it(`looks at a duplicated ${name} before client authentication`, async () => {
        const answered = await token(server, `${name}=a&${name}=a`, WITHOUT_CREDENTIALS);
        assertRefused(answered, 400, 'invalid_request', parameter(name));
      });
    }

    it('counts an empty copy as a duplicate, too', async () => {
      const answered = await token(server, `${PASSWORD_GRANT}&scope=openid&scope=`);
      assertRefused(answered, 400, 'invalid_request', parameter('scope'));
    });

    for (const broken of ['%', '%zz', '%ff', '%00']) {
      it(`refuses the broken encoding ${broken} in a parameter`, async () => {
        const answered = await token(server, `${PASSWORD_GRANT}&scope=${broken}`);
        assertRefused(answered, 400, 'invalid_request', parameter('scope'));
      });
    }

    it('looks at client authentication before grant_type', async () => {
      assertRefused(await token(server, {}, WITHOUT_CREDENTIALS), 401, 'access_denied');
      const auth = basic('web', 'wrong');
      assertRefused(await token(server, { grant_type: 'nonsense' }, { auth }), 401, 'invalid_client');
    });

    it('looks at grant_type before the parameters of the grant', async () => {
      const auth = basic('codes', 'web-secret-1');
      assertRefused(await token(server, { grant_type: 'password' }, { auth }), 400, 'unauthorized_client');
    });

    it('looks at the parameters before the grant itself', async () => {
      const answered = await token(server, { grant_type: 'authorization_code', code: 'unknown' });
      assertRefused(answered, 400, 'invalid_request', parameter('redirect_uri'));
    });
  });
});

/** The real store, which a test can cut off. */
function breakable(store: Store, isDown: () => boolean): Store {
  return new Proxy(store, {
    get(target, name) {
      if (!isDown() || name === 'close') return Reflect.get(target, name);
      return () => Promise.reject(new StoreUnavailable('cut off by a test'));
    },
  });
}
