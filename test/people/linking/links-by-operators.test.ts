import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gatehouse, gatehouseReading } from '../../build/command.ts';
import { aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { answerIn } from '../../build/visitor.ts';
import { federated, signInAtCorp } from '../federation/federated.ts';

describe('links of a user by operators (contract, Linking: apply file, admin API, command line, export)', () => {
  const { server, corp } = federated({
    users: ['ann', 'ben'].map(username =>
      aUser({ username, email: null, email_verified: false, phone_number: null, phone_number_verified: false }),
    ),
  });
  const api = suitePart(() => anOperatorClient(server));
  const subOf = async (username: string) => (await server.services.store.findAccount(username))?.sub ?? '';
  const linksOf = async (username: string) =>
    (await server.services.store.linksOf(await subOf(username))).map(({ subject }) => subject);

  it('GET, POST and DELETE /users/{sub}/links', async () => {
    const path = `/users/${await subOf('ann')}/links`;
    assert.deepEqual((await api.ask('GET', path)).json, { items: [], next: null });
    const made = await api.ask('POST', path, { provider: 'corp', subject: 'a/b:c' });
    assert.deepEqual([made.status, made.json.id, made.json.provider], [201, 'corp:a/b:c', 'corp']);
    corp.person = { sub: 'a/b:c' };
    const { seen } = await signInAtCorp(server);
    assert(answerIn(seen).code, seen.text);
    const { json } = await api.ask('GET', path);
    assert.equal(json.items.length, 1);
    assert.match(json.items[0].last_used_at, /^\d{4}-/);
    const taken = await api.ask('POST', `/users/${await subOf('ben')}/links`, { provider: 'corp', subject: 'a/b:c' });
    assert.deepEqual([taken.status, taken.json.detail], [409, 'This person is linked to another user.']);
    assert.equal((await api.ask('POST', path, { provider: 'nowhere', subject: 'x' })).status, 400);
    assert.equal((await api.ask('POST', '/users/nobody/links', { provider: 'corp', subject: 'x' })).status, 404);
    assert.equal((await api.ask('DELETE', `${path}/${encodeURIComponent('corp:other')}`)).status, 404);
    assert.equal((await api.ask('DELETE', `${path}/${encodeURIComponent('corp:a/b:c')}`)).status, 204);
    assert.deepEqual(await linksOf('ann'), []);
  });

  it('an auditor reads them, and changes none', async () => {
    const auditor = await anOperatorClient(server, { role: 'auditor' });
    const path = `/users/${await subOf('ann')}/links`;
    assert.equal((await auditor.ask('GET', path)).status, 200);
    assert.equal((await auditor.ask('POST', path, { provider: 'corp', subject: 'x' })).status, 403);
  });

  it('a new user may have them from the start', async () => {
    const made = await api.ask('POST', '/users', { username: 'carl', links: [{ provider: 'corp', subject: 'carl' }] });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.json.links, undefined);
    assert.deepEqual(await linksOf('carl'), ['carl']);
    const refused = await api.ask('POST', '/users', {
      username: 'dan',
      links: [{ provider: 'corp', subject: 'carl' }],
    });
    assert.deepEqual(
      [refused.status, refused.json.detail],
      [409, 'One of the links belongs to the user "carl": leave it out, or remove it there first.'],
    );
  });

  it('gatehouse users link, links and unlink', async () => {
    const sub = await subOf('ben');
    assert.equal((await gatehouse(server, 'users', 'link', sub, 'corp', 'ben-there')).code, 0);
    assert.match((await gatehouse(server, 'users', 'links', sub)).out, /corp:ben-there/);
    assert.equal((await gatehouse(server, 'users', 'unlink', sub, 'corp:ben-there')).code, 0);
    assert.deepEqual(await linksOf('ben'), []);
  });

  it('an apply file adds those that it names, and keeps others; the export has all of them and applies without a change', async () => {
    await server.services.store.provision([]);
    const apply = (file: object, ...args: string[]) =>
      gatehouseReading(server, JSON.stringify(file), 'apply', '-', ...args);
    const first = await apply({ users: [{ username: 'ann', links: [{ provider: 'corp', subject: '1' }] }] });
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /user ann: links/);
    await apply({ users: [{ username: 'ann', links: [{ provider: 'corp', subject: '2' }] }] });
    assert.deepEqual(await linksOf('ann'), ['1', '2']);
    const exported = await gatehouse(server, 'export');
    assert.match(exported.out, /username: ann\n {4}links:\n {6}- provider: corp\n {8}subject: "1"/);
    const again = await gatehouseReading(server, exported.out, 'diff', '-');
    assert.equal(again.code, 0, again.out + again.err);
  });

  it('a file with a link of another user, or to no provider, is refused at its place, also as a dry run', async () => {
    const faults = async (users: object[], ...args: string[]) =>
      (await gatehouseReading(server, JSON.stringify({ users }), 'apply', '-', ...args)).err;
    await server.provision({ users: [{ username: 'ann', links: [{ provider: 'corp', subject: 'hers' }] }] });
    for (const args of [[], ['--dry-run']]) {
      const taken = [{ username: 'ben', links: [{ provider: 'corp', subject: 'hers' }] }];
      assert.match(await faults(taken, ...args), /users\[0\]\.links\[0\].*belongs to the user "ann"/);
      const nowhere = [{ username: 'ben', links: [{ provider: 'nowhere', subject: 'x' }] }];
      assert.match(await faults(nowhere, ...args), /users\[0\]\.links\[0\].*names a provider that is not registered/);
    }
    const twice = [{ username: 'ben', links: [1, 2].map(() => ({ provider: 'corp', subject: 'x' })) }];
    assert.match(await faults(twice), /users\[0\]\.links\[1\]\.subject.*is that of another link here/);
    assert.deepEqual(await linksOf('ben'), []);
  });

  it('a file may register a provider and link users to it', async () => {
    const file = {
      providers: [{ id: 'fresh', type: 'oidc', issuer: 'https://fresh.example', client_id: 'x' }],
      users: [{ username: 'eve', links: [{ provider: 'fresh', subject: 'eve' }] }],
    };
    for (const args of [['--dry-run'], []]) {
      const ran = await gatehouseReading(server, JSON.stringify(file), 'apply', '-', ...args);
      assert.equal(ran.code, 0, ran.err);
    }
    assert.deepEqual(await linksOf('eve'), ['eve']);
  });

  it('an import brings them with new users, and adds them to users with --update', async () => {
    const load = (lines: object[], ...args: string[]) =>
      gatehouseReading(server, lines.map(line => JSON.stringify(line)).join('\n'), 'import', 'users', '-', ...args);
    const one = { username: 'imported', links: [{ provider: 'corp', subject: 'imp' }] };
    assert.match((await load([one])).out, /^1 users created/);
    assert.deepEqual(await linksOf('imported'), ['imp']);
    const more = { username: 'imported', links: [...one.links, { provider: 'corp', subject: 'imp2' }] };
    assert.match((await load([more], '--update')).out, /1 changed/);
    assert.deepEqual(await linksOf('imported'), ['imp', 'imp2']);
    assert.match((await load([more], '--update')).out, /0 changed, 1 exist already/);
    const { code, err } = await load([
      { username: 'thief', links: one.links },
      { username: 'lost', links: [{ provider: 'no', subject: 'x' }] },
    ]);
    assert.notEqual(code, 0);
    assert.match(err, /links: one belongs to the user "imported"/);
    assert.match(err, /links: one names a provider that is not registered/);
    assert.equal(await subOf('thief'), '');
  });
});
