import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { systemClock } from '../../../src/assembly/services.ts';
import { createThrottle } from '../../../src/platform/throttle/throttle.ts';
import { type Answered, get, post } from '../../build/client.ts';
import { anApplication } from '../../build/fixture.ts';
import { limits } from '../../build/limits.ts';
import { anOperatorClient, ask } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';

/** What each route does with bad input and wrong callers, walked from the OpenAPI document. */
interface Documented {
  readonly method: string;
  readonly path: string;
  readonly role: string;
  readonly bodyTypes: readonly string[];
}

/** Up to 4 MB (MAX_FILE_BYTES). */
const TAKES_FILES = ['/apply', '/diff', '/users/import'];

/** A limited caller gets the part that belongs to its applications. The tests of these resources show that it is no more. */
const SHOWS_OWN_PART = [
  'GET /applications',
  'GET /caller',
  'GET /events',
  'GET /export/applications',
  'GET /refusals',
  'GET /refusal_groups',
  'GET /statistics',
  'GET /webhooks',
  'POST /apply',
  'POST /diff',
  'POST /webhooks',
];

describe('the admin API under abuse, on every route of its OpenAPI document', () => {
  let routes: Documented[] = [];
  const server = suiteServer({
    applications: [anApplication(), anApplication({ code: 'bank' })],
    throttle: () => createThrottle(systemClock, limits({})),
  });
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    const document = (await get(`${server.base}/api/v1/admin/openapi.json`)).json;
    routes = Object.entries<Record<string, never>>(document.paths).flatMap(([path, methods]) =>
      Object.entries<{ 'x-role': string; requestBody?: { content: object } }>(methods).map(([method, one]) => ({
        method: method.toUpperCase(),
        path,
        role: one['x-role'],
        bodyTypes: Object.keys(one.requestBody?.content ?? {}),
      })),
    );
  });

  /** In the application `shop`, with ids that name nothing. */
  const at = (path: string, app = 'shop') => path.replace('{code}', app).replaceAll(/\{\w+\}/g, 'no-such-thing');
  const assertProblem = ({ status, headers, json }: Answered, expected: readonly number[], what: string) => {
    assert(expected.includes(status), `${what}: ${status} ${JSON.stringify(json)}`);
    assert.equal(headers.get('content-type'), 'application/problem+json', what);
    assert.equal(json.request_id, headers.get('x-request-id'), what);
    assert.equal(json.status, status, what);
  };
  const onEach = async (run: (route: Documented, what: string) => Promise<void>, some = (_: Documented) => true) => {
    const chosen = routes.filter(some);
    assert(chosen.length > 0);
    for (const route of chosen) await run(route, `${route.method} ${route.path}`);
  };
  const hasBody = ({ bodyTypes }: Documented) => bodyTypes.length > 0;

  it('the document has exactly the routes that the server has', () => {
    const documented = routes.map(({ method, path }) => `${method} ${path}`).sort();
    const served = server.services.tables.operations.addresses.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(documented, served.sort());
  });

  it('no key, an unknown key, an expired key, Basic, a token of an application: 401', async () => {
    const expired = await anOperatorClient(server, { expiresAt: server.services.clock.now() - 1 });
    await onEach(async ({ method, path }, what) => {
      for (const key of [undefined, 'gak_unknown', expired.key, 'gat_AAAAAAAA', 'x.y.z'])
        assertProblem(await ask(server.base, key, method, at(path)), [401], `${what} with ${key}`);
      const basic = { authorization: `Basic ${btoa('web:web-secret-1')}` };
      assertProblem(await ask(server.base, undefined, method, at(path), undefined, basic), [401], what);
    });
  });

  it('a role below the one that is needed: 403', async () => {
    const auditor = await anOperatorClient(server, { role: 'auditor' });
    const operator = await anOperatorClient(server, { role: 'operator' });
    await onEach(
      async ({ method, path }, what) => assertProblem(await auditor.ask(method, at(path)), [403], what),
      ({ role }) => role !== 'auditor',
    );
    await onEach(
      async ({ method, path }, what) => assertProblem(await operator.ask(method, at(path)), [403], what),
      ({ role }) => role === 'owner',
    );
  });

  it("a role that is limited to one application: another's objects, and those of the deployment, are not there", async () => {
    const limited = await anOperatorClient(server, { applications: ['bank'] });
    await onEach(
      async ({ method, path, bodyTypes }, what) => {
        const body = bodyTypes.length > 0 ? {} : undefined;
        assertProblem(await limited.ask(method, at(path), body), [404], what);
      },
      ({ path, method }) => !SHOWS_OWN_PART.includes(`${method} ${path}`),
    );
    const { items } = (await limited.ask('GET', '/applications')).json;
    const codes = items.map(({ code }: { code: string }) => code);
    assert.deepEqual(codes, ['bank']);
  });

  it('an unknown field, a wrong type, bad JSON, 1 MB, another content type: refused with the right status', async () => {
    await onEach(async ({ method, path }, what) => {
      assertProblem(await owner.ask(method, at(path), { surprise: 1 }), [400, 404, 409], what);
      const cleared = await owner.ask(method, at(path), { surprise: null });
      assertProblem(cleared, [400, 404, 409], `${what}: a field that is cleared and does not exist`);
      assertProblem(await owner.ask(method, at(path), []), [400, 404], what);
      assertProblem(await owner.ask(method, at(path), '{"a":'), [400], what);
      assertProblem(await owner.ask(method, at(path), '{"a":1,"a":2}'), [400], what);
      const megabytes = TAKES_FILES.includes(path) ? 5 : 1;
      const huge = JSON.stringify({ name: 'x'.repeat(megabytes * 1024 * 1024) });
      assertProblem(await owner.ask(method, at(path), huge), [413], what);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      assertProblem(await owner.ask(method, at(path), 'a=b', form), [415], `${what}: a form of another site`);
    }, hasBody);
  });

  it('an unknown parameter of the query: 400', () =>
    onEach(async ({ method, path }, what) => {
      assertProblem(await owner.ask(method, `${at(path)}?surprise=1`), [400], what);
    }));

  it('a method that the address does not have: 405 with Allow', () =>
    onEach(async ({ path }, what) => {
      const refused = await owner.ask('PROPFIND', at(path));
      assertProblem(refused, [405], what);
      assert(refused.headers.get('allow'));
    }));

  it('a cross-site form post is no request of an operator', async () => {
    const refused = await post(`${server.base}/api/v1/admin/applications`, { code: 'evil', name: 'Evil' });
    assert([401, 415].includes(refused.status));
  });

  it('a repeated Idempotency-Key: the same answer, secret included; another body is 409', async () => {
    const headers = { 'idempotency-key': 'once-1' };
    const body = { client_id: 'idem', redirect_uris: ['https://a.example/'] };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => owner.ask('POST', '/applications/shop/clients', body, headers)),
    );
    const secrets = new Set(answers.map(({ json }) => json.client_secret));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(secrets.size, 1);
    const other = await owner.ask('POST', '/applications/shop/clients', { client_id: 'idem-2' }, headers);
    assertProblem(other, [409], 'another body');
    const stranger = await anOperatorClient(server);
    const own = await stranger.ask('POST', '/applications/shop/clients', { client_id: 'idem-3' }, headers);
    assert.equal(own.status, 201, 'the keys of two callers are two keys');
  });
});
