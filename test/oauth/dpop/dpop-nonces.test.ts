import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { freshNonce } from '../../../src/oauth/dpop/nonce.ts';
import { aSigningPair } from '../../build/assertion.ts';
import { type Answered, assertRefused, token, WEB } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aProof, assertBoundToken, type ProofParts, proofFault } from '../../build/dpop.ts';
import { aClient } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

const KEY = aSigningPair('ES256', 'dpop');
/** Parallel logins of one user would be limited. */
const GRANT = { grant_type: 'client_credentials' };
/** Both of oauth/dpop/rules.ts. */
const WINDOW_SECONDS = 60;
const STEP_SECONDS = 120;
const AT_ONCE = 20;

const clock = fixedClock();
/** How often the store was asked to remember a proof. */
let remembered = 0;
const server = suiteServer(() => ({
  clock,
  clients: [aClient({ grant_types: ['client_credentials'] })],
  wrapStore: store => ({
    ...store,
    useOnce: (...call) => {
      remembered++;
      return store.useOnce(...call);
    },
  }),
}));

const proof = (parts: ProofParts = {}) => aProof(KEY, 'POST', `${server.at()}/token`, { now: clock.now(), ...parts });
const asking = (dpop: string) => token(server, GRANT, { auth: WEB, headers: { dpop } });
const issued = async (dpop: string) => assertBoundToken(await asking(dpop));

describe('when a DPoP proof was made (RFC 9449 sections 8 and 11.1)', () => {
  const nonceOf = ({ headers }: Answered) => headers.get('dpop-nonce') ?? assert.fail('no DPoP-Nonce');
  const demanded = (answered: Answered) => {
    assertRefused(answered, 400, 'use_dpop_nonce');
    return nonceOf(answered);
  };

  it('iat may differ from the clock of the server by a minute; then a nonce is demanded, and repairs it', async () => {
    for (const skew of [-WINDOW_SECONDS, WINDOW_SECONDS]) await issued(proof({ now: clock.now() + skew }));
    for (const skew of [-WINDOW_SECONDS - 1, WINDOW_SECONDS + 1, -86_400, 86_400, Number.MAX_SAFE_INTEGER]) {
      const now = clock.now() + skew;
      const nonce = demanded(await asking(proof({ now })));
      const { headers } = await issued(proof({ now, claims: { nonce } }));
      assert.equal(headers.get('dpop-nonce'), null, 'the nonce is the newest');
    }
  });

  it('a request without a nonce is not given one where iat is right: it costs each client a repetition later', async () => {
    assert.equal((await issued(proof())).headers.get('dpop-nonce'), null);
  });

  it('a nonce is good for its step and the next one, in which the answer has a new one', async () => {
    const nonce = demanded(await asking(proof({ now: 0 })));
    clock.advance(STEP_SECONDS);
    const next = nonceOf(await issued(proof({ claims: { nonce } })));
    assert.notEqual(next, nonce);
    await issued(proof({ claims: { nonce: next } }));
    clock.advance(STEP_SECONDS);
    assert.notEqual(demanded(await asking(proof({ claims: { nonce } }))), next);
  });

  it('attack: a stale nonce, a forged one, one of the far future, one of another server: always a fresh one', async () => {
    const nonce = demanded(await asking(proof({ now: 0 })));
    const [step = '', mac = ''] = nonce.split(/-(.*)/s);
    const later = (Number.parseInt(step, 36) + 1).toString(36);
    const far = freshNonce({ ring: server.services.ring, clock: { now: () => clock.now() + 86_400 } });
    const forged = [`${later}-${mac}`, `${step}-${'A'.repeat(43)}`, far, mac, '', 'x', 7, null, [nonce], `${nonce} `];
    for (const each of forged) {
      demanded(await asking(proof({ claims: { nonce: each } })));
    }
    await issued(proof({ claims: { nonce } }));
  });

  it('attack: a proof with a nonce is good once for as long as the nonce is', async () => {
    const nonce = demanded(await asking(proof({ now: 0 })));
    const used = proof({ now: 0, claims: { nonce } });
    await issued(used);
    assertRefused(await asking(used), 400, 'invalid_dpop_proof', proofFault('jti'));
    clock.advance(STEP_SECONDS);
    assertRefused(await asking(used), 400, 'invalid_dpop_proof', proofFault('jti'));
  });

  it('attack: 1,000 forged nonces of the form of ours store nothing, and each gets the one of the step', async () => {
    const step = Math.floor(clock.now() / STEP_SECONDS).toString(36);
    const forged = Array.from({ length: 1000 }, () => `${step}-${randomBytes(32).toString('base64url')}`);
    const nonces = new Set<string>();
    const before = remembered;
    await inTurns(forged, async nonce => {
      nonces.add(demanded(await asking(proof({ claims: { nonce } }))));
    });
    const [fresh = '', ...more] = nonces;
    assert.deepEqual(more, []);
    assert.equal(remembered, before);
    await issued(proof({ claims: { nonce: fresh } }));
    assert(remembered > before, 'a proof that is accepted is remembered');
  });

  it('one nonce is good for 1,000 proofs, and each of them counts once', async () => {
    const nonce = demanded(await asking(proof({ now: 0 })));
    const made = Array.from({ length: 1000 }, () => proof({ claims: { nonce } }));
    const tokens = new Set<string>();
    await inTurns(made, async each => {
      tokens.add((await issued(each)).json.access_token);
    });
    assert.equal(tokens.size, made.length);
    await inTurns(made, async each => {
      assertRefused(await asking(each), 400, 'invalid_dpop_proof', proofFault('jti'));
    });
  });

  it('1,000 demands for a nonce store nothing and make one nonce in a step', async () => {
    const nonces = new Set<string>();
    const before = remembered;
    const old = proof({ now: 0 });
    await inTurns(Array<string>(1000).fill(old), async each => {
      nonces.add(demanded(await asking(each)));
    });
    assert.equal(nonces.size, 1);
    assert.equal(remembered, before);
  });
});

/** A few at a time, as many clients would: a machine with one core answers a thousand at once with 503. */
async function inTurns<T>(list: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  for (let first = 0; first < list.length; first += AT_ONCE) {
    await Promise.all(list.slice(first, first + AT_ONCE).map(work));
  }
}
