import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startServer, untilReady } from '../child.ts';
import {
  ACCESS_TOKEN_TTL,
  APP,
  authorizationUrl,
  BASIC,
  CLIENT_ID,
  CLIENT_SECRET,
  GATEHOUSE_SECRET,
  PASSWORD,
  REDIRECT_URI,
  REFRESH_TOKEN_TTL,
  SCOPE,
  standardRequests,
  users,
} from '../fixture.ts';
import { npmStart } from './npm-start.ts';
import { databaseOf, databaseUrl, type Place, ROOT, type Started, valueFiles } from './place.ts';

export const GATEHOUSE = 'gatehouse';

/** A store provisioned as an operator would and filled with live tokens and codes. The database must be there. */
export async function prepareGatehouse(place: Place, tokens: number, codes = 0): Promise<void> {
  const { folder } = place;
  const applyFile = join(folder, 'apply.json');
  writeFileSync(applyFile, JSON.stringify({ applications: [application], users }));
  const env = { PATH: process.env.PATH, ...gatehouseEnv(place) };
  const run = (args: string[]) => promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
  await run(['src/cli/gatehouse.ts', 'apply', applyFile]);
  const files = valueFiles(folder, GATEHOUSE);
  await run(['bench/servers/seed-gatehouse.ts', String(tokens), String(codes), JSON.stringify(files)]);
  const named = users.filter(({ password }) => password !== undefined).map(({ username }) => username);
  writeFileSync(usernameFile(folder), `${named.join('\n')}\n`);
}

const application = {
  code: APP,
  name: 'Benchmark',
  access_token_ttl: ACCESS_TOKEN_TTL,
  id_token_ttl: ACCESS_TOKEN_TTL,
  refresh_token_ttl: REFRESH_TOKEN_TTL,
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token', 'password'],
      scope: SCOPE,
      id_token_signed_response_alg: 'ES256',
      refresh_token_rotation: true,
    },
  ],
};

function usernameFile(folder: string): string {
  return join(folder, 'usernames.txt');
}

function gatehouseEnv({ folder, postgres }: Place): Record<string, string> {
  return {
    DATABASE_URL: postgres ? databaseUrl(postgres, GATEHOUSE) : `sqlite:${join(folder, 'gatehouse.db')}`,
    GATEHOUSE_SECRET,
    GATEHOUSE_DEMO: 'false',
    LOG_LEVEL: 'warn',
  };
}

export interface Start {
  /** For a profile. */
  readonly nodeArgs?: readonly string[];
  /** Compiled sources from here instead of those that `npm ci` left; an empty folder makes a cold start. */
  readonly codeCache?: string;
  /** On all cores, as the password hashes need them. */
  readonly unpinned?: boolean;
}

/** As its users start it, unless told otherwise. */
export async function startGatehouse(place: Place, start: Start = {}): Promise<Started> {
  const { nodeArgs = [], codeCache, unpinned = false } = start;
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}/api/v1/authorize/${APP}/oauth2`;
  const began = performance.now();
  const { env, args } = npmStart();
  const server = startServer({
    args: [...nodeArgs, ...args],
    env: {
      ...env,
      ...gatehouseEnv(place),
      PORT: String(port),
      ...(codeCache === undefined ? {} : { NODE_COMPILE_CACHE: codeCache }),
    },
    cwd: ROOT,
    unpinned,
  });
  const discovery = `${issuer}/.well-known/openid-configuration`;
  const milliseconds = await untilReady(discovery, began);
  return {
    target: {
      name: GATEHOUSE,
      pid: server.pid,
      ...databaseOf(place, GATEHOUSE),
      requests: requestsAt(issuer, discovery, place.folder),
    },
    milliseconds,
    stop: server.stop,
  };
}

function requestsAt(issuer: string, discovery: string, folder: string) {
  const files = valueFiles(folder, GATEHOUSE);
  const endpoints = {
    introspection: `${issuer}/introspect`,
    userinfo: `${issuer}/userinfo`,
    token: `${issuer}/token`,
    authorization: `${issuer}/auth`,
    discovery,
    jwks: `${issuer}/jwks`,
  };
  return {
    ...standardRequests(endpoints, files),
    authorization: {
      method: 'GET',
      url: authorizationUrl(endpoints.authorization),
      headers: { cookie: 'gatehouse_session={value}' },
      values: { file: files.sessions, use: 'round' },
    },
    password: {
      method: 'POST',
      url: endpoints.token,
      headers: { authorization: BASIC, 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=password&username={value}&password=${encodeURIComponent(PASSWORD)}`,
      values: { file: usernameFile(folder), use: 'round' },
    },
  } as const;
}
