import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, startServer, untilReady } from '../child.ts';
import {
  ACCESS_TOKEN_TTL,
  APP,
  CLIENT_ID,
  CLIENT_SECRET,
  GATEHOUSE_SECRET,
  REDIRECT_URI,
  REFRESH_TOKEN_TTL,
  SCOPE,
  type Target,
  users,
} from '../fixture.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Started {
  readonly target: Target;
  /** From the start of the process to its first answer. */
  readonly milliseconds: number;
  readonly stop: () => Promise<void>;
}

/** Where servers keep their data: files in `folder`, and where there is a PostgreSQL, in databases of their own there. */
export interface Place {
  readonly folder: string;
  readonly databases?: { readonly gatehouse: string; readonly oidcProvider: string };
}

/** A store provisioned as an operator would and filled with live tokens. */
export function prepareGatehouse(place: Place, tokens: number): void {
  const { folder } = place;
  const applyFile = join(folder, 'apply.json');
  writeFileSync(applyFile, JSON.stringify({ applications: [application], users }));
  const env = { PATH: process.env.PATH, ...gatehouseEnv(place) };
  const run = (args: string[]) => execFileSync(process.execPath, args, { cwd: ROOT, env, stdio: 'pipe' });
  run(['src/cli/gatehouse.ts', 'apply', applyFile]);
  const { accessTokens, refreshTokens, sessions } = tokenFiles(folder, 'gatehouse');
  const files = [accessTokens, refreshTokens, sessions];
  run(['bench/servers/seed-gatehouse.ts', String(tokens), ...files]);
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
      grant_types: ['authorization_code', 'refresh_token'],
      scope: SCOPE,
      id_token_signed_response_alg: 'ES256',
      refresh_token_rotation: true,
    },
  ],
};

/** Code with PKCE, as a client library asks for it. */
function authorizationUrl(endpoint: string): string {
  const url = new URL(endpoint);
  url.search = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: SCOPE,
    state: 'af0ifjsldkj-af0ifjsldkj-af0ifjsldkj',
    nonce: 'n-0S6_WzA2Mj-n-0S6_WzA2Mj',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }).toString();
  return url.href;
}

export function tokenFiles(folder: string, name: string) {
  return {
    accessTokens: join(folder, `${name}-access.txt`),
    refreshTokens: join(folder, `${name}-refresh.txt`),
    sessions: join(folder, `${name}-sessions.txt`),
  };
}

function gatehouseEnv({ folder, databases }: Place): Record<string, string> {
  return {
    DATABASE_URL: databases?.gatehouse ?? `sqlite:${join(folder, 'gatehouse.db')}`,
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
  const issuer = `http://127.0.0.1:${port}/api/v1/authorize/${APP}/oauth2`;
  const began = performance.now();
  const server = startServer({
    args: [...nodeArgs, 'src/main.ts'],
    env: {
      ...gatehouseEnv(place),
      PORT: String(port),
      ...(codeCache === undefined ? {} : { NODE_COMPILE_CACHE: codeCache }),
    },
    cwd: ROOT,
  });
  const milliseconds = await untilReady(`${issuer}/.well-known/openid-configuration`, began);
  return {
    target: {
      name: 'gatehouse',
      pid: server.pid,
      introspection: `${issuer}/introspect`,
      userinfo: `${issuer}/userinfo`,
      token: `${issuer}/token`,
      authorization: authorizationUrl(`${issuer}/auth`),
      ...tokenFiles(place.folder, 'gatehouse'),
    },
    milliseconds,
    stop: server.stop,
  };
}

export async function startOidcProvider({ folder, databases }: Place, tokens: number): Promise<Started> {
  const port = await freePort();
  const files = tokenFiles(folder, 'oidc-provider');
  const began = performance.now();
  const server = startServer({
    args: [
      'bench/servers/oidc-provider.ts',
      String(port),
      String(tokens),
      files.accessTokens,
      files.refreshTokens,
    ].concat(databases?.oidcProvider ?? []),
    env: { NODE_ENV: 'production' },
    cwd: ROOT,
  });
  const issuer = `http://127.0.0.1:${port}`;
  const milliseconds = await untilReady(`${issuer}/.well-known/openid-configuration`, began);
  return {
    target: {
      name: 'oidc-provider',
      pid: server.pid,
      introspection: `${issuer}/token/introspection`,
      userinfo: `${issuer}/me`,
      token: `${issuer}/token`,
      authorization: authorizationUrl(`${issuer}/auth`),
      ...files,
    },
    milliseconds,
    stop: server.stop,
  };
}

/** It is sent what `like` is sent, and answers with what `like` answered. */
export async function startFloor(
  like: Target,
  answers: { readonly introspection: string; readonly userinfo: string },
): Promise<Started> {
  const port = await freePort();
  const began = performance.now();
  const server = startServer({
    args: ['bench/servers/floor.ts', String(port), answers.introspection, answers.userinfo],
    env: { NODE_ENV: 'production' },
    cwd: ROOT,
  });
  const moved = (url: string) => Object.assign(new URL(url), { port: String(port) }).href;
  const target = {
    ...like,
    name: 'bare node:http',
    pid: server.pid,
    introspection: moved(like.introspection),
    userinfo: moved(like.userinfo),
    token: moved(like.token),
    authorization: moved(like.authorization),
  };
  return { target, milliseconds: await untilReady(target.userinfo, began), stop: server.stop };
}
