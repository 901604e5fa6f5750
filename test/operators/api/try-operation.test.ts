import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { get } from '../../build/client.ts';
import { actForm, contentOf, openConsole } from '../../build/in-console.ts';
import { atLogin, logIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';

describe('/console/api/{operation}, where an operator tries a call of /docs/api', () => {
  const console = suitePart(() => openConsole());

  it('/docs/api has the way to every call, and an answer of each', async () => {
    const { text } = await get(console.at('/docs/api'));
    for (const { id } of console.server.services.tables.operations.addresses) {
      assert(text.includes(`href="/console/api/${id}"`), id);
    }
    assert.match(text, /Response: 201/);
  });

  it('what reads is sent as it is typed, and shows the answer with the rights of the operator', async () => {
    const { visitor, seen } = await console.inConsole('/console/api/listUsers');
    assert.match(contentOf(seen), /<form method="get">/);
    assert(!contentOf(seen).includes('id="response"'));
    const sent = await visitor.go(console.at('/console/api/listUsers?send=1&q.login=alice'));
    assert.equal(sent.status, 200);
    assert.match(contentOf(sent), /&quot;username&quot;: &quot;alice&quot;/);
    assert(!contentOf(sent).includes('bob'));
    const unknown = await visitor.go(console.at('/console/api/getApplication?send=1&p.code=nothing'));
    assert.match(contentOf(unknown), /404: There is no such application\./);
    assert.equal((await visitor.go(console.at('/console/api/nothing'))).status, 404);
    for (const { id } of console.server.services.tables.operations.addresses) {
      assert.equal((await visitor.go(console.at(`/console/api/${id}`))).status, 200, id);
    }
  });

  it('what acts is confirmed, has its faults, and acts once', async () => {
    const { visitor, seen } = await console.inConsole('/console/api/createUser');
    const body = JSON.stringify({ username: 'dave' });
    const refused = await visitor.send(actForm(seen, 'act'), { body });
    assert.deepEqual([refused.status, /id="confirm-fault"/.test(refused.text)], [400, true]);
    const byAddress = await visitor.go(console.at(`/console/api/createUser?send=1&body=${encodeURIComponent(body)}`));
    assert(!byAddress.text.includes('id="response"'));
    const malformed = await visitor.send(actForm(refused, 'act'), { body: '{', confirm: 'true' });
    assert.match(malformed.text, /This is not valid JSON\./);
    const faulty = await visitor.send(actForm(refused, 'act'), { body: '{"nickname":1}', confirm: 'true' });
    assert.equal(faulty.status, 400);
    assert.equal(await console.server.services.store.findAccount('dave'), undefined);
    const form = actForm(refused, 'act');
    const made = await visitor.send(form, { body, confirm: 'true' });
    assert.match(contentOf(made), /&quot;username&quot;: &quot;dave&quot;/);
    const events = await console.owner.ask('GET', '/events?type=user.created&limit=1');
    assert.equal(events.json.items[0].actor.kind, 'operator');
  });

  it('an old sign-in does not act, and no other site can send the form', async () => {
    const { visitor, seen } = await console.inConsole('/console/api/deleteUser');
    const form = actForm(seen, 'act');
    const values = { 'p.sub': await console.subOf('carol'), confirm: 'true' };
    const foreign = await visitor.send(form, values, { 'sec-fetch-site': 'cross-site' });
    assert.equal(foreign.status, 403);
    console.clock.advance(6 * 60);
    const asked = await visitor.send(form, values);
    assert(atLogin(asked));
    const done = await visitor.send(actForm(await logIn(visitor, asked), 'act'));
    assert.match(contentOf(done), /The response has no body\./);
    assert.equal(await console.server.services.store.findAccount('carol'), undefined);
  });

  it('an auditor reads and changes nothing', async () => {
    const { visitor, seen } = await console.inConsole('/console/api/createUser', 'bob', 'auditor');
    const refused = await visitor.send(actForm(seen, 'act'), { body: '{"username":"eve"}', confirm: 'true' });
    assert.match(contentOf(refused), /403: This needs the role operator\./);
    assert.equal((await visitor.go(console.at('/console/api/listUsers?send=1'))).status, 200);
  });
});
