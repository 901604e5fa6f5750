import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import {
  aDesk,
  asDesk,
  aWaitingRequest,
  fetchTokens,
  linksIn,
  theApproval,
  theApprovals,
} from '../../build/approvals.ts';
import { assertRefused } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { bob, press, SESSION_COOKIE, signedIn } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, signIn, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const clock = fixedClock();
const web = aDesk({
  client_id: 'web',
  redirect_uris: ['https://client.example/cb'],
  grant_types: ['authorization_code'],
});
const server = suiteServer({
  clock,
  applications: [
    anApplication({ clients: [aDesk(), web] }),
    anApplication({ code: 'bank', name: 'Bank', clients: [aDesk({ client_id: 'strict', default_max_age: 60 })] }),
  ],
  users: [aUser(), bob()],
});
beforeEach(() => clock.advance(4000));

const PENDING = 'authorization_pending';
const events = (type: string) => server.services.store.listEvents({ types: [type] }, { after: undefined, limit: 50 });
const subOf = async (username: string) => (await server.services.store.findAccount(username))?.sub ?? '';

/** Alice stands before the question. */
async function anAskedPerson(fields = {}, visitor = new Visitor(server.base)) {
  const request = await aWaitingRequest(server, fields);
  return { request, visitor, question: await theApproval(server, visitor) };
}

describe('attack: the decision', () => {
  it('another person finds no request: not in the list, not by its address, not by the form of the page', async () => {
    const { request, visitor, question } = await anAskedPerson();
    const path = new URL(question.url);
    const stranger = new Visitor(server.base);
    assert.deepEqual(linksIn(await theApprovals(server, stranger, 'bob')), []);
    const [address] = linksIn(await theApprovals(server, visitor));
    const unknown = await withStatus(404, stranger.follow(`${server.base}${address}`));
    const other = await withStatus(404, stranger.follow(`${server.base}/account/approvals?request=apr_nothing`));
    assert.equal(
      unknown.text.replace(/[\w-]{20,}/g, ''),
      other.text.replace(/[\w-]{20,}/g, ''),
      'as if it did not exist',
    );
    await withStatus(400, stranger.follow(path.href));
    const form = formWith(question, 'action" value="allow');
    assert.equal((await stranger.send(form, { action: 'allow', sub: await subOf('bob') })).status, 400);
    assertRefused(await fetchTokens(server, request), 400, PENDING);
  });

  it('CSRF: a form of another site is refused', async () => {
    const { request, visitor, question } = await anAskedPerson();
    const form = formWith(question, 'action" value="allow');
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      await withStatus(403, visitor.send(form, { action: 'allow' }, headers));
    }
    assertRefused(await fetchTokens(server, request), 400, PENDING);
  });

  it('an address alone decides nothing, and HEAD does nothing', async () => {
    const { request, visitor, question } = await anAskedPerson();
    for (const more of ['&action=allow', '&action=deny']) await visitor.follow(`${question.url}${more}`);
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const head = await fetch(question.url, { method: 'HEAD', headers: { cookie } });
    assert.equal(head.status, 200);
    assertRefused(await fetchTokens(server, request), 400, PENDING);
  });

  it('the page was shown to alice, and bob signed in in another tab: nothing is approved', async () => {
    const { request, visitor, question } = await anAskedPerson();
    await signIn(server, { prompt: 'login' }, { visitor, username: 'bob' });
    await withStatus(403, press(visitor, question, 'allow'));
    assertRefused(await fetchTokens(server, request), 400, PENDING);
  });

  it('a form without a session, or with one that ended while the page was open, approves nothing', async () => {
    const { request, visitor, question } = await anAskedPerson();
    const session = visitor.cookies.get(SESSION_COOKIE) ?? '';
    visitor.cookies.delete(SESSION_COOKIE);
    assert.equal((await press(visitor, question, 'allow')).status, 403);
    visitor.cookies.set(SESSION_COOKIE, session);
    await server.services.store.endUserAccess(await subOf('alice'), clock.now());
    assert.equal((await press(visitor, question, 'allow')).status, 403);
    assertRefused(await fetchTokens(server, request), 400, PENDING);
  });

  it('approving twice does no harm and is one event; approving after a denial does nothing', async () => {
    const { request, visitor, question } = await anAskedPerson();
    const before = (await events('approval.given')).length;
    await press(visitor, question, 'allow');
    assert.match((await press(visitor, question, 'allow')).text, /You already allowed this request/);
    assert.match((await press(visitor, question, 'deny')).text, /You already allowed this request/);
    assert.equal((await events('approval.given')).length, before + 1);
    assert.equal((await fetchTokens(server, request)).status, 200);

    const other = await anAskedPerson({}, visitor);
    await press(visitor, other.question, 'deny');
    assert.match((await press(visitor, other.question, 'allow')).text, /You did not allow the request/);
    assertRefused(await fetchTokens(server, other.request), 400, 'access_denied');
  });

  it('a sign-in for a request is none for a client or a device, and the other way round', async () => {
    const { visitor, question } = await anAskedPerson();
    const sealed = new URL(question.url).searchParams.get('gatehouse_pending') ?? '';
    for (const path of [`${server.at()}/auth`, `${server.base}/device`]) {
      assert.equal((await visitor.follow(`${path}?gatehouse_pending=${sealed}`)).status, 400, path);
    }
    const login = await visitor.follow(authorizationUrl(server, { prompt: 'login' }));
    const pending = new URL(login.url).searchParams.get('pending') ?? '';
    assert.equal((await visitor.follow(`${server.base}/account/approvals?gatehouse_pending=${pending}`)).status, 400);
  });

  it('a session that is older than the client demands does not decide: the password is asked for again', async () => {
    const visitor = await signedIn(server);
    clock.advance(61);
    await aWaitingRequest(server, {}, asDesk('strict'), 'bank');
    const asked = await theApproval(server, visitor);
    assert.match(asked.text, /name="password"/);
    const question = await visitor.send(formWith(asked, 'password'), { username: 'alice', password: PASSWORD });
    assert.match(question.text, /value="allow"/);
  });

  it('what the client sent is text on the page and in the list', async () => {
    const { visitor, question } = await anAskedPerson({ binding_message: '<b onclick=x>1</b>' });
    for (const { text } of [question, await theApprovals(server, visitor)]) {
      assert(text.includes('&lt;b onclick=x&gt;1&lt;/b&gt;'));
    }
  });

  it('a client that repeats what it asks for does not keep the person from the question', async () => {
    const { question } = await anAskedPerson({ acr_values: '2 '.repeat(5000).trim() });
    assert.match(question.text, /Allow Help desk\?/);
  });
});
