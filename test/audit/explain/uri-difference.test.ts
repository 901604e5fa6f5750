import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { closestUri, isSameOrigin, uriDifference } from '../../../src/audit/explain/uri-difference.ts';
import { fc } from '../../build/random.ts';

const CALLBACK = 'https://shop.example/callback';

describe('the difference between two redirect URIs (row 12)', () => {
  const table: readonly (readonly [registered: string, received: string, kinds: readonly string[], text?: RegExp])[] = [
    [
      CALLBACK,
      `${CALLBACK}/`,
      ['trailing-slash'],
      /^The received one ends with a slash, the registered one does not\.$/,
    ],
    [
      `${CALLBACK}/`,
      CALLBACK,
      ['trailing-slash'],
      /^The registered one ends with a slash, the received one does not\.$/,
    ],
    ['https://shop.example', 'https://shop.example/', ['trailing-slash']],
    [CALLBACK, 'http://shop.example/callback', ['scheme'], /begins with https:, the received one with http:/],
    [CALLBACK, 'https://SHOP.example/callback', ['case'], /The host is written SHOP\.example/],
    [CALLBACK, 'https://shop.example/Callback', ['case'], /The path is written \/Callback/],
    [
      CALLBACK,
      'https://www.shop.example/callback',
      ['host'],
      /host is shop\.example, the received one www\.shop\.example/,
    ],
    [CALLBACK, 'https://shop.example:443/callback', ['port'], /has no port, the received one the port 443/],
    ['http://localhost:3000/cb', 'http://127.0.0.1:3000/cb', ['host'], /the same machine, and are compared as text/],
    ['http://localhost:3000/cb', 'http://localhost:3001/cb', ['port'], /the port 3000, the received one the port 3001/],
    ['http://[::1]:3000/cb', 'http://[::1]:3001/cb', ['port']],
    [CALLBACK, `${CALLBACK}?lang=de`, ['extra-query'], /has a query \(lang\)/],
    [`${CALLBACK}?a=1`, CALLBACK, ['missing-query'], /has the query \?a=1/],
    [`${CALLBACK}?a=1`, `${CALLBACK}?a=2`, ['query']],
    [CALLBACK, `${CALLBACK}#top`, ['fragment']],
    [CALLBACK, 'https://shop.example//callback', ['extra-slash']],
    [CALLBACK, 'https://shop.example/./callback', ['dot-segments']],
    [CALLBACK, 'https://shop.example/%63allback', ['encoding'], /The same path is encoded/],
    ['https://shop.example/a%2Fb', 'https://shop.example/a/b', ['encoding']],
    [CALLBACK, 'https%3A%2F%2Fshop.example%2Fcallback', ['encoding'], /encoded twice/],
    [CALLBACK, ` ${CALLBACK}`, ['white-space']],
    [CALLBACK, `${CALLBACK}\n`, ['white-space']],
    [CALLBACK, 'https://u:p@shop.example/callback', ['user']],
    [CALLBACK, 'https://shop.example/', ['path'], /path is \/callback, the received one \//],
    [CALLBACK, 'https://shop.example', ['path'], /the received one empty/],
    [CALLBACK, 'http://shop.example/callback/', ['scheme', 'trailing-slash']],
    ['com.shop.app:/cb', 'com.shop.app://cb', ['host', 'path']],
  ];
  for (const [registered, received, kinds, text] of table) {
    it(`${registered} and ${JSON.stringify(received)}: ${kinds.join(', ')}`, () => {
      const difference = uriDifference(registered, received);
      assert.deepEqual(difference.kinds, kinds, difference.text);
      if (text) assert.match(difference.text, text);
      assert.equal(registered.slice(0, difference.at), received.slice(0, difference.at));
      assert.notEqual(registered[difference.at ?? 0], received[difference.at ?? 0]);
    });
  }

  it('calls the other side what it is', () => {
    assert.match(uriDifference(CALLBACK, `${CALLBACK}/`, 'expected').text, /the expected one does not/);
  });

  it('finds one between any two that differ, and none between equal ones', () => {
    const uri = fc.webUrl({ withQueryParameters: true, withFragments: true });
    fc.assert(
      fc.property(uri, uri, (one, other) => {
        assert.equal(uriDifference(one, other).kinds.length > 0, one !== other);
      }),
    );
  });
});

describe('the registered URI that was meant', () => {
  const registered = [
    CALLBACK,
    'https://shop.example/silent',
    'https://staging.shop.example/callback',
    'http://localhost:3000/callback',
  ];
  for (const [received, meant] of [
    ['https://shop.example/callback/', CALLBACK],
    ['https://shop.example/silent?x', 'https://shop.example/silent'],
    ['https://staging.shop.example/call', 'https://staging.shop.example/callback'],
    ['http://localhost:8080/callback', 'http://localhost:3000/callback'],
    ['https://elsewhere.example/callback', CALLBACK],
  ] as const) {
    it(`${received} → ${meant}`, () => assert.equal(closestUri(registered, received), meant));
  }

  it('is none where none is registered', () => assert.equal(closestUri([], CALLBACK), undefined));
});

describe('the same site', () => {
  for (const [one, other, isSame] of [
    [CALLBACK, 'https://shop.example/other', true],
    [CALLBACK, 'https://SHOP.example/other', true],
    [CALLBACK, 'http://shop.example/callback', false],
    [CALLBACK, 'https://shop.example:8443/callback', false],
    [CALLBACK, 'https://shop.example.evil.example/callback', false],
    [CALLBACK, 'https://shop.example@evil.example/callback', false],
    [CALLBACK, 'https://evil.example/https://shop.example/callback', false],
    ['com.shop.app:/cb', 'com.shop.app:/evil', false],
  ] as const) {
    it(`${one} and ${other}: ${isSame}`, () => assert.equal(isSameOrigin(one, other), isSame));
  }
});
