import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertPage, delivered } from '../../build/delivered.ts';
import { aClient } from '../../build/fixture.ts';
import { signedIn, tokensOf } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, query, Visitor } from '../../build/visitor.ts';

const BYE = 'https://client.example/bye';
const BYE_QUERY = 'https://client.example/bye?from=shop';
const OTHER_BYE = 'https://other.example/bye';

const clients = [
  aClient({ post_logout_redirect_uris: [BYE, BYE_QUERY] }),
  aClient({ client_id: 'other', post_logout_redirect_uris: [OTHER_BYE] }),
];
const server = suiteServer({ clients });

const end = (fields: Fields) => `${server.at()}/logout?${query(fields)}`;
const isSignedIn = async (visitor: Visitor) =>
  'code' in delivered(await visitor.go(authorizationUrl(server, { prompt: 'none' }))).fields;

async function someone() {
  const visitor = await signedIn(server);
  return { visitor, set: await tokensOf(server, visitor) };
}

describe('post_logout_redirect_uri is compared as an exact string, with a known client (RP-Initiated Logout section 3)', () => {
  const unregistered = [
    `${BYE}?x=1`,
    `${BYE}?`,
    `${BYE}#x`,
    `${BYE}/`,
    `${BYE}/..`,
    'https://client.example/BYE',
    'https://CLIENT.example/bye',
    'https://client.example:443/bye',
    'https://client.example',
    'https://client.example/cb',
    `${BYE_QUERY}&x=1`,
    'http://client.example/bye',
    'https://client.example@evil.example/bye',
    'https://evil.example/bye',
    '//evil.example/bye',
    'javascript:alert(1)',
    OTHER_BYE,
  ];
  for (const address of unregistered) {
    it(`does not follow ${address}`, async () => {
      const { visitor, set } = await someone();
      for (const fields of [{ id_token_hint: set.id_token }, { client_id: 'web' }]) {
        assertPage(await visitor.follow(end({ ...fields, post_logout_redirect_uri: address })));
        assertPage(await new Visitor(server.base).follow(end({ ...fields, post_logout_redirect_uri: address })));
      }
      assert(await isSignedIn(visitor), 'a request that is refused ends nothing');
    });
  }

  it('does not follow any without a client', async () => {
    const { visitor } = await someone();
    for (const id_token_hint of [undefined, 'nonsense']) {
      assertPage(await visitor.follow(end({ id_token_hint, post_logout_redirect_uri: BYE })));
      assertPage(await new Visitor(server.base).follow(end({ id_token_hint, post_logout_redirect_uri: BYE })));
    }
  });

  it('adds the state to the query that the address has; nothing without a state', async () => {
    const first = await someone();
    const hint = { id_token_hint: first.set.id_token, post_logout_redirect_uri: BYE_QUERY };
    assert.equal((await first.visitor.follow(end({ ...hint, state: 's' }))).location, `${BYE_QUERY}&state=s`);
    const { visitor, set } = await someone();
    const seen = await visitor.follow(end({ ...hint, id_token_hint: set.id_token }));
    assert.equal(seen.location, BYE_QUERY);
  });

  for (const [name, client_id] of [
    ['another client than the hint', 'other'],
    ['a client that does not exist', 'nobody'],
  ] as const) {
    it(`client_id of ${name}: a page, and nothing ends`, async () => {
      const { visitor, set } = await someone();
      for (const address of [undefined, BYE, OTHER_BYE]) {
        const fields = { id_token_hint: set.id_token, client_id, post_logout_redirect_uri: address };
        assertPage(await visitor.follow(end(fields)));
      }
      assert(await isSignedIn(visitor));
    });
  }

  it('client_id of the hint itself is fine', async () => {
    const { visitor, set } = await someone();
    const fields = { id_token_hint: set.id_token, client_id: 'web', post_logout_redirect_uri: BYE };
    assert.equal((await visitor.follow(end(fields))).location, BYE);
  });

  for (const name of ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state']) {
    it(`${name} twice: a page (row 17)`, async () => {
      const { visitor, set } = await someone();
      const fields = { id_token_hint: set.id_token, client_id: 'web', post_logout_redirect_uri: BYE, state: 's' };
      assertPage(await visitor.follow(`${end(fields)}&${name}=x`));
      assert(await isSignedIn(visitor));
    });
  }
});
