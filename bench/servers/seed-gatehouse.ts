/** Puts live tokens and codes into the store that DATABASE_URL names through its own interface, and writes them down for the load. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { systemClock } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { keyOf, newCredential } from '../../src/credentials.ts';
import { scopes } from '../../src/protocol/scope.ts';
import { systemRandom } from '../../src/random.ts';
import { openStore } from '../../src/store/open-store.ts';
import {
  ACCESS_TOKEN_TTL,
  APP,
  CLIENT_ID,
  CODE_CHALLENGE,
  CODE_TTL,
  REDIRECT_URI,
  REFRESH_TOKEN_TTL,
  users,
  type ValueFiles,
} from '../fixture.ts';

const [clientId = '', tokenCount = '', codeCount = '', fileNames = ''] = process.argv.slice(2);
/** Below what the store lets wait. */
const BATCH = 2000;
/** Sessions take a connection each while they are opened. */
const AT_ONCE = 20;

const read = readConfig(process.env);
assert(read.kind === 'valid');
const store = await openStore(read.config.database);
const subs = await Promise.all(users.map(async ({ username }) => subOf(await store.findAccount(username))));
const access: string[] = [];
const refresh: string[] = [];
await inBatches(Number(tokenCount), BATCH, addFamily);
const codes = await inBatches(Number(codeCount), BATCH, addCode);
// One of each user will do, whichever client they go to.
const sessions = clientId === CLIENT_ID ? await inBatches(subs.length, AT_ONCE, addSession) : [];
await store.close();

const files: ValueFiles = JSON.parse(fileNames);
for (const [name, lines] of Object.entries({ access, refresh, codes, sessions })) {
  writeFileSync(files[name as keyof ValueFiles], `${lines.join('\n')}\n`);
}

function subOf(account: { readonly sub: string } | undefined): string {
  if (!account) throw new Error('a user is missing');
  return account.sub;
}

async function inBatches<T>(count: number, size: number, add: (sub: string) => Promise<T>): Promise<T[]> {
  const added: T[] = [];
  for (let done = 0; done < count; done += size) {
    const length = Math.min(size, count - done);
    const batch = Array.from({ length }, (_, index) => add(subs[(done + index) % subs.length] ?? ''));
    added.push(...(await Promise.all(batch)));
  }
  return added;
}

async function addSession(sub: string): Promise<string> {
  const now = systemClock.now();
  const id = newCredential('session', now + 30 * 24 * 3600, systemRandom);
  const life = { authTime: now, idleExpiresAt: now + 8 * 3600, expiresAt: now + 30 * 24 * 3600 };
  const name = systemRandom.bytes(16).toString('base64url');
  const session = { idHash: keyOf(id), sid: name, sub, amr: ['pwd'], openedBy: name, ...life };
  await store.openSession({ ...session, passwordHash: undefined, replaces: undefined }, now);
  return id;
}

function grantOf(sub: string, now: number) {
  return {
    clientId,
    sub,
    scope: scopes,
    authTime: now,
    amr: ['pwd'],
    sid: undefined,
    claims: { userinfo: [], id_token: [] },
  };
}

async function addCode(sub: string): Promise<string> {
  const now = systemClock.now();
  const code = newCredential('code', now + CODE_TTL, systemRandom);
  await store.addCode(APP, {
    codeHash: keyOf(code),
    grant: grantOf(sub, now),
    redirectUri: REDIRECT_URI,
    codeChallenge: CODE_CHALLENGE,
    clientAuthenticationRequired: false,
    withRefresh: true,
    nonce: 'n-0S6_WzA2Mj-n-0S6_WzA2Mj',
    expiresAt: now + CODE_TTL,
  });
  return code;
}

async function addFamily(sub: string): Promise<void> {
  const now = systemClock.now();
  const accessToken = newCredential('access', now + ACCESS_TOKEN_TTL, systemRandom);
  const refreshToken = newCredential('refresh', now + REFRESH_TOKEN_TTL, systemRandom);
  access.push(accessToken);
  refresh.push(refreshToken);
  await store.addGrant(APP, grantOf(sub, now), {
    grantId: systemRandom.bytes(16).toString('base64url'),
    issuedAt: now,
    access: { hash: keyOf(accessToken), expiresAt: now + ACCESS_TOKEN_TTL },
    refresh: { hash: keyOf(refreshToken), expiresAt: now + REFRESH_TOKEN_TTL },
  });
}
