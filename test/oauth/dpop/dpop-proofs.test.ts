import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { aSigningPair, aWeakPair, encoded, privateJwk, type SigningPair, signature } from '../../build/assertion.ts';
import { ALICE, aCode, assertRefused, get, post, redeem, send, token, WEB } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aProof, assertBoundToken, type ProofParts, proofFault, publicJwk } from '../../build/dpop.ts';
import { suiteServer } from '../../build/test-server.ts';

const KEY = aSigningPair('ES256', 'dpop');
const OTHER_KEY = aSigningPair('ES256', 'another');
const GRANT = { grant_type: 'password', ...ALICE };
/** Of oauth/dpop/rules.ts. */
const WINDOW_SECONDS = 60;

const clock = fixedClock();
const server = suiteServer({ clock });

const tokenUrl = () => `${server.at()}/token`;
const proof = (parts: ProofParts = {}, pair = KEY, url = tokenUrl()) =>
  aProof(pair, 'POST', url, { now: clock.now(), ...parts });
const asking = (dpop: string) => token(server, GRANT, { auth: WEB, headers: { dpop } });
const issued = async (dpop: string) => assertBoundToken(await asking(dpop));

describe('a DPoP proof at the token endpoint (RFC 9449 section 4.3)', () => {
  /** The signature is right, so that only the named check can refuse it. */
  const hostile: Readonly<Record<string, readonly [string, () => string]>> = {
    'no typ': ['typ', () => proof({ header: { typ: undefined } })],
    'the typ of another JWT': ['typ', () => proof({ header: { typ: 'at+jwt' } })],
    'alg none': ['alg', () => `${unsigned({ alg: 'none' })}.AA`],
    'alg none and no signature': ['not a JWT', () => `${unsigned({ alg: 'none' })}.`],
    'alg HS256 with the public key as secret': ['alg', () => withMac('HS256')],
    'an algorithm of another type of key': ['jwk', () => proof({ header: { alg: 'RS256' } })],
    'an algorithm of another curve': ['jwk', () => proof({ header: { alg: 'ES384' } })],
    'a key of 1024 bits that looks longer': ['jwk', () => proof({}, aWeakPair())],
    'no key': ['jwk', () => proof({ header: { jwk: undefined } })],
    'a symmetric key': ['jwk', () => proof({ header: { jwk: { kty: 'oct', k: 'AAAA' } } })],
    'the private key inside jwk': ['jwk', () => proof({ header: { jwk: privateJwk(KEY) } })],
    'a point beside its curve': ['jwk', () => proof({ header: { jwk: { ...publicJwk(KEY), y: 'A'.repeat(43) } } })],
    'the key of somebody else inside jwk': ['signature', () => proof({ header: { jwk: publicJwk(OTHER_KEY) } })],
    'a critical extension': ['not a JWT', () => proof({ header: { crit: ['exp'], exp: 1 } })],
    'another method': ['htm', () => proof({ claims: { htm: 'GET' } })],
    'the method in lower case': ['htm', () => proof({ claims: { htm: 'post' } })],
    'no method': ['htm', () => proof({ claims: { htm: undefined } })],
    'no jti': ['jti', () => proof({ claims: { jti: undefined } })],
    'a number as jti': ['jti', () => proof({ claims: { jti: 7 } })],
    'no iat': ['iat', () => proof({ claims: { iat: undefined } })],
    'a text as iat': ['iat', () => proof({ claims: { iat: String(clock.now()) } })],
    'a payload that was changed': ['signature', () => changed()],
    'a signature in DER': ['signature', () => `${proof().split('.').slice(0, 2).join('.')}.MEUCIQDx`],
    'a list as payload': ['not a JWT', () => rebuilt([])],
    'no JWT': ['not a JWT', () => 'proof'],
    'five parts': ['not a JWT', () => 'a.b.c.d.e'],
  };
  for (const [name, [named, made]] of Object.entries(hostile)) {
    it(`attack: ${name}`, async () => {
      assertRefused(await asking(made()), 400, 'invalid_dpop_proof', proofFault(named));
    });
  }

  const addresses: Readonly<Record<string, (url: URL) => string>> = {
    'of another endpoint': url => url.href.replace('/token', '/userinfo'),
    'with a trailing slash': url => `${url.href}/`,
    'with its path in another case': url => url.href.replace('/token', '/Token'),
    'on another port': url => url.href.replace(url.port, '1'),
    'on another host': url => url.href.replace(url.hostname, 'localhost'),
    'with another scheme': url => url.href.replace('http:', 'https:'),
    'with a user name': url => url.href.replace('//', '//alice@'),
    'with a backslash': url => url.href.replace('/token', '\\token'),
    'with a line break': url => url.href.replace('/token', '/\ntoken'),
    'of another application': url => url.href.replace('/shop/', '/other/'),
    'of the path alone': url => url.pathname,
    'that is empty': () => '',
  };
  for (const [name, change] of Object.entries(addresses)) {
    it(`attack: an htu ${name}`, async () => {
      const htu = change(new URL(tokenUrl()));
      assertRefused(await asking(proof({ claims: { htu } })), 400, 'invalid_dpop_proof', proofFault('htu'));
    });
  }

  for (const [name, change] of [
    ['its query and fragment', (url: string) => `${url}?a=b#c`],
    ['the case of scheme and host', (url: string) => url.replace('http://127', 'HTTP://127')],
    ['dot segments', (url: string) => url.replace('/token', '/x/../token')],
  ] as const) {
    it(`an htu is compared without ${name}`, async () => {
      await issued(proof({ claims: { htu: change(tokenUrl()) } }));
    });
  }

  for (const [name, change] of [
    ['no query', (url: string) => url.replace(/\?.*/, '')],
    ['the same query', (url: string) => url],
    ['another query', (url: string) => url.replace('x=1', 'x=2')],
    ['it as a fragment', (url: string) => url.replace('?', '#')],
  ] as const) {
    it(`a request with a query is compared without it, and the htu may have ${name}`, async () => {
      const url = `${tokenUrl()}?x=1`;
      const asked = await post(url, GRANT, { auth: WEB, headers: { dpop: proof({}, KEY, change(url)) } });
      assert.equal(asked.status, 200, asked.text);
      assert.equal(asked.json.token_type, 'DPoP');
      const { access_token: accessToken } = asked.json;
      const place = `${server.at()}/userinfo?x=1`;
      const dpop = aProof(KEY, 'GET', change(place), { now: clock.now(), accessToken });
      const used = await get(place, { authorization: `DPoP ${accessToken}`, dpop });
      assert.deepEqual([used.status, used.json.preferred_username], [200, 'alice'], used.text);
    });
  }

  it('attack: an htu whose query has the path of the request', async () => {
    const claims = { htu: `${server.base}/?${new URL(tokenUrl()).pathname}` };
    const asked = await post(`${tokenUrl()}?x=1`, GRANT, { auth: WEB, headers: { dpop: proof({ claims }) } });
    assertRefused(asked, 400, 'invalid_dpop_proof', proofFault('htu'));
  });

  it('attack: the address is that of BASE_URL, whatever the header Host says', async () => {
    const headers = { dpop: proof({}, KEY, 'http://evil.example/api/v1/authorize/shop/oauth2/token') };
    const forged = { ...headers, host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    const answered = await token(server, GRANT, { auth: WEB, headers: forged });
    assertRefused(answered, 400, 'invalid_dpop_proof', proofFault('htu'));
  });

  it('attack: two headers DPoP', async () => {
    const init = { method: 'POST', body: new URLSearchParams(GRANT).toString() };
    const headers = new Headers({ authorization: WEB, 'content-type': 'application/x-www-form-urlencoded' });
    headers.append('dpop', proof());
    headers.append('dpop', proof());
    assertRefused(await send(tokenUrl(), { ...init, headers }), 400, 'invalid_dpop_proof', proofFault('more than one'));
  });

  it('attack: a proof of more than 8 KiB, and one of 100 KB', async () => {
    const padded = (size: number) => proof({ claims: { padding: 'x'.repeat(size) } });
    assertRefused(await asking(padded(8192)), 400, 'invalid_dpop_proof', proofFault('too long'));
    assert.equal((await asking(padded(100_000))).status, 431);
  });

  it('attack: a proof that was used before, also for another grant (section 11.1)', async () => {
    const used = proof();
    await issued(used);
    const code = await aCode(server);
    const sending = { auth: WEB, headers: { dpop: used } };
    for (const answered of [await asking(used), await redeem(server, code, {}, sending)]) {
      assertRefused(answered, 400, 'invalid_dpop_proof', proofFault('jti'));
    }
    const again = { auth: WEB, headers: { dpop: proof() } };
    assert.equal((await redeem(server, code, {}, again)).status, 200, 'a refused proof spends no code');
  });

  it('attack: another proof with a jti that was used before', async () => {
    const claims = { jti: randomUUID() };
    await issued(proof({ claims }));
    assertRefused(
      await asking(proof({ claims: { ...claims, extra: 1 } })),
      400,
      'invalid_dpop_proof',
      proofFault('jti'),
    );
    await issued(proof({ claims }, OTHER_KEY));
  });

  it('attack: the same jti again, made at another time, at every time of the block in which it is remembered', async () => {
    for (let time = 0; time < 3000; time += 60) {
      const claims = { jti: randomUUID() };
      await issued(proof({ claims, now: clock.now() - WINDOW_SECONDS }));
      const later = proof({ claims, now: clock.now() + WINDOW_SECONDS });
      assertRefused(await asking(later), 400, 'invalid_dpop_proof', proofFault('jti'));
      clock.advance(60);
    }
  });

  it('takes every algorithm of discovery', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert.deepEqual(
      json.dpop_signing_alg_values_supported.filter((alg: string) => !/^(RS|PS|ES)(256|384|512)$/.test(alg)),
      ['EdDSA', 'Ed25519'],
    );
    for (const alg of ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'] as const) {
      await issued(proof({}, aSigningPair(alg)));
    }
    await issued(proof({ header: { alg: 'Ed25519' } }, aSigningPair('EdDSA')));
  });
});

/** Without a signature: the header says that none is needed. */
function unsigned(header: Readonly<Record<string, unknown>>): string {
  const payload = { jti: randomUUID(), htm: 'POST', htu: tokenUrl(), iat: clock.now() };
  return `${encoded({ typ: 'dpop+jwt', jwk: publicJwk(KEY), ...header })}.${encoded(payload)}`;
}

function withMac(alg: string): string {
  const input = unsigned({ alg });
  return `${input}.${createHmac('sha256', JSON.stringify(publicJwk(KEY)))
    .update(input)
    .digest('base64url')}`;
}

function changed(): string {
  const [header, , signed] = proof().split('.');
  return `${header}.${proof().split('.')[1]}.${signed}`;
}

function rebuilt(payload: unknown, pair: SigningPair = KEY): string {
  const input = `${encoded({ typ: 'dpop+jwt', alg: pair.alg, jwk: publicJwk(pair) })}.${encoded(payload)}`;
  return `${input}.${signature(pair, input)}`;
}
