import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { anApplication } from '../../build/fixture.ts';
import { suitePart } from '../../build/suite-part.ts';
import { emptyDatabase, startTestServer, type TestServer, type TestServerOptions } from '../../build/test-server.ts';
import { Visitor } from '../../build/visitor.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';
import { answerOf, aSamlProvider, audienceOf, callbackAt, keepCookies, post } from './corp.ts';
import { NOW } from './messages.ts';

/** Two nodes on one store, behind one address. */
describe('SAML on several nodes', () => {
  const folder = suitePart(temporaryFolder);
  const database = suitePart(() => emptyDatabase(folder.file('.')));
  const nodeWith = (given: TestServerOptions) => {
    const env = { DATABASE_URL: database.url, BASE_URL: 'https://id.example.com' };
    return startTestServer({ clock: { now: () => NOW }, env, ...given });
  };
  const one = suitePart(() => nodeWith({}));
  const other = suitePart(() => nodeWith({ applications: [], users: [] }));
  before(async () => {
    await one.provision({
      providers: [aSamlProvider({ allow_unsolicited: true })],
      applications: [anApplication({ providers: ['corp'] })],
    });
    await other.services.registry.refresh();
  });
  const address = { base: 'https://id.example.com' };

  /** Through one node: the post, and the browser that follows. */
  const signInAt = async (node: TestServer, xml: string) => {
    const visitor = new Visitor(node.base);
    const here = (url = '') => url.replace(address.base, node.base);
    let seen = await post(node, xml);
    keepCookies(visitor, seen);
    for (let hops = 0; hops < 4 && seen.location?.includes('/callback?'); hops++) {
      seen = await visitor.go(here(seen.location));
    }
    return seen;
  };

  it('an assertion is good once, whichever nodes get it, also at the same moment', async () => {
    const xml = answerOf(address, null, { nameId: 'u-1' });
    const seen = await Promise.all([one, other, one, other].map(node => signInAt(node, xml)));
    const ends = seen.map(({ location }) => new URL(location ?? 'none:').pathname);
    assert.deepEqual(ends.toSorted(), ['/account', '/login', '/login', '/login']);
    const again = await signInAt(other, xml);
    assert.equal(new URL(again.location ?? 'none:').pathname, '/login');
  });

  it('both make one key, and publish the same one', async () => {
    const path = new URL(audienceOf(address)).pathname;
    const texts = await Promise.all([one, other].map(node => new Visitor(node.base).go(`${node.base}${path}`)));
    assert.equal(texts[0]?.status, 200);
    assert.equal(texts[0]?.text, texts[1]?.text);
    assert(texts[0]?.text.includes(callbackAt(address)));
  });
});
