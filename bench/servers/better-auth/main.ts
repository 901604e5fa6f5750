/**
 * better-auth with its OAuth provider plug-in on PostgreSQL, as its documentation sets it up: its own adapter and tables, ES256,
 * opaque access tokens, the same lifetimes. What would only slow it down here is off: rate limits, telemetry, the consent page.
 */
import { createHmac, hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { oauthProvider } from '@better-auth/oauth-provider';
import { type BetterAuthPlugin, betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { jwt } from 'better-auth/plugins';
import { Pool } from 'pg';
import {
  ACCESS_TOKEN_TTL,
  CLIENT_ID,
  CLIENT_SECRET,
  CODE_CHALLENGE,
  CODE_TTL,
  REDIRECT_URI,
  REFRESH_TOKEN_TTL,
  users,
  type ValueFiles,
} from '../../fixture.ts';

const [port = '', tokenCount = '', codeCount = '', fileNames = '', databaseUrl = ''] = process.argv.slice(2);
const secret = 'known to the benchmark and to nobody else';
/** It gives refresh tokens for this scope only, and knows no telephone numbers. */
const scopes = ['openid', 'profile', 'email', 'offline_access'];
const pool = new Pool({ connectionString: databaseUrl, max: 10 });

const auth = betterAuth({
  baseURL: `http://127.0.0.1:${port}`,
  secret,
  database: pool,
  logger: { level: 'error' },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  disabledPaths: ['/token'],
  plugins: [
    jwt({ disableSettingJwtHeader: true, jwks: { keyPairConfig: { alg: 'ES256' } } }),
    oauthProvider({
      loginPage: '/sign-in',
      consentPage: '/consent',
      scopes,
      codeExpiresIn: CODE_TTL,
      accessTokenExpiresIn: ACCESS_TOKEN_TTL,
      refreshTokenExpiresIn: REFRESH_TOKEN_TTL,
      silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
      // Its types and ours disagree on what may be undefined.
    }) as unknown as BetterAuthPlugin,
  ],
});

await (await getMigrations(auth.options)).runMigrations();
await seed();
createServer(toNodeHandler(auth)).listen(Number(port), '127.0.0.1');

/** One of each is made by its adapter, and the others are copies of it with other names: its tables are its own business. */
async function seed(): Promise<void> {
  const { adapter } = await auth.$context;
  const now = new Date();
  const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  const times = { createdAt: now, updatedAt: now };
  const create = (model: string, data: Record<string, unknown>) =>
    adapter.create({ model, data, forceAllowId: true }) as Promise<unknown>;

  const addUser = async ({ email, nickname, picture }: (typeof users)[number], number: number) => {
    await create('user', { id: `u${number}`, email, emailVerified: true, name: nickname, image: picture, ...times });
    const session = { id: `s${number}`, token: sessionToken(number), userId: `u${number}` };
    await create('session', { ...session, expiresAt: inSeconds(REFRESH_TOKEN_TTL), ...times });
  };
  await Promise.all(users.map(addUser));
  await create('oauthClient', {
    clientId: CLIENT_ID,
    clientSecret: hash('sha256', CLIENT_SECRET, 'base64url'),
    redirectUris: [REDIRECT_URI],
    scopes,
    grantTypes: ['authorization_code', 'refresh_token'],
    responseTypes: ['code'],
    tokenEndpointAuthMethod: 'client_secret_basic',
    skipConsent: true,
    ...times,
  });
  const owned = { clientId: CLIENT_ID, userId: 'u0', sessionId: 's0', scopes, createdAt: now };
  const life = { expiresAt: inSeconds(REFRESH_TOKEN_TTL), authTime: now };
  await create('oauthRefreshToken', { id: 'refresh', token: 'refresh', ...owned, ...life });
  await create('oauthAccessToken', { id: 'access', token: 'access', ...owned, expiresAt: inSeconds(ACCESS_TOKEN_TTL) });
  const code = { id: 'code', identifier: 'code', value: codeValue(now), expiresAt: inSeconds(CODE_TTL), ...times };
  await create('verification', code);

  const files: ValueFiles = JSON.parse(fileNames);
  const owner = `'userId', 'u' || n % ${users.length}, 'sessionId', 's' || n % ${users.length}`;
  await copies('oauthRefreshToken', 'refresh', 'token', Number(tokenCount), owner, files.refresh);
  await copies('oauthAccessToken', 'access', 'token', Number(tokenCount), owner, files.access);
  await copies('verification', 'code', 'identifier', Number(codeCount), '\'createdAt\', v."createdAt"', files.codes);
  await pool.query('VACUUM ANALYZE');
  writeFileSync(files.sessions, `${users.map((_, number) => signedCookie(sessionToken(number))).join('\n')}\n`);
}

function sessionToken(number: number): string {
  return `session${String(number).padStart(25, '0')}`;
}

/** As better-call signs its cookies. */
function signedCookie(value: string): string {
  return encodeURIComponent(`${value}.${createHmac('sha256', secret).update(value).digest('base64')}`);
}

function codeValue(now: Date): string {
  const query = {
    client_id: CLIENT_ID,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: scopes.join(' '),
    nonce: 'n-0S6_WzA2Mj-n-0S6_WzA2Mj',
    code_challenge: CODE_CHALLENGE,
    code_challenge_method: 'S256',
  };
  return JSON.stringify({ type: 'authorization_code', query, userId: 'u0', sessionId: 's0', authTime: now.getTime() });
}

/** Copies of the row with that id; in place of its key the hash of a value that is written down for the load. */
async function copies(
  table: string,
  id: string,
  key: string,
  count: number,
  rest: string,
  file: string,
): Promise<void> {
  const value = `'${id}' || lpad(n::text, ${32 - id.length}, '0')`;
  const hashed = `translate(encode(sha256((${value})::bytea), 'base64'), '+/=', '-_')`;
  await pool.query(
    `INSERT INTO "${table}" SELECT (jsonb_populate_record(v, jsonb_build_object(
       'id', ${value}, '${key}', ${hashed}, ${rest}))).*
     FROM "${table}" v, generate_series(1, ${count}) n WHERE v.id = '${id}'`,
  );
  const numbers = Array.from({ length: count }, (_, index) => String(index + 1).padStart(32 - id.length, '0'));
  writeFileSync(file, `${numbers.map(number => id + number).join('\n')}\n`);
}
