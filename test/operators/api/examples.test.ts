import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { get } from '../../build/client.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer, suiteServer } from '../../build/test-server.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

interface Documented {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly example?: unknown }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { example?: unknown }>> }>>;
}

interface Listed {
  readonly path: string;
  readonly method: string;
  readonly operation: Documented;
}

const VARYING = ['cursor', 'from', 'to'];

describe('the examples of the OpenAPI document', () => {
  const server = suiteServer();
  let all: Listed[];
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    const { json } = await get(`${server.base}/api/v1/admin/openapi.json`);
    all = Object.entries(json.paths as Record<string, Record<string, Documented>>).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    );
  });

  const bodyOf = ({ requestBody }: Documented) => Object.values(requestBody?.content ?? {})[0];
  const answerOf = ({ responses }: Documented) => {
    const [, answer] = Object.entries(responses).find(([status]) => status !== 'default') ?? [];
    return Object.values(answer?.content ?? {})[0];
  };

  it('every operation has one of its parameters, its body and its answer', () => {
    for (const { operation } of all) {
      const { operationId, parameters } = operation;
      for (const { name, in: where, example } of parameters) {
        if (where !== 'header') assert.notEqual(example, undefined, `${operationId} ${name}`);
      }
      for (const media of [bodyOf(operation), answerOf(operation)]) {
        if (media) assert.notEqual(media.example, undefined, operationId);
      }
    }
  });

  it('a server takes every body: what it refuses, it refuses for what is stored, not for what was sent', async () => {
    const withBody = all.filter(({ operation }) => bodyOf(operation));
    assert(withBody.length > 20);
    for (const { path, method, operation } of withBody) {
      const at = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
        const parameter = operation.parameters.find(each => each.name === name);
        return encodeURIComponent(String(parameter?.example));
      });
      const { status, text } = await owner.ask(method, at, bodyOf(operation)?.example);
      assert([200, 201, 204, 404, 409].includes(status), `${operation.operationId}: ${status} ${text}`);
    }
  });

  it('every POST that was done is done once for an Idempotency-Key: the same answer again, and 409 for another body', async t => {
    const folder = temporaryFolder();
    t.after(folder.remove);
    const fresh = await startTestServer({ env: { MAIL_URL: `file://${folder.file('outbox')}` } });
    t.after(fresh.close);
    const owner = await anOperatorClient(fresh);
    const once = new Set<string>();
    for (const { path, operation } of all.filter(each => each.method === 'POST')) {
      const at = path
        .replace('{code}', 'shop')
        .replace('{client_id}', 'web')
        .replaceAll(/\{\w+\}/g, 'none');
      const body = bodyOf(operation)?.example as object | undefined;
      const key = { 'idempotency-key': operation.operationId };
      const [first, again] = [await owner.ask('POST', at, body, key), await owner.ask('POST', at, body, key)];
      if (first.status >= 300) continue;
      assert.deepEqual([again.status, again.text], [first.status, first.text], operation.operationId);
      const other = await owner.ask('POST', at, { ...body, surprise: 1 }, key);
      assert.equal(other.status, 409, `${operation.operationId}: ${other.status} ${other.text}`);
      once.add(operation.operationId);
    }
    for (const id of ['createClient', 'diffFile', 'importUsers', 'recordBackup', 'testMail']) assert(once.has(id), id);
  });

  it('an answer that is too long to be kept is made again', async () => {
    const applications = Array.from({ length: 1700 }, (_, n) => ({ code: `application-${n}`, name: 'x' }));
    const key = { 'idempotency-key': 'long' };
    const first = await owner.ask('POST', '/diff', { file: { applications } }, key);
    assert(first.text.length > 128 * 1024, `${first.status} ${first.text.length}`);
    const other = await owner.ask('POST', '/diff', { file: { applications: applications.slice(1) } }, key);
    assert.equal(other.json.changes.length, first.json.changes.length - 1);
  });

  it('the example of a query is one that a list takes', async () => {
    const faults: string[] = [];
    for (const { path, method, operation } of all.filter(each => each.method === 'GET' && !each.path.includes('{'))) {
      // A cursor is that of a page before, and how far back a time may be depends on the day.
      const query = operation.parameters.filter(each => each.in === 'query' && !VARYING.includes(each.name));
      const search = new URLSearchParams(query.map(({ name, example }) => [name, String(example)]));
      const { status, text } = await owner.ask(method, `${path}?${search}`);
      if (![200, 404].includes(status)) faults.push(`${operation.operationId}: ${status} ${text}`);
    }
    assert.deepEqual(faults, []);
  });
});
