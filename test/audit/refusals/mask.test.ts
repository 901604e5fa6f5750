import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hide, isUnmasked, maskRandom, showUri, showWords } from '../../../src/audit/refusals/mask.ts';
import { isMisspelt, misspeltName } from '../../../src/audit/refusals/similar.ts';
import { fc } from '../../build/random.ts';

const RANDOM = '9fJk2LmQ8rTz4XwB7cVn0Pq';

describe('what of a value is stored', () => {
  for (const [text, kind] of [
    [`gac_${RANDOM}`, 'authorization code'],
    [`gat_${RANDOM}`, 'access token'],
    [`grt_${RANDOM}`, 'refresh token'],
    [`gse_${RANDOM}`, 'session id'],
    [`gak_${RANDOM}`, 'API key'],
    ['hunter2', 'text'],
    ['a.b.c', 'text'],
  ] as const) {
    it(`${text.slice(0, 4)}…: its kind and length`, () =>
      assert.deepEqual(hide(text), { hidden: kind, length: text.length }));
  }

  it('of a JWT: type, end, and the application if the issuer is ours', () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const jwt = (iss: string) =>
      `${part({ typ: 'at+jwt', kid: 'k' })}.${part({ iss, exp: 7, sub: 'alice' })}.${RANDOM}`;
    const prefix = 'https://id.example/api/v1/authorize/';
    const ours = hide(jwt(`${prefix}shop/oauth2`), prefix);
    assert('hidden' in ours);
    assert.deepEqual([ours.hidden, ours.jwt], ['JWT', { typ: 'at+jwt', expiresAt: 7, app: 'shop' }]);
    const other = hide(jwt('https://other.example/api/v1/authorize/shop/oauth2'), prefix);
    assert('hidden' in other && other.jwt?.app === undefined);
  });

  for (const [text, note] of [
    ['secret\n', 'ends with a line break'],
    [' secret', 'begins or ends with white space'],
    ['"secret"', 'stands in quotation marks'],
    ['a%2Fb', 'is still percent-encoded'],
  ] as const) {
    it(`${JSON.stringify(text)}: ${note}`, () => {
      const hidden = hide(text);
      assert('hidden' in hidden);
      assert.deepEqual(hidden.notes, [note]);
    });
  }

  const uris: readonly (readonly [string, string | undefined])[] = [
    ['https://shop.example/callback?lang=de', 'https://shop.example/callback?lang=de'],
    ['https://Shop.Example.Company/Call', 'https://Shop.Example.Company/Call'],
    [
      'https://t.example/3f2504e0-4f89-11d3-9a0c-0305e82c3301/cb',
      'https://t.example/3f2504e0-4f89-11d3-9a0c-0305e82c3301/cb',
    ],
    ['https://user:hunter2@shop.example/', 'https://…@shop.example/'],
    [`https://shop.example/?t=${RANDOM}`, 'https://shop.example/?t=…'],
    [`https://shop.example/gat_${RANDOM}`, 'https://shop.example/…'],
    [`https://shop.example/gdc_${RANDOM}/gar_${RANDOM}`, 'https://shop.example/…/…'],
    [`https://shop.example/gia_${RANDOM}/gra_${RANDOM}`, 'https://shop.example/…/…'],
    ['com.shop.app:/cb', 'com.shop.app:/cb'],
    ['hunter2', undefined],
    [`https://${'x'.repeat(600)}`, undefined],
  ];
  for (const [uri, shown] of uris) {
    it(`the URI ${uri.slice(0, 60)}`, () => {
      const value = showUri(uri);
      assert.equal('shown' in value ? value.shown : undefined, shown);
      assert.equal(isUnmasked(value), shown === uri);
    });
  }

  it('words of the field, and misspelt ones; others by their length', () => {
    const known = ['openid', 'profile'];
    assert.deepEqual(showWords('openid profil', known), { shown: 'openid profil' });
    assert.deepEqual(showWords('openid hunter2', known), { shown: 'openid (7 characters)' });
    assert.deepEqual(showWords('openid read:all', known, 'read:all'), { shown: 'openid read:all' });
    assert.deepEqual(showWords('hunter2', known), { hidden: 'text', length: 7 });
    // To compare so many words that are nearly known ones takes long.
    assert.deepEqual(showWords('opemid '.repeat(9000).trim(), known), { hidden: 'text', length: 62_999 });
  });

  it('no credential of ours passes, wherever it stands', () => {
    const credential = fc.constantFrom('gac_', 'gat_', 'grt_', 'gse_', 'gak_').map(prefix => prefix + RANDOM + RANDOM);
    fc.assert(
      fc.property(credential, fc.webPath(), fc.webQueryParameters(), (secret, path, query) => {
        for (const text of [
          `https://a.example${path}/${secret}?${query}`,
          `https://a.example${path}?${query}&c=${secret}`,
        ]) {
          assert(!JSON.stringify([showUri(text), maskRandom(text), hide(text)]).includes(RANDOM));
        }
      }),
    );
  });
});

describe('misspelt names', () => {
  for (const [text, name, is] of [
    ['plian', 'plain', true],
    ['WEB', 'web', true],
    [' web ', 'web', true],
    ['shop-wbe', 'shop-web', true],
    ['authorisation_code', 'authorization_code', true],
    ['web', 'app', false],
    ['hunter2', 'shop-web', false],
  ] as const) {
    it(`${JSON.stringify(text)} and ${name}: ${is}`, () => assert.equal(isMisspelt(text, name), is));
  }

  it('the closest is meant', () =>
    assert.equal(misspeltName('shop-wep', ['shop-api', 'shop-web', 'shop-wxx']), 'shop-web'));
});
