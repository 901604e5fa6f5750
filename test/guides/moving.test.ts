import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Started } from '../assembly/run.ts';
import { aPkcePair, basic, redeem, userinfo } from '../build/client.ts';
import { createDatabase, stopOwnServer } from '../build/postgres.ts';
import { suitePart } from '../build/suite-part.ts';
import { answerIn, signIn } from '../build/visitor.ts';
import { AUTH0_CLIENTS, auth0Users, KEYCLOAK_PASSWORDS, keycloakRealm, OLD_PASSWORD, tableOfUsers } from './exports.ts';
import { addressOf, operatorPath, serveInProcess } from './operator.ts';
import { type Guide, openGuide } from './run-guide.ts';

const CALLBACK = 'https://shop.example/callback';
const { verifier, asked: CHALLENGE } = aPkcePair();
const LEFT_OUT = {
  'kc.sh ': 'there is no Keycloak here; the file is made in its format',
  'curl -sS -H "Authorization: Bearer $AUTH0_TOKEN"':
    'there is no tenant of Auth0 here; the file is made in its format',
  'gunzip ': 'as above',
};

describe('docs/guides/moving.md', () => {
  let guide: Guide;
  let server: Started;
  const commandsLeft = new Map<string, number>();
  const table = suitePart(createDatabase, async ({ drop }) => {
    await drop();
    await stopOwnServer();
  });
  // Each of the three moves to an empty server.
  beforeEach(async () => {
    const env = { PATH: operatorPath(), OLD_DATABASE: table.url };
    guide = await openGuide('moving', { ports: [3000], notRun: LEFT_OUT, env });
    server = await serveInProcess(guide.folder, { PORT: String(guide.port(3000)) });
  });
  afterEach(async () => {
    for (const line of guide.left()) commandsLeft.set(line, (commandsLeft.get(line) ?? 0) + 1);
    await guide?.close();
    await server?.destroy();
  });
  const write = (name: string, text: string) => writeFileSync(join(guide.folder, name), text);

  /** Through the login page with the old password, to the tokens and the user. */
  async function comesIn(username: string, client: string, secret: string, password = OLD_PASSWORD) {
    const seen = await signIn(
      addressOf(guide),
      { client_id: client, redirect_uri: CALLBACK, scope: 'openid profile email', ...CHALLENGE },
      { username, password },
    );
    const sending = { auth: basic(client, secret) };
    const set = await redeem(
      addressOf(guide),
      answerIn(seen).code,
      { redirect_uri: CALLBACK, code_verifier: verifier },
      sending,
    );
    assert.equal(set.status, 200, set.text);
    return (await userinfo(addressOf(guide), set.json.access_token)).json;
  }

  it('from Keycloak: users with every hash that it makes, clients with their secrets', async () => {
    write('realm.json', JSON.stringify(keycloakRealm()));
    await guide.section('Export from Keycloak');
    const said = await guide.section('Convert the realm');
    assert.match(said, /^shop-web: https:\/\/shop\.example\/\* is left out: write the exact addresses$/m);
    assert.match(said, /^reports: its service account has no roles here: give the client scopes of an API$/m);
    const count = KEYCLOAK_PASSWORDS.length;
    assert.match(said, new RegExp(`^3 clients in clients.json, ${count} users in users.jsonl$`, 'm'));
    const printed = await guide.section('Import from Keycloak');
    assert.match(printed, new RegExp(`^${count} users created, 0 changed, 0 exist already\\.$`, 'm'));
    for (const { username, id } of KEYCLOAK_PASSWORDS) {
      const user = await comesIn(username, 'shop-web', 'the-secret-in-keycloak-0123456789');
      assert.deepEqual([user.sub, user.email, user.name], [id, `${username}@example.com`, 'Kim Example'], username);
    }
  });

  it('from Auth0: users with their bcrypt hashes and their sub, clients with their secrets', async () => {
    write('users.jsonl', auth0Users());
    write('auth0-clients.json', JSON.stringify(AUTH0_CLIENTS));
    await guide.section('Export from Auth0');
    const said = await guide.section('Convert the clients');
    assert.match(said, /^Shop: https:\/\/\*\.shop\.example\/callback is left out: write the exact addresses$/m);
    assert.match(said, /^3 clients in clients.json$/m);
    assert.match(await guide.section('Import from Auth0'), /^2 users created, 0 changed, 0 exist already\.$/m);
    const user = await comesIn(
      'lee@example.com',
      'aBcDeFgHiJkLmNoPqRsTuVwXyZ012345',
      AUTH0_CLIENTS[1]?.client_secret ?? '',
    );
    assert.deepEqual([user.sub, user.email_verified], ['auth0|507f1f77bcf86cd799439020', true]);
  });

  it('from a table of bcrypt hashes, by psql', async () => {
    for (const sql of tableOfUsers()) await table.query(sql);
    await guide.section('From a table of bcrypt hashes');
    const printed = await guide.section('Import from the table');
    assert.match(printed, /^3 users created, 0 changed, 0 exist already\.$/m);
    const [, secret = ''] = /client_secret (\S+) \(generated/.exec(printed) ?? [];
    const user = await comesIn('ann', 'shop-web', secret);
    assert.deepEqual([user.sub, user.name, user.email_verified], ['17', 'Ann Example', true]);
    const gone = await signIn(
      addressOf(guide),
      { client_id: 'shop-web', redirect_uri: CALLBACK, ...CHALLENGE },
      { username: 'gone', password: OLD_PASSWORD },
    );
    assert.match(gone.text, /name="password"/, 'a user who was not active is disabled');
  });

  it('has no command that none of the three runs', () => {
    const never = [...commandsLeft].filter(([, times]) => times === 3).map(([line]) => line);
    assert.deepEqual(never, []);
  });
});
