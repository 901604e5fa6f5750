import { aSigningPair, assertionFor, presenting, type SigningPair } from '../../../build/assertion.ts';
import { ALICE, aCode, get, redeem, refresh, token, WEB } from '../../../build/client.ts';
import { aProof, type ProofParts, publicJwk, thumbprintOf } from '../../../build/dpop.ts';
import { type Case, HUSH, PKCE, PKCE_PAIR, SIGNING, untilLimited, type World } from './world.ts';

const KEY = aSigningPair('ES256', 'dpop');
const OTHER_KEY = aSigningPair('ES256', 'another');
const SPA = { client_id: 'spa', redirect_uri: 'https://spa.example/cb' };

const made = ({ server, clock }: World, parts: ProofParts = {}, key: SigningPair = KEY) =>
  aProof(key, 'POST', `${server.at()}/token`, { now: clock.now(), ...parts });
const sending = (world: World, dpop = made(world)) => ({ auth: WEB, headers: { dpop } });
const ask = (world: World, dpop: string) =>
  token(world.server, { grant_type: 'password', ...ALICE }, sending(world, dpop));

/** A proof that fails this check at the token endpoint. */
const failing = (name: string, kind: string, parts: (world: World) => ProofParts): Case => ({
  row: 'proofInvalid',
  name: `a proof: ${name}`,
  refuse: world => ask(world, made(world, parts(world))),
  client: 'web',
  kinds: [kind],
  failed: 'DPoP proof checked',
});

const address = (name: string, kind: string, change: (url: string) => string): Case => ({
  ...failing(`an htu ${name}`, 'htu', ({ server }) => ({ claims: { htu: change(`${server.at()}/token`) } })),
  expected: /: http:\/\/localhost:\d+\/api\/v1\/authorize\/shop\/oauth2\/token$/,
  kinds: ['htu', kind],
});

const userinfo = async (world: World, parts: ProofParts, scheme = 'DPoP') => {
  const { access_token } = (await ask(world, made(world))).json;
  const url = `${world.server.at()}/userinfo`;
  const dpop = aProof(KEY, 'GET', url, { now: world.clock.now(), accessToken: access_token, ...parts });
  return get(url, { authorization: `${scheme} ${access_token}`, dpop });
};

