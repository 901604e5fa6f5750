import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aSigningPair } from '../../build/assertion.ts';
import { gatehouse } from '../../build/command.ts';
import { filledForm } from '../../build/console.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { suiteConsole } from '../../build/in-console.ts';
import { withStatus } from '../../build/with-status.ts';

const POLICY = {
  ...{ client: 'web', audience: 'https://other.example', scopes: ['read'], client_id: 'there' },
  ...{ subject_client: 'sso', resources: ['https://api.other.example'], authorization_details_types: ['payment'] },
};
const ISSUER = { issuer: 'https://other.example', subject: 'link', clients: ['web'], scopes: ['openid'] };
const jwks = { keys: [aSigningPair('ES256').publicJwk] };
const SHOP = '/applications/shop';

const console = suiteConsole({ applications: [anApplication({ clients: [aClient()] })] });
const change = (fields: object) => console.owner.ask('PATCH', SHOP, fields);
const stored = async () => (await console.owner.ask('GET', SHOP)).json;

describe('policies and issuers of identity assertions (modern contract: identity_assertions, assertion_issuers)', () => {
  it('come back as they were set, and null takes them away', async () => {
    await withStatus(200, change({ identity_assertions: [POLICY], assertion_issuers: [ISSUER] }));
    const { identity_assertions, assertion_issuers } = await stored();
    assert.deepEqual([identity_assertions, assertion_issuers], [[POLICY], [ISSUER]]);
    await withStatus(200, change({ identity_assertions: null, assertion_issuers: null }));
    const after = await stored();
    assert.deepEqual([after.identity_assertions, after.assertion_issuers], [undefined, undefined]);
  });

  it('a person is found by a link unless the entry says otherwise', async () => {
    const { subject: _, ...bare } = ISSUER;
    await withStatus(200, change({ assertion_issuers: [bare] }));
    assert.deepEqual((await stored()).assertion_issuers, [ISSUER]);
  });

  it('the export has them, as an apply file takes them', async () => {
    await withStatus(200, change({ identity_assertions: [POLICY], assertion_issuers: [{ ...ISSUER, jwks }] }));
    const { code, out, err } = await gatehouse(console.server, 'export', '--json', '--no-users');
    assert.equal(code, 0, err);
    const [shop] = JSON.parse(out).applications;
    assert.deepEqual([shop.identity_assertions, shop.assertion_issuers], [[POLICY], [{ ...ISSUER, jwks }]]);
  });

  const faulty: Readonly<Record<string, readonly [field: string, entry: object, pointer: string, detail: RegExp]>> = {
    'an audience without TLS': ['identity_assertions', { audience: 'http://other.example' }, '/audience', /https/],
    'an audience with a query': [
      'identity_assertions',
      { audience: 'https://other.example/?a' },
      '/audience',
      /issuer/,
    ],
    'an audience with a fragment': [
      'identity_assertions',
      { audience: 'https://other.example/#a' },
      '/audience',
      /issuer/,
    ],
    'an audience that is no address': ['identity_assertions', { audience: 'other' }, '/audience', /https/],
    'no scope': ['identity_assertions', { scopes: [] }, '/scopes', /empty/],
    'a scope with a space': ['identity_assertions', { scopes: ['a b'] }, '/scopes/0', /scope/],
    'a client with an invisible character': ['identity_assertions', { client: 'web\u200b' }, '/client', /visible/],
    'a field that it does not have': ['identity_assertions', { scope: 'read' }, '', /scope/],
    'an issuer that is no address and has no keys': ['assertion_issuers', { issuer: 'other' }, '/issuer', /jwks/],
    'keys twice': ['assertion_issuers', { jwks, jwks_uri: 'https://other.example/keys' }, '/jwks_uri', /together/],
    'a private key': [
      'assertion_issuers',
      { jwks: { keys: [{ ...jwks.keys[0], d: 'AAAA' }] } },
      '/jwks/keys/0',
      /private/,
    ],
    'an issuer with white space': ['assertion_issuers', { issuer: 'https://other.example ' }, '/issuer', /white space/],
    'another way to find people': ['assertion_issuers', { subject: 'username' }, '/subject', /link, email/],
    'no clients': ['assertion_issuers', { clients: [] }, '/clients', /empty/],
  };
  for (const [what, [field, entry, pointer, detail]] of Object.entries(faulty)) {
    it(`refuses ${what}`, async () => {
      const base = field === 'identity_assertions' ? POLICY : ISSUER;
      const { json } = await withStatus(400, change({ [field]: [{ ...base, ...entry }] }));
      const [fault] = json.errors;
      assert(fault.pointer.startsWith(`/${field}/0${pointer}`), fault.pointer);
      assert.match(`${fault.pointer} ${fault.detail}`, detail);
    });
  }

  it('refuses an issuer twice, and two policies of a client for one audience', async () => {
    const twice = await withStatus(400, change({ assertion_issuers: [ISSUER, { ...ISSUER, subject: 'email' }] }));
    assert.equal(twice.json.errors[0].pointer, '/assertion_issuers/1/issuer');
    const both = [POLICY, { ...POLICY, scopes: ['write'] }];
    const policies = await withStatus(400, change({ identity_assertions: both }));
    assert.equal(policies.json.errors[0].pointer, '/identity_assertions/1/audience');
    await withStatus(200, change({ identity_assertions: [POLICY, { ...POLICY, client: 'other' }] }));
  });

  it('are JSON in the form of the console; a fault stands beside the field, and what was typed stays', async () => {
    await withStatus(200, change({ identity_assertions: null, assertion_issuers: null }));
    const { visitor, seen } = await console.inConsole('/console/applications/shop/advanced');
    const saved = await visitor.send(filledForm(seen, 'assertion_issuers'), {
      assertion_issuers: JSON.stringify([ISSUER]),
      identity_assertions: JSON.stringify([POLICY]),
    });
    assert.equal(saved.status, 200);
    const { identity_assertions, assertion_issuers } = await stored();
    assert.deepEqual([identity_assertions, assertion_issuers], [[POLICY], [ISSUER]]);
    const faults = await withStatus(
      400,
      visitor.send(filledForm(saved, 'assertion_issuers'), { assertion_issuers: '[{"issuer": "other"' }),
    );
    assert.match(faults.text, /id="assertion_issuers-fault"/);
    assert(faults.text.includes('[{&quot;issuer&quot;: &quot;other&quot;'), faults.text);
    const emptied = await visitor.send(filledForm(saved, 'assertion_issuers'), { assertion_issuers: '' });
    assert.equal(emptied.status, 200);
    assert.equal((await stored()).assertion_issuers, undefined);
  });
});
