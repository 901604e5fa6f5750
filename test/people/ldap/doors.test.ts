import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';

const CORP = {
  id: 'corp',
  type: 'ldap',
  url: ['ldaps://dc1.corp.example', 'ldaps://dc2.corp.example'],
  bind_dn: 'cn=gatehouse,dc=corp,dc=example',
  bind_password: 'a password of corp',
  search_base: 'ou=people,dc=corp,dc=example',
  groups: { search_base: 'ou=groups,dc=corp,dc=example', nested: true },
  recheck: '15m',
};

describe('a directory at the admin API', () => {
  const server = suiteServer({ applications: [] });
  const operator = suitePart(() => anOperatorClient(server));

  it('is registered, shown without its password, and exported as it was given', async () => {
    const { bind_password: _, ...shown } = CORP;
    const made = await operator.ask('POST', '/providers', CORP);
    assert.equal(made.status, 201, made.text);
    const got = await operator.ask('GET', '/providers/corp');
    assert.deepEqual({ ...got.json, ...shown }, got.json);
    assert.deepEqual(got.json.secrets, ['bind_password']);
    assert.equal(got.text.includes(CORP.bind_password), false);
    const { json } = await operator.ask('GET', '/export/providers');
    assert.equal(JSON.stringify(json).includes(CORP.bind_password), false);
    assert.deepEqual(json.items[0].groups, CORP.groups);
  });

  it('keeps its password in a change that does not name it, unless it would be sent elsewhere', async () => {
    const changed = await operator.ask('PATCH', '/providers/corp', { recheck: 60 });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual([changed.json.recheck, changed.json.secrets], [60, ['bind_password']]);
    const elsewhere = await operator.ask('PATCH', '/providers/corp', { url: 'ldaps://dc.evil.example' });
    assert.equal(elsewhere.status, 400, elsewhere.text);
  });

  const faulty: Readonly<Record<string, object>> = {
    'a way without TLS': { url: 'ldap://dc1.corp.example' },
    'no server': { url: undefined },
    'no search base': { search_base: undefined },
    'a filter without the name': { search_filter: '(uid=bob)' },
    'a filter that is none': { search_filter: '(uid={username}' },
    'groups by name, as of other providers': { groups: { engineers: 'staff' } },
    'a filter of groups without the person': { groups: { search_base: 'dc=corp', filter: '(member=x)' } },
    'an issuer': { issuer: 'https://login.corp.example' },
    'a maximum age': { max_age: 60 },
    'a recheck that is no time': { recheck: 'often' },
  };
  for (const [what, over] of Object.entries(faulty)) {
    it(`is refused with ${what}`, async () => {
      const answered = await operator.ask('POST', '/providers', { ...CORP, id: 'other', ...over });
      assert.equal(answered.status, 400, answered.text);
    });
  }
});
