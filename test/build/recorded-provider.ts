import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.ts';

/**
 * A provider that answers as the documentation of a service shows it: discovery document, token answer, ID token and userinfo are written
 * down in the test, and only addresses, times, nonce and signature are those of the moment.
 */
export interface RecordedProvider {
  readonly base: string;
  /** What was asked of it since the last call, oldest first. */
  asked(): Asked[];
  /** The address of an answer to the authorization request at this address: with a code, and with what the service sends beside it. */
  answerTo(authorization: string, more?: Readonly<Record<string, string>>): string;
  close(): Promise<void>;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: URLSearchParams;
}

export interface Recording {
  /** By path; of a discovery document and of userinfo. `{base}` is the address of this server. */
  readonly documents: Readonly<Record<string, unknown>>;
  readonly tokenPath: string;
  /** What the token endpoint answers; `id_token` is put in where `claims` are given. */
  readonly tokens: object;
  readonly tokenStatus?: number;
  /** Between the request for tokens and its answer. */
  readonly beforeTokens?: (() => Promise<void>) | undefined;
  /** Of the ID token; `{base}` too. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly jwksPath?: string;
  /** How the ID token differs from one that holds. */
  readonly sign?: (header: object, claims: object, key: KeyObject) => string;
  readonly publicJwk?: (jwk: object) => object;
}

/** The discovery document of a provider that has nothing special. */
export const discovery = (over: object = {}) => ({
  '/.well-known/openid-configuration': {
    issuer: '{base}',
    authorization_endpoint: '{base}/auth',
    token_endpoint: '{base}/token',
    userinfo_endpoint: '{base}/me',
    jwks_uri: '{base}/jwks',
    ...over,
  },
});

const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KID = 'recorded-1';

export async function openRecordedProvider(recording: Recording | (() => Recording)): Promise<RecordedProvider> {
  const current = () => (typeof recording === 'function' ? recording() : recording);
  let asked: Asked[] = [];
  let nonce: string | undefined;
  let audience = '';
  const withBase = (value: unknown) => JSON.stringify(value).replaceAll('{base}', base);
  const idToken = ({ claims, sign: signer = signRs256 }: Recording) => {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 600, aud: audience, ...(nonce === undefined ? {} : { nonce }) };
    return signer(
      { alg: 'RS256', kid: KID, typ: 'JWT' },
      { ...times, ...JSON.parse(withBase(claims)) },
      KEY.privateKey,
    );
  };
  const { origin: base, close } = await listen(async (incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', base);
    const { method = '', headers } = incoming;
    asked.push({ method, path: pathname, headers, body: new URLSearchParams(await text(incoming)) });
    const { documents, tokenPath, tokens, tokenStatus = 200, claims, jwksPath = '/jwks', publicJwk } = current();
    const send = (status: number, body: string) => {
      outgoing.writeHead(status, { 'content-type': 'application/json' });
      outgoing.end(body);
    };
    const jwk = { ...KEY.publicKey.export({ format: 'jwk' }), kid: KID, use: 'sig', alg: 'RS256' };
    if (pathname === jwksPath) return send(200, JSON.stringify({ keys: [publicJwk?.(jwk) ?? jwk] }));
    if (pathname === tokenPath) {
      await current().beforeTokens?.();
      const issued = claims ? { ...tokens, id_token: idToken(current()) } : tokens;
      return send(tokenStatus, withBase(issued));
    }
    return Object.hasOwn(documents, pathname) ? send(200, withBase(documents[pathname])) : send(404, '{}');
  });
  return {
    base,
    asked: () => {
      const all = asked;
      asked = [];
      return all;
    },
    answerTo: (authorization, more = {}) => {
      const { searchParams } = new URL(authorization);
      nonce = searchParams.get('nonce') ?? undefined;
      audience = searchParams.get('client_id') ?? '';
      const answer = { code: 'the-code', state: searchParams.get('state') ?? '', ...more };
      return `${searchParams.get('redirect_uri')}?${new URLSearchParams(answer)}`;
    },
    close,
  };
}

export function signRs256(header: object, claims: object, key: KeyObject): string {
  const parts = [header, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${parts}.${sign('sha256', Buffer.from(parts), key).toString('base64url')}`;
}

/** OIDC Core section 3.1.3.6, of SHA-256. */
export function halfHash(token: string): string {
  return createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');
}
