import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimsFault } from '../../../src/oauth/dpop/rules.ts';
import { fc } from '../../build/random.ts';

const URL_OF_REQUEST = 'https://id.example/api/v1/authorize/shop/oauth2/token';
const expected = { method: 'POST', url: URL_OF_REQUEST, accessToken: undefined };
const faultOf = (htu: unknown) => claimsFault({ htm: 'POST', htu, jti: 'x', iat: 1 }, expected)?.fault;

describe('htu (RFC 9449 section 4.3)', () => {
  for (const htu of [
    URL_OF_REQUEST,
    'HTTPS://ID.example/api/v1/authorize/shop/oauth2/token',
    'https://id.example:443/api/v1/authorize/shop/oauth2/token',
    `${URL_OF_REQUEST}?a=b`,
    `${URL_OF_REQUEST}#c`,
    'https://id.example/api/v1/./authorize/x/../shop/oauth2/token',
  ]) {
    it(`is this address: ${htu}`, () => assert.equal(faultOf(htu), undefined));
  }

  for (const htu of [
    'http://id.example/api/v1/authorize/shop/oauth2/token',
    'http://id.example:443/api/v1/authorize/shop/oauth2/token',
    'https://id.example:8443/api/v1/authorize/shop/oauth2/token',
    'https://id.example./api/v1/authorize/shop/oauth2/token',
    'https://id.example@evil.example/api/v1/authorize/shop/oauth2/token',
    'https://:@id.example:1/api/v1/authorize/shop/oauth2/token',
    'https:id.example/api/v1/authorize/shop/oauth2/token\t',
    'https:\\\\id.example\\api/v1/authorize/shop/oauth2/token',
    'blob:https://id.example/api/v1/authorize/shop/oauth2/token',
    'https://id.example/api/v1/authorize/shop/oauth2/Token',
    'https://id.example/api/v1/authorize/shop/oauth2/token/',
    'https://id.example//api/v1/authorize/shop/oauth2/token',
    'https://id.example/api/v1/authorize/shop/oauth2/token%2f',
    undefined,
    null,
    [URL_OF_REQUEST],
  ]) {
    it(`is another: ${JSON.stringify(htu)}`, () => assert.equal(faultOf(htu), 'address'));
  }

  it('property: with one character of host or path changed it is another', () => {
    const start = 'https://'.length;
    const places = fc.integer({ min: start, max: URL_OF_REQUEST.length - 1 });
    fc.assert(
      fc.property(places, fc.string({ minLength: 1, maxLength: 1, unit: 'binary-ascii' }), (at, character) => {
        const changed = URL_OF_REQUEST.slice(0, at) + character + URL_OF_REQUEST.slice(at + 1);
        const isHost = at < 'https://id.example'.length;
        const isSame = isHost && character.toLowerCase() === URL_OF_REQUEST[at];
        if (character === URL_OF_REQUEST[at] || isSame) return;
        assert.equal(faultOf(changed), 'address', changed);
      }),
      { numRuns: 3000 },
    );
  });
});
