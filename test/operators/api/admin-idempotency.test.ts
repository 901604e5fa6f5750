import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { anApplication } from '../../build/fixture.ts';
import { anOperatorClient, anOperatorToken, ask } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';

describe('a repeated POST after the rights of its caller were cut (admin.md: Idempotency-Key, roles)', () => {
  let token: string;
  let alice: string;
  const server = suiteServer({ applications: [anApplication(), anApplication({ code: 'bank' })] });
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    token = await anOperatorToken(server, owner);
    await owner.ask('POST', '/users', { username: 'olga', password: 'correct horse battery staple' });
    await owner.ask('POST', '/operators', { username: 'olga', role: 'owner' });
    const operators = (await owner.ask('GET', '/operators')).json.items;
    alice = operators.find(({ username }: { username: string }) => username === 'alice').sub;
  });
  beforeEach(() => setRole({ role: 'owner', applications: null }));

  const setRole = async (change: object) => {
    const { status, text } = await owner.ask('PATCH', `/operators/${alice}`, change);
    assert.equal(status, 200, text);
  };
  const asAlice = (path: string, body: object, key: string) =>
    ask(server.base, token, 'POST', path, body, { 'idempotency-key': key });

  it('an owner who became an auditor does not get the key of an owner again', async () => {
    const body = { name: 'spare', role: 'owner' };
    const first = await asAlice('/api_keys', body, 'owner-key');
    assert.equal(first.status, 201, first.text);
    await setRole({ role: 'auditor' });
    const repeated = await asAlice('/api_keys', body, 'owner-key');
    assert.equal(repeated.status, 403, repeated.text);
    assert(!repeated.text.includes(first.json.key));
    await setRole({ role: 'owner' });
    assert.equal((await asAlice('/api_keys', body, 'owner-key')).json.key, first.json.key);
  });

  it('an owner who was limited to other applications does not get the secret of a client again', async () => {
    const body = { client_id: 'teller', redirect_uris: ['https://bank.example/'] };
    const first = await asAlice('/applications/bank/clients', body, 'teller');
    assert.equal(first.status, 201, first.text);
    await setRole({ applications: ['shop'] });
    const repeated = await asAlice('/applications/bank/clients', body, 'teller');
    assert.equal(repeated.status, 404, repeated.text);
  });

  it('an owner who was limited does not get the secret of a webhook that is not visible any more', async () => {
    const body = { url: 'https://bank.example/hooks', application: 'bank', event_types: ['user.created'] };
    const first = await asAlice('/webhooks', body, 'bank-hook');
    assert.equal(first.status, 201, first.text);
    const secrets = `/webhooks/${first.json.id}/secrets`;
    const rotated = await asAlice(secrets, {}, 'bank-hook-secret');
    assert.equal(rotated.status, 201, rotated.text);
    await setRole({ applications: ['shop'] });
    for (const repeated of [
      await asAlice('/webhooks', body, 'bank-hook'),
      await asAlice(secrets, {}, 'bank-hook-secret'),
    ]) {
      assert([400, 404, 409].includes(repeated.status), repeated.text);
      assert(!repeated.text.includes('whsec_'));
    }
  });

  it('a key that was used at one address is not good at another (409)', async () => {
    const body = { client_id: 'twin', redirect_uris: ['https://a.example/'] };
    assert.equal((await asAlice('/applications/shop/clients', body, 'twin')).status, 201);
    assert.equal((await asAlice('/applications/bank/clients', body, 'twin')).status, 409);
  });
});
