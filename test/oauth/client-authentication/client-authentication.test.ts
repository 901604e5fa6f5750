import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALICE, assertRefused, basic, post, token, WEB } from '../../build/client.ts';
import { aClient, anApplication, aPublicClient } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import type { Fields } from '../../build/visitor.ts';

const FAILED = 'Client authentication failed. Either the client or the client credentials are invalid.';
const NEEDED = 'Full authentication is required to access this resource';
const GRANT = { grant_type: 'password', ...ALICE };
const SECRET = 'web-secret-1';

/** RFC 6749 section 2.3.1 and appendix B: encoded as a form first, then joined. */
const formEncode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
const encodedBasic = (id: string, secret: string) => basic(formEncode(id), formEncode(secret));
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** What breaks when one of the two encodings of Basic is taken for the other. */
const ODD = [
  { client_id: 'colon', client_secret: 'colons:b::c:' },
  { client_id: 'plus', client_secret: 'pluses+b +c+' },
  { client_id: 'percent', client_secret: 'one hundred %' },
  { client_id: 'looks-encoded', client_secret: 'a%2Bb%20c%zz' },
  { client_id: 'all', client_secret: '%+: &=~!"#$\'()*/?@[]^`{|}\\' },
  { client_id: 'odd+id%41/~', client_secret: 'p+%2F:p+%2F:' },
];

