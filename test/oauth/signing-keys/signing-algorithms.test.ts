import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWK,
  type JWTHeaderParameters,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { SigningAlg } from '../../../src/oauth/signing-keys/algorithms.rules.ts';
import { readApplyFiles } from '../../../src/operators/apply/apply-file.ts';
import {
  aTokenSet,
  basic,
  claimsOf,
  get,
  introspect,
  isActive,
  refresh,
  revoke,
  userinfo,
} from '../../build/client.ts';
import { type FixedClock, fixedClock } from '../../build/clock.ts';
import { assertSentBack, delivered } from '../../build/delivered.ts';
import { fields } from '../../build/fields.ts';
import { aClient } from '../../build/fixture.ts';
import { atLogoutQuestion, signedIn, tokensOf } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { authorizationUrl, query } from '../../build/visitor.ts';

const ALGS = ['ES256', 'RS256', 'EdDSA'] as const;
/** OIDC Core section 3.1.3.6: the hash of the signature algorithm; Ed25519 goes with SHA-512 (RFC 8032). */
const HASHES = { ES256: 'sha256', RS256: 'sha256', EdDSA: 'sha512' } as const;
const KEYS = { ES256: 'EC P-256', RS256: 'RSA ', EdDSA: 'OKP Ed25519' } as const;

let server: TestServer;
let clock: FixedClock;
let jwks: JSONWebKeySet;
before(async () => {
  clock = fixedClock();
  const clients = ALGS.flatMap(alg => [
    aClient({ client_id: alg, id_token_signed_response_alg: alg }),
    aClient({ client_id: `${alg}-jwt`, id_token_signed_response_alg: alg, access_token_format: 'jwt' }),
  ]);
  server = await startTestServer({ clock, clients: [aClient(), ...clients] });
  jwks = (await get(`${server.at()}/jwks`)).json;
});
after(() => server.close());

const by = (clientId: string) => ({ auth: basic(clientId, 'web-secret-1') });
const verify = (jwt: string, alg: string, audience: string, typ = 'JWT') =>
  jwtVerify(jwt, createLocalJWKSet(jwks), {
    algorithms: [alg],
    issuer: server.at(),
    audience,
    typ,
    currentDate: new Date(clock.now() * 1000),
  });
const leftHalf = (hash: string, text: string) => {
  const digest = createHash(hash).update(text).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
};

describe('the algorithm of a client (row 44, issue 3 point 9)', () => {
  it('RS256 by default, as OpenID Connect Registration section 2 has it (issue 10 A.1)', async () => {
    assert.equal(decodeProtectedHeader((await aTokenSet(server)).id_token).alg, 'RS256');
  });

  for (const alg of ALGS) {
    it(`${alg}: signs the ID token, with at_hash by ${HASHES[alg]}`, async () => {
      const set = await aTokenSet(server, {}, by(alg));
      const { payload } = await verify(set.id_token, alg, alg);
      assert.equal(payload.at_hash, leftHalf(HASHES[alg], set.access_token));
      const next = (await refresh(server, set.refresh_token, {}, by(alg))).json;
      assert.equal(claimsOf(next.id_token).at_hash, leftHalf(HASHES[alg], next.access_token));
    });

    it(`${alg}: signs the tokens of the implicit flow`, async () => {
      const fields = { client_id: alg, response_type: 'id_token token', nonce: 'n' };
      const seen = await (await signedIn(server)).go(authorizationUrl(server, fields));
      const { id_token = '', access_token = '' } = delivered(seen).fields;
      const { payload } = await verify(id_token, alg, alg);
      assert.equal(payload.at_hash, leftHalf(HASHES[alg], access_token));
    });

    it(`${alg}: signs access tokens of format jwt, which work everywhere`, async () => {
      const { access_token, id_token } = await aTokenSet(server, {}, by(`${alg}-jwt`));
      await verify(access_token, alg, server.at(), 'at+jwt');
      assert.equal(claimsOf(id_token).at_hash, leftHalf(HASHES[alg], access_token));
      assert.equal((await userinfo(server, access_token)).json.preferred_username, 'alice');
      assert.equal(await isActive(server, access_token), true);
      await revoke(server, { token: access_token }, by(`${alg}-jwt`));
      assert.equal(await isActive(server, access_token), false);
    });

    it(`${alg}: its ID token is good as id_token_hint`, async () => {
      const visitor = await signedIn(server);
      const { id_token } = await tokensOf(server, visitor, { client_id: alg }, { sending: by(alg) });
      const seen = await visitor.go(authorizationUrl(server, { id_token_hint: id_token, prompt: 'none' }));
      assert(delivered(seen).fields.code);
    });

    it(`${alg}: has a public key in the key set, with its kind, use and kid`, async () => {
      const [key, ...more] = jwks.keys.filter(one => one.alg === alg);
      assert(key);
      assert.deepEqual(more, []);
      assert.equal(`${key.kty} ${key.crv ?? ''}`, KEYS[alg]);
      assert.equal(key.use, 'sig');
      assert.match(key.kid ?? '', /^[\w-]{43}$/);
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.equal(secret in key, false);
    });
  }

  it('is advertised, and nothing else', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert.deepEqual([...json.id_token_signing_alg_values_supported].sort(), [...ALGS].sort());
  });
});

