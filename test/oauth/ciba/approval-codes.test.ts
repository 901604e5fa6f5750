import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { aDesk, asDesk, askPerson, theApprovals } from '../../build/approvals.ts';
import { assertRefused } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { craftedText, watchNormalize } from '../../build/crafted-text.ts';
import { aUser, PASSWORD } from '../../build/fixture.ts';
import { bob, press, SESSION_COOKIE } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { formWith, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

/** CIBA section 7.1, `user_code`: a person is reached by requests with the code alone that the person has set. */
const clock = fixedClock();
const server = suiteServer({
  clock,
  clients: [aDesk({ backchannel_user_code_parameter: true }), aDesk({ client_id: 'other' })],
  users: [aUser(), bob()],
});
beforeEach(() => clock.advance(10_000));

const CODE = 'pelican 42';
const ask = (user_code?: string, clientId = 'desk') => askPerson(server, { user_code }, asDesk(clientId));

async function atPage(username = 'alice'): Promise<Visitor> {
  const visitor = new Visitor(server.base);
  await theApprovals(server, visitor, username);
  return visitor;
}

async function setCode(code: string, visitor: Visitor) {
  const page = await theApprovals(server, visitor);
  return visitor.send(formWith(page, 'approval_code'), { approval_code: code, action: 'set_code' });
}

async function removeCode(visitor: Visitor) {
  return press(visitor, await theApprovals(server, visitor), 'remove_code');
}

describe('approval codes', () => {
  it('a person who has set one is reached by requests with it alone, of whatever client; others need none', async () => {
    const visitor = await atPage();
    assert.match((await setCode(CODE, visitor)).text, /Set on/);
    assertRefused(await ask(), 400, 'missing_user_code');
    assertRefused(await ask('pelican 43'), 400, 'invalid_user_code');
    assertRefused(await ask(undefined, 'other'), 400, 'missing_user_code');
    assert.doesNotMatch((await theApprovals(server, visitor)).text, /Help desk/, 'nothing of it reaches the person');
    assert.equal((await ask(CODE)).status, 200);
    assert.equal((await askPerson(server, { login_hint: 'bob', user_code: 'whatever' })).status, 200);
    await removeCode(visitor);
    assert.equal((await ask()).status, 200);
  });

  it('10 wrong codes are compared, then none for 5 minutes, also no right one', async () => {
    const visitor = await atPage();
    await setCode(CODE, visitor);
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess++) statuses.push((await ask(`guess ${guess}`)).status);
    assert.deepEqual(statuses, [...Array(10).fill(400), 429, 429]);
    const refused = await withStatus(429, ask(CODE, 'other'));
    assert(Number(refused.headers.get('retry-after')) > 0);
    clock.advance(301);
    assert.equal((await ask(CODE)).status, 200);
    await removeCode(await atPage());
  });

  it('attack: a code that takes seconds to normalise is refused before', async context => {
    await setCode(CODE, await atPage());
    const normalized = watchNormalize(context);
    assertRefused(await ask(craftedText(8000)), 400, 'invalid_user_code');
    assert.deepEqual(normalized(), []);
    await removeCode(await atPage());
  });

  it('has 4 to 32 characters that can be seen', async () => {
    const visitor = await atPage();
    for (const code of ['123', 'x'.repeat(33), 'ab\u200bcd', ' 1234', '']) {
      assert.match((await withStatus(400, setCode(code, visitor))).text, /Choose 4 to 32 visible characters/);
    }
    assert.equal((await ask()).status, 200);
  });

  it('neither a stolen session that is old nor another site sets or removes it', async () => {
    const visitor = await atPage();
    await setCode(CODE, visitor);
    const page = await theApprovals(server, visitor);
    const form = formWith(page, 'approval_code');
    const foreign = { origin: 'https://evil.example' };
    await withStatus(403, visitor.send(form, { approval_code: 'theirs', action: 'set_code' }, foreign));
    clock.advance(301);
    assert.match((await setCode('theirs', visitor)).text, /name="password"/);
    assert.match((await removeCode(visitor)).text, /name="password"/);
    visitor.cookies.delete(SESSION_COOKIE);
    await visitor.send(form, { approval_code: 'theirs', action: 'set_code' });
    assertRefused(await ask('theirs'), 400, 'invalid_user_code');
    await removeCode(await atPage());
  });

  it('the code is not stored, not logged, and its events say who has set and removed it', async () => {
    const visitor = await atPage();
    await setCode(CODE, visitor);
    await ask(CODE);
    await removeCode(visitor);
    const { sub } = (await server.services.store.findAccount('alice')) ?? assert.fail();
    const types = ['approval.code_set', 'approval.code_removed'];
    const recorded = await server.services.store.listEvents(
      { types, from: clock.now() },
      { after: undefined, limit: 9 },
    );
    assert.deepEqual(recorded.map(({ type }) => type).sort(), types.toSorted());
    assert(recorded.every(({ subject, actor }) => subject === sub && actor.kind === 'user'));
    assert(!JSON.stringify(recorded).includes(CODE));
    assert(!server.logged().includes(CODE) && !server.logged().includes(PASSWORD));
  });
});
