import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npmStart } from '../../scripts/npm-start.ts';
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
  type User,
  users,
} from '../fixture.ts';
import { databaseOf, type Place, ROOT, type Started, storeUrl, valueFiles } from './place.ts';

export const GATEHOUSE = 'gatehouse';

/** A store provisioned as an operator would and filled with live tokens and codes. The database must be there. */
export async function prepareGatehouse(place: Place, tokens: number, codes = 0): Promise<void> {
  await provisionGatehouse(place, users);
  const files = valueFiles(place.folder, GATEHOUSE);
  await run(place, ['bench/servers/seed-gatehouse.ts', String(tokens), String(codes), JSON.stringify(files)]);
  const named = users.filter(({ password }) => password !== undefined).map(({ username }) => username);
  writeFileSync(usernameFile(place.folder), `${named.join('\n')}\n`);
}

/** The application with its client, and these users; nothing else. */
export async function provisionGatehouse(place: Place, users: readonly User[], settings = {}): Promise<void> {
  const applyFile = join(place.folder, 'apply.json');
  writeFileSync(applyFile, JSON.stringify({ applications: [{ ...application, ...settings }], users }));
  await run(place, ['src/cli/gatehouse.ts', 'apply', applyFile]);
}

async function run(place: Place, args: string[]): Promise<void> {
  const env = { PATH: process.env.PATH, ...gatehouseEnv(place) };
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
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

/** Who signs in, by name. */
export function usernameFile(folder: string): string {
  return join(folder, 'usernames.txt');
}

export function gatehouseEnv(place: Place): Record<string, string> {
  return {
    DATABASE_URL: storeUrl(place, GATEHOUSE),
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
  /** Instead of the one of the servers; password hashes need all of them. */
  readonly cores?: readonly number[] | 'all';
  readonly env?: Readonly<Record<string, string>>;
}

/** As its users start it, unless told otherwise. */
export async function startGatehouse(place: Place, start: Start = {}): Promise<Started & { readonly baseUrl: string }> {
  const { nodeArgs = [], codeCache, cores, env } = start;
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const issuer = `${baseUrl}/api/v1/authorize/${APP}/oauth2`;
  const began = performance.now();
  const usual = npmStart();
  const server = startServer({
    args: [...nodeArgs, ...usual.args],
    env: {
      ...usual.env,
      ...gatehouseEnv(place),
      PORT: String(port),
      ...(codeCache === undefined ? {} : { NODE_COMPILE_CACHE: codeCache }),
      ...env,
    },
    cwd: ROOT,
    ...(cores && { cores }),
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
    baseUrl,
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
