/** What both servers are given: the same client, users and scopes. */
export const APP = 'bench';
export const CLIENT_ID = 'bench-api';
export const CLIENT_SECRET = 'known-to-the-benchmark-and-to-nobody-else';
/** Under which the servers seal what they seal. */
export const GATEHOUSE_SECRET = 'known to the benchmark and to nobody else';
export const SCOPE = 'openid profile email phone';
export const REDIRECT_URI = 'https://bench.example/callback';
export const ACCESS_TOKEN_TTL = 3600;
export const REFRESH_TOKEN_TTL = 30 * 24 * 3600;
const USERS = 1000;

export const BASIC = `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`;

export interface User {
  readonly username: string;
  readonly nickname: string;
  readonly picture: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly phone_number: string;
  readonly phone_number_verified: boolean;
}

export const users: readonly User[] = Array.from({ length: USERS }, (_, index) => ({
  username: `user-${index}`,
  nickname: `User ${index}`,
  picture: `https://bench.example/pictures/${index}.png`,
  email: `user-${index}@bench.example`,
  email_verified: true,
  phone_number: `+1555${String(index).padStart(7, '0')}`,
  phone_number_verified: true,
}));

/** A running server, and the tokens that are live in it: files with one on each line. */
export interface Target {
  readonly name: string;
  readonly pid: number;
  readonly introspection: string;
  readonly userinfo: string;
  readonly token: string;
  /** An authorization request, to be sent by a browser with a live session. */
  readonly authorization: string;
  readonly accessTokens: string;
  readonly refreshTokens: string;
  /** Session cookies, one on each line. */
  readonly sessions: string;
}
