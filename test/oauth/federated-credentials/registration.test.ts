import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { aSigningPair } from '../../build/assertion.ts';
import { send } from '../../build/client.ts';
import { anApplication } from '../../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { suiteServer } from '../../build/test-server.ts';

const CREDENTIAL = { issuer: 'https://token.actions.githubusercontent.com', subject: 'repo:example/shop:ref:main' };
const jwks = { keys: [aSigningPair('ES256').publicJwk] };
const CLIENTS = '/applications/shop/clients';

describe('the registration of workloads (modern contract: federated_credentials)', () => {
  const server = suiteServer({ applications: [anApplication({ dynamic_registration: 'open' })] });
  let owner: OperatorClient;
  before(async () => {
    owner = await anOperatorClient(server);
  });
  const make = (over: object) => owner.ask('POST', CLIENTS, { federated_credentials: [CREDENTIAL], ...over });
  const faultOf = async (over: object) => {
    const { status, json, text } = await make(over);
    assert.equal(status, 400, text);
    return json.errors[0];
  };

  it('needs nothing else: the method is private_key_jwt, there is no secret, and it comes back as it was', async () => {
    const { status, json, text } = await make({ client_id: 'deploy', preset: 'machine' });
    assert.equal(status, 201, text);
    assert.deepEqual([json.token_endpoint_auth_method, json.client_secret], ['private_key_jwt', undefined]);
    const read = await owner.ask('GET', `${CLIENTS}/deploy`);
    assert.deepEqual(read.json.federated_credentials, [CREDENTIAL]);
  });

  it('cannot be taken away from a client that has no other key', async () => {
    await make({ client_id: 'bare' });
    for (const federated_credentials of [null, []]) {
      const { status, json } = await owner.ask('PATCH', `${CLIENTS}/bare`, { federated_credentials });
      assert.deepEqual([status, json.errors[0].pointer], [400, '/jwks']);
    }
  });

  it('the weaker way ends: a client with a secret keeps it until its method is changed', async () => {
    await owner.ask('POST', CLIENTS, { client_id: 'moving' });
    const change = { federated_credentials: [CREDENTIAL] };
    const { status, json } = await owner.ask('PATCH', `${CLIENTS}/moving`, change);
    assert.deepEqual([status, json.errors[0].pointer], [400, '/federated_credentials']);
    const both = { ...change, token_endpoint_auth_method: 'private_key_jwt' };
    assert.equal((await owner.ask('PATCH', `${CLIENTS}/moving`, both)).status, 200);
  });

  const faulty: Readonly<Record<string, readonly [over: object, pointer: string, detail: RegExp]>> = {
    'a subject with a star': [{ subject: 'repo:example/*' }, 'subject', /compared exactly/],
    'a subject with an invisible character': [{ subject: 'repo:example\u200b/shop' }, 'subject', /one line/],
    'a subject with white space around it': [{ subject: ' repo' }, 'subject', /white space/],
    'no subject': [{ subject: undefined }, 'subject', /./],
    'an issuer that is no address and has no keys': [{ issuer: 'kubernetes' }, 'issuer', /jwks or jwks_uri/],
    'an issuer without TLS': [{ issuer: 'http://gitlab.example' }, 'issuer', /https/],
    'an issuer with a query': [{ issuer: 'https://gitlab.example/?a' }, 'issuer', /https/],
    'keys twice': [{ jwks, jwks_uri: 'https://gitlab.example/keys' }, 'jwks_uri', /together/],
    'a private key': [{ jwks: { keys: [{ ...jwks.keys[0], d: 'AAAA' }] } }, 'jwks/keys/0', /private/],
    'a field that it does not have': [{ subject_prefix: 'repo' }, '', /subject_prefix/],
  };
  for (const [what, [over, field, detail]] of Object.entries(faulty)) {
    it(`refuses ${what}`, async () => {
      const fault = await faultOf({ federated_credentials: [{ ...CREDENTIAL, ...over }] });
      assert.match(`${fault.pointer} ${fault.detail}`, detail);
      assert(fault.pointer.startsWith(`/federated_credentials/0${field && `/${field}`}`), fault.pointer);
    });
  }

  it('takes an issuer that is no address with its keys', async () => {
    const { status, text } = await make({ federated_credentials: [{ ...CREDENTIAL, issuer: 'kubernetes', jwks }] });
    assert.equal(status, 201, text);
  });

  it('refuses another method, a public client, more than 20, and a profile of FAPI, whose assertions are good once', async () => {
    for (const token_endpoint_auth_method of ['client_secret_basic', 'client_secret_jwt', 'none']) {
      assert.equal((await faultOf({ token_endpoint_auth_method })).pointer, '/federated_credentials');
    }
    const many = Array.from({ length: 21 }, (_, at) => ({ ...CREDENTIAL, subject: `repo:${at}` }));
    assert.equal((await faultOf({ federated_credentials: many })).pointer, '/federated_credentials');
    const fapi = { profile: 'fapi2-security', redirect_uris: ['https://shop.example/cb'], jwks };
    assert.equal((await faultOf(fapi)).pointer, '/federated_credentials');
  });

  it('is for operators alone: a client that registers itself cannot say who else it is', async () => {
    const { status, json } = await send(`${server.at()}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: ['https://shop.example/cb'],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks,
        federated_credentials: [CREDENTIAL],
      }),
    });
    assert.deepEqual([status, json.federated_credentials], [201, undefined]);
  });
});
