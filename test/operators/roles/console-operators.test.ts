import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anApplication } from '../../build/fixture.ts';
import { actForm, contentOf, openConsole, titleOf } from '../../build/in-console.ts';
import { ask } from '../../build/operator.ts';
import { atLogin, logIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';

const console = suitePart(() => openConsole({ applications: [anApplication(), anApplication({ code: 'bank' })] }));

async function withoutRole(username: string): Promise<void> {
  await console.owner.ask('DELETE', `/operators/${await console.subOf(username)}`);
}

describe('/console/operators', () => {
  it('adds one by user name with a role and applications, after a recent authentication', async () => {
    const { visitor, seen } = await console.inConsole('/console/operators');
    console.clock.advance(6 * 60);
    const values = { username: 'bob', role: 'operator', applications: 'shop\r\nbank\r\n' };
    const asked = await visitor.send(actForm(seen, 'add'), values);
    assert(atLogin(asked), 'an authentication of six minutes ago is too old');
    const added = await visitor.send(actForm(await logIn(visitor, asked), 'add'));
    assert.match(added.text, /<strong>bob<\/strong>/);
    const { json } = await console.owner.ask('GET', `/operators/${await console.subOf('bob')}`);
    assert.equal(json.role, 'operator');
    assert.deepEqual(json.applications, ['shop', 'bank']);
    const twice = await visitor.send(actForm(added, 'add'), values);
    assert.equal(twice.status, 400);
    assert.match(twice.text, /role="alert"[^>]*>The user is an operator already/);
    await withoutRole('bob');
  });

  it('tells beside the field that there is no such user; what was typed stays', async () => {
    const { visitor, seen } = await console.inConsole('/console/operators');
    const values = { username: 'nobody', role: 'operator', applications: 'shop' };
    const faulty = await visitor.send(actForm(seen, 'add'), values);
    assert.equal(faulty.status, 400);
    assert(faulty.text.includes('id="username-fault"'));
    assert(faulty.text.includes('value="nobody"'));
    assert.match(faulty.text, /<option value="operator" selected>/);
    assert.match(faulty.text, />shop<\/textarea>/);
  });

  it('tells beside the field that an application does not exist', async () => {
    const { visitor, seen } = await console.inConsole('/console/operators');
    const faulty = await visitor.send(actForm(seen, 'add'), {
      username: 'bob',
      role: 'operator',
      applications: 'shpo',
    });
    assert.equal(faulty.status, 400);
    assert.match(faulty.text, /id="applications-fault">is the code of no application</);
    assert.match(faulty.text, />shpo<\/textarea>/);
    const key = actForm(await visitor.go(console.at('/console/api-keys')), 'create');
    const refused = await visitor.send(key, { name: 'ci', role: 'auditor', applications: 'shpo', days: '30' });
    assert.match(refused.text, /id="applications-fault">is the code of no application</);
  });

  it('an operator whose applications were all removed keeps the limit when the role is saved', async () => {
    await console.owner.ask('POST', '/applications', { code: 'former', name: 'Former' });
    const sub = await console.subOf('bob');
    await console.owner.ask('POST', '/operators', { sub, role: 'operator', applications: ['former'] });
    await console.owner.ask('DELETE', '/applications/former');
    await console.server.services.store.removeDeletedApplications(console.clock.now() + 1);
    const { visitor, seen } = await console.inConsole(`/console/operators/${sub}`);
    const faulty = await visitor.send(actForm(seen, 'save'), { role: 'auditor' });
    assert.match(faulty.text, /id="applications-fault">must name an application/);
    const again = await visitor.send(actForm(faulty, 'save'), { role: 'auditor' });
    assert.equal(again.status, 400, 'the page that says so keeps it too');
    assert.deepEqual((await console.owner.ask('GET', `/operators/${sub}`)).json.applications, []);
    await withoutRole('bob');
  });

  it('tells beside the field, in the language of the reader, that no owner is limited to the built-in application', async () => {
    const { visitor, seen } = await console.inConsole('/console/operators');
    const values = { username: 'bob', role: 'owner', applications: 'gatehouse' };
    const faulty = await visitor.send(actForm(seen, 'add'), values);
    assert.equal(faulty.status, 400);
    assert.match(faulty.text, /id="applications-fault">must not be gatehouse for the role owner/);
    const chinese = await visitor.send(actForm(faulty, 'add'), values, { 'accept-language': 'zh' });
    assert.match(chinese.text, /id="applications-fault">所有者角色不能限于 gatehouse/);
  });

  it('offers nothing at the built-in application to who cannot change it', async () => {
    const APP = '/applications/gatehouse';
    const made = await console.owner.ask('POST', `${APP}/clients`, { client_id: 'desk', scope: 'openid admin:read' });
    assert.equal(made.status, 201, made.text);
    const pages = [APP, `${APP}/keys`, `${APP}/clients/desk/settings`, `${APP}/clients/desk/secrets`];
    const offers = /class="button" href="[^"]*clients\/new"|<button type="submit"(?! class="quiet")|class="dangerous"/;
    const { visitor: owner } = await console.inConsole('/console');
    const { visitor } = await console.inConsole('/console', 'bob', 'operator');
    for (const page of pages) {
      assert.match(contentOf(await owner.go(console.at(`/console${page}`))), offers, page);
      const seen = await visitor.go(console.at(`/console${page}`));
      assert.equal(seen.status, 200, page);
      assert.doesNotMatch(contentOf(seen), offers, page);
    }
    await withoutRole('bob');
  });

  it('changes a role and its limit, and tells the second of two that the first was faster', async () => {
    const { sub } = (await console.owner.ask('POST', '/operators', { username: 'bob', role: 'auditor' })).json;
    const { visitor, seen } = await console.inConsole(`/console/operators/${sub}`);
    const limited = await visitor.send(actForm(seen, 'save'), { role: 'owner', applications: 'shop' });
    assert.match(limited.text, /Saved\./);
    assert.deepEqual((await console.owner.ask('GET', `/operators/${sub}`)).json.applications, ['shop']);
    const late = await visitor.send(actForm(seen, 'save'), { role: 'auditor' });
    assert.match(late.text, /Someone has changed this/);
    const free = await visitor.send(actForm(limited, 'save'), { role: 'operator' });
    assert.match(free.text, /Saved\./);
    const { json } = await console.owner.ask('GET', `/operators/${sub}`);
    assert.equal(json.role, 'operator');
    assert.equal(json.applications, undefined);
    await withoutRole('bob');
  });

  it('takes a role away only with the user name typed, and never from the last owner', async () => {
    const { sub } = (await console.owner.ask('POST', '/operators', { username: 'bob', role: 'auditor' })).json;
    const { visitor, seen } = await console.inConsole(`/console/operators/${sub}`);
    const wrong = await visitor.send(actForm(seen, 'remove'), { confirm: 'alice' });
    assert(wrong.text.includes('id="confirm-fault"'));
    const done = await visitor.send(actForm(wrong, 'remove'), { confirm: 'bob' });
    assert.equal(titleOf(done), 'Operators');
    assert.equal((await console.owner.ask('GET', `/operators/${sub}`)).status, 404);
    assert.equal((await visitor.send(actForm(wrong, 'remove'), { confirm: 'bob' })).status, 404, 'gone already');
    const own = await visitor.go(console.at(`/console/operators/${await console.subOf('alice')}`));
    const last = await visitor.send(actForm(own, 'remove'), { confirm: 'alice' });
    assert.match(last.text, /role="alert"[^>]*>This is the last owner/);
  });

  it('shows an operator of a lower role the list without its forms, and refuses what is sent all the same', async () => {
    const { seen: full } = await console.inConsole('/console/operators');
    const { visitor, seen } = await console.inConsole('/console/operators', 'bob', 'operator');
    assert.match(seen.text, /<strong>alice<\/strong>/);
    assert(!contentOf(seen).includes('<form'));
    const refused = await visitor.send(actForm(full, 'add'), { username: 'carol', role: 'owner' });
    assert.equal(refused.status, 403);
    assert.equal((await console.owner.ask('GET', `/operators/${await console.subOf('carol')}`)).status, 404);
    await withoutRole('bob');
  });
});

