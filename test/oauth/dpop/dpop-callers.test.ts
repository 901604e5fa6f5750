import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createThrottle } from '../../../src/platform/throttle/throttle.ts';
import { aSigningPair, type SigningPair } from '../../build/assertion.ts';
import { type Answered, assertRefused, basic, post, refresh } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aBox, aTv, aWaitingDevice, decide, pollFor, TV } from '../../build/device.ts';
import { aProof, type ProofParts } from '../../build/dpop.ts';
import { limits } from '../../build/limits.ts';
import { suiteServer } from '../../build/test-server.ts';

const KEY = aSigningPair('ES256', 'dpop');
const OTHER_KEY = aSigningPair('ES256', 'another');
const BOX = basic('box', 'web-secret-1');
const ATTEMPTS = 3;

const clock = fixedClock();
const server = suiteServer({
  clock,
  throttle: () => createThrottle(clock, limits({ proofAddress: { attempts: ATTEMPTS, refillSeconds: 10_000 } })),
  clients: [aTv(), aBox()],
});

const by = (key: SigningPair, parts: ProofParts = {}) => ({
  headers: { dpop: aProof(key, 'POST', `${server.at()}/token`, { now: clock.now(), ...parts }) },
});
const ok = ({ status, text, json }: Answered) => {
  assert.equal(status, 200, text);
  return json;
};

describe('DPoP proofs of callers without credentials (RFC 9449 sections 5 and 11.1)', () => {
  it('a device can wait with proofs as long as it likes, and gets bound tokens (RFC 8628)', async () => {
    const device = await aWaitingDevice(server);
    for (let polls = 0; polls < 2 * ATTEMPTS; polls++) {
      assertRefused(await pollFor(server, device, {}, by(KEY)), 400, 'authorization_pending');
      clock.advance(device.interval);
    }
    await decide(server, device.user_code, 'allow');
    assertRefused(await pollFor(server, device, {}, by(KEY, { now: 0 })), 400, 'use_dpop_nonce');
    const set = ok(await pollFor(server, device, {}, by(KEY)));
    assert.equal(set.token_type, 'DPoP');
    const renew = (key: SigningPair) => refresh(server, set.refresh_token, { client_id: TV }, by(key));
    assertRefused(await renew(OTHER_KEY), 400, 'invalid_grant');
    assert.equal(ok(await renew(KEY)).token_type, 'DPoP');
  });

  it('attack: refused requests whose proofs would fill the store are limited by address; others are not', async () => {
    clock.advance(100_000);
    const wrong = () => refresh(server, 'grt_x', { client_id: TV }, by(KEY));
    for (let each = 0; each < 2 * ATTEMPTS; each++) {
      const unstored = await refresh(server, 'grt_x', { client_id: TV }, by(KEY, { claims: { htm: 'GET' } }));
      assertRefused(unstored, 400, 'invalid_dpop_proof');
    }
    for (let each = 0; each < ATTEMPTS; each++) assertRefused(await wrong(), 400, 'invalid_grant');
    const limited = await wrong();
    assertRefused(limited, 429, 'temporarily_unavailable');
    assert(Number(limited.headers.get('retry-after')) > 0);
    const ofBox = { auth: BOX, ...by(KEY) };
    assertRefused(await refresh(server, 'grt_x', {}, ofBox), 400, 'invalid_grant');
    assertRefused(await refresh(server, 'grt_x', { client_id: TV }, {}), 400, 'invalid_grant');
    const pushed = { response_type: 'code', client_id: TV };
    assertRefused(await post(`${server.at()}/par`, pushed, by(KEY)), 429, 'temporarily_unavailable');
  });
});
