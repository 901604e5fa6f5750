import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDirectory, SERVICE } from '../build/directory.ts';
import { suitePart } from '../build/suite-part.ts';
import { formWith, Visitor } from '../build/visitor.ts';
import { openGuide } from './run-guide.ts';

describe('docs/guides/ldap.md', () => {
  const bob = { uid: 'bob', password: 'of bob at corp' };
  const corp = suitePart(() => openDirectory({ people: [bob], groups: { staff: ['group:sales'], sales: ['bob'] } }));
  const guide = suitePart(() =>
    openGuide('ldap', {
      ports: [3000],
      serves: { 'GATEHOUSE_OUTBOUND_ALLOW=10.0.0.0/8 npm start': 3000 },
      replace: {
        'ldaps://dc1.corp.example': corp.url,
        '10.0.0.0/8': '127.0.0.1',
        'replace-this-password': SERVICE.password,
      },
    }),
  );

  it('lets people of the directory sign in with the ordinary form', async () => {
    await guide.section('Connect it');
    const visitor = new Visitor(guide.place('http://localhost:3000'));
    const page = await visitor.follow(guide.place('http://localhost:3000/account'));
    const seen = await visitor.send(formWith(page, 'password'), { username: 'bob', password: 'of bob at corp' });
    assert.match(seen.text, /bob@corp\.example/);
  });

  it('has no command that no test runs', () => assert.deepEqual(guide.left(), []));
});
