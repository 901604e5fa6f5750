import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { responseLocation } from '../../../src/oauth/authorize/response-mode.rules.ts';
import { fc } from '../../build/random.ts';

const value = fc.string({
  unit: fc.oneof(fc.constantFrom(...'&=+%# ?/"\n'), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })),
});
const fields = fc.record({ code: value, state: value, iss: value }, { requiredKeys: ['code'] });
const redirectUri = fc.stringMatching(
  /^https:\/\/[a-z]{1,5}\.example(\/[a-z]{0,4}){0,2}(\?([a-z]=[a-z0-9]{0,3}&?){0,2})?$/,
);

describe('response modes, for all inputs', () => {
  it('what is put in comes out at the other end, beside what the redirect address had', () => {
    fc.assert(
      fc.property(redirectUri, fields, fc.constantFrom('query', 'fragment'), (uri, answer, mode) => {
        const location = responseLocation(uri, mode as 'query' | 'fragment', Object.entries(answer));
        assert(location.startsWith(uri));
        const there = new URL(location);
        const read = mode === 'query' ? there.searchParams : new URLSearchParams(there.hash.slice(1));
        for (const [name, text] of Object.entries(answer)) assert.equal(read.getAll(name).at(-1), text);
        for (const [name, text] of new URL(uri).searchParams) assert(there.searchParams.getAll(name).includes(text));
        if (mode === 'query') assert.equal(there.hash, '');
        else assert.equal(there.search, new URL(uri).search);
      }),
    );
  });

  it('writes no plus sign, no space and no line break', () => {
    fc.assert(
      fc.property(redirectUri, fields, fc.constantFrom('query', 'fragment'), (uri, answer, mode) => {
        const location = responseLocation(uri, mode as 'query' | 'fragment', Object.entries(answer));
        assert.doesNotMatch(location, /[+\s]/);
        assert.match(location, /^[\x21-\x7e]+$/);
      }),
    );
  });

  it('cannot lead to another host or path than the redirect address', () => {
    fc.assert(
      fc.property(redirectUri, fields, fc.constantFrom('query', 'fragment'), (uri, answer, mode) => {
        const there = new URL(responseLocation(uri, mode as 'query' | 'fragment', Object.entries(answer)));
        assert.equal(there.host, new URL(uri).host);
        assert.equal(there.pathname, new URL(uri).pathname);
      }),
    );
  });
});
