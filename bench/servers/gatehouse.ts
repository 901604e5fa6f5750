import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/free-port.ts';
import { npmStart } from '../../src/assembly/npm-start.ts';
import { startServer, untilReady } from '../child.ts';
import {
  ACCESS_TOKEN_TTL,
  APP,
  authorizationUrl,
  CLIENT_ID,
  CLIENT_SECRET,
  FORM,
  GATEHOUSE_SECRET,
  PASSWORD,
  REDIRECT_URI,
  REFRESH_TOKEN_TTL,
  SCOPE,
  standardRequests,
  type Target,
  type User,
  users,
} from '../fixture.ts';
import { type Contents, fill, writeLines } from './fill.ts';
import { databaseOf, GATEHOUSE, type Place, ROOT, type Started, storeUrl, valueFiles } from './place.ts';

/** A store provisioned as an operator would and filled with live tokens and codes. The database must be there. */
export async function prepareGatehouse(
  place: Place,
  contents: Contents,
  settings: ClientSettings = {},
  further: readonly object[] = [],
): Promise<void> {
  await provisionGatehouse(place, users, settings, further);
  await fill(place, contents);
  const named = users.filter(({ password }) => password !== undefined).map(({ username }) => username);
  writeLines(usernameFile(place.folder), named);
}

export interface ClientSettings {
  readonly id_token_signed_response_alg?: string;
}

/** The application with its client, further clients, and these users; nothing else. */
export async function provisionGatehouse(
  place: Place,
  users: readonly User[],
  settings: ClientSettings = {},
  further: readonly object[] = [],
): Promise<void> {
  const file = join(place.folder, 'apply.json');
  const clients = [{ ...client, ...settings }, ...further];
  writeFileSync(file, JSON.stringify({ applications: [{ ...application, clients }], users }));
  const env = { PATH: process.env.PATH, ...gatehouseEnv(place) };
  await promisify(execFile)(process.execPath, ['src/gatehouse.ts', 'apply', file], { cwd: ROOT, env });
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

const application = {
  code: APP,
  name: 'Benchmark',
  access_token_ttl: ACCESS_TOKEN_TTL,
  id_token_ttl: ACCESS_TOKEN_TTL,
  refresh_token_ttl: REFRESH_TOKEN_TTL,
};

/** The names of the users that sign in. */
export function usernameFile(folder: string): string {
  return join(folder, 'usernames.txt');
}

export function gatehouseEnv(place: Place): Record<string, string> {
  return {
    DATABASE_URL: storeUrl(place, GATEHOUSE),
    ...(place.postgres?.workerPids && { GATEHOUSE_CITUS: 'true' }),
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
}

/** As its users start it, unless told otherwise. */
export async function startGatehouse(place: Place, { nodeArgs = [], codeCache }: Start = {}): Promise<Started> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const issuer = `${baseUrl}/api/v1/authorize/${APP}/oauth2`;
  const began = performance.now();
  const usual = npmStart();
  const server = startServer([...nodeArgs, ...usual.options, usual.program], {
    env: {
      ...usual.env,
      ...gatehouseEnv(place),
      PORT: String(port),
      ...(codeCache === undefined ? {} : { NODE_COMPILE_CACHE: codeCache }),
    },
    cwd: ROOT,
  });
  const milliseconds = await untilReady(`${issuer}/.well-known/openid-configuration`, began);
  const requests = requestsAt(baseUrl, issuer, place.folder);
  const target = { name: GATEHOUSE, pid: server.pid, ...databaseOf(place, GATEHOUSE), requests };
  return { target, milliseconds, stop: server.stop };
}

function requestsAt(baseUrl: string, issuer: string, folder: string): Target['requests'] {
  const files = valueFiles(folder, GATEHOUSE);
  const token = `${issuer}/token`;
  const session = { cookie: 'gatehouse_session={value}' };
  return {
    ...standardRequests({ introspection: `${issuer}/introspect`, userinfo: `${issuer}/userinfo`, token }, files),
    authorization: {
      method: 'GET',
      url: authorizationUrl(`${issuer}/auth`),
      headers: session,
      values: { file: files.sessions, use: 'round' },
    },
    // The form of the logout page, as the browser of a session sends it.
    logout: {
      method: 'POST',
      url: `${baseUrl}/logout`,
      headers: { 'content-type': FORM['content-type'], ...session },
      body: '',
      values: { file: files.logouts, use: 'once' },
    },
    password: {
      method: 'POST',
      url: token,
      headers: FORM,
      body: `grant_type=password&username={value}&password=${encodeURIComponent(PASSWORD)}`,
      values: { file: usernameFile(folder), use: 'round' },
    },
  };
}
