import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandTables } from '../../../src/assembly/tables.ts';
import { type Operation, schemaOf } from '../../../src/operators/api/operation.ts';
import { fieldsOf } from '../../../src/operators/api/schema-fields.ts';
import { SECRETS } from '../../../src/operators/cli/operation-arguments.ts';
import { gatehouse, gatehouseReading } from '../../build/command.ts';
import { fields } from '../../build/fields.ts';
import { aUser } from '../../build/fixture.ts';
import { ask } from '../../build/operator.ts';
import { suiteServer } from '../../build/test-server.ts';

describe('the options of gatehouse <noun> <verb>', () => {
  it('no secret is one: each is read from standard input', async () => {
    for (const { id, operation } of await commandTables().operations.list()) {
      const { body, changes }: Operation = operation;
      for (const { name } of fieldsOf(schemaOf<unknown>(changes ?? body, fields))) {
        if (/password|secret|token|hash|key/.test(name)) assert(isSecret(name), `${name} of ${id}`);
      }
    }
  });
  /** They are about tokens and passwords, and hold none. */
  const harmless =
    /^(access|id|refresh)_token_(ttl|signed|encrypted|claims|format|rotation|grace)|^token_(endpoint|exchange$)|^(key_id|keep_tokens)$|^password_min_length$|^require_password_change$|^passkeys$|^backchannel_token_delivery_mode$|^reset_passwords$|^(dpop|tls_client_certificate)_bound_access_tokens$/;
  const isSecret = (name: string) => SECRETS.includes(name) || harmless.test(name);
});

describe('gatehouse api-keys, operators, applications, clients (admin contract: command line)', () => {
  const server = suiteServer({
    users: [aUser(), aUser({ username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' })],
  });

  const run = async (...args: string[]) => {
    const { code, out, err } = await gatehouse(server, ...args, '--json');
    assert.equal(code, 0, err);
    return JSON.parse(out);
  };

  it('api-keys create prints one JSON object with the key, which works at once and is never shown again', async () => {
    const { key, id } = await run('api-keys', 'create', '--name', 'ci', '--role', 'owner');
    assert.match(key, /^gak_[\w-]{43}$/);
    assert.equal((await ask(server.base, key, 'GET', '/applications')).status, 200);
    const { out } = await gatehouse(server, 'api-keys', 'list');
    assert.match(out, new RegExp(id));
    assert(!out.includes(key));
    await run('api-keys', 'delete', id);
    assert.equal((await ask(server.base, key, 'GET', '/applications')).status, 401);
  });

  it('an option that is no field, and a value that is not allowed, exit 64 and 65', async () => {
    assert.equal((await gatehouse(server, 'api-keys', 'create', '--colour', 'red')).code, 64);
    const { code, err } = await gatehouse(server, 'api-keys', 'create', '--name', 'ci', '--role', 'king');
    assert.equal(code, 65);
    assert.match(err, /--role: must be one of/);
  });

  it('a limit to an application that does not exist exits 65 and names the option', async () => {
    for (const command of [
      ['api-keys', 'create', '--name', 'ci'],
      ['operators', 'add', 'bob'],
    ]) {
      const { code, err } = await gatehouse(server, ...command, '--role', 'operator', '--applications', 'shpo');
      assert.equal(code, 65, err);
      assert.match(err, /--applications.*: is the code of no application/);
    }
  });

  it('operators add makes the first owner, who cannot be removed while there is no other', async () => {
    const alice = await run('operators', 'add', 'alice', '--role', 'owner');
    assert.equal((await gatehouse(server, 'operators', 'remove', alice.sub)).code, 65);
    assert.equal((await gatehouse(server, 'operators', 'update', alice.sub, '--role', 'auditor')).code, 65);
    const bob = await run('operators', 'add', 'bob', '--role', 'owner');
    await run('operators', 'update', alice.sub, '--role', 'operator', '--applications', 'shop');
    const { items } = await run('operators', 'list');
    assert.deepEqual(items.find((each: { sub: string }) => each.sub === alice.sub).applications, ['shop']);
    await run('operators', 'remove', alice.sub);
    assert.equal((await gatehouse(server, 'operators', 'remove', bob.sub)).code, 65);
  });

  it('applications and clients: create, change and read what the admin API shows', async () => {
    await run('applications', 'create', 'till', '--name', 'Till', '--access-token-ttl', '60');
    const changed = await run('applications', 'update', 'till', '--access-token-ttl', 'null', '--strict-oidc', 'true');
    assert.deepEqual([changed.access_token_ttl, changed.strict_oidc], [3600, true]);
    const uris = ['https://a.example/x', 'https://b.example/y'].flatMap(uri => ['--redirect-uris', uri]);
    const made = await run('clients', 'create', '--app', 'till', '--client-id', 'one', ...uris);
    assert.equal(made.redirect_uris.length, 2);
    assert.match(made.client_secret, /^[\w-]{43}$/);
    const read = await run('clients', 'get', '--app', 'till', '--client', 'one');
    assert.equal(read.client_secret, undefined);
    const { items } = await run('clients', 'secrets', '--app', 'till', '--client', 'one');
    assert.equal(items.length, 1);
    const own = ['clients', 'create', '--app', 'till', '--client-id', 'two', '--client-secret-stdin', '--json'];
    const { code, out, err } = await gatehouseReading(server, 'chosen by its owner\n', ...own);
    assert.deepEqual([code, JSON.parse(out).client_secret], [0, 'chosen by its owner'], err);
  });
});
