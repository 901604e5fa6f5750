import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { basic, post, redeem, WEB } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { assertPage, delivered } from '../../build/delivered.ts';
import { aClient, CALLBACK } from '../../build/fixture.ts';
import { atLogin, logIn } from '../../build/people.ts';
import { suiteNodes } from '../../build/suite-nodes.ts';
import type { TestServer } from '../../build/test-server.ts';
import { query, type Seen, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const RACERS = 40;
const REQUEST = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: 'pushed' };
const OTHER = { id: 'other', auth: basic('other', 'other-secret-1') };

/** Two servers on one PostgreSQL: a request_uri counts once, wherever it was pushed and wherever it is used (RFC 9126 section 7.3). */
describe('pushed authorization requests on two nodes', () => {
  const clock = fixedClock();
  const clients = [aClient(), aClient({ client_id: OTHER.id, client_secret: 'other-secret-1' })];
  const nodes = suiteNodes({ clock, clients });

  const node = (at: number) => nodes[at % 2] as TestServer;
  async function pushedAt(at: number, auth = WEB): Promise<string> {
    const { json } = await withStatus(201, post(`${node(at).at()}/par`, REQUEST, { auth }));
    return json.request_uri;
  }
  const use = (at: number, request_uri: string, client_id = 'web', visitor = new Visitor(node(at).base)) =>
    visitor.go(`${node(at).at()}/auth?${query({ client_id, request_uri })}`);

  function assertUnknown(seen: Seen, what = seen.url): void {
    assertPage(seen);
    assert.match(seen.text, /invalid_request_uri/, what);
  }
  function assertOpened(seen: Seen): string {
    assert.equal(seen.status, 302, seen.text);
    assert.match(seen.location ?? '', /\/login\?/);
    return seen.location ?? '';
  }
  /** The browser that opened the request signs in; its client redeems the code at the other node. */
  async function assertCompletes(at: number, visitor: Visitor, opened: Seen): Promise<void> {
    const page = await visitor.follow(assertOpened(opened));
    assert(atLogin(page), page.text);
    const { fields } = delivered(await logIn(visitor, page));
    assert.equal(fields.state, 'pushed');
    await withStatus(200, redeem(node(at + 1), fields.code));
  }

  it(`attack: of ${RACERS} parallel uses of a request_uri exactly one is opened, and none later`, async () => {
    const requestUri = await pushedAt(0);
    const visitors = Array.from({ length: RACERS }, (_, at) => new Visitor(node(at).base));
    const answers = await Promise.all(visitors.map((visitor, at) => use(at, requestUri, 'web', visitor)));
    const opened = answers.flatMap((seen, at) => (seen.status === 302 ? [at] : []));
    assert.equal(opened.length, 1, answers.map(({ status }) => status).join());
    const [winner = -1] = opened;
    for (const [at, seen] of answers.entries()) if (at !== winner) assertUnknown(seen, `request ${at}`);
    for (const at of [0, 1]) assertUnknown(await use(at, requestUri), `later at node ${at}`);
    await assertCompletes(winner, visitors[winner] as Visitor, answers[winner] as Seen);
    for (const at of [0, 1]) assertUnknown(await use(at, requestUri), `after the sign-in at node ${at}`);
  });

  it('one that was pushed at either node is used at the other', async () => {
    for (const at of [0, 1]) {
      const visitor = new Visitor(node(at + 1).base);
      await assertCompletes(at + 1, visitor, await use(at + 1, await pushedAt(at), 'web', visitor));
    }
  });

  it(`attack: ${RACERS} requests of another client spend nothing, at either node`, async () => {
    const requestUri = await pushedAt(0);
    const foreign = await Promise.all(Array.from({ length: RACERS }, (_, at) => use(at, requestUri, OTHER.id)));
    for (const seen of foreign) assertUnknown(seen);
    assertUnknown(await use(1, await pushedAt(0, OTHER.auth)));
    assertOpened(await use(1, requestUri));
  });

  it('both nodes end it after a minute', async () => {
    const requestUris = [await pushedAt(0), await pushedAt(0)] as const;
    clock.advance(59);
    assertOpened(await use(1, requestUris[0]));
    clock.advance(1);
    for (const at of [0, 1]) assertUnknown(await use(at, requestUris[1]), `node ${at}`);
  });
});
