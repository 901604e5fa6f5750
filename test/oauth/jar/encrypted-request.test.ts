import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { importJWK, type JWK, SignJWT } from 'jose';
import { keyEncryptionAlgs } from '../../../src/oauth/encryption/algorithms.rules.ts';
import { aSigningPair, encoded } from '../../build/assertion.ts';
import { basic, get, post, redeem } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { anEncryptionPair, encryptedTo } from '../../build/encryption.ts';
import { aClient, anApplication, CALLBACK } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { type Fields, query } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const OWN = aSigningPair('ES256');
const OTHER = aSigningPair('ES256', 'other');
const BESIDE = { response_type: 'code', redirect_uri: CALLBACK, state: 'beside' };

describe('encrypted authorization requests (RFC 9101 section 6.1)', () => {
  const signs = { jwks: { keys: [OWN.publicJwk] }, request_object_signing_alg: 'ES256' } as const;
  const server = suiteServer({
    applications: [
      anApplication({
        clients: [
          aClient(),
          ...keyEncryptionAlgs.map(alg => aClient({ client_id: alg, ...signs, request_object_encryption_alg: alg })),
          aClient({ client_id: 'signs', ...signs }),
          aClient({
            ...{ client_id: 'gcm', ...signs, request_object_encryption_alg: 'ECDH-ES' },
            request_object_encryption_enc: 'A256GCM',
          }),
        ],
      }),
      anApplication({ code: 'open', name: 'Open', dynamic_registration: 'open' }),
      anApplication({
        ...{ code: 'bank', name: 'Bank' },
        clients: [aClient({ client_id: 'ECDH-ES', ...signs, request_object_encryption_alg: 'ECDH-ES' })],
      }),
    ],
  });
  const alice = suitePart(() => signedIn(server));

  const signed = async (clientId: string, over: Record<string, unknown> = {}, by = OWN) => {
    const claims = {
      ...{ iss: clientId, aud: server.at(), client_id: clientId, state: 'inside', prompt: 'none' },
      ...{ response_type: 'code', redirect_uri: CALLBACK, scope: 'openid email', ...over },
    };
    const jwt = new SignJWT(claims).setProtectedHeader({ alg: by.alg, kid: by.publicJwk.kid });
    return jwt.sign(await importJWK(by.privateKey.export({ format: 'jwk' }), by.alg));
  };
  /** The key of the application that its key set has for an algorithm. */
  const keyFor = async (alg: string, app?: string): Promise<JWK> => {
    const { keys } = (await get(`${server.at(app)}/jwks`)).json;
    const key = keys.find((one: JWK) => one.alg === alg);
    assert.equal(key?.use, 'enc', `${alg}: ${JSON.stringify(keys)}`);
    return key;
  };
  const auth = async (fields: Fields) => delivered(await alice.go(`${server.at()}/auth?${query(fields)}`)).fields;
  const refused = async (clientId: string, request: string) => {
    const { error, state } = await auth({ ...BESIDE, client_id: clientId, request });
    assert.deepEqual([error, state], ['invalid_request_object', 'beside']);
  };

  for (const alg of keyEncryptionAlgs) {
    it(`opens what was encrypted with ${alg} to the key of the application, and then verifies the signature`, async () => {
      const request = await encryptedTo(await keyFor(alg), await signed(alg));
      const { code, state } = await auth({ client_id: alg, request });
      assert.equal(state, 'inside');
      assert.equal((await redeem(server, code, {}, { auth: basic(alg, 'web-secret-1') })).status, 200);
      await refused(alg, await encryptedTo(await keyFor(alg), await signed(alg, {}, OTHER)));
    });
  }

  it('at /par too, without a kid, and with the enc that is registered', async () => {
    const { kid: _, ...key } = await keyFor('ECDH-ES');
    const sending = { auth: basic('gcm', 'web-secret-1') };
    const push = async (enc: string) => {
      const request = await encryptedTo(key, await signed('gcm'), { enc });
      return post(`${server.at()}/par`, { request }, sending);
    };
    const pushed = await withStatus(201, push('A256GCM'));
    assert((await auth({ client_id: 'gcm', request_uri: pushed.json.request_uri })).code);
    assert.equal((await push('A128GCM')).json.error, 'invalid_request_object');
  });

  const ALG = 'ECDH-ES';
  const hostile: readonly (readonly [string, () => Promise<string>])[] = [
    [
      'encrypted to another key',
      async () => encryptedTo(anEncryptionPair('P-256').publicJwk, await signed(ALG), { alg: ALG }),
    ],
    [
      'encrypted to another key, under the name of ours',
      async () => {
        const { kid } = await keyFor(ALG);
        return encryptedTo({ ...anEncryptionPair('P-256').publicJwk, kid } as JWK, await signed(ALG), { alg: ALG });
      },
    ],
    [
      'encrypted to the key of another application',
      async () => encryptedTo(await keyFor(ALG, 'bank'), await signed(ALG)),
    ],
    ['another alg than the registered one', async () => encryptedTo(await keyFor('RSA-OAEP'), await signed(ALG))],
    ['not signed inside', async () => encryptedTo(await keyFor(ALG), JSON.stringify({ client_id: ALG, ...BESIDE }))],
    [
      'encrypted twice',
      async () => {
        const key = await keyFor(ALG);
        return encryptedTo(key, await encryptedTo(key, await signed(ALG)));
      },
    ],
    ['another kind of text inside', async () => encryptedTo(await keyFor(ALG), await signed(ALG), { cty: 'at+jwt' })],
    ['a kid that is no key', async () => encryptedTo(await keyFor(ALG), await signed(ALG), { kid: '../../dev/null' })],
    [
      'a changed tag',
      async () => {
        const parts = (await encryptedTo(await keyFor(ALG), await signed(ALG))).split('.');
        return [...parts.slice(0, 4), 'A'.repeat(22)].join('.');
      },
    ],
    ['alg dir with a key of the sender', async () => withHeader({ alg: 'dir', enc: 'A128CBC-HS256' })],
    ['RSA1_5', async () => withHeader({ alg: 'RSA1_5', enc: 'A128CBC-HS256' })],
    [
      'a password as key',
      async () => withHeader({ alg: 'PBES2-HS256+A128KW', enc: 'A128CBC-HS256', p2c: 1e9, p2s: 'AAAAAAAAAAA' }),
    ],
    ['a compressed text (zip)', async () => withHeader({ alg: ALG, enc: 'A128CBC-HS256', zip: 'DEF' })],
    ['a critical extension', async () => withHeader({ alg: ALG, enc: 'A128CBC-HS256', crit: ['exp'], exp: 1 })],
    [
      'a point beside the curve',
      async () => {
        const { kid } = await keyFor(ALG);
        const epk = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) };
        return withHeader({ alg: ALG, enc: 'A128CBC-HS256', kid, epk });
      },
    ],
    ['five empty parts', async () => '....'],
    ['thirteen kilobytes', async () => encryptedTo(await keyFor(ALG), 'x'.repeat(10_000))],
  ];
  /** A bomb: a megabyte that is a thousand bytes long. */
  const withHeader = async (header: object) => {
    const text = deflateRawSync(Buffer.alloc(1 << 20)).toString('base64url');
    return [encoded(header), '', 'A'.repeat(22), text, 'A'.repeat(22)].join('.');
  };
  for (const [name, make] of hostile) {
    it(`refuses ${name}`, async () => {
      await refused(ALG, await make());
    });
  }

  it('is refused of a client that has not registered it', async () => {
    await refused('signs', await encryptedTo(await keyFor(ALG), await signed('signs')));
  });

  it('the key is there with the setting, is rotated like the others, and old requests open as long as it is kept', async () => {
    const owner = await anOperatorClient(server);
    const before = await keyFor('ECDH-ES+A256KW');
    await withStatus(200, owner.ask('POST', '/applications/shop/keys/rotate', { alg: 'ECDH-ES+A256KW' }));
    const { keys } = (await get(`${server.at()}/jwks`)).json;
    const both = keys.filter((one: JWK) => one.alg === 'ECDH-ES+A256KW');
    assert.equal(both.length, 2);
    for (const key of [before, ...both]) {
      const request = await encryptedTo(key, await signed('ECDH-ES+A256KW'));
      assert((await auth({ client_id: 'ECDH-ES+A256KW', request })).code);
    }
    const changed = { ...signs, request_object_encryption_alg: 'RSA-OAEP' };
    await withStatus(201, owner.ask('POST', '/applications', { code: 'late', name: 'Late' }));
    await owner.ask('POST', '/applications/late/clients', { client_id: 'late', client_secret: 'web-secret-1' });
    assert.equal((await owner.ask('PATCH', '/applications/late/clients/late', changed)).status, 200);
    await keyFor('RSA-OAEP', 'late');
  });

  it('the key is there for a client that has registered itself, too', async () => {
    const own = { redirect_uris: ['https://a.example/cb'], ...signs, request_object_encryption_alg: 'ECDH-ES' };
    const headers = { 'content-type': 'application/json' };
    await withStatus(201, post(`${server.at('open')}/register`, JSON.stringify(own), { headers }));
    await keyFor('ECDH-ES', 'open');
  });

  it('signs nothing with such a key, and believes nothing that it has signed', async () => {
    const { kid } = await keyFor(ALG);
    const hint = `${encoded({ alg: 'ES256', kid, typ: 'JWT' })}.${encoded({ sub: 'x', aud: 'web', exp: 1 })}.AAAA`;
    const { error } = await auth({ ...BESIDE, client_id: 'web', scope: 'openid', id_token_hint: hint });
    assert.equal(error, 'invalid_request');
  });
});