describe('client authentication at the token endpoint (row 33)', () => {
  const server = suiteServer({
    applications: [
      anApplication({
        clients: [
          aClient(),
          aClient({ client_id: 'poster', token_endpoint_auth_method: 'client_secret_post' }),
          aPublicClient(),
          ...ODD.map(aClient),
        ],
      }),
      anApplication({ code: 'bank', name: 'Bank', clients: [aClient({ client_id: 'teller' })] }),
    ],
  });

  const accepts = async (body: Fields, auth?: string) => {
    const answered = await token(server, { ...GRANT, ...body }, { auth });
    assert.equal(answered.status, 200, answered.text);
  };

  for (const { client_id, client_secret } of ODD) {
    it(`takes the secret ${client_secret} of ${client_id} raw, form-encoded and posted`, async () => {
      await accepts({}, basic(client_id, client_secret));
      await accepts({}, encodedBasic(client_id, client_secret));
      await accepts({ client_id, client_secret });
    });
  }

  it('still takes a secret of fewer than twelve characters that was stored before they were refused', async () => {
    const { store, ring, registry } = server.services;
    const client = await store.findClient('shop', 'web');
    assert(client);
    const old = { ...client, client_id: 'old', secret_hash: ring.hashClientSecret('shop', 'old', 's3cret') };
    await store.provision([{ kind: 'client', app: 'shop', client: old }]);
    await registry.refresh();
    await accepts({}, basic('old', 's3cret'));
  });

  it('takes the scheme word in any case', async () => {
    await accepts({}, WEB.replace('Basic', 'bAsIc'));
  });

  it('takes a client_id in the body beside the header of the same client', async () => {
    await accepts({ client_id: 'web' }, WEB);
  });

  it('takes either method from a client registered for the other', async () => {
    await accepts({}, basic('poster', SECRET));
    await accepts({ client_id: 'web', client_secret: SECRET });
  });

  for (const [name, body, auth] of [
    ['wrong secret', {}, basic('web', 'wrong')],
    ['secret with something after it', {}, basic('web', `${SECRET}x`)],
    ['secret cut short', {}, basic('web', SECRET.slice(0, -1))],
    ['secret in another case', {}, basic('web', SECRET.toUpperCase())],
    ['secret beyond ASCII', {}, basic('web', 'gehëim-密码-🔑')],
    ['secret beyond ASCII, form-encoded', {}, encodedBasic('web', 'gehëim-密码-🔑')],
    ['client_id beyond ASCII', {}, basic('wëb', SECRET)],
    ['bytes that are no UTF-8', {}, `Basic ${Buffer.from([0x77, 0x3a, 0xff, 0xfe]).toString('base64')}`],
    ['NUL in the secret', {}, basic('web', `${SECRET}\0`)],
    ['NUL in the client_id', {}, basic('web\0', SECRET)],
    ['NUL in the client_id, form-encoded', {}, basic('web%00', SECRET)],
    ['empty secret', {}, basic('web', '')],
    ['empty client_id', {}, basic('', SECRET)],
    ['unknown client', {}, basic('nobody', SECRET)],
    ['client of another application (row 4)', {}, basic('teller', SECRET)],
    ['public client with a secret', {}, basic('spa', SECRET)],
    ['public client with an empty secret', {}, basic('spa', '')],
    ['posted: wrong secret', { client_id: 'web', client_secret: 'wrong' }, undefined],
    ['posted: unknown client', { client_id: 'nobody', client_secret: SECRET }, undefined],
    ['posted: secret without client_id', { client_secret: SECRET }, undefined],
    ['posted: public client with a secret', { client_id: 'spa', client_secret: SECRET }, undefined],
    ['posted: secret encoded twice', { client_id: 'plus', client_secret: formEncode('pluses+b +c+') }, undefined],
    ['malformed: the scheme alone', {}, 'Basic'],
    ['malformed: no base64', {}, 'Basic !!!'],
    ['malformed: not encoded', {}, `Basic web:${SECRET}`],
    ['malformed: no colon', {}, `Basic ${base64('web')}`],
    ['malformed: two words', {}, `${WEB} ${base64(`web:${SECRET}`)}`],
    ['malformed: a client_id in the body does not help', { client_id: 'web' }, 'Basic !!!'],
  ] as const satisfies readonly (readonly [string, Fields, string | undefined])[]) {
    it(`refuses as invalid_client: ${name}`, async () => {
      const answered = await token(server, { ...GRANT, ...body }, { auth });
      assertRefused(answered, 401, 'invalid_client', FAILED);
      assert.match(answered.headers.get('www-authenticate') ?? '', /^Basic realm="/);
    });
  }

  for (const [name, body, auth] of [
    ['nothing at all', {}, undefined],
    ['a client_id alone', { client_id: 'web' }, undefined],
    ['an empty secret in the body', { client_id: 'web', client_secret: '' }, undefined],
    ['a public client, for a grant that needs a secret', { client_id: 'spa' }, undefined],
    ['another scheme', {}, 'Digest username="web"'],
    ['a bearer token', {}, 'Bearer abc'],
    ['a scheme that only begins like Basic', {}, WEB.replace('Basic', 'Basics')],
  ] as const satisfies readonly (readonly [string, Fields, string | undefined])[]) {
    it(`refuses as access_denied: ${name}`, async () => {
      const answered = await token(server, { ...GRANT, ...body }, { auth });
      assertRefused(answered, 401, 'access_denied', NEEDED);
      assert.match(answered.headers.get('www-authenticate') ?? '', /^Basic realm="/);
    });
  }

  for (const endpoint of ['par', 'device_authorization', 'revoke']) {
    it(`refuses at /${endpoint} as at the token endpoint: a client that does not exist, and one that needs its secret`, async () => {
      const ask = (client_id: string | undefined) => post(`${server.at()}/${endpoint}`, { client_id, token: 'x' });
      assertRefused(await ask('nobody'), 401, 'invalid_client', FAILED);
      assertRefused(await ask('teller'), 401, 'invalid_client', FAILED);
      assertRefused(await ask('web'), 401, 'access_denied', NEEDED);
      assertRefused(await ask(undefined), 401, 'access_denied', NEEDED);
    });
  }

  it('does not take credentials from the URL (row 30)', async () => {
    const answered = await post(`${server.at()}/token?client_id=web&client_secret=${SECRET}`, GRANT);
    assertRefused(answered, 401, 'access_denied', NEEDED);
  });

  for (const [name, body, auth] of [
    ['both right', { client_id: 'web', client_secret: SECRET }, WEB],
    ['both right, the body without client_id', { client_secret: SECRET }, WEB],
    ['header wrong', { client_id: 'web', client_secret: SECRET }, basic('web', 'wrong')],
    ['body wrong', { client_id: 'web', client_secret: 'wrong' }, WEB],
    ['two clients', { client_id: 'poster' }, WEB],
    ['another scheme in the header', { client_id: 'web', client_secret: SECRET }, 'Bearer abc'],
  ] as const satisfies readonly (readonly [string, Fields, string])[]) {
    it(`refuses two methods at once (RFC 6749 section 2.3): ${name}`, async () => {
      assertRefused(await token(server, { ...GRANT, ...body }, { auth }), 400, 'invalid_request');
    });
  }
});
