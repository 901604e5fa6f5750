import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadTables } from '../../../src/assembly/tables.ts';
import type { Reply } from '../../../src/platform/http/message.ts';
import { noBody, type Route } from '../../../src/platform/http/route.ts';
import { createRouter } from '../../../src/platform/http/router.ts';

const { routes } = await loadTables();

const EMPTY: Reply = { status: 204, headers: {}, body: '' };
const methods = { GET: noBody(async () => EMPTY) };
const page = (pattern: string): Route => ({
  kind: 'page',
  pattern,
  name: pattern,
  errors: 'json',
  cors: 'none',
  methods,
});
const endpoint = (pattern: string): Route => ({ ...page(pattern), kind: 'endpoint' });

const ITEM = '/things/{id}';
const PART = '/things/{id}/parts/{part}';
const router = createRouter([
  page('/things'),
  page(ITEM),
  page('/things/{id}/parts'),
  page(PART),
  page('/things/{id}/parts/newest'),
  page('/things/all'),
  page('/{first}/last'),
  endpoint('/apps/{app}/oauth2/token'),
  endpoint('/apps/{app}/oauth2/clients/{client}'),
  { ...page('/things/*'), methods: {} },
]);

/** The pattern that a path matches, its application and its parameters. */
function matched(path: string): [pattern: string, app: string, params: Record<string, string>] | undefined {
  const match = router(path);
  return match && [match.route.pattern, match.app, { ...match.params }];
}

describe('a path finds its route', () => {
  const cases: [path: string, expected: ReturnType<typeof matched>][] = [
    ['/things', ['/things', '', {}]],
    ['/things/7', [ITEM, '', { id: '7' }]],
    ['/things/7/parts', ['/things/{id}/parts', '', { id: '7' }]],
    ['/things/7/parts/2', [PART, '', { id: '7', part: '2' }]],
    ['/apps/shop/oauth2/token', ['/apps/{app}/oauth2/token', 'shop', {}]],
    ['/apps/shop/oauth2/clients/a%20b', ['/apps/{app}/oauth2/clients/{client}', 'shop', { client: 'a b' }]],
    ['/nowhere', undefined],
    ['/', undefined],
    ['', undefined],
    ['*', undefined],
    ['/thing', undefined],
    ['/thingsx', undefined],
    ['/Things', undefined],
  ];
  for (const [path, expected] of cases) it(path || 'an empty one', () => assert.deepEqual(matched(path), expected));
});

describe('a literal segment wins over a parameter, whatever the order of the rows', () => {
  it('at the end', () => assert.equal(matched('/things/all')?.[0], '/things/all'));
  it('below a parameter', () => assert.equal(matched('/things/7/parts/newest')?.[0], '/things/{id}/parts/newest'));
  it('and leaves no parameter of a branch that led nowhere', () =>
    assert.deepEqual(matched('/things/last'), [ITEM, '', { id: 'last' }]));
  it('a branch that leads nowhere hides no other', () =>
    assert.deepEqual(matched('/apps/last'), ['/{first}/last', '', { first: 'apps' }]));
});

describe('hostile segments', () => {
  const cases: [name: string, path: string, expected: ReturnType<typeof matched>][] = [
    ['an encoded slash stays in its segment', '/things/a%2Fb', [ITEM, '', { id: 'a/b' }]],
    ['dot segments are a value, and lead nowhere else', '/things/..', [ITEM, '', { id: '..' }]],
    ['encoded dot segments too', '/things/%2e%2e/parts', ['/things/{id}/parts', '', { id: '..' }]],
    ['text beyond ASCII', '/things/%E7%8E%8B', [ITEM, '', { id: '王' }]],
    ['a plus sign is no space in a path', '/things/a+b', [ITEM, '', { id: 'a+b' }]],
    ['decoded once', '/things/%252F', [ITEM, '', { id: '%2F' }]],
    ['the name of a prototype', '/things/__proto__', [ITEM, '', { id: '__proto__' }]],
    [
      'the code of an application is not decoded',
      '/apps/%73hop/oauth2/token',
      ['/apps/{app}/oauth2/token', '%73hop', {}],
    ],
  ];
  for (const [name, path, expected] of cases) it(name, () => assert.deepEqual(matched(path), expected));

  const nothing: [name: string, segment: string][] = [
    ['a percent sign alone', '%'],
    ['half an escape', '%2'],
    ['no hexadecimal', '%zz'],
    ['bytes that are no UTF-8', '%ff'],
    ['an overlong slash', '%c0%af'],
    ['half a surrogate pair', '%ed%a0%80'],
    ['NUL', 'a%00b'],
    ['an empty segment', ''],
  ];
  for (const [name, segment] of nothing) {
    it(`${name} names nothing`, () => {
      assert.equal(matched(`/things/${segment}/parts`)?.[0], '/things/*');
    });
  }

  it('a segment of 40,000 characters', () => {
    const long = 'x'.repeat(40_000);
    assert.deepEqual(matched(`/things/${long}`), [ITEM, '', { id: long }]);
  });
  it('20,000 segments', () => assert.equal(matched('/things'.repeat(20_000))?.[0], '/things/*'));
});

describe('a table of routes', () => {
  it('has one row for a pattern', () => {
    assert.throws(() => createRouter([page('/a/{b}'), page('/a/{c}')]), /two routes/);
  });

  it('of the server: every pattern finds its own row', () => {
    const own = createRouter(routes);
    for (const route of routes) assert.equal(own(route.pattern.replaceAll(/\{(\w+)\}/g, '$1'))?.route, route);
  });
});
