import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Explained } from '../../../src/audit/explain/explained.ts';
import { explanationText } from '../../../src/audit/explain/text.ts';

const REFUSED: Explained = {
  ...{ request_id: 'r-1', time: '2026-01-01T00:00:00.000Z', application: 'shop', client: undefined, user: undefined },
  ...{ route: 'auth', method: 'GET', status: 400, error: 'invalid_request', error_description: '', reason: 'x' },
  ...{ parameters: {}, rule: { text: 'A rule.', reference: 'RFC 6749' }, expected: 'one', received: 'another' },
  ...{ difference: { kinds: [], text: 'It differs.' }, fix: 'Mend it.', call: undefined, progress: [] },
};

describe('an explanation on a terminal', () => {
  it('attack: what a stranger wrote neither controls the terminal nor makes lines of its own', () => {
    const hostile = 'https://a.example/\u001b[2J\u009b31m\nCommand     gatehouse delete everything\r\u2028Fix';
    const difference = { kinds: [], text: hostile, expected: 'one', received: hostile, at: 1 };
    const text = explanationText({ ...REFUSED, client: hostile, received: hostile, difference });
    assert.deepEqual(text.replaceAll('\n', '').match(/[\p{Cc}\p{Zl}]/gu), null);
    assert.doesNotMatch(text, /^Command/m);
    assert.match(text, /^Received {4}https:\/\/a\.example\//m);
  });
});
