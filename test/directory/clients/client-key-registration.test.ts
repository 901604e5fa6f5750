import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readApplyFiles } from '../../../src/operators/apply/apply-file.ts';
import { exportText } from '../../../src/operators/apply/export.ts';
import { planChanges } from '../../../src/operators/apply/plan.ts';
import { aSigningPair, assertionFor, presenting, privateJwk, type SigningPair } from '../../build/assertion.ts';
import { basic, get, introspect } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { filledForm, inConsole } from '../../build/console.ts';
import { fields } from '../../build/fields.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { withStatus } from '../../build/with-status.ts';

const CLIENTS = '/applications/shop/clients';
const KEY = aSigningPair('ES256');
const OTHER = aSigningPair('EdDSA');
const SECRET = 'a secret of 32 characters or more';

/** A client that signs, through every door: admin API, apply file, export and console (modern contract: "registration metadata"). */
describe('registering a client that signs', () => {
  const clock = fixedClock();
  const server = suiteServer({ clock });
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    const { sub } = (await server.services.store.findAccount('alice')) ?? {};
    assert(sub);
    assert.equal((await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' })).status, 201);
  });

  const create = async (body: object) => {
    const made = await withStatus(201, owner.ask('POST', CLIENTS, body));
    return made.json;
  };
  const change = (clientId: string, body: object) => owner.ask('PATCH', `${CLIENTS}/${clientId}`, body);
  const signs = async (clientId: string, signer: SigningPair | string) => {
    const presented = presenting(assertionFor(server, signer, { clientId, now: clock.now() }));
    clock.advance(60); // so that failures are not throttled
    return (await introspect(server, { token: 'x', ...presented }, {})).status === 200;
  };
  const knows = async (clientId: string, secret: string) =>
    (await introspect(server, { token: 'x' }, { auth: basic(clientId, secret) })).status === 200;

  it('admin API: a client with keys has no secret, and shows its keys', async () => {
    const jwks = { keys: [KEY.publicJwk] };
    const made = await create({ client_id: 'keys', token_endpoint_auth_method: 'private_key_jwt', jwks });
    assert.equal(made.client_secret, undefined);
    assert.deepEqual((await owner.ask('GET', `${CLIENTS}/keys`)).json.jwks, jwks);
    assert(await signs('keys', KEY));
    assert.equal((await owner.ask('POST', `${CLIENTS}/keys/secrets`)).status, 409);
    assert.equal((await change('keys', { jwks: { keys: [OTHER.publicJwk] } })).status, 200);
    assert.deepEqual([await signs('keys', OTHER), await signs('keys', KEY)], [true, false]);
    assert.equal((await change('keys', { jwks: null })).status, 400);
  });

  it('admin API: a secret that signs is made once, replaced with an overlap, and never shown again', async () => {
    const { client_secret: first } = await create({
      client_id: 'signer',
      token_endpoint_auth_method: 'client_secret_jwt',
    });
    assert(await signs('signer', first));
    assert.equal(await knows('signer', first), false);
    const { client_secret: second } = (
      await owner.ask('POST', `${CLIENTS}/signer/secrets`, { previous_valid_for: 3600 })
    ).json;
    assert.deepEqual([await signs('signer', first), await signs('signer', second)], [true, true]);
    clock.advance(3600);
    assert.deepEqual([await signs('signer', first), await signs('signer', second)], [false, true]);
    const shown =
      (await owner.ask('GET', `${CLIENTS}/signer`)).text + (await owner.ask('GET', `${CLIENTS}/signer/secrets`)).text;
    for (const hidden of [first, second, 'sealed', 'hash']) assert(!shown.includes(hidden), hidden);
  });

  it('admin API: another method ends what belonged to the one before', async () => {
    const { client_secret: secret } = await create({ client_id: 'moving' });
    assert(await knows('moving', secret));
    assert.equal((await change('moving', { token_endpoint_auth_method: 'client_secret_jwt' })).status, 200);
    assert.deepEqual([await knows('moving', secret), await signs('moving', secret)], [false, false]);
    const { client_secret: signing } = (await owner.ask('POST', `${CLIENTS}/moving/secrets`, {})).json;
    assert(await signs('moving', signing));
    const keyed = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [KEY.publicJwk] } };
    assert.equal((await change('moving', keyed)).status, 200);
    assert.deepEqual([await signs('moving', KEY), await signs('moving', signing)], [true, false]);
    assert.equal((await change('moving', { token_endpoint_auth_method: 'client_secret_basic' })).status, 200);
    assert.deepEqual([await knows('moving', signing), await knows('moving', secret)], [false, false]);
    const stored = await server.services.store.findClient('shop', 'moving');
    assert.deepEqual([stored?.secret_hash, stored?.sealed_secret], [undefined, undefined]);
    const { client_secret: last } = (await owner.ask('POST', `${CLIENTS}/moving/secrets`, {})).json;
    assert(await knows('moving', last));
  });

  it('the secret is sealed at rest, and only of a client that signs with it (docs/decisions/client-assertions.md)', async () => {
    await server.provision({
      clients: [
        aClient({ client_id: 'rest', token_endpoint_auth_method: 'client_secret_jwt', client_secret: SECRET }),
        aClient({ client_id: 'plain', client_secret: SECRET }),
      ],
    });
    const [rest, plain] = await Promise.all(['rest', 'plain'].map(id => server.services.store.findClient('shop', id)));
    assert(rest?.sealed_secret && !JSON.stringify(rest).includes(SECRET));
    assert.equal(plain?.sealed_secret, undefined);
    // A copy of the sealed secret does not open for another client.
    const { store, registry } = server.services;
    await store.provision([{ kind: 'client', app: 'shop', client: { ...rest, client_id: 'thief' } }]);
    await registry.refresh();
    assert.deepEqual([await signs('rest', SECRET), await signs('thief', SECRET)], [true, false]);
  });

  const plan = async (text: string) => {
    const read = readApplyFiles(fields, [{ name: 'file', text }]);
    assert(read.kind === 'valid', read.kind === 'faulty' ? read.faults.join('; ') : '');
    return planChanges(server.services, read.file);
  };
  const apply = async (clients: object[]) => {
    const { changes, differences } = await plan(JSON.stringify({ applications: [anApplication({ clients })] }));
    assert.deepEqual(await server.services.store.provision(changes), { kind: 'done' });
    await server.services.registry.refresh();
    return differences.filter(({ object }) => object.type === 'client');
  };

  it('apply file: the same file changes nothing, and a client that comes to client_secret_jwt gets a secret it can use', async () => {
    const entry = { client_id: 'filed', token_endpoint_auth_method: 'client_secret_jwt', client_secret: SECRET };
    await apply([entry]);
    assert.deepEqual(await apply([entry]), []);
    assert.deepEqual(await apply([{ ...entry, client_secret: undefined }]), []);
    assert(await signs('filed', SECRET));
    const [made] = await apply([{ client_id: 'late' }]);
    assert(made?.generatedSecret);
    const [changed] = await apply([{ client_id: 'late', token_endpoint_auth_method: 'client_secret_jwt' }]);
    assert(changed?.generatedSecret && changed.generatedSecret !== made.generatedSecret);
    assert(await signs('late', changed.generatedSecret));
    // The method was changed by the admin API: the file with the secret makes it work.
    await apply([{ client_id: 'mixed', client_secret: SECRET }]);
    assert.equal((await change('mixed', { token_endpoint_auth_method: 'client_secret_jwt' })).status, 200);
    assert.equal(await signs('mixed', SECRET), false);
    await apply([{ ...entry, client_id: 'mixed' }]);
    assert(await signs('mixed', SECRET));
  });

  it('export names keys and methods and no secret, and applying it changes nothing', async () => {
    let text = '';
    const options = { format: 'yaml', users: false, passwordHashes: false } as const;
    for await (const part of exportText(server.services, options)) text += part;
    assert.match(text, /jwks:\s+keys:/);
    for (const hidden of ['sealed', 'secret_hash', SECRET]) assert(!text.includes(hidden), hidden);
    const { differences } = await plan(text);
    assert.deepEqual(differences, []);
  });

  it('console: keys are typed as JSON or by their address, with faults beside the field', async () => {
    await create({ client_id: 'typed' });
    const { visitor, seen } = await inConsole(server, `/console${CLIENTS}/typed/authentication`);
    const form = filledForm(seen, 'jwks');
    const method = { token_endpoint_auth_method: 'private_key_jwt' };
    const broken = await visitor.send(form, { ...method, jwks: '{"keys":' });
    assert.match(broken.text, /id="jwks-fault">must be a JWK Set/);
    const secret = await visitor.send(filledForm(broken, 'jwks'), {
      ...method,
      jwks: JSON.stringify({ keys: [privateJwk(KEY)] }),
    });
    assert.match(secret.text, /id="jwks-fault">must be a public key/);
    const typed = JSON.stringify({ keys: [KEY.publicJwk] });
    await withStatus(200, visitor.send(filledForm(secret, 'jwks'), { ...method, jwks: typed }));
    assert(await signs('typed', KEY));
    const shown = await visitor.follow(`${server.base}/console${CLIENTS}/typed/authentication`);
    assert(shown.text.includes(KEY.publicJwk.kid));
    // Sent again as it is shown, nothing changes.
    await visitor.send(filledForm(shown, 'jwks'));
    const { items } = (await owner.ask('GET', '/events?type=client.updated&client=typed')).json;
    const changed = items.map((event: { details: { fields: string[] } }) => event.details.fields.sort());
    assert.deepEqual(changed, [[], ['jwks', 'token_endpoint_auth_method']]);
    const byAddress = await visitor.send(filledForm(shown, 'jwks'), {
      ...{ jwks: '', jwks_uri: 'https://keys.example/set' },
      token_endpoint_auth_signing_alg: 'ES256',
    });
    assert.equal(byAddress.status, 200, byAddress.text);
    const { jwks, jwks_uri, token_endpoint_auth_signing_alg: alg } = (await owner.ask('GET', `${CLIENTS}/typed`)).json;
    assert.deepEqual([jwks, jwks_uri, alg], [undefined, 'https://keys.example/set', 'ES256']);
    const secrets = await visitor.follow(`${server.base}/console${CLIENTS}/typed/secrets`);
    assert.match(secrets.text, /it signs with its private key/);
  });

  it('discovery lists methods and algorithms of all three endpoints (RFC 8414 section 2)', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    for (const endpoint of ['token', 'introspection', 'revocation']) {
      const methods = json[`${endpoint}_endpoint_auth_methods_supported`];
      for (const method of ['private_key_jwt', 'client_secret_jwt']) assert(methods.includes(method), endpoint);
      const algs = json[`${endpoint}_endpoint_auth_signing_alg_values_supported`];
      for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA', 'HS256']) assert(algs.includes(alg), endpoint);
      assert(!algs.includes('none'));
    }
  });
});