/** DPoP (RFC 9449): which check a proof failed. */
export const dpopCases: readonly Case[] = [
  failing('another typ', 'typ', () => ({ header: { typ: 'JWT' } })),
  { ...failing('alg none', 'alg', () => ({ header: { alg: 'none' } })), received: /: none$/ },
  failing('no key', 'jwk', () => ({ header: { jwk: undefined } })),
  failing('a private key', 'private-key', () => ({ header: { jwk: { ...publicJwk(KEY), d: HUSH } } })),
  failing('the key of somebody else', 'signature', () => ({ header: { jwk: publicJwk(OTHER_KEY) } })),
  { ...failing('another method', 'htm', () => ({ claims: { htm: 'GET' } })), expected: /: POST$/, received: /: GET$/ },
  failing('a method that may be a secret', 'htm', () => ({ claims: { htm: HUSH } })),
  address('with a trailing slash', 'trailing-slash', url => `${url}/`),
  address('on another port', 'port', url => url.replace(/:\d+/, ':1')),
  address('of another host', 'host', url => url.replace('localhost', '127.0.0.1')),
  failing('what is no address, and may be a secret', 'htu', () => ({ claims: { htu: HUSH } })),
  failing('no jti', 'jti-missing', () => ({ claims: { jti: undefined } })),
  failing('no iat', 'iat-missing', () => ({ claims: { iat: undefined } })),
  {
    ...failing('two of them', 'several-proofs', () => ({})),
    refuse: world => ask(world, `${made(world)}, ${made(world)}`),
  },
  {
    ...failing('too long', 'proof-too-long', () => ({})),
    refuse: world => ask(world, made(world, { claims: { padding: 'x'.repeat(9000) } })),
  },
  { ...failing('no JWT', 'proof-malformed', () => ({})), refuse: world => ask(world, HUSH) },
  {
    ...failing('used before', 'replayed', () => ({})),
    refuse: async world => {
      const dpop = made(world);
      await ask(world, dpop);
      return ask(world, dpop);
    },
    fix: /somebody else has seen/,
  },
  {
    ...failing('none, where the code needs one', 'proof-missing', () => ({})),
    refuse: async ({ server }) => redeem(server, await aCode(server, { dpop_jkt: thumbprintOf(KEY) })),
  },
  {
    ...failing('made too long ago', 'iat-past', ({ clock }) => ({ now: clock.now() - 100 })),
    row: 'nonceNeeded',
    expected: /: 2027-/,
    difference: /differs from the clock of the server by 1 min 40 s/,
  },
  {
    ...failing('of the future', 'iat-future', ({ clock }) => ({ now: clock.now() + 7200 })),
    row: 'nonceNeeded',
    difference: /by 2 h/,
  },
  { ...failing('a forged nonce', 'nonce-unknown', () => ({ claims: { nonce: HUSH } })), row: 'nonceNeeded' },
  {
    ...failing('a stale nonce', 'nonce-stale', () => ({})),
    row: 'nonceNeeded',
    refuse: async world => {
      const { headers } = await ask(world, made(world, { now: 0 }));
      world.clock.advance(600);
      return ask(world, made(world, { claims: { nonce: headers.get('dpop-nonce') } }));
    },
    difference: /differs from the clock of the server by \d+ min/,
  },
  {
    row: 'codeKeyDiffers',
    name: 'a code whose request named another key',
    refuse: async world => {
      const code = await aCode(world.server, { dpop_jkt: thumbprintOf(OTHER_KEY) });
      return redeem(world.server, code, {}, sending(world));
    },
    client: 'web',
    expected: new RegExp(`: ${thumbprintOf(OTHER_KEY)}$`),
    received: new RegExp(`: ${thumbprintOf(KEY)}$`),
    kinds: ['another-key'],
    failed: 'grant checked',
  },
  {
    row: 'refreshKeyDiffers',
    name: 'the refresh token of a public client, with another key',
    refuse: async world => {
      const { server } = world;
      const code = await aCode(server, { ...SPA, ...PKCE });
      const { headers } = sending(world);
      const set = (await redeem(server, code, { ...SPA, code_verifier: PKCE_PAIR.verifier }, { headers })).json;
      const other = { headers: { dpop: made(world, {}, OTHER_KEY) } };
      return refresh(server, set.refresh_token, { client_id: 'spa' }, other);
    },
    client: 'spa',
    expected: new RegExp(`: ${thumbprintOf(KEY)}$`),
    kinds: ['another-key'],
    failed: 'grant checked',
  },
  {
    row: 'tooManyProofs',
    name: 'a flood of refused requests with a proof, of a client without a secret',
    refuse: world =>
      untilLimited(world, () => {
        const { headers } = sending(world);
        return refresh(world.server, 'grt_x', { client_id: 'spa' }, { headers });
      }),
    client: 'spa',
    kinds: ['limit'],
    failed: 'DPoP proof checked',
  },
  {
    row: 'proofMissing',
    name: 'no proof, of a client of FAPI 2.0',
    refuse: ({ server, clock }) =>
      token(
        server,
        {
          ...{ grant_type: 'refresh_token', refresh_token: HUSH },
          ...presenting(assertionFor(server, SIGNING, { clientId: 'payments', now: clock.now() })),
        },
        {},
      ),
    client: 'payments',
    kinds: ['proof-missing'],
    failed: 'DPoP proof checked',
  },
  {
    row: 'proofInvalidWithToken',
    name: 'a proof for another token',
    refuse: world => userinfo(world, { accessToken: 'another' }),
    client: 'web',
    kinds: ['ath'],
    failed: 'DPoP proof checked',
  },
  {
    row: 'nonceNeededWithToken',
    name: 'a proof at userinfo that was made too long ago',
    refuse: world => userinfo(world, { now: 0 }),
    client: 'web',
    kinds: ['iat-past'],
    failed: 'DPoP proof checked',
  },
  {
    row: 'tokenInvalid',
    name: 'a bound token as a bearer token',
    refuse: world => userinfo(world, {}, 'Bearer'),
    client: 'web',
    expected: /: DPoP$/,
    received: /: Bearer$/,
    kinds: ['scheme'],
    failed: 'access token checked',
  },
];
