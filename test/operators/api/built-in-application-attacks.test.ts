import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { aUser, CALLBACK } from '../../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { bob } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';

const APP = 'gatehouse';
const SCOPE = 'openid admin:read admin:write';
const CLIENTS = '/applications/gatehouse/clients';
const DESK = { client_id: 'desk', client_secret: 'desk-secret-12', redirect_uris: [CALLBACK], scope: SCOPE };
const EVIL = { ...DESK, client_id: 'evil', redirect_uris: ['https://evil.example/cb'] };

describe('who is limited to the built-in application gains no rights of those who are not (admin contract: who may call)', () => {
  let limited: OperatorClient;
  const server = suiteServer({ users: [aUser(), bob()] });
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    assert.equal((await owner.ask('POST', CLIENTS, DESK)).status, 201);
    assert.equal((await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' })).status, 201);
    // As stored before such a limit was refused.
    limited = await anOperatorClient(server, { role: 'owner', applications: [APP] });
  });

  it('an owner with this limit registers no client there, and changes none', async () => {
    const { kid } = (await owner.ask('GET', '/applications/gatehouse/keys')).json.items[0];
    const { id } = (await owner.ask('GET', `${CLIENTS}/desk/secrets`)).json.items[0];
    for (const [method, path, body] of [
      ['POST', CLIENTS, EVIL],
      ['PATCH', `${CLIENTS}/desk`, { redirect_uris: EVIL.redirect_uris }],
      ['DELETE', `${CLIENTS}/desk`, undefined],
      ['POST', `${CLIENTS}/desk/secrets`, {}],
      ['DELETE', `${CLIENTS}/desk/secrets/${id}`, undefined],
      ['POST', '/applications/gatehouse/keys/rotate', {}],
      ['DELETE', `/applications/gatehouse/keys/${kid}`, undefined],
    ] as const) {
      const refused = await limited.ask(method, path, body);
      assert.equal(refused.status, 403, `${method} ${path}: ${refused.text}`);
      assert.equal(refused.json.detail, 'This needs the role owner for all applications.');
    }
    assert.deepEqual((await limited.ask('GET', `${CLIENTS}/desk`)).json.redirect_uris, [CALLBACK]);
    assert.equal((await owner.ask('GET', `${CLIENTS}/evil`)).status, 404);
  });

  for (const [path, body] of [
    ['/operators', { username: 'bob' }],
    ['/api_keys', { name: 'ci' }],
  ] as const) {
    it(`POST ${path} refuses the application in the limit of an owner, and takes it for a role that only reads it`, async () => {
      const refused = await owner.ask('POST', path, { ...body, role: 'owner', applications: ['shop', APP] });
      assert.equal(refused.status, 400, refused.text);
      assert.deepEqual(refused.json.errors, [
        {
          pointer: '/applications/1',
          detail: 'must not be gatehouse for the role owner: only an owner of all applications changes its clients',
        },
      ]);
      const taken = await owner.ask('POST', path, { ...body, role: 'auditor', applications: ['shop', APP] });
      assert.equal(taken.status, 201, taken.text);
    });
  }

  it('an operator with this limit becomes no owner with it', async () => {
    const { items } = (await owner.ask('GET', '/operators')).json;
    const path = `/operators/${items.find(({ username }: { username: string }) => username === 'bob').sub}`;
    const raised = await owner.ask('PATCH', path, { role: 'owner' });
    assert.equal(raised.status, 400, raised.text);
    assert.equal(raised.json.errors[0].pointer, '/applications/1');
    assert.equal((await owner.ask('GET', path)).json.role, 'auditor');
    assert.equal((await owner.ask('PATCH', path, { role: 'owner', applications: ['shop'] })).status, 200);
  });
});
