/**
 * oidc-provider as its users would set it up for the same work: tokens on PostgreSQL, ES256, rotation of every refresh token,
 * introspection on, everything that plays no part here off. Sessions are not bound to, so that it has less to look up.
 */
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import Provider from 'oidc-provider';
import {
  ACCESS_TOKEN_TTL,
  CLIENT_ID,
  CLIENT_SECRET,
  CODE_CHALLENGE,
  CODE_TTL,
  REDIRECT_URI,
  REFRESH_TOKEN_TTL,
  SCOPE,
  users,
  type ValueFiles,
} from '../../fixture.ts';
import { openPostgres, PostgresAdapter, seedFast } from './postgres-adapter.ts';

const [port = '', tokenCount = '', codeCount = '', fileNames = '', databaseUrl = ''] = process.argv.slice(2);
await openPostgres(databaseUrl);
const off = { enabled: false };
const accounts = new Map(users.map(user => [user.username, user]));
const updatedAt = Math.floor(Date.now() / 1000);

const provider = new Provider(`http://127.0.0.1:${port}`, {
  adapter: PostgresAdapter,
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: SCOPE,
      id_token_signed_response_alg: 'ES256',
      token_endpoint_auth_method: 'client_secret_basic',
    },
  ],
  jwks: { keys: [signingKey()] },
  // Unsigned, which is less work for it.
  cookies: { long: { signed: false }, short: { signed: false } },
  claims: {
    openid: ['sub'],
    profile: ['preferred_username', 'nickname', 'picture', 'updated_at'],
    email: ['email', 'email_verified'],
    phone: ['phone_number', 'phone_number_verified'],
  },
  features: {
    introspection: { enabled: true },
    devInteractions: off,
    dPoP: off,
    pushedAuthorizationRequests: off,
    resourceIndicators: off,
    rpInitiatedLogout: off,
  },
  rotateRefreshToken: true,
  ttl: {
    AuthorizationCode: CODE_TTL,
    Session: REFRESH_TOKEN_TTL,
    AccessToken: ACCESS_TOKEN_TTL,
    IdToken: ACCESS_TOKEN_TTL,
    RefreshToken: REFRESH_TOKEN_TTL,
    Grant: REFRESH_TOKEN_TTL,
  },
  findAccount: (_context: unknown, sub: string) => {
    const user = accounts.get(sub);
    if (!user) return undefined;
    const { username, ...profile } = user;
    const claims = { sub, preferred_username: username, updated_at: updatedAt, ...profile };
    return { accountId: sub, claims: () => claims };
  },
});

await seedFast(seed);
provider.listen(Number(port), '127.0.0.1');

function signingKey(): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' };
}

/** Each token pair, and each code, with a grant of its own, made by the models of the library. */
async function seed(): Promise<void> {
  const client = await provider.Client.find(CLIENT_ID);
  if (!client) throw new Error('the client is missing');
  const login = { authTime: updatedAt, amr: ['pwd'] };
  const fieldsFor = async (index: number) => {
    const accountId = users[index % users.length]?.username ?? '';
    const grant = new provider.Grant({ accountId, clientId: CLIENT_ID });
    grant.addOIDCScope(SCOPE);
    return { accountId, client, grantId: await grant.save(), gty: 'authorization_code', scope: SCOPE };
  };
  const proof = { redirectUri: REDIRECT_URI, codeChallenge: CODE_CHALLENGE, codeChallengeMethod: 'S256' };
  const sessions = await Promise.all(
    users.map(async ({ username: accountId }, index) => {
      const { grantId } = await fieldsFor(index);
      const authorizations = { [CLIENT_ID]: { sid: `sid-${index}`, grantId } };
      const session = new provider.Session({ accountId, loginTs: updatedAt, amr: ['pwd'], authorizations });
      await session.save(REFRESH_TOKEN_TTL);
      return session.id;
    }),
  );
  const access: string[] = [];
  const refresh: string[] = [];
  const codes: string[] = [];
  for (let index = 0; index < Number(tokenCount); index++) {
    const fields = await fieldsFor(index);
    access.push(await new provider.AccessToken(fields).save());
    refresh.push(await new provider.RefreshToken({ ...fields, ...login }).save());
  }
  for (let index = 0; index < Number(codeCount); index++) {
    codes.push(await new provider.AuthorizationCode({ ...(await fieldsFor(index)), ...login, ...proof }).save());
  }
  const files: ValueFiles = JSON.parse(fileNames);
  for (const [name, lines] of Object.entries({ access, refresh, codes, sessions })) {
    writeFileSync(files[name as keyof ValueFiles], `${lines.join('\n')}\n`);
  }
}
