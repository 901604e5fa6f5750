import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { StoreUnavailable } from '../../../src/platform/store/faults.ts';
import { type Answered, assertRefused, basic, get, introspect, post, revoke, token, WEB } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication, aPublicClient } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';

const SECRET = 'web-secret-1';
/** What src/platform/throttle/throttle.ts allows per client and address, and per address. */
const ATTEMPTS = 30;
const REFILL = 5;
const ATTEMPTS_OF_ADDRESS = 100;

describe('guessing client secrets', () => {
  const clock = fixedClock();
  let storeFails = false;
  let storeAnswers: Promise<void> | undefined;
  let lookups = 0;
  const server = suiteServer({
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    clock,
    applications: [
      anApplication({ clients: [aClient(), aClient({ client_id: 'a%62c' }), aPublicClient()] }),
      anApplication({ code: 'bank', name: 'Bank' }),
    ],
    wrapStore: store => ({
      ...store,
      findClient: async (app, clientId) => {
        lookups++;
        await storeAnswers;
        if (storeFails) throw new StoreUnavailable('gone');
        return store.findClient(app, clientId);
      },
    }),
  });

  /** The addresses of each test are its own, so that none is throttled by the guesses of another. */
  let network = 0;
  let guesses = 0;
  let inside: string;
  let outside: string;
  beforeEach(() => {
    network++;
    inside = `10.0.${network}.1`;
    outside = `10.1.${network}.1`;
  });

  const sendFrom = (address: string, auth: string | undefined) => ({ auth, headers: { 'x-forwarded-for': address } });
  const from = (address: string, auth: string, app?: string) =>
    introspect(server, { token: 'x' }, sendFrom(address, auth), app);
  const wrong = (address: string, clientId = 'web', app?: string) =>
    from(address, basic(clientId, `guess-${++guesses}`), app);
  const guess = async (address: string, count: number, clientId?: string) => {
    const answers: Answered[] = [];
    for (let tried = 0; tried < count; tried++) answers.push(await wrong(address, clientId));
    return answers.map(({ status }) => status);
  };
  const useUp = async (address: string, clientId?: string) =>
    assert.deepEqual(await guess(address, ATTEMPTS, clientId), Array(ATTEMPTS).fill(401));
  const assertThrottled = (answered: Answered, wait = REFILL) => {
    assertRefused(answered, 429, 'temporarily_unavailable');
    assert.equal(answered.headers.get('retry-after'), String(wait));
    assert.equal(answered.headers.get('www-authenticate'), null);
  };

  it('from one address is slowed down, and the right secret is refused from there too', async () => {
    // In use elsewhere: that the server has seen the right secret must not tell the guesser.
    assert.equal((await from(inside, WEB)).status, 200);
    await useUp(outside);
    assertThrottled(await wrong(outside));
    assertThrottled(await from(outside, WEB));
    clock.advance(REFILL - 1);
    assertThrottled(await from(outside, WEB), 1);
    clock.advance(1);
    assert.equal((await wrong(outside)).status, 401);
    assertThrottled(await from(outside, WEB));
  });

  it('is slowed down at every endpoint where clients authenticate, by either method', async () => {
    await useUp(outside);
    const posted = { client_id: 'web', client_secret: SECRET };
    const right = sendFrom(outside, WEB);
    const none = sendFrom(outside, undefined);
    assertThrottled(await token(server, { grant_type: 'password' }, right));
    assertThrottled(await token(server, { grant_type: 'password', ...posted }, none));
    assertThrottled(await introspect(server, { token: 'x', ...posted }, none));
    assertThrottled(await revoke(server, { token: 'x' }, right));
    assertThrottled(await revoke(server, { token: 'x', ...posted }, none));
  });

  it('by posting them is counted too', async () => {
    const body = { token: 'x', client_id: 'web', client_secret: 'a wrong secret' };
    for (let count = 0; count < ATTEMPTS; count++) {
      assert.equal((await introspect(server, body, sendFrom(outside, undefined))).status, 401);
    }
    assertThrottled(await introspect(server, body, sendFrom(outside, undefined)));
    assertThrottled(await from(outside, WEB));
  });

  it('in both readings of a Basic header is counted for the client of each', async () => {
    // Form-encoded, w%65b is web: it must not be a client of its own to guess at.
    for (const clientId of ['%77eb', 'w%65b', 'we%62', '%77%65b', 'w%65%62']) await guess(outside, 6, clientId);
    assertThrottled(await wrong(outside));
  });

  it('does not lock out the client at an address where it was right before', async () => {
    assert.equal((await from(inside, WEB)).status, 200);
    const statuses = await guess(inside, ATTEMPTS + 5);
    assert.deepEqual(statuses.slice(-5), Array(5).fill(429), 'the guesser learns nothing more');
    assert.equal((await from(inside, WEB)).status, 200);
    // The cache of verified headers is emptied by every change of the registry; other credentials never were in it.
    await server.provision({ shop: { code: `new-${network}`, name: 'New' } });
    assert.equal((await from(inside, WEB)).status, 200);
    const body = { token: 'x', client_id: 'web', client_secret: SECRET };
    assert.equal((await introspect(server, body, sendFrom(inside, undefined))).status, 200);
    assert.equal((await from(inside, WEB.replace('Basic', 'basic'))).status, 200);
  });

  it('at the same client from elsewhere costs the client nothing, even where it was never right', async () => {
    for (let count = 0; count < 5; count++) await useUp(`10.2.${network}.${count}`);
    assert.equal((await from(inside, WEB)).status, 200);
  });

  it('does not lock out a client whose id reads as another’s when it is form-decoded', async () => {
    const auth = basic('a%62c', SECRET);
    assert.equal((await from(inside, auth)).status, 200);
    await useUp(inside, 'abc');
    await guess(inside, ATTEMPTS_OF_ADDRESS, 'made-up');
    await server.provision({ shop: { code: `new-${network}`, name: 'New' } });
    assert.equal((await from(inside, auth)).status, 200);
  });

  it('at many clients from one address is slowed down, and an address known to one is not known to all', async () => {
    assert.equal((await from(outside, WEB)).status, 200);
    for (let count = 0; count < ATTEMPTS_OF_ADDRESS; count++) {
      assert.equal((await wrong(outside, `made-up-${count}`)).status, 401);
    }
    assertThrottled(await wrong(outside, 'made-up'), 3);
    assertThrottled(await from(outside, WEB, 'bank'), 3);
    assert.equal((await from(outside, WEB)).status, 200);
  });

  it('at a client that does not exist looks the same as at one that does', async () => {
    const seen = async (clientId: string) => {
      const answers = await Promise.all([
        wrong(outside, clientId),
        ...Array.from({ length: ATTEMPTS }, () => wrong(outside, clientId)),
      ]);
      return answers.map(({ status, text, headers }) => [status, text, headers.get('retry-after')].join(' ')).sort();
    };
    const [known, unknown, open] = [await seen('web'), await seen('nobody'), await seen('spa')];
    assert.deepEqual(unknown, known);
    assert.deepEqual(open, known, 'a public client has no secret to guess');
  });

  it('in parallel is counted before a secret is compared', async () => {
    const answers = await Promise.all(Array.from({ length: ATTEMPTS + 20 }, () => wrong(outside)));
    assert.equal(answers.filter(({ status }) => status === 401).length, ATTEMPTS);
    assert.equal(answers.filter(({ status }) => status === 429).length, 20);
  });

  it('is not what a client does that comes with many requests at once to a node that has just started', async () => {
    await server.provision({ shop: { code: `new-${network}`, name: 'New' } });
    let answer = () => {};
    storeAnswers = new Promise(resolve => {
      answer = resolve;
    });
    const before = lookups;
    const requests = Array.from({ length: 128 }, () => from(inside, WEB));
    await until('the client is looked up', () => lookups > before);
    for (let times = 0; times < 3; times++) assert.equal((await get(`${server.base}/healthz`)).status, 200);
    answer();
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    storeAnswers = undefined;
    assert.deepEqual(new Set(statuses), new Set([200]));
  });

  it('at one application does not touch a client of the same name at another', async () => {
    await useUp(outside);
    assertThrottled(await from(outside, WEB));
    assert.equal((await from(outside, WEB, 'bank')).status, 200);
    assertThrottled(await from(outside, WEB), REFILL);
  });

  it('with names that no client can have counts for nothing, and fills no memory', async () => {
    for (const clientId of ['', 'x'.repeat(129), 'x'.repeat(20_000), 'web\0']) await guess(outside, ATTEMPTS, clientId);
    assert.equal((await from(outside, WEB)).status, 200);
  });

  it('is forgotten where the secret is right in the end', async () => {
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(await guess(outside, ATTEMPTS - 1), Array(ATTEMPTS - 1).fill(401));
      assert.equal((await from(outside, WEB)).status, 200);
      await server.provision({ shop: { code: `new-${network}-${round}`, name: 'New' } });
    }
  });

  it('is not what happens when the store cannot decide', async () => {
    await server.provision({ shop: { code: `new-${network}`, name: 'New' } });
    storeFails = true;
    try {
      for (let count = 0; count < ATTEMPTS + 5; count++) assert.equal((await wrong(outside)).status, 503);
    } finally {
      storeFails = false;
    }
    assert.equal((await from(outside, WEB)).status, 200);
  });

  it('a client without a secret, and a caller without credentials, are not concerned', async () => {
    await useUp(outside, 'spa');
    const body = { grant_type: 'refresh_token', refresh_token: 'grt_none', client_id: 'spa' };
    assertRefused(await token(server, body, sendFrom(outside, undefined)), 400, 'invalid_grant');
    assertRefused(
      await post(`${server.at()}/introspect`, { token: 'x' }, sendFrom(outside, undefined)),
      401,
      'access_denied',
    );
  });
});
