import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { gatehouse } from '../../build/command.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';
import { aProvider } from '../../people/federation/federated.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

/** Issue 30: who signed in to Keycloak with another provider goes on to do so here. */
describe('links that move from Keycloak (federatedIdentities of a realm export)', () => {
  const folder = suitePart(temporaryFolder);
  const server = suitePart(() => startTestServer({ users: [] }));
  before(async () => {
    await server.provision({ providers: [aProvider('https://corp.example')] });
  });

  const identities = [
    { identityProvider: 'corp', userId: '00u1', userName: 'kim@corp.example' },
    { identityProvider: 'Not_Here', userId: '7', userName: 'kim' },
    { identityProvider: 'elsewhere', userId: '8', userName: 'kim' },
  ];
  const linksOf = async (username: string) => {
    const account = await server.services.store.findAccount(username);
    const links = await server.services.store.linksOf(account?.sub ?? '');
    return links.map(({ provider, subject }) => `${provider} ${subject}`);
  };
  const imported = async (user: object, ...options: string[]) => {
    const path = folder.file('users.jsonl');
    writeFileSync(path, JSON.stringify(user));
    return gatehouse(server, 'import', 'users', '--from', 'keycloak', ...options, path);
  };

  it('become links to the provider of the same name; those to providers that are not registered here are left out', async () => {
    const done = await imported({ id: 'kc-1', username: 'kim', federatedIdentities: identities });
    assert.equal(done.code, 0, done.err);
    assert.deepEqual(await linksOf('kim'), ['corp 00u1']);
  });

  it('a user who exists gets them with --update', async () => {
    assert.equal((await imported({ id: 'kc-2', username: 'lee' })).code, 0);
    const user = { id: 'kc-2', username: 'lee', federatedIdentities: [{ identityProvider: 'corp', userId: '00u2' }] };
    const done = await imported(user, '--update');
    assert.equal(done.code, 0, done.err);
    assert.deepEqual(await linksOf('lee'), ['corp 00u2']);
  });

  it('an identity that belongs to another user is a fault of its line', async () => {
    const done = await imported({ id: 'kc-3', username: 'mo', federatedIdentities: identities });
    assert.equal(done.code, 65);
    assert.match(done.err, /links: one belongs to the user "kim"/);
  });

  it('over the admin API likewise', async () => {
    const operator = await anOperatorClient(server);
    const federatedIdentities = [{ identityProvider: 'corp', userId: '00u4' }, identities[1]];
    const lines = [{ line: 1, fields: { id: 'kc-4', username: 'nia', federatedIdentities } }];
    const answer = await operator.ask('POST', '/users/import', { from: 'keycloak', lines });
    assert.equal(answer.json.outcomes[0].kind, 'created', answer.text);
    assert.deepEqual(await linksOf('nia'), ['corp 00u4']);
  });
});