describe('/console/api-keys', () => {
  it('creates a key that works, shown in the answer to the form and nowhere else', async () => {
    const { visitor, seen } = await console.inConsole('/console/api-keys');
    const made = await visitor.send(actForm(seen, 'create'), { name: 'ci', role: 'auditor', days: '30' });
    const key = /<code>(gak_[^<]*)<\/code>/.exec(made.text)?.[1];
    assert(key, made.text);
    assert.equal((await ask(console.server.base, key, 'GET', '/users')).status, 200);
    assert(!(await visitor.go(console.at('/console/api-keys'))).text.includes(key));
    assert(!console.server.logged().includes(key));
    const { json } = await console.owner.ask('GET', '/api_keys');
    const ci = json.items.find(({ name }: { name: string }) => name === 'ci');
    const lifetime = Date.parse(ci.expires_at) - Date.parse(ci.created_at);
    assert.equal(lifetime, 30 * 86_400_000);
  });

  it('tells every fault beside its field', async () => {
    const { visitor, seen } = await console.inConsole('/console/api-keys');
    const faulty = await visitor.send(actForm(seen, 'create'), { name: 'x'.repeat(101), role: 'king', days: 'never' });
    assert.equal(faulty.status, 400);
    for (const name of ['name', 'role']) assert(faulty.text.includes(`id="${name}-fault"`), name);
    assert.match(faulty.text, /<option value="never" selected>/);
  });

  it('deletes a key confirmed by its name, after a recent authentication', async () => {
    const { id, key } = (await console.owner.ask('POST', '/api_keys', { name: 'old', role: 'auditor' })).json;
    const { visitor, seen } = await console.inConsole('/console/api-keys');
    const wrong = await visitor.send(actForm(seen, 'delete', id), { confirm: 'new' });
    assert.equal(wrong.status, 400);
    assert(wrong.text.includes(`id="confirm-${id}-fault"`));
    assert.equal(wrong.text.match(/-fault"/g)?.length, 2, 'in its own row, and nowhere else');
    console.clock.advance(6 * 60);
    const asked = await visitor.send(actForm(wrong, 'delete', id), { confirm: 'old' });
    assert(atLogin(asked));
    const done = await visitor.send(actForm(await logIn(visitor, asked), 'delete'));
    assert.match(done.text, /Deleted\./);
    assert.equal((await ask(console.server.base, key, 'GET', '/users')).status, 401);
    assert.equal((await visitor.send(actForm(wrong, 'delete', id), { confirm: 'old' })).status, 404);
  });

  it('is 403 for an operator who sends its form, and offers none', async () => {
    const { seen: full } = await console.inConsole('/console/api-keys');
    const { visitor, seen } = await console.inConsole('/console/api-keys', 'carol', 'operator');
    assert(!contentOf(seen).includes('<form'));
    const refused = await visitor.send(actForm(full, 'create'), { name: 'mine', role: 'owner' });
    assert.equal(refused.status, 403);
    assert(!refused.text.includes('gak_'));
    await withoutRole('carol');
  });
});
