import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseScope, scopes } from '../../../src/oauth/token/scope.rules.ts';
import { fc } from '../../build/random.ts';

const subset = fc.uniqueArray(fc.constantFrom(...scopes));

describe('scope, for all inputs', () => {
  it('never grants more than is allowed, nor anything twice', () => {
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...scopes, 'admin', ''), { maxLength: 8 }).map(words => words.join(' ')),
    );
    fc.assert(
      fc.property(text, subset, (asked, allowed) => {
        const read = parseScope(asked, allowed);
        if (read.kind === 'refused') return;
        const granted = read.scope;
        assert(granted.length > 0);
        assert.equal(new Set(granted).size, granted.length);
        for (const scope of granted) {
          const withOpenid = scope === 'address' || scope === 'offline_access';
          assert((allowed as readonly string[]).includes(scope) || (withOpenid && allowed.includes('openid')));
          assert(asked.split(' ').includes(scope));
        }
      }),
    );
  });

  it('grants exactly what was asked when all of it is allowed, in its order and however it is spaced', () => {
    const asked = fc.uniqueArray(fc.constantFrom(...scopes), { minLength: 1 });
    fc.assert(
      fc.property(asked, fc.integer({ min: 1, max: 3 }), (list, spaces) => {
        const written = list.join(' '.repeat(spaces));
        const granted = { kind: 'granted', scope: list };
        assert.deepEqual(parseScope(written, scopes), granted);
        assert.deepEqual(parseScope(`${written} ${written}`, scopes), granted);
      }),
    );
  });

  it('is refused as a whole when one word of it is not allowed', () => {
    const stranger = fc
      .stringMatching(/^[!#-[\]-~]{1,12}$/)
      .filter(word => !(scopes as readonly string[]).includes(word));
    fc.assert(
      fc.property(subset, stranger, fc.nat(4), (list, word, at) => {
        const words: string[] = [...list];
        words.splice(at, 0, word);
        assert.deepEqual(parseScope(words.join(' '), scopes), { kind: 'refused', token: word });
      }),
    );
  });
});
