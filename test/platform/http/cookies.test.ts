import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCookie } from 'cookie';
import { createCookieJar } from '../../../src/platform/http/cookies.ts';
import type { Request } from '../../../src/platform/http/message.ts';
import { fc } from '../../build/random.ts';

const NAME = 'gse';
const read = (cookie: string, base = 'http://localhost') =>
  createCookieJar(base).read({ headers: { cookie } } as unknown as Request, NAME);

describe('cookies of a request (RFC 6265 section 5.4)', () => {
  it('the one that is asked for is read as the library reads it, whatever stands around it (property)', () => {
    const piece = fc.oneof(
      fc.constantFrom(NAME, `${NAME}=`, `; ${NAME}=a`, ';', '; ', '=', ' ', '\t', '%41', '%zz', '"', 'x', `x${NAME}=1`),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece), pieces => {
        const text = pieces.join('');
        assert.equal(read(text), parseCookie(text)[NAME]);
      }),
      { numRuns: 5000 },
    );
  });

  it('on https only the one with the prefix counts', () => {
    assert.equal(read(`${NAME}=planted; __Host-${NAME}=own`, 'https://id.example'), 'own');
    assert.equal(read(`${NAME}=planted`, 'https://id.example'), undefined);
  });

  it('the others are not decoded: 6000 of them with broken encoding cost no exception', context => {
    const decoding = context.mock.method(globalThis, 'decodeURIComponent');
    const others = Array.from({ length: 6000 }, (_, index) => `c${index}=%zz`).join('; ');
    assert.equal(read(`${others}; ${NAME}=v%20w`), 'v w');
    assert.equal(decoding.mock.callCount(), 1);
  });
});
