import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { eraseDeletedAttributes } from '../../../src/directory/user-attributes/job.ts';
import { carryOut } from '../../../src/operators/apply/carry-out.ts';
import { applyFileSchema } from '../../../src/operators/apply/file-schema.ts';
import { toEntry } from '../../../src/operators/import/entries.ts';
import { importTo } from '../../../src/operators/import/import-file.ts';
import { faultsOf } from '../../../src/operators/import/import-users.ts';
import { gatehouse } from '../../build/command.ts';
import { filledForm } from '../../build/console.ts';
import { eventDuring } from '../../build/events.ts';
import { contentOf, suiteConsole } from '../../build/in-console.ts';
import { formWith } from '../../build/visitor.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

/** User attributes on the command line, in files and in the console. */
describe('user attributes', () => {
  const folder = temporaryFolder();
  const fixture = suiteConsole();
  after(() => folder.remove());
  const run = (...args: string[]) => gatehouse(fixture.server, ...args);
  let files = 0;
  const file = (text: string) => {
    const path = folder.file(`file-${++files}`);
    writeFileSync(path, text);
    return path;
  };
  const attributesOf = async (name: string) =>
    (await fixture.server.services.store.findAccount(name))?.standardClaims?.attributes;
  const define = async () =>
    run(
      'apply',
      file(`
user_attributes:
  - { name: department, label: Department, scope: profile, editable_by: user }
  - { name: grade, label: Grade, type: number, scope: hr }
  - { name: remote, label: Works remotely, type: boolean }
  - { name: teams, label: Teams, type: list }
`),
    );

  it('in an apply file: defined with clients of their scopes and users who have them, told by diff, exported, unchanged', async () => {
    const path = file(`
user_attributes:
  - { name: department, label: Department, scope: profile, editable_by: user }
  - { name: grade, label: Grade, type: number, scope: hr }
  - { name: remote, label: Works remotely, type: boolean }
  - { name: teams, label: Teams, type: list }
applications:
  - { code: hr, name: HR, clients: [{ client_id: app, client_name: App, scope: openid hr, redirect_uris: ["https://hr.example/cb"] }] }
users:
  - { username: dora, attributes: { department: Sales, grade: 3 } }
`);
    const planned = await run('diff', path);
    assert.match(planned.out, /^\+ user_attribute department$/m);
    const applied = await run('apply', path);
    assert.equal(applied.code, 0, applied.err);
    assert.match(applied.out, /^user_attribute grade: created$/m);
    assert.deepEqual(await attributesOf('dora'), { department: 'Sales', grade: 3 });
    const exported = await run('export');
    assert.equal(exported.code, 0, exported.err);
    assert.match(exported.out, /^user_attributes:\n {2}- name: department\n {4}type: string\n {4}label: Department\n/m);
    assert.match(exported.out, /scope: openid hr/);
    assert.equal((await run('diff', file(exported.out))).out.trim(), 'Nothing to change.');
    const changed = file('users:\n  - { username: dora, attributes: { grade: null, remote: true } }\n');
    assert.equal(
      (await run('diff', changed)).out.trim().split('\n')[0],
      '~ user dora: attributes.remote unset → true, attributes.grade 3 → unset',
    );
    await run('apply', changed);
    assert.deepEqual(await attributesOf('dora'), { department: 'Sales', remote: true });
  });

  it('in an apply file: what is wrong has its place', async () => {
    await define();
    const faulty = await run(
      'apply',
      file(`
user_attributes:
  - { name: email, label: E-mail }
  - { name: grade, type: string }
  - { name: fresh }
  - { name: fresh, label: Twice }
`),
    );
    assert.match(
      faulty.err,
      /user_attributes\[0\]\.name: is the name of a claim with a meaning of its own \(attribute email, line 3\)/,
    );
    const compared = await run(
      'apply',
      file(`
user_attributes:
  - { name: grade, type: string }
  - { name: fresh }
users:
  - { username: dora, attributes: { grade: high, shoe: 42 } }
`),
    );
    assert.deepEqual(compared.err.trim().split('\n'), [
      'user_attributes[0].type: cannot be changed from number: delete the attribute, and define it again (attribute grade, line 3)',
      'user_attributes[1].label: is missing (attribute fresh, line 4)',
      'users[0].attributes.shoe: is not among user_attributes (user dora, line 6)',
    ]);
    const twice = await run('apply', file('user_attributes:\n  - { name: a, label: A }\n  - { name: a, label: B }\n'));
    assert.match(twice.err, /user_attributes\[1\]\.name: duplicate attribute "a"/);
  });

  it('in an apply file: --prune removes those that the list does not name, after a yes, and only where there is a list', async () => {
    await define();
    const other = file('user_attributes:\n  - { name: department }\n  - { name: grade }\n  - { name: remote }\n');
    const applications = file('applications:\n  - { code: shop }\n  - { code: hr }\n');
    assert.doesNotMatch((await run('diff', '--prune', applications)).out, /user_attribute/);
    assert.match((await run('diff', '--prune', other, applications)).out, /^- user_attribute teams$/m);
    assert.equal((await run('apply', file('user_attributes: []\n'))).code, 77, 'removals need a yes');
    assert.equal((await run('apply', '--prune', '--yes', other, applications)).code, 0);
    const again = file('user_attributes:\n  - { name: teams, label: Teams, type: list }\n');
    assert.match((await run('apply', again)).err, /former values are still being deleted: try again in a minute/);
    fixture.clock.advance(11);
    await eraseDeletedAttributes(fixture.server.services, () => false);
    assert.equal((await run('apply', again)).code, 0);
  });

  it('on the command line', async () => {
    const made = await run('users', 'define-attribute', '--name', 'floor', '--label', 'Floor', '--type', 'number');
    assert.equal(made.code, 0, made.err);
    assert.equal((await run('users', 'update-attribute', 'floor', '--label', 'Storey')).code, 0);
    const { out } = await run('users', 'attribute', 'floor', '--json');
    assert.deepEqual(JSON.parse(out), { name: 'floor', type: 'number', label: 'Storey', editable_by: 'operator' });
    assert.match((await run('users', 'attributes')).out, /Storey/);
    assert.equal((await run('users', 'delete-attribute', 'floor')).code, 0);
    const user = await run('users', 'create', '--username', 'cli', '--attributes', '{"grade": 4}');
    assert.equal(user.code, 0, user.err);
    assert.deepEqual(await attributesOf('cli'), { grade: 4 });
  });

  it('in imports: columns of a table, members of JSON lines, and those of Keycloak and Auth0 that are defined', async () => {
    await define();
    const table = file(
      'username,attributes.department,attributes.grade,attributes.remote,attributes.teams\nann,IT,7.5,yes,red; blue\n',
    );
    assert.equal((await run('import', 'users', table)).code, 0);
    assert.deepEqual(await attributesOf('ann'), { department: 'IT', grade: 7.5, remote: true, teams: ['red', 'blue'] });
    const faulty = await run('import', 'users', file('username,attributes.grade,attributes.shoe\nben,high,42\n'));
    assert.deepEqual(faulty.err.trim().split('\n'), [
      'line 2: attributes.grade: must be a number',
      'line 2: attributes.shoe: is not among user_attributes',
    ]);
    const lines = file('{"username": "cy", "attributes": {"teams": ["green"]}}\n');
    assert.equal((await run('import', 'users', lines)).code, 0);
    assert.deepEqual(await attributesOf('cy'), { teams: ['green'] });
    const keycloak = {
      id: 'k-1',
      username: 'kim',
      attributes: { department: ['Legal'], grade: ['2'], teams: ['a', 'b'], other: ['x'] },
    };
    assert.equal((await run('import', 'users', '--from', 'keycloak', file(JSON.stringify(keycloak)))).code, 0);
    assert.deepEqual(await attributesOf('kim'), { department: 'Legal', grade: 2, teams: ['a', 'b'] });
    const auth0 = {
      user_id: 'auth0|1',
      username: 'lea',
      user_metadata: { department: 'Old' },
      app_metadata: { department: 'New', plan: 'pro' },
    };
    assert.equal((await run('import', 'users', '--from', 'auth0', file(JSON.stringify(auth0)))).code, 0);
    assert.deepEqual(await attributesOf('lea'), { department: 'New' });
  });

  describe('where the definition is deleted after a long import or apply has read it', () => {
    const GONE = 'attributes.grade: is not among user_attributes';
    const deleteGrade = async () => {
      assert.equal((await fixture.owner.ask('DELETE', '/user_attributes/grade')).status, 204);
      fixture.clock.advance(11);
      await eraseDeletedAttributes(fixture.server.services, () => false);
    };

    it('an import refuses the lines that have a value, new users and changes, and writes the others', async () => {
      await define();
      const { services } = fixture.server;
      for (const update of [false, true]) {
        await define();
        const names = ['with', 'without'].map(name => `${name}-${update}`);
        if (update) await run('import', 'users', file(names.map(username => JSON.stringify({ username })).join('\n')));
        const target = await importTo(services);
        const lines = names.map((username, index) => {
          const attributes = index === 0 ? { grade: 4 } : { department: 'IT' };
          const content = { kind: 'read', form: 'json', fields: { username, attributes } } as const;
          const read = toEntry(
            target,
            { line: index + 1, content },
            { source: undefined, update, resetPasswords: false },
          );
          assert(read.kind === 'entry');
          return read;
        });
        await deleteGrade();
        for (const outcomes of [await target.check(lines), await target.write(lines)]) {
          assert.deepEqual(outcomes.map(faultsOf), [[GONE], []]);
        }
        assert.deepEqual(await Promise.all(names.map(attributesOf)), [undefined, { department: 'IT' }]);
      }
    });

    it('an apply writes nothing, and names the place', async () => {
      await define();
      const { services } = fixture.server;
      const given = { users: [{ username: 'dan' }, { username: 'late', attributes: { department: 'IT', grade: 4 } }] };
      const applied = await carryOut(
        services,
        applyFileSchema(await services.tables.fields()).parse(given),
        {},
        'all',
        {
          onWrite: async (_, write) => {
            await deleteGrade();
            return write();
          },
        },
      );
      const fault = { path: ['users', 1, 'attributes', 'grade'], message: 'is not among user_attributes' };
      assert.deepEqual(applied, { kind: 'faulty', faults: [fault] });
      assert.deepEqual([await services.store.findAccount('dan'), await attributesOf('late')], [undefined, undefined]);
    });
  });

  it('in the console: a page of definitions, from the first to the deletion of one', async () => {
    const { visitor, seen } = await fixture.inConsole('/console/user-attributes/new');
    const refused = await visitor.send(filledForm(seen, 'label'), { name: 'sub', label: 'Subject', type: 'string' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /is the name of a claim with a meaning of its own/);
    const listed = await visitor.send(filledForm(refused, 'label'), {
      name: 'nick',
      label: 'Nick',
      type: 'date',
      scope: 'profile',
    });
    assert.match(contentOf(listed), /<strong>Nick<\/strong>/);
    const page = await visitor.go(fixture.at('/console/user-attributes/nick'));
    const saved = await visitor.send(filledForm(page, 'label'), { label: 'Nick day', editable_by: 'user', scope: '' });
    const { json } = await fixture.owner.ask('GET', '/user_attributes/nick');
    assert.deepEqual(json, { name: 'nick', type: 'date', label: 'Nick day', editable_by: 'user' });
    const wrong = await visitor.send(formWith(saved, 'confirm'), { confirm: 'other' });
    assert.match(wrong.text, /That does not match the name of the attribute\./);
    await visitor.send(formWith(wrong, 'confirm'), { confirm: 'nick' });
    assert.equal((await fixture.owner.ask('GET', '/user_attributes/nick')).status, 404);
  });

  it('in the console: read by an auditor, changed by an operator, nothing for one who is limited to applications', async () => {
    const auditor = await fixture.inConsole('/console/user-attributes', 'bob', 'auditor');
    assert.equal(auditor.seen.status, 200);
    assert.doesNotMatch(contentOf(auditor.seen), /user-attributes\/new/);
    const limited = await fixture.owner.ask('POST', '/api_keys', {
      name: 'shop',
      role: 'operator',
      applications: ['shop'],
    });
    const key = { authorization: `Bearer ${limited.json.key}` };
    assert.equal((await fetch(fixture.at('/admin/v1/user_attributes'), { headers: key })).status, 404);
  });

  it('in the console: fields of a user and of a new one', async () => {
    await define();
    const sub = await fixture.subOf('carol');
    const { visitor, seen } = await fixture.inConsole(`/console/users/${sub}`);
    assert.match(seen.text, /<legend>Attributes<\/legend>/);
    const form = filledForm(seen, 'attributes.department');
    const refused = await visitor.send(form, { 'attributes.grade': 'high' });
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /must be a number/);
    const event = await eventDuring(fixture.server, 'user.updated', () =>
      visitor.send(filledForm(refused, 'attributes.department'), {
        'attributes.grade': '2.5',
        'attributes.remote': 'false',
        'attributes.teams': 'red\r\n blue \r\n',
      }),
    );
    assert.deepEqual(event.details, { fields: ['attributes.grade', 'attributes.remote', 'attributes.teams'] });
    assert.deepEqual(await attributesOf('carol'), { grade: 2.5, remote: false, teams: ['red', 'blue'] });
    const page = await visitor.go(fixture.at('/console/users/new'));
    await visitor.send(filledForm(page, 'attributes.department'), {
      username: 'newcomer',
      'attributes.department': 'IT',
    });
    assert.deepEqual(await attributesOf('newcomer'), { department: 'IT' });
  });
});
