import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readJson } from '../../../src/platform/http/read-json.ts';
import { send } from '../../build/client.ts';
import { fc } from '../../build/random.ts';
import { assertProblem, useRestServer } from './rest-routes-fixture.ts';

const rest = useRestServer();
const { ask } = rest;

describe('a JSON body is I-JSON (RFC 7493), bounded, and cannot reach a prototype', () => {
  const put = (body: string) => ask('PUT', '/api/things/7', body);

  it('an empty one is no value, whatever its content type', async () => {
    assert.equal((await put('')).json.hasValue, false);
    assert.equal((await ask('PUT', '/api/things/7')).json.hasValue, false);
  });

  for (const value of [
    'null',
    '0',
    '-1.5e3',
    '"a"',
    '[]',
    '{}',
    '[1,{"a":[{"b":"}"}]},"\\"",","]',
    ' {"a" : {"a" : "a"}, "b":"a"} ',
  ]) {
    it(`takes ${value}`, async () => {
      const answered = await put(value);
      assert.equal(answered.status, 200, answered.text);
      assert.deepEqual(answered.json.value, JSON.parse(value));
    });
  }

  const cases: [name: string, body: string, pointer: string, detail: RegExp][] = [
    ['text that is no JSON', '{"a":', '', /no JSON/],
    ['a comment', '{} // and more', '', /no JSON/],
    ['two values', '{}{}', '', /no JSON/],
    ['NaN', 'NaN', '', /no JSON/],
    ['a byte order mark', '\uFEFF{}', '', /no JSON/],
    ['a member twice', '{"a":1,"b":{"c":[0,{"d":1,"d":2}]}}', '/b/c/1/d', /twice/],
    ['a member twice, once escaped', '{"a":1,"\\u0061":2}', '/a', /twice/],
    ['__proto__', '{"a":{"__proto__":{"admin":true}}}', '/a/__proto__', /name/],
    ['__proto__, escaped', '{"__proto\\u005f\\u005f":{"admin":true}}', '/__proto__', /name/],
    ['NUL in a value', '{"a":["b","\\u0000"]}', '/a/1', /cannot be stored/],
    ['NUL in a name', '{"a\\u0000":1}', '/a\0', /cannot be stored/],
    ['half a surrogate pair', '{"a/b":{"c~d":"\\ud800"}}', '/a~1b/c~0d', /cannot be stored/],
    ['33 levels', '['.repeat(33) + ']'.repeat(33), '/0'.repeat(32), /deeper than 32/],
    ['30,000 levels', '['.repeat(30_000) + ']'.repeat(30_000), '/0'.repeat(32), /deeper than 32/],
    ['2,001 members', `[${objects(1001)},${objects(1000)}]`, '', /More than 2000 members/],
    ['30,000 levels that never end', '['.repeat(30_000), '/0'.repeat(32), /deeper than 32/],
    ['a string that never ends', '{"a', '', /no JSON/],
    ['a string that ends with a backslash', '{"a\\', '', /no JSON/],
    ['an escape that is none', '{"a":"\\x"}', '', /no JSON/],
    ['a member twice in what is no JSON', '{"a":1,"a":2', '', /no JSON/],
    ['objects 33 deep', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, '/a'.repeat(32), /deeper than 32/],
  ];
  for (const [name, body, pointer, detail] of cases) {
    it(`refuses ${name}`, async () => {
      const answered = await put(body);
      assertProblem(answered, 400, /not JSON/, answered.json?.errors);
      assert.equal(answered.json.errors.length, 1);
      assert.equal(answered.json.errors[0].pointer, pointer);
      assert.match(answered.json.errors[0].detail, detail);
    });
  }

  it('takes 2,000 members, and colons in texts', async () => {
    assert.equal((await put(`[${objects(1000)},${objects(1000)},"${':'.repeat(3000)}"]`)).status, 200);
  });

  it('takes 32 levels', async () => assert.equal((await put('['.repeat(32) + ']'.repeat(32))).status, 200));

  it('refuses bytes that are no UTF-8', async () => {
    const body = Buffer.from([0x22, 0xff, 0x22]);
    const headers = { 'content-type': 'application/json' };
    assertProblem(await send(`${rest.base}/api/things/7`, { method: 'PUT', body, headers }), 400, /UTF-8/);
  });

  it('every value without those comes through unchanged, however it is written (property)', () => {
    const headers = { 'content-type': 'application/json' };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const body = JSON.stringify(value, undefined, indent);
        fc.pre(!/__proto__|\\u0000/.test(body));
        assert.deepEqual(readJson({ headers, body }, 'json'), { value: JSON.parse(body) });
      }),
      { numRuns: 2000 },
    );
  });

  it('a prototype stays as it was', () => assert.equal('admin' in {}, false));
});

/** An object with so many members. */
function objects(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1])));
}
