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
  basicOf,
  CLIENT_ID,
  CLIENT_SECRET,
  FEWER_CODES,
  FORM,
  GATEHOUSE_SECRET,
  PASSWORD,
  REDIRECT_URI,
  REFRESH_TOKEN_TTL,
  RS256_CLIENT_ID,
  rs256Works,
  SCOPE,
  standardRequests,
  type User,
  users,
  type Work,
} from '../fixture.ts';
import { databaseOf, type Place, ROOT, type Started, storeUrl, valueFiles } from './place.ts';

export const GATEHOUSE = 'gatehouse';
/** Its files of values for the client that signs with RS256. */
const RS256 = 'gatehouse-rs256';

/** Tokens of the client that signs with RS256: each connection refreshes a family of its own. */
const RS256_TOKENS = 2000;

export interface Contents {
  readonly tokens: number;
  readonly codes?: number;
  /** What it will be asked for; RS256 works need tokens of their own. */
  readonly works?: readonly Work[];
}

/** A store provisioned as an operator would and filled with live tokens and codes. The database must be there. */
export async function prepareGatehouse(place: Place, { tokens, codes = 0, works = [] }: Contents): Promise<void> {
  const withRs256 = works.some(work => rs256Works.includes(work));
  await provisionGatehouse(place, users, withRs256 ? { clients: [client, rs256Client] } : {});
  await seed(place, CLIENT_ID, tokens, codes, GATEHOUSE);
  if (withRs256)
    await seed(place, RS256_CLIENT_ID, Math.min(tokens, RS256_TOKENS), Math.min(codes, FEWER_CODES), RS256);
  const named = users.filter(({ password }) => password !== undefined).map(({ username }) => username);
  writeFileSync(usernameFile(place.folder), `${named.join('\n')}\n`);
}

function seed(place: Place, clientId: string, tokens: number, codes: number, name: string): Promise<void> {
  const files = JSON.stringify(valueFiles(place.folder, name));
  return run(place, ['bench/servers/seed-gatehouse.ts', clientId, String(tokens), String(codes), files]);
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

const client = {
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code', 'refresh_token', 'password'],
  scope: SCOPE,
  id_token_signed_response_alg: 'ES256',
  refresh_token_rotation: true,
};

const rs256Client = { ...client, client_id: RS256_CLIENT_ID, id_token_signed_response_alg: 'RS256' };

const application = {
  code: APP,
  name: 'Benchmark',
  access_token_ttl: ACCESS_TOKEN_TTL,
  id_token_ttl: ACCESS_TOKEN_TTL,
  refresh_token_ttl: REFRESH_TOKEN_TTL,
  clients: [client],
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
  const rs256Credentials = { ...FORM, authorization: basicOf(RS256_CLIENT_ID) };
  const rs256 = standardRequests(endpoints, valueFiles(folder, RS256), rs256Credentials);
  return {
    ...standardRequests(endpoints, files),
    'code-rs256': rs256.code,
    'refresh-rs256': rs256.refresh,
    authorization: {
      method: 'GET',
      url: authorizationUrl(endpoints.authorization),
      headers: { cookie: 'gatehouse_session={value}' },
      values: { file: files.sessions, use: 'round' },
    },
    password: {
      method: 'POST',
      url: endpoints.token,
      headers: FORM,
      body: `grant_type=password&username={value}&password=${encodeURIComponent(PASSWORD)}`,
      values: { file: usernameFile(folder), use: 'round' },
    },
  } as const;
}
