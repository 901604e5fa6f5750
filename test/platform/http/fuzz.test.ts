import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SEED } from '../../build/random.ts';
import type { TestServer } from '../../build/test-server.ts';
import { type Pool, startFuzzedServer } from './fuzz/pool.ts';
import { request } from './fuzz/requests.ts';
import { brokenRules, secretsIn } from './fuzz/rules.ts';
import { HUSH } from './fuzz/values.ts';
import { type Exchange, exchangeBatch, exchangeHostile, type Wire } from './fuzz/wire.ts';

/** TEST_SEED=… repeats a run; FUZZ_FROM=… starts it at the request that a failure names. */
const FROM = Number(process.env.FUZZ_FROM ?? 0);
/** On PostgreSQL the first third of the same requests: what differs there is the statement, and each kind comes hundreds of times. */
const REQUESTS = process.env.TEST_STORE === 'postgres' ? 7000 : 21_000;
const CONNECTIONS = 6;
const PIPELINED = 16;
const MOST_SHOWN = 5;

describe('whatever is sent, the answers stay in form and the log keeps quiet', () => {
  let server: TestServer;
  let pool: Pool;
  before(async () => {
    ({ server, pool } = await startFuzzedServer());
  });
  after(() => server.close());

  it(`answers ${REQUESTS} generated requests (seed ${SEED})`, async t => {
    const port = Number(new URL(server.base).port);
    const broken: string[] = [];
    const secrets = new Set<string>();
    const statuses = new Map<number, number>();
    const successful = new Set<string>();
    let next = FROM;
    let answered = 0;

    const look = (exchange: Exchange) => {
      for (const received of exchange.received) {
        for (const secret of secretsIn(received)) secrets.add(secret);
        statuses.set(received.status, (statuses.get(received.status) ?? 0) + 1);
        if (received.status === 200 || received.status === 201) successful.add(exchange.sent.route);
        if (received.body.includes('"token_type":"DPoP"')) successful.add('DPoP');
        answered++;
      }
      const rules = brokenRules(exchange, pool);
      if (rules.length > 0)
        broken.push(`${rules.join(', ')}: FUZZ_FROM=${exchange.sent.index} ${shown(exchange.sent)}`);
    };
    const worker = async () => {
      while (next < FROM + REQUESTS && broken.length < MOST_SHOWN) {
        const batch = Array.from({ length: PIPELINED }, () => request(pool, SEED, next++));
        for (const exchange of await exchangeBatch(
          port,
          batch.filter(({ hostile }) => !hostile),
        ))
          look(exchange);
        for (const sent of batch.filter(({ hostile }) => hostile)) look(await exchangeHostile(port, sent));
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
    t.diagnostic(
      `answers by status: ${[...statuses]
        .sort()
        .map(([status, count]) => `${status}×${count}`)
        .join(' ')}`,
    );

    assert.deepEqual(broken, [], `TEST_SEED=${SEED}`);
    assert(answered >= REQUESTS * 0.95, `only ${answered} answers`);
    for (const status of [200, 302, 303, 400, 401, 404, 405, 413]) {
      assert(statuses.has(status), `no ${status} among the answers: the generator has gone blind`);
    }

    for (const route of [
      'token',
      'introspect',
      'userinfo',
      'par',
      'device_authorization',
      'device',
      'register',
      'DPoP',
    ]) {
      assert(successful.has(route), `no success at ${route}: the generator has gone blind`);
    }

    assert(secrets.size > REQUESTS / 105, `only ${secrets.size} secrets were handed out`);
    assertAbsent(server.logged(), [
      'request.fault',
      'reply.fault',
      'refusals.fault',
      HUSH,
      ...secretsOf(pool),
      ...secrets,
    ]);
  });
});

function shown({ bytes }: Wire): string {
  return JSON.stringify(bytes.toString('latin1').slice(0, 1500));
}

function secretsOf({ idToken, session, browser, verifier, ...lists }: Pool): string[] {
  const { accessTokens, refreshTokens, codes, pendings, basics } = lists;
  const { deviceCodes, userCodes, assertions, proofs, registrations } = lists;
  const modern = [...deviceCodes, ...userCodes, ...assertions, ...proofs, ...registrations.map(({ token }) => token)];
  const own = [idToken, session, browser, verifier];
  return [...own, ...accessTokens, ...refreshTokens, ...codes, ...pendings, ...basics, ...modern];
}

function assertAbsent(log: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    const at = log.indexOf(secret);
    if (at >= 0) assert.fail(`in the log: ${log.slice(Math.max(0, at - 200), at + 20)}`);
  }
}
