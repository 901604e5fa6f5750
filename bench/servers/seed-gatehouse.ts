/** Puts live tokens into the store that DATABASE_URL names through its own interface, and writes them down for the load. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { systemClock } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { keyOf, newCredential } from '../../src/credentials.ts';
import { scopes } from '../../src/protocol/scope.ts';
import { systemRandom } from '../../src/random.ts';
import { openStore } from '../../src/store/open-store.ts';
import { ACCESS_TOKEN_TTL, APP, CLIENT_ID, REFRESH_TOKEN_TTL, users } from '../fixture.ts';

const [count = '', accessFile = '', refreshFile = '', sessionFile = ''] = process.argv.slice(2);
/** Below what the store lets wait. */
const BATCH = 2000;
/** Sessions take a connection each while they are opened. */
const AT_ONCE = 20;

const read = readConfig(process.env);
assert(read.kind === 'valid');
const store = await openStore(read.config.database);
const subs = await Promise.all(users.map(async ({ username }) => (await store.findAccount(username))?.sub));
const access: string[] = [];
const refresh: string[] = [];
for (let done = 0; done < Number(count); done += BATCH) {
  const size = Math.min(BATCH, Number(count) - done);
  await Promise.all(Array.from({ length: size }, (_, index) => addFamily(subs[(done + index) % subs.length])));
}
const sessions: string[] = [];
for (let done = 0; done < subs.length; done += AT_ONCE) {
  sessions.push(...(await Promise.all(subs.slice(done, done + AT_ONCE).map(addSession))));
}
await store.close();
writeFileSync(accessFile, `${access.join('\n')}\n`);
writeFileSync(refreshFile, `${refresh.join('\n')}\n`);

writeFileSync(sessionFile, `${sessions.join('\n')}\n`);

async function addSession(sub: string | undefined): Promise<string> {
  if (sub === undefined) throw new Error('a user is missing');
  const now = systemClock.now();
  const id = newCredential('session', now + 30 * 24 * 3600, systemRandom);
  const life = { authTime: now, idleExpiresAt: now + 8 * 3600, expiresAt: now + 30 * 24 * 3600 };
  const name = systemRandom.bytes(16).toString('base64url');
  await store.openSession(
    {
      idHash: keyOf(id),
      sid: name,
      sub,
      amr: ['pwd'],
      openedBy: name,
      ...life,
      replaces: undefined,
    },
    now,
  );
  return id;
}

function addFamily(sub: string | undefined): Promise<unknown> {
  if (sub === undefined) throw new Error('a user is missing');
  const now = systemClock.now();
  const accessToken = newCredential('access', now + ACCESS_TOKEN_TTL, systemRandom);
  const refreshToken = newCredential('refresh', now + REFRESH_TOKEN_TTL, systemRandom);
  access.push(accessToken);
  refresh.push(refreshToken);
  return store.addGrant(
    APP,
    {
      clientId: CLIENT_ID,
      sub,
      scope: scopes,
      authTime: now,
      amr: ['pwd'],
      sid: undefined,
      claims: { userinfo: [], id_token: [] },
    },
    {
      grantId: systemRandom.bytes(16).toString('base64url'),
      issuedAt: now,
      access: { hash: keyOf(accessToken), expiresAt: now + ACCESS_TOKEN_TTL },
      refresh: { hash: keyOf(refreshToken), expiresAt: now + REFRESH_TOKEN_TTL },
    },
  );
}
