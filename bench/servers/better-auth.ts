import { freePort, startServer, untilReady } from '../child.ts';
import { createDatabase } from '../databases.ts';
import { authorizationUrl, standardRequests } from '../fixture.ts';
import { databaseOf, type Place, ROOT, type Started, valueFiles } from './place.ts';

export const BETTER_AUTH = 'better-auth';
const DATABASE = 'better_auth';

/** On PostgreSQL. It has no password grant: people sign in with theirs at an endpoint of its own. */
export async function startBetterAuth(place: Place, tokens: number, codes: number): Promise<Started> {
  const port = await freePort();
  const files = valueFiles(place.folder, BETTER_AUTH);
  const database = await createDatabase(place.postgres?.url ?? '', DATABASE);
  const began = performance.now();
  const server = startServer({
    args: [
      'bench/servers/better-auth/main.ts',
      String(port),
      String(tokens),
      String(codes),
      JSON.stringify(files),
      database,
    ],
    env: { NODE_ENV: 'production' },
    cwd: ROOT,
  });
  const base = `http://127.0.0.1:${port}/api/auth`;
  const endpoints = {
    introspection: `${base}/oauth2/introspect`,
    userinfo: `${base}/oauth2/userinfo`,
    token: `${base}/oauth2/token`,
    authorization: `${base}/oauth2/authorize`,
    discovery: `${base}/.well-known/openid-configuration`,
    jwks: `${base}/jwks`,
  };
  const milliseconds = await untilReady(endpoints.discovery, began);
  const requests = {
    ...standardRequests(endpoints, files),
    authorization: {
      method: 'GET',
      url: authorizationUrl(endpoints.authorization).replace('+phone', '+offline_access'),
      headers: { cookie: 'better-auth.session_token={value}' },
      values: { file: files.sessions, use: 'round' },
    },
  } as const;
  const target = { name: BETTER_AUTH, pid: server.pid, ...databaseOf(place, DATABASE), requests };
  return { target, milliseconds, stop: server.stop };
}
