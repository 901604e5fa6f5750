import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { createLocalJWKSet, decodeProtectedHeader, type JWK, jwtVerify } from 'jose';
import { type SigningAlg, signingAlgs } from '../../../src/oauth/signing-keys/algorithms.rules.ts';
import { publishNextKey, rotateDueKeys } from '../../../src/oauth/signing-keys/rotation.ts';
import { aTokenSet, basic, get, refresh, token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

const DAY = 86_400;
const ID_TOKEN = 600;
const ACCESS_TOKEN = 900;

const clock = fixedClock();
const clients = signingAlgs.map(alg =>
  aClient({ client_id: alg, id_token_signed_response_alg: alg, access_token_format: 'jwt' }),
);
const server = suiteServer({
  clock,
  // One family is refreshed for longer than families last by default.
  shop: {
    clients,
    id_token_ttl: ID_TOKEN,
    access_token_ttl: ACCESS_TOKEN,
    refresh_family_ttl: 5 * 365 * DAY,
  },
});

const due = async () => {
  const application = await server.services.registry.application('shop');
  assert(application);
  await rotateDueKeys(server.services, application);
};

/** A resource server that verifies tokens and caches the key set as long as its Cache-Control allows, and no longer. */
class Verifier {
  readonly #phase: number;
  #keys: JWK[] = [];
  #maxAge = 1;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  constructor(phase: number) {
    this.#phase = phase;
  }

  async verify(tokens: readonly string[]): Promise<void> {
    const period = (time: number) => Math.floor((time + this.#phase) / this.#maxAge);
    if (period(clock.now()) !== period(this.#fetchedAt)) await this.#fetch();
    for (const jwt of tokens) {
      const { kid, alg } = decodeProtectedHeader(jwt);
      assert(
        this.#keys.some(key => key.kid === kid && key.alg === alg),
        `unknown kid, ${clock.now() - this.#fetchedAt} s after the key set was read`,
      );
    }
    // Whether the signatures hold is the same question for all of them: the oldest and the newest will do.
    const keys = createLocalJWKSet({ keys: this.#keys });
    for (const jwt of [tokens[0], tokens.at(-1)]) {
      await jwtVerify(jwt ?? '', keys, { currentDate: new Date(clock.now() * 1000) });
    }
  }

  async #fetch(): Promise<void> {
    const { json, headers } = await get(`${server.at()}/jwks`);
    const maxAge = Number(/max-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1]);
    assert(maxAge >= 60, 'a key set that cannot be cached costs every client a request per token');
    [this.#keys, this.#maxAge, this.#fetchedAt] = [json.keys, maxAge, clock.now()];
  }
}

/** Clients that get a new token at every step and show each one around until it expires. */
async function live(days: number, operate: (step: number) => Promise<void>): Promise<Map<string, Set<string>>> {
  const verifiers = [0, 100, 200].map(phase => new Verifier(phase));
  const refreshTokens = new Map<SigningAlg, string>();
  const signedBy = new Map(signingAlgs.map(alg => [alg as string, new Set<string>()]));
  let tokens: { readonly jwt: string; readonly exp: number }[] = [];
  const end = clock.now() + days * DAY;
  for (let step = 0; clock.now() < end; step++) {
    await operate(step);
    const alg = signingAlgs[step % signingAlgs.length] ?? 'ES256';
    const set = await nextSet(alg, refreshTokens.get(alg));
    refreshTokens.set(alg, set.refresh_token);
    for (const jwt of [set.id_token, set.access_token]) {
      signedBy.get(alg)?.add(decodeProtectedHeader(jwt).kid ?? '');
    }
    tokens.push({ jwt: set.id_token, exp: clock.now() + ID_TOKEN });
    tokens.push({ jwt: set.access_token, exp: clock.now() + ACCESS_TOKEN });
    tokens = tokens.filter(({ exp }) => exp > clock.now());
    for (const verifier of verifiers) await verifier.verify(tokens.map(({ jwt }) => jwt));
    clock.advance(await pace());
  }
  return signedBy;
}

async function nextSet(alg: SigningAlg, refreshToken: string | undefined) {
  const sending = { auth: basic(alg, 'web-secret-1') };
  if (refreshToken === undefined) return aTokenSet(server, {}, sending);
  const answered = await refresh(server, refreshToken, {}, sending);
  assert.equal(answered.status, 200, answered.text);
  return answered.json;
}

/** Small steps around each change of key, large ones between. */
async function pace(): Promise<number> {
  const changes = (await server.services.store.signingKeys('shop')).map(({ signFrom }) => signFrom);
  const now = clock.now();
  if (changes.some(at => at - 350 <= now && now < at + ACCESS_TOKEN + 700)) return 53;
  const next = changes.filter(at => at - 350 > now).map(at => at - 350 - now);
  return Math.min(2 * DAY, ...next);
}

describe('key rotation without an outage: no client that caches by the headers meets an unknown kid', () => {
  it('by schedule, over a year', async () => {
    const signedBy = await live(380, due);
    for (const alg of signingAlgs) assert.equal(signedBy.get(alg)?.size, 5, alg);
  });

  it('by command, at any moment and more than once', async () => {
    const signedBy = await live(6, async step => {
      if (![0, 1, 2, 45, 46, 80].includes(step)) return;
      for (const alg of signingAlgs) await publishNextKey(server.services, 'shop', alg);
    });
    for (const alg of signingAlgs) assert((signedBy.get(alg)?.size ?? 0) >= 3, alg);
  });

  it('by command and by schedule together', async () => {
    let next = clock.now();
    const signedBy = await live(200, async () => {
      await due();
      if (clock.now() < next) return;
      next = clock.now() + 37 * DAY;
      await publishNextKey(server.services, 'shop', 'ES256');
    });
    assert((signedBy.get('ES256')?.size ?? 0) > 5);
    assert.equal(signedBy.get('RS256')?.size, 3);
  });
});

describe('old keys', () => {
  const kids = async () => (await get(`${server.at()}/jwks`)).json.keys.map(({ kid }: JWK) => kid) as string[];
  const stored = async () => (await server.services.store.signingKeys('shop')).map(({ kid }) => kid);
  afterEach(due);

  it('leave the key set when their last token has expired, and the store a month later', async () => {
    clock.advance(200 * DAY);
    await due();
    clock.advance(40 * DAY);
    await due();
    const before = await stored();
    assert.equal(before.length, signingAlgs.length, 'one per algorithm is left of all that came before');

    for (const alg of signingAlgs) await publishNextKey(server.services, 'shop', alg);
    clock.advance(DAY + ACCESS_TOKEN - 1);
    for (const kid of before) assert((await kids()).includes(kid));
    clock.advance(400);
    for (const kid of before) assert(!(await kids()).includes(kid));
    await due();
    for (const kid of before) assert((await stored()).includes(kid), 'an expired id_token_hint is still known');
    clock.advance(30 * DAY);
    await due();
    for (const kid of before) assert(!(await stored()).includes(kid));
    assert.equal((await kids()).length, signingAlgs.length);
  });
});

describe('keys of an application with an API whose tokens live longer', () => {
  const API_TOKEN = 200 * DAY;
  const api = { identifier: 'https://api.example', name: 'API', scopes: { read: 'Read' } };
  const ofApi = suiteServer({
    clock,
    shop: {
      apis: [{ ...api, access_token_ttl: API_TOKEN, access_token_format: 'jwt' }],
      clients: [aClient({ grant_types: ['client_credentials'], scope: 'read' })],
      ...{ id_token_ttl: 1, access_token_ttl: 1 },
    },
  });

  it('stay in the key set, and in the store, until the last of these tokens has expired', async () => {
    const { registry, store } = ofApi.services;
    const rotate = async () =>
      rotateDueKeys(ofApi.services, (await registry.application('shop')) ?? assert.fail('no application'));
    const keySet = async () => (await get(`${ofApi.at()}/jwks`)).json;
    await rotate();
    const { json } = await token(ofApi, { grant_type: 'client_credentials', resource: api.identifier });
    const { access_token } = json;
    const { kid = '' } = decodeProtectedHeader(access_token);
    const isStored = async () => (await store.signingKeys('shop')).some(key => key.kid === kid);
    for (let day = 0; day < 199; day += 50) {
      await jwtVerify(access_token, createLocalJWKSet(await keySet()), { currentDate: new Date(clock.now() * 1000) });
      clock.advance(50 * DAY);
      await rotate();
    }
    // Its successor was published on day 100.
    clock.advance(102 * DAY);
    await rotate();
    const { keys } = await keySet();
    assert(!keys.some((key: JWK) => key.kid === kid));
    assert(await isStored());
    clock.advance(30 * DAY);
    await rotate();
    assert(!(await isStored()));
  });
});
