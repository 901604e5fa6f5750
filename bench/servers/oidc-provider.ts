import { freePort } from '../../scripts/free-port.ts';
import { startServer, untilReady } from '../child.ts';
import { authorizationUrl, standardRequests } from '../fixture.ts';
import type { Contents } from './fill.ts';
import { createDatabase, databaseOf, type Place, ROOT, type Started, valueFiles } from './place.ts';

export const OIDC_PROVIDER = 'oidc-provider';
const DATABASE = 'oidc_provider';
/** A code costs it more than it costs us, and it exchanges fewer. */
const MAX_CODES = 20_000;

/** On PostgreSQL, with the same data. It has no password grant. */
export async function startOidcProvider(place: Place, { tokens, codes = 0 }: Contents): Promise<Started> {
  const port = await freePort();
  const files = valueFiles(place.folder, OIDC_PROVIDER);
  const database = await createDatabase(place.postgres?.url ?? '', DATABASE);
  const began = performance.now();
  const counts = [String(tokens), String(Math.min(codes, MAX_CODES))];
  const args = ['bench/servers/oidc-provider/main.ts', String(port), ...counts, JSON.stringify(files), database];
  const server = startServer(args, { env: { NODE_ENV: 'production' }, cwd: ROOT });
  const issuer = `http://127.0.0.1:${port}`;
  const milliseconds = await untilReady(`${issuer}/.well-known/openid-configuration`, began);
  const at = { introspection: `${issuer}/token/introspection`, userinfo: `${issuer}/me`, token: `${issuer}/token` };
  const requests = {
    ...standardRequests(at, files),
    authorization: {
      method: 'GET',
      url: authorizationUrl(`${issuer}/auth`),
      headers: { cookie: '_session={value}' },
      values: { file: files.sessions, use: 'round' },
    },
  } as const;
  const target = { name: OIDC_PROVIDER, pid: server.pid, ...databaseOf(place, DATABASE), requests };
  return { target, milliseconds, stop: server.stop };
}
