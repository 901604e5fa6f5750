import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  carrierOf,
  carriers,
  isResponseMode,
  isSigned,
  responseLocation,
} from '../../../src/oauth/authorize/response-mode.rules.ts';

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

  it('are three, and each signed', () => {
    assert.deepEqual([...carriers], ['query', 'fragment', 'form_post']);
    for (const mode of carriers) {
      assert.deepEqual([isResponseMode(mode), isSigned(mode), carrierOf(mode)], [true, false, mode]);
      const signed = `${mode}.jwt` as const;
      assert.deepEqual([isResponseMode(signed), isSigned(signed), carrierOf(signed)], [true, true, mode]);
    }
    for (const text of ['', 'Query', 'web_message', 'query.jwt.jwt', 'jwt', '.jwt', 'constructor'])
      assert.equal(isResponseMode(text), false, text);
  });
});
