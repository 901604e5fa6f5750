import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, it } from 'node:test';
import { explainRequest } from '../../../src/audit/explain/explained.ts';
import { MAX_PER_MINUTE, MAX_PER_MINUTE_AND_REASON } from '../../../src/audit/refusals/recorder.ts';
import type { StoredRefusal } from '../../../src/audit/refusals/store.ts';
import { StoreUnavailable } from '../../../src/platform/store/faults.ts';
import type { Store } from '../../../src/store.ts';
import { type Answered, aTokenSet, get, introspect, refresh, token, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { sampleOf } from '../../build/exposition.ts';
import { anApplication } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl } from '../../build/visitor.ts';

const METRICS_TOKEN = 'a-token-for-metrics';

describe('refusals are bounded: anyone can make the server refuse (admin contract, Refusals)', () => {
  const clock = fixedClock();
  const calls: string[] = [];
  const written: StoredRefusal[] = [];
  let isAway = false;
  const server = suiteServer({
    clock,
    env: { GATEHOUSE_METRICS_TOKEN: METRICS_TOKEN },
    applications: [anApplication(), anApplication({ code: 'blog', name: 'Blog' })],
    wrapStore: watched,
  });
  before(async () => {
    await token(server, 'x=y');
    await token(server, 'x=y', {}, 'blog');
  });
  beforeEach(async () => {
    clock.advance(60);
    await server.services.refusals.flush();
    calls.length = 0;
    written.length = 0;
  });
  afterEach(() => {
    isAway = false;
  });

  function watched(store: Store): Store {
    const noted = Object.entries(store).map(([name, value]) => [
      name,
      typeof value !== 'function'
        ? value
        : (...args: never[]) => {
            calls.push(name);
            return value(...args);
          },
    ]);
    return {
      ...(Object.fromEntries(noted) as Store),
      addRefusals: async (refusals, perMinute) => {
        calls.push('addRefusals');
        if (isAway) throw new StoreUnavailable('away');
        written.push(...refusals);
        return store.addRefusals(refusals, perMinute);
      },
    };
  }
  const flood = async (count: number, send: (at: number) => Promise<Answered>) => {
    const answers: Answered[] = [];
    while (answers.length < count) {
      answers.push(...(await Promise.all(Array.from({ length: 50 }, (_, at) => send(answers.length + at)))));
    }
    await server.services.refusals.flush();
    return answers;
  };
  const explain = (answered: Answered) =>
    explainRequest(server.services, answered.headers.get('x-request-id') ?? '', () => true);
  const metric = async (name: string) =>
    sampleOf((await get(`${server.base}/metrics`, { authorization: `Bearer ${METRICS_TOKEN}` })).text, name);

  it('a token that says it is a JWT of ours, with a jti of any length, is refused and explained like any other', async () => {
    for (const length of [0, 1, 3, 4, 16, 31, 32, 37, 39, 60]) {
      const jti = Buffer.alloc(length, 7).toString('base64url');
      const payload = Buffer.from(JSON.stringify({ jti })).toString('base64url');
      const answered = await userinfo(server, `eyJhbGciOiJub25lIn0.${payload}.eA`);
      assert.equal(answered.status, 401);
      await server.services.refusals.flush();
      assert.notEqual(await explain(answered), undefined, `${length} bytes`);
    }
  });

  it('a flood for applications that do not exist shares one place, and the rest is counted', async () => {
    const before = await metric('gatehouse_refusals_dropped_total');
    await flood(1000, at => token(server, 'x=y', {}, `application-${at}`));
    assert.equal(written.length, MAX_PER_MINUTE_AND_REASON);
    assert.equal((await metric('gatehouse_refusals_dropped_total')) - before, 1000 - MAX_PER_MINUTE_AND_REASON);
  });

  it('neither does a method that no address takes, which is refused before the application is looked up', async () => {
    await flood(500, at => get(`${server.at(`application-${at}`)}/token`));
    assert.equal(written.length, MAX_PER_MINUTE_AND_REASON);
    assert.deepEqual([...new Set(written.map(({ app }) => app))], ['']);
  });

  it('a flood of one kind leaves room for others of the application, and for other applications', async () => {
    await flood(500, () => get(authorizationUrl(server, { client_id: 'nobody' })));
    const other = await get(authorizationUrl(server, { redirect_uri: 'https://client.example/cb/' }));
    const elsewhere = await get(authorizationUrl(server, { client_id: 'nobody' }, 'blog'));
    await server.services.refusals.flush();
    assert.equal((await explain(other))?.reason, 'redirectUriUntrusted');
    assert.equal((await explain(elsewhere))?.application, 'blog');
  });

  it('whatever the kinds, an application has its bound in a minute, and the next minute is new', async () => {
    const kinds = [{ client_id: 'nobody' }, { redirect_uri: 'x' }, { scope: 'x' }, { response_type: 'x' }];
    await flood(400, at => get(authorizationUrl(server, kinds[at % kinds.length])));
    assert.equal(written.length, MAX_PER_MINUTE);
    clock.advance(60);
    const next = await get(authorizationUrl(server, { client_id: 'nobody' }));
    await server.services.refusals.flush();
    assert(await explain(next));
  });

  it('the store is asked for a bounded number of things, however many requests are refused', async () => {
    await flood(1000, at => get(authorizationUrl(server, { client_id: `nobody-${at}` })));
    const ofRequests = calls.filter(name => name === 'findClient').length;
    assert.equal(ofRequests, 1000, 'the lookup of the request itself');
    assert(calls.length - ofRequests < 10 * MAX_PER_MINUTE, `${calls.length - ofRequests} operations`);
  });

  it('while the database is away they wait in bounded memory, and are written when it is back', async () => {
    isAway = true;
    const first = await get(authorizationUrl(server, { client_id: 'nobody' }));
    for (let minute = 0; minute < 60; minute++) {
      clock.advance(60);
      await flood(50, () => get(authorizationUrl(server, { client_id: 'nobody' })));
    }
    assert.equal(written.length, 0);
    isAway = false;
    await server.services.refusals.flush();
    assert.equal(written.length, 500);
    assert(await explain(first));
  });

  it('what succeeds writes nothing', async () => {
    const set = await aTokenSet(server);
    await introspect(server, { token: set.access_token });
    await userinfo(server, set.access_token);
    await refresh(server, set.refresh_token);
    await server.services.refusals.flush();
    assert.equal(written.length, 0);
    assert(!calls.includes('addRefusals'));
  });
});
