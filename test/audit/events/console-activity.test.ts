import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { aTokenSet, basic, introspect } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { anApplication, aUser } from '../../build/fixture.ts';
import { contentOf } from '../../build/in-console.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { atLogin, bob, logIn } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { type Seen, Visitor } from '../../build/visitor.ts';

describe('/console/activity', () => {
  let owner: OperatorClient;
  const server = suiteServer({
    applications: [anApplication(), anApplication({ code: 'bank', name: 'Bank' })],
    clock: fixedClock(),
    users: [aUser(), bob(), aUser({ username: 'carol', email: 'carol@example.com', phone_number: '+8613800000003' })],
  });
  before(async () => {
    owner = await anOperatorClient(server);
    await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
    await owner.ask('POST', '/operators', { username: 'bob', role: 'auditor', applications: ['shop'] });
    for (const app of ['shop', 'bank', 'shop']) await aTokenSet(server, {}, undefined, app);
    await introspect(server, { token: 'x' }, { auth: basic('web', 'a wrong secret') });
    await server.services.recorder.drain();
  });

  const at = (path: string) => `${server.base}${path}`;
  const inConsole = async (path: string, username = 'alice') => {
    const visitor = new Visitor(server.base);
    const login = await visitor.follow(at(path));
    assert(atLogin(login), login.text);
    return { visitor, seen: await logIn(visitor, login, username) };
  };
  const idsIn = ({ text }: Seen) => [...text.matchAll(/data-copy="(evt_\w+)"/g)].map(([, id]) => id);
  const eventIds = async (query = '') =>
    (await owner.ask('GET', `/events?limit=200${query}`)).json.items.map(({ id }: { id: string }) => id);

  it('shows the events of the operation, newest first, without a secret', async () => {
    const { visitor } = await inConsole('/console/activity');
    await server.services.recorder.drain();
    const seen = await visitor.go(at('/console/activity'));
    assert.equal(seen.status, 200);
    assert.deepEqual(idsIn(seen), await eventIds());
    assert(!seen.text.includes('a wrong secret'));
  });

  it('keeps its filters in the address, in the form and in its links', async () => {
    const { visitor } = await inConsole('/console/activity');
    const path = '/console/activity?type=user.login.succeeded&application=bank';
    const seen = await visitor.go(at(path));
    assert.deepEqual(idsIn(seen), await eventIds('&type=user.login.succeeded&application=bank'));
    assert.match(seen.text, /<option value="user\.login\.succeeded" selected>/);
    assert.match(seen.text, /name="application" value="bank"/);
    assert(seen.text.includes('/console/activity/export?type=user.login.succeeded&amp;application=bank'));
    const [event] = (await owner.ask('GET', '/events?type=user.login.succeeded&application=bank')).json.items;
    for (const filter of [`user=${event.subject}`, `request_id=${event.request_id}`, 'client=web']) {
      assert.deepEqual(
        idsIn(await visitor.go(at(`/console/activity?${filter}`))),
        await eventIds(`&${filter}`),
        filter,
      );
    }
  });

  it('takes times as a field sends them, in UTC, and says what is wrong with a filter beside it', async () => {
    const { visitor } = await inConsole('/console/activity');
    const future = await visitor.go(at('/console/activity?from=2999-01-01T00:00'));
    assert.equal(future.status, 200);
    assert.match(future.text, /No events match these filters/);
    assert.match(future.text, /value="2999-01-01T00:00:00"/);
    const wrong = await visitor.go(at('/console/activity?type=nothing&from=yesterday'));
    assert.equal(wrong.status, 400);
    for (const name of ['type', 'from']) assert(wrong.text.includes(`id="${name}-fault"`), name);
  });

  it('pages by cursor with its filters', async () => {
    const { sub } = (await owner.ask('GET', '/users?q=carol')).json.items[0];
    for (let count = 0; count < 55; count++) await owner.ask('PATCH', `/users/${sub}`, { nickname: `C${count}` });
    const { visitor } = await inConsole('/console/activity');
    const first = await visitor.go(at('/console/activity?type=user.updated'));
    const next = /href="([^"]+)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.match(next, /type=user\.updated/);
    const second = await visitor.go(at(next));
    assert.deepEqual([...idsIn(first), ...idsIn(second)], await eventIds('&type=user.updated'));
    assert(!second.text.includes('data-live="switch"'), 'an old page has no new events');
  });

  it('exports the events of its filters as JSON lines, all pages of them', async () => {
    const { visitor } = await inConsole('/console/activity');
    const seen = await visitor.go(at('/console/activity/export?type=user.updated,user.created'));
    assert.equal(seen.status, 200);
    assert.match(seen.headers.get('content-type') ?? '', /^application\/x-ndjson/);
    assert.equal(seen.headers.get('content-disposition'), 'attachment; filename="events.jsonl"');
    const lines = seen.text.trimEnd().split('\n');
    const { json } = await owner.ask('GET', '/events?limit=200&type=user.updated,user.created');
    assert.deepEqual(
      lines.map(line => JSON.parse(line)),
      json.items,
    );
    assert.equal((await visitor.go(at('/console/activity/export?type=nothing'))).status, 400);
  });

  it('says what happened in words, and who did it to whom by name', async () => {
    const { visitor } = await inConsole('/console/activity');
    const { sub } = (await owner.ask('GET', '/users?q=carol')).json.items[0];
    await owner.ask('PATCH', `/users/${sub}`, { name: 'Carol "C" Doe', nickname: 'named' });
    const seen = await visitor.go(at(`/console/activity?user=${sub}&type=user.updated`));
    const [row = ''] = seen.text.split('<tbody>')[1]?.split('</tr>') ?? [];
    assert.match(row, /<strong>User changed<\/strong>/);
    assert.match(row, /Carol &quot;C&quot; Doe · <code>user\.updated<\/code>/);
    assert.match(row, /API key <span title="key_\w+">/);
    const logins = await visitor.go(at('/console/activity?type=user.login.succeeded'));
    assert.match(logins.text, /<strong>Signed in<\/strong>/);
    assert.match(logins.text, /href="\/console\/users\/[\w-]+"[^>]*><span class="face[^>]*>A<\/span>alice<\/a>/);
  });

  it('takes a user name or an e-mail address for a person, and shows each filter with the way out of it', async () => {
    const { visitor } = await inConsole('/console/activity');
    const { sub } = (await owner.ask('GET', '/users?q=carol')).json.items[0];
    for (const typed of ['carol', 'CAROL@example.com', sub]) {
      const seen = await visitor.go(at(`/console/activity?user=${encodeURIComponent(typed)}&type=user.updated`));
      assert.deepEqual(idsIn(seen), (await eventIds(`&user=${sub}&type=user.updated`)).slice(0, 50), typed);
      assert(seen.text.includes(`<a class="chip" href="/console/activity?user=${sub}">Event: User changed`), seen.text);
      assert(seen.text.includes('<a class="chip" href="/console/activity?type=user.updated">User: '));
    }
    assert.deepEqual(idsIn(await visitor.go(at('/console/activity?user=car'))), [], 'a part of a name is nobody');
  });

  it('has ranges one click away, and marks the one that is shown', async () => {
    const { visitor, seen } = await inConsole('/console/activity?application=shop');
    const ranges = [...seen.text.matchAll(/<a class="chip" href="([^"]*)" data-from="/g)].map(([, path = '']) => path);
    assert.equal(ranges.length, 3);
    for (const path of ranges) {
      const shown = await visitor.go(at(path.replaceAll('&amp;', '&')));
      assert.deepEqual([...shown.text.matchAll(/data-from="[^"]*"(?: data-to="0")? aria-current/g)].length, 1, path);
      assert.match(path, /application=shop/);
    }
    const [today = '', yesterday = ''] = ranges.map(path => path.replaceAll('&amp;', '&'));
    assert(idsIn(await visitor.go(at(today))).length > 0);
    assert.deepEqual(idsIn(await visitor.go(at(yesterday))), []);
  });

  it('exports them as a table for spreadsheets, in which no cell is a formula', async () => {
    const { visitor } = await inConsole('/console/activity');
    const { sub } = (await owner.ask('GET', '/users?q=carol')).json.items[0];
    await owner.ask('PATCH', `/users/${sub}`, { username: '=cmd|calc' });
    const seen = await visitor.go(at(`/console/activity/export?format=csv&user=${sub}`));
    assert.match(seen.headers.get('content-type') ?? '', /^text\/csv/);
    assert.equal(seen.headers.get('content-disposition'), 'attachment; filename="events.csv"');
    const [head, first = '', ...rest] = seen.text.trimEnd().split('\r\n');
    assert.match(head ?? '', /^time,event,type,outcome,actor_kind,actor_name,/);
    assert.match(first, /,User changed,user\.updated,success,api_key,[^,]+,key_\w+,'=cmd\|calc,/);
    assert.match(first, /"\{""fields"":\[""username""\]\}"$/);
    assert.equal(rest.length + 1, (await eventIds(`&user=${sub}`)).length);
    await owner.ask('PATCH', `/users/${sub}`, { username: 'carol' });
  });

  it('attack: a limited operator gets the name of nobody, neither in the list nor in the table', async () => {
    const { visitor, seen } = await inConsole('/console/activity?type=user.login.succeeded', 'bob');
    assert(idsIn(seen).length > 0);
    const content = contentOf(seen);
    assert(!content.includes('alice'), content);
    const table = await visitor.go(at('/console/activity/export?format=csv&type=user.login.succeeded'));
    assert(!table.text.includes('alice'));
    assert.deepEqual(idsIn(await visitor.go(at('/console/activity?user=alice'))), [], 'nor is a name looked up');
  });

  it('a limited operator sees the events of its applications alone, in the list and in the export', async () => {
    const { visitor, seen } = await inConsole('/console/activity', 'bob');
    assert.equal(seen.status, 200);
    assert(idsIn(seen).length > 0);
    const exported = (await visitor.go(at('/console/activity/export'))).text.trimEnd().split('\n');
    for (const line of exported) assert.equal(JSON.parse(line).application, 'shop');
    assert.deepEqual(
      idsIn(seen),
      exported.map(line => JSON.parse(line).id),
    );
    assert.deepEqual(idsIn(await visitor.go(at('/console/activity?application=bank'))), []);
  });

  it('is closed to a user without a role and to a visitor', async () => {
    for (const path of ['/console/activity', '/console/activity/export']) {
      const { seen } = await inConsole(path, 'carol');
      assert.equal(seen.status, 403, path);
      assert(!seen.text.includes('evt_'));
    }
  });

  it('a visitor of the export is asked for a sign-in and gets the file', async () => {
    const { seen } = await inConsole('/console/activity/export?type=operator.added');
    assert.equal(seen.text.trimEnd().split('\n').length, 2);
  });
});
