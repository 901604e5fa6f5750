/** Puts live tokens into the embedded store through its own interface, and writes them down for the load. */
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { systemClock } from '../../src/app.ts';
import { keyOf, newCredential } from '../../src/credentials.ts';
import { scopes } from '../../src/protocol/scope.ts';
import { systemRandom } from '../../src/random.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { ACCESS_TOKEN_TTL, APP, CLIENT_ID, REFRESH_TOKEN_TTL, users } from '../fixture.ts';

const [path = '', count = '', accessFile = '', refreshFile = '', sessionFile = ''] = process.argv.slice(2);
/** Below what the store lets wait for one commit. */
const BATCH = 5000;

const store = openSqliteStore(path);
const subs = await Promise.all(users.map(async ({ username }) => (await store.findAccount(username))?.sub));
const access: string[] = [];
const refresh: string[] = [];
for (let done = 0; done < Number(count); done += BATCH) {
  const size = Math.min(BATCH, Number(count) - done);
  await Promise.all(Array.from({ length: size }, (_, index) => addFamily(subs[(done + index) % subs.length])));
}
const sessions = await Promise.all(subs.map(addSession));
await store.close();
writeFileSync(accessFile, `${access.join('\n')}\n`);
writeFileSync(refreshFile, `${refresh.join('\n')}\n`);

writeFileSync(sessionFile, `${sessions.join('\n')}\n`);

async function addSession(sub: string | undefined): Promise<string> {
  if (sub === undefined) throw new Error('a user is missing');
  const id = systemRandom.bytes(32).toString('base64url');
  const now = systemClock.now();
  const life = { authTime: now, idleExpiresAt: now + 8 * 3600, expiresAt: now + 30 * 24 * 3600 };
  const name = systemRandom.bytes(16).toString('base64url');
  await store.openSession(
    {
      idHash: hash('sha256', id, 'buffer'),
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
