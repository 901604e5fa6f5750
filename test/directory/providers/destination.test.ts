import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { anOperatorClient } from '../../build/operator.ts';
import { openRecordedProvider } from '../../build/recorded-provider.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { withStatus } from '../../build/with-status.ts';

const SECRET = 'the secret that nobody reads';

describe('the secret of a provider', () => {
  const server = suiteServer({ env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } });
  const good = suitePart(() => openRecordedProvider({ documents: {}, tokenPath: '/token', tokens: {} }));
  const evil = suitePart(() => openRecordedProvider({ documents: {}, tokenPath: '/token', tokens: {} }));
  const operator = suitePart(() => anOperatorClient(server));
  before(async () => {
    const corp = { id: 'corp', type: 'oidc', issuer: good.base, client_id: 'g', client_secret: SECRET };
    assert.equal((await operator.ask('POST', '/providers', corp)).status, 201);
    const staff = { search_base: 'dc=corp', bind_dn: 'cn=g', bind_password: SECRET, url: 'ldaps://dc.corp.example' };
    assert.equal((await operator.ask('POST', '/providers', { id: 'staff', type: 'ldap', ...staff })).status, 201);
  });
  const change = (id: string, body: object) => operator.ask('PATCH', `/providers/${id}`, body);

  it('does not follow a change of the address that it is sent to', async () => {
    const moved = await withStatus(400, change('corp', { issuer: evil.base }));
    assert.match(moved.text, /client_secret/);
    for (const fields of [{ url: 'ldaps://evil.example' }, { url: 'ldap://dc.corp.example', starttls: true }]) {
      const other = await withStatus(400, change('staff', fields));
      assert.match(other.text, /bind_password/);
    }
  });

  it('is given again, or removed, with the new address; other fields change without it', async () => {
    assert.equal((await change('corp', { name: 'Corporation', issuer: good.base })).status, 200);
    assert.equal((await change('corp', { issuer: evil.base, client_secret: 'another' })).status, 200);
    assert.equal((await change('corp', { issuer: good.base, client_secret: null })).status, 200);
  });

  it('does not follow in an apply file either', async () => {
    const staff = { id: 'staff', type: 'ldap', url: 'ldaps://evil.example', search_base: 'dc=corp' };
    const applied = await operator.ask('POST', '/apply', { file: { providers: [staff] } });
    assert.match(applied.text, /must be given again/);
    assert.equal(
      (await server.services.store.listProviders()).find(({ id }) => id === 'staff')?.url,
      'ldaps://dc.corp.example',
    );
  });
});
