import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isResponseMode, responseLocation, responseModes } from '../../../src/oauth/authorize/response-mode.rules.ts';

const fields = [
  ['code', 'a b'],
  ['state', undefined],
  ['iss', 'https://x.example'],
] as const;
const encoded = 'code=a%20b&iss=https%3A%2F%2Fx.example';

describe('response modes (interface 4.1, rows 13 and 20)', () => {
  for (const [redirectUri, mode, location] of [
    ['https://c.example/cb', 'query', `https://c.example/cb?${encoded}`],
    ['https://c.example/cb', 'fragment', `https://c.example/cb#${encoded}`],
    ['https://c.example/cb?x=1', 'query', `https://c.example/cb?x=1&${encoded}`],
    ['https://c.example/cb?x=1', 'fragment', `https://c.example/cb?x=1#${encoded}`],
    ['https://c.example/cb?', 'query', `https://c.example/cb?${encoded}`],
    ['https://c.example/cb?x=1&', 'query', `https://c.example/cb?x=1&${encoded}`],
    ['https://c.example', 'query', `https://c.example?${encoded}`],
    ['com.example.app:/cb', 'query', `com.example.app:/cb?${encoded}`],
    ['http://127.0.0.1:1234/cb', 'query', `http://127.0.0.1:1234/cb?${encoded}`],
  ] as const) {
    it(`${redirectUri} by ${mode} is ${location}`, () => {
      assert.equal(responseLocation(redirectUri, mode, fields), location);
    });
  }

  it('are three', () => {
    assert.deepEqual([...responseModes], ['query', 'fragment', 'form_post']);
    for (const mode of responseModes) assert.equal(isResponseMode(mode), true);
    for (const text of ['', 'Query', 'web_message', 'query.jwt', 'constructor'])
      assert.equal(isResponseMode(text), false);
  });
});
