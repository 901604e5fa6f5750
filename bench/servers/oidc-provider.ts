import { freePort, startServer, untilReady } from '../child.ts';
import { createDatabase } from '../databases.ts';
import { authorizationUrl, standardRequests } from '../fixture.ts';
import { databaseOf, type Place, ROOT, type Started, valueFiles } from './place.ts';

export const OIDC_PROVIDER = 'oidc-provider';
const DATABASE = 'oidc_provider';

/** In memory, or where there is a PostgreSQL, on that. It has no password grant. */
export async function startOidcProvider(place: Place, tokens: number, codes: number): Promise<Started> {
  const port = await freePort();
  const files = valueFiles(place.folder, OIDC_PROVIDER);
  const database = place.postgres ? [await createDatabase(place.postgres.url, DATABASE)] : [];
  const began = performance.now();
  const server = startServer({
    args: [
      'bench/servers/oidc-provider/main.ts',
      String(port),
      String(tokens),
      String(codes),
      JSON.stringify(files),
      ...database,
    ],
    env: { NODE_ENV: 'production' },
    cwd: ROOT,
  });
  const issuer = `http://127.0.0.1:${port}`;
  const endpoints = {
    introspection: `${issuer}/token/introspection`,
    userinfo: `${issuer}/me`,
    token: `${issuer}/token`,
    authorization: `${issuer}/auth`,
    discovery: `${issuer}/.well-known/openid-configuration`,
    jwks: `${issuer}/jwks`,
  };
  const milliseconds = await untilReady(endpoints.discovery, began);
  const requests = {
    ...standardRequests(endpoints, files),
    authorization: {
      method: 'GET',
      url: authorizationUrl(endpoints.authorization),
      headers: { cookie: '_session={value}' },
      values: { file: files.sessions, use: 'round' },
    },
  } as const;
  const target = { name: OIDC_PROVIDER, pid: server.pid, ...databaseOf(place, DATABASE), requests };
  return { target, milliseconds, stop: server.stop };
}
