import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suiteConsole } from '../../build/in-console.ts';
import { formWith } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const console = suiteConsole();

const linesOf = (text: string, name: string) =>
  new RegExp(`<textarea id="${name}"[^>]*>([^<]*)</textarea>`).exec(text)?.[1];

describe('groups and roles of a user in the console (modern contract)', () => {
  const typed = { username: 'gina', groups: 'staff\r\n sales \r\n\r\nstaff', roles: 'shop: admin\r\n*:auditor' };
  const stored = async (sub: string) => (await console.owner.ask('GET', `/users/${sub}`)).json;

  it('are typed line by line, shown again, and only a change is sent', async () => {
    const { visitor, seen } = await console.inConsole('/console/users/new');
    const made = await visitor.send(formWith(seen, 'username'), typed);
    const sub = /users\/([^?/]+)/.exec(made.url)?.[1] ?? assert.fail(made.url);
    const { groups, roles } = await stored(sub);
    assert.deepEqual([groups, roles], [['staff', 'sales'], { shop: ['admin'], '*': ['auditor'] }]);
    const page = await visitor.go(console.at(`/console/users/${sub}`));
    assert.equal(linesOf(page.text, 'groups'), 'staff\nsales');
    assert.equal(linesOf(page.text, 'roles'), 'shop: admin\n*: auditor');

    const form = formWith(page, 'username');
    const kept = { username: 'gina', groups: 'staff\nsales', email: 'gina@example.com' };
    await visitor.send(form, { ...kept, roles: 'bank: teller\n*: auditor', action: 'save' });
    assert.deepEqual((await stored(sub)).roles, { '*': ['auditor'], bank: ['teller'] }, 'shop is gone');
    const events = (await console.owner.ask('GET', `/events?user=${sub}&type=user.updated`)).json.items;
    assert.deepEqual([...events[0].details.fields].sort(), ['email', 'roles']);
  });

  it('a fault is told beside the field, with what was typed', async () => {
    const { visitor, seen } = await console.inConsole('/console/users/new');
    for (const [over, name] of [
      [{ roles: 'admin' }, 'roles'],
      [{ roles: 'Not A Code: admin' }, 'roles'],
      [{ groups: 'x'.repeat(65) }, 'groups'],
    ] as const) {
      const faulty = await visitor.send(formWith(seen, 'username'), { ...typed, username: 'ida', ...over });
      assert.equal(faulty.status, 400);
      assert(faulty.text.includes(`id="${name}-fault"`), name);
      assert.equal(linesOf(faulty.text, name), Object.values(over)[0]);
    }
  });
});

describe('access of an application in the console (modern contract)', () => {
  const access = async () => (await console.owner.ask('GET', '/applications/shop')).json.access;

  it('is everybody, or lists line by line; a fault is told beside its list', async () => {
    const { visitor, seen } = await console.inConsole('/console/applications/shop/sign-in');
    assert.match(seen.text, /<option value="everybody" selected>/);
    const send = async (values: Record<string, string>) => {
      const page = await visitor.go(console.at('/console/applications/shop/sign-in'));
      return visitor.send(formWith(page, 'access'), values);
    };
    const lists = { 'access.groups': 'staff\nboard', 'access.roles': '', 'access.users': 'alice' };
    const saved = await withStatus(200, send({ access: 'listed', ...lists }));
    assert.deepEqual(await access(), { groups: ['staff', 'board'], roles: [], users: ['alice'] });
    assert.match(saved.text, /<option value="listed" selected>/);
    assert.equal(linesOf(saved.text, 'access.groups'), 'staff\nboard');
    const faulty = await withStatus(400, send({ access: 'listed', ...lists, 'access.groups': 'x'.repeat(65) }));
    assert(faulty.text.includes('id="access.groups-fault"'));
    assert.equal((await send({ access: 'everybody', ...lists })).status, 200);
    assert.equal(await access(), 'everybody');
  });

  it('stays as it is where a form does not have it', async () => {
    await console.owner.ask('PATCH', '/applications/shop', { access: { groups: ['staff'] } });
    const { visitor, seen } = await console.inConsole('/console/applications/shop/sign-in');
    await visitor.send(formWith(seen, 'access'), {});
    assert.deepEqual(await access(), { groups: ['staff'], roles: [], users: [] });
    await console.owner.ask('PATCH', '/applications/shop', { access: 'everybody' });
  });
});
