import type { RequestForm } from './load/request.ts';

/** What every server is given: the same client, users, scopes and lifetimes. */
export const APP = 'bench';
export const CLIENT_ID = 'bench-api';
export const CLIENT_SECRET = 'known-to-the-benchmark-and-to-nobody-else';
/** Under which the servers seal what they seal. */
export const GATEHOUSE_SECRET = 'known to the benchmark and to nobody else';
export const SCOPE = 'openid profile email phone';
export const REDIRECT_URI = 'https://bench.example/callback';
export const ACCESS_TOKEN_TTL = 3600;
export const REFRESH_TOKEN_TTL = 30 * 24 * 3600;
/** Longer than any server would let a code live: those of the last round were made before the first. */
export const CODE_TTL = 2 * 3600;
export const PASSWORD = 'correct horse battery staple';
export const CODE_VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CODE_CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
export const NONCE = 'n-0S6_WzA2Mj-n-0S6_WzA2Mj';
const USERS = 1000;
/** Each of them costs an Argon2id hash before the benchmark can begin. */
const USERS_WITH_PASSWORD = 32;

export const BASIC = `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`;

/** What a server is asked for. */
export const works = ['introspection', 'userinfo', 'code', 'refresh', 'authorization', 'logout', 'password'] as const;
export type Work = (typeof works)[number];

export const titles: Readonly<Record<Work, string>> = {
  introspection: 'introspection',
  userinfo: 'userinfo',
  code: 'code exchange',
  refresh: 'refresh',
  authorization: 'authorization, live session',
  logout: 'logout',
  password: 'password grant (Argon2id)',
};

export interface User {
  readonly username: string;
  readonly password?: string;
  readonly nickname: string;
  readonly picture: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly phone_number: string;
  readonly phone_number_verified: boolean;
}

export const users: readonly User[] = Array.from({ length: USERS }, (_, index) => ({
  username: `user-${index}`,
  ...(index < USERS_WITH_PASSWORD && { password: PASSWORD }),
  nickname: `User ${index}`,
  picture: `https://bench.example/pictures/${index}.png`,
  email: `user-${index}@bench.example`,
  email_verified: true,
  phone_number: `+1555${String(index).padStart(7, '0')}`,
  phone_number_verified: true,
}));

/** A running server, and the request of each work that it has an endpoint for. */
export interface Target {
  readonly name: string;
  /** Undefined for an external server: its processor time is not known. */
  readonly pid: number | undefined;
  /** The PostgreSQL server behind it, with the workers if it is the coordinator of a Citus cluster, and the database in it. */
  readonly database?: { readonly pid: number; readonly workerPids?: readonly number[]; readonly url: string };
  readonly requests: Readonly<Partial<Record<Work, RequestForm>>>;
}

export interface Endpoints {
  readonly introspection: string;
  readonly userinfo: string;
  readonly token: string;
}

/** Files with one value on each line. */
export interface ValueFiles {
  readonly access: string;
  readonly refresh: string;
  readonly codes: string;
  readonly sessions: string;
  /** Sessions to end. */
  readonly logouts: string;
}

export const FORM = { authorization: BASIC, 'content-type': 'application/x-www-form-urlencoded' };

/** The works as every OpenID provider answers them; what a server does not do is left out by its caller. */
export function standardRequests(at: Endpoints, files: ValueFiles, credentials = FORM) {
  return {
    introspection: {
      method: 'POST',
      url: at.introspection,
      headers: credentials,
      body: 'token={value}&token_type_hint=access_token',
      values: { file: files.access, use: 'round' },
    },
    userinfo: {
      method: 'GET',
      url: at.userinfo,
      headers: { authorization: 'Bearer {value}' },
      values: { file: files.access, use: 'round' },
    },
    code: {
      method: 'POST',
      url: at.token,
      headers: credentials,
      body: `grant_type=authorization_code&code={value}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}&code_verifier=${CODE_VERIFIER}`,
      values: { file: files.codes, use: 'once' },
    },
    refresh: {
      method: 'POST',
      url: at.token,
      headers: credentials,
      body: 'grant_type=refresh_token&refresh_token={value}',
      values: { file: files.refresh, use: 'chain' },
    },
  } as const satisfies Partial<Record<Work, RequestForm>>;
}

/** Code with PKCE, as a client library asks for it. */
export function authorizationUrl(endpoint: string): string {
  const url = new URL(endpoint);
  url.search = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: SCOPE,
    state: 'af0ifjsldkj-af0ifjsldkj-af0ifjsldkj',
    nonce: NONCE,
    code_challenge: CODE_CHALLENGE,
    code_challenge_method: 'S256',
  }).toString();
  return url.href;
}
