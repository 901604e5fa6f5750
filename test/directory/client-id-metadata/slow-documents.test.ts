import assert from 'node:assert/strict';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { beforeEach, describe, it } from 'node:test';
import { requestUrl } from '../../build/assistant.ts';
import { get, introspect } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { openDocumentServer } from '../../build/document-server.ts';
import { elsewhere } from '../../build/limits.ts';
import { suitePart } from '../../build/suite-part.ts';
import { IMPATIENT, suiteServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const clock = fixedClock();

describe('attacks by client ID metadata documents that do not come', () => {
  const documents = suitePart(openDocumentServer);
  const impatient = suiteServer({
    clock,
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1', ...IMPATIENT },
    shop: { client_id_metadata: 'any' },
  });
  const patient = suiteServer({
    clock,
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1', GATEHOUSE_OUTBOUND_TIMEOUT: '60' },
    shop: { client_id_metadata: 'any' },
  });
  let path = '';
  let paths = 0;
  beforeEach(() => {
    path = `/slow-${++paths}`;
  });

  it('a slow document holds a request until the timeout of outbound requests, and all that wait for it fail together', async () => {
    let finish = () => {};
    const when = new Promise<void>(resolve => {
      finish = resolve;
    });
    documents.answer(path, { headers: JSON_TYPE, body: '{}', when });
    const askOnce = () => get(requestUrl(impatient, documents.at(path)), { accept: 'text/html', ...elsewhere() });
    const answers = await Promise.all(Array.from({ length: 5 }, askOnce));
    finish();
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([400]));
    assert.equal(documents.count(path), 1);
    assert.equal((await askOnce()).status, 400);
    assert.equal(documents.count(path), 1, 'a failure is remembered');
  });

  it('of 300 requests for documents that never end, 100 wait and the others are refused at once', async () => {
    let finish = () => {};
    const when = new Promise<void>(resolve => {
      finish = resolve;
    });
    const slow = [documents.at(path), documents.at(`${path}-other`)] as const;
    for (const id of slow) documents.answer(new URL(id).pathname, { headers: JSON_TYPE, body: '{}', when });
    const askFor = (id: string) => get(requestUrl(patient, id), { accept: 'text/html', ...elsewhere() });
    let answered = 0;
    const asked = Array.from({ length: 300 }, async (_, each) => {
      const { status } = await askFor(slow[each < 150 ? 0 : 1]);
      answered++;
      return status;
    });
    await until('200 were refused', () => answered >= 200);
    const { status, json } = await introspect(patient, { token: 'x', token_type_hint: 'access_token' });
    assert.deepEqual([status, json, answered], [200, { active: false }, 200], 'the rest of the server goes on');
    finish();
    assert.deepEqual(new Set(await Promise.all(asked)), new Set([400]));
    assert.equal((await askFor(documents.publish(`${path}-known`))).status, 302, 'their places are free again');
  });

  it('of hosts whose name servers never answer one holds a thread, and only for as long as its lookup takes', async t => {
    const lookups: { readonly name: string; readonly answer: () => void }[] = [];
    const mocked = t.mock.method(dns, 'lookup', (name: string, _options: unknown, done: (error: Error) => void) => {
      lookups.push({ name, answer: () => done(new Error('no such name')) });
    });
    syncBuiltinESMExports();
    t.after(() => {
      mocked.mock.restore();
      syncBuiltinESMExports();
    });
    const asked = Array.from({ length: 30 }, (_, n) =>
      get(requestUrl(impatient, `https://a${n}.tarpit.example/x`), { accept: 'text/html', ...elsewhere() }),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([400]));
    assert.equal(lookups.length, 1);
    lookups[0]?.answer();
    const next = get(requestUrl(impatient, 'https://honest.example/x'), { accept: 'text/html', ...elsewhere() });
    await until('the next is looked up', () => lookups.at(-1)?.name === 'honest.example');
    lookups.at(-1)?.answer();
    assert.equal((await next).status, 400);
  });
});
