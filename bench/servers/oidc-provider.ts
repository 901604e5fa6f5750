/**
 * oidc-provider as its users would set it up for the same work: tokens in memory or on PostgreSQL, ES256, rotation of every refresh token,
 * introspection on, everything that plays no part here off. Sessions are not bound to, so that it has less to look up.
 */
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import Provider from 'oidc-provider';
import {
  ACCESS_TOKEN_TTL,
  CLIENT_ID,
  CLIENT_SECRET,
  REDIRECT_URI,
  REFRESH_TOKEN_TTL,
  SCOPE,
  users,
} from '../fixture.ts';
import { MapAdapter } from './map-adapter.ts';
import { openPostgres, PostgresAdapter, seedFast } from './postgres-adapter.ts';

const [port = '', count = '', accessFile = '', refreshFile = '', databaseUrl] = process.argv.slice(2);
if (databaseUrl !== undefined) await openPostgres(databaseUrl);
const off = { enabled: false };
const accounts = new Map(users.map(user => [user.username, user]));
const updatedAt = Math.floor(Date.now() / 1000);

const provider = new Provider(`http://127.0.0.1:${port}`, {
  adapter: databaseUrl === undefined ? MapAdapter : PostgresAdapter,
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
  cookies: { keys: ['used by no request of the benchmark'] },
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

if (databaseUrl === undefined) await seed(Number(count));
else await seedFast(() => seed(Number(count)));
provider.listen(Number(port), '127.0.0.1');

function signingKey(): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' };
}

/** Each token pair with a grant of its own, made by the models of the library. */
async function seed(tokens: number): Promise<void> {
  const client = await provider.Client.find(CLIENT_ID);
  if (!client) throw new Error('the client is missing');
  const access: string[] = [];
  const refresh: string[] = [];
  for (let index = 0; index < tokens; index++) {
    const accountId = users[index % users.length]?.username ?? '';
    const grant = new provider.Grant({ accountId, clientId: CLIENT_ID });
    grant.addOIDCScope(SCOPE);
    const grantId = await grant.save();
    const fields = { accountId, client, grantId, gty: 'authorization_code', scope: SCOPE };
    access.push(await new provider.AccessToken(fields).save());
    refresh.push(await new provider.RefreshToken({ ...fields, authTime: updatedAt, amr: ['pwd'] }).save());
  }
  writeFileSync(accessFile, `${access.join('\n')}\n`);
  writeFileSync(refreshFile, `${refresh.join('\n')}\n`);
}