describe('the default of an application (row 44, issue 10 A.1)', () => {
  const clients = [
    aClient(),
    aClient({ client_id: 'jwt', access_token_format: 'jwt' }),
    aClient({ client_id: 'ecdsa', id_token_signed_response_alg: 'ES256' }),
  ];
  const provision = (alg?: SigningAlg) =>
    server.provision({
      shop: { code: 'bank', clients, ...(alg === undefined ? {} : { id_token_signed_response_alg: alg }) },
      users: [],
    });
  const algsOf = async (clientId: string) => {
    const { id_token, access_token } = await aTokenSet(server, {}, by(clientId), 'bank');
    return [id_token, ...(clientId === 'jwt' ? [access_token] : [])].map(jwt => decodeProtectedHeader(jwt).alg);
  };

  for (const alg of [undefined, 'EdDSA', 'ES256', undefined] as const) {
    const effective = alg ?? 'RS256';
    it(`${alg ?? 'left out'}: signs with ${effective} for clients that name none, from the moment it changes`, async () => {
      await provision(alg);
      assert.deepEqual(await algsOf('web'), [effective]);
      assert.deepEqual(await algsOf('jwt'), [effective, effective]);
      assert.deepEqual(await algsOf('ecdsa'), ['ES256'], 'a client that names one keeps it');
    });
  }
});

describe('none and HS256 are accepted nowhere (issue 3 point 9, RFC 8725 section 3.1)', () => {
  for (const alg of ['none', 'HS256', 'HS512', 'RS512', 'es256', '']) {
    it(`not as the algorithm of a client: "${alg}"`, () => {
      const client = { ...aClient(), id_token_signed_response_alg: alg };
      const text = JSON.stringify({ applications: [{ code: 'a', name: 'A', clients: [client] }] });
      const read = readApplyFiles(fields, [{ name: 'test', text }]);
      assert(read.kind === 'faulty');
      assert.match(read.faults.join(), /clients\[0\]\.id_token_signed_response_alg/);
    });

    it(`not as the default of an application: "${alg}"`, () => {
      const application = { code: 'a', name: 'A', id_token_signed_response_alg: alg };
      const read = readApplyFiles(fields, [{ name: 'test', text: JSON.stringify({ applications: [application] }) }]);
      assert(read.kind === 'faulty');
      assert.match(read.faults.join(), /applications\[0\]\.id_token_signed_response_alg/);
    });
  }

  /** The same claims and header, but signed with public data. */
  const forgeries: readonly (readonly [string, (jwt: string, key: JWK) => Promise<string>])[] = [
    ['none, unsigned', async jwt => `${header(jwt, { alg: 'none' })}.${jwt.split('.')[1]}.`],
    [
      'none, with the old signature',
      async jwt => `${header(jwt, { alg: 'none' })}.${jwt.split('.').slice(1).join('.')}`,
    ],
    ['none without a kid', async jwt => `${encode({ alg: 'none', typ: typOf(jwt) })}.${jwt.split('.')[1]}.`],
    ['HS256 with the JWK as the secret', (jwt, key) => shared(jwt, JSON.stringify(key))],
    ['HS256 with the main number of the public key as the secret', (jwt, key) => shared(jwt, String(key.x ?? key.n))],
    ['HS256 with the secret of the client', jwt => shared(jwt, 'web-secret-1'.padEnd(32, '\0'))],
    [
      'HS256 in the header over the old signature',
      async jwt => `${header(jwt, { alg: 'HS256' })}.${jwt.split('.').slice(1).join('.')}`,
    ],
    [
      'the algorithm of another key of ours',
      async jwt =>
        `${header(jwt, { alg: algOf(jwt) === 'ES256' ? 'RS256' : 'ES256' })}.${jwt.split('.').slice(1).join('.')}`,
    ],
  ];

  const visitor = suitePart(() => signedIn(server));

  for (const alg of ALGS) {
    for (const [name, forge] of forgeries) {
      it(`${name}, made of an access token and an ID token with ${alg}`, async () => {
        const set = await tokensOf(server, visitor, { client_id: `${alg}-jwt` }, { sending: by(`${alg}-jwt`) });
        const forged = async (jwt: string) => {
          const key = jwks.keys.find(({ kid }) => kid === decodeProtectedHeader(jwt).kid);
          return forge(jwt, key ?? assert.fail());
        };
        const access = await forged(set.access_token);
        assert.deepEqual((await introspect(server, { token: access })).json, { active: false });
        assert.equal((await userinfo(server, access)).json.error, 'invalid_token');
        assert.equal((await introspect(server, { token: set.access_token }, { auth: `Bearer ${access}` })).status, 401);
        await revoke(server, { token: access }, by(`${alg}-jwt`));
        assert.equal(await isActive(server, set.access_token), true, 'a forged token revokes nothing');

        const hint = await forged(set.id_token);
        const seen = await visitor.go(authorizationUrl(server, { id_token_hint: hint, prompt: 'none' }));
        assertSentBack(server, seen, { error: 'invalid_request' });
        const asked = await visitor.follow(`${server.at()}/logout?${query({ id_token_hint: hint })}`);
        assert(atLogoutQuestion(asked));
      });
    }
  }
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = (jwt: string, over: object) => encode({ ...decodeProtectedHeader(jwt), ...over });
const typOf = (jwt: string) => decodeProtectedHeader(jwt).typ;
const algOf = (jwt: string) => decodeProtectedHeader(jwt).alg;
const shared = (jwt: string, secret: string) =>
  new SignJWT(claimsOf(jwt))
    .setProtectedHeader({ ...decodeProtectedHeader(jwt), alg: 'HS256' } as JWTHeaderParameters)
    .sign(Buffer.from(secret));
