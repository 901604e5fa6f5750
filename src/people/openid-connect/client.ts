import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Services } from '../../services.ts';
import type { ConnectedProvider, ProviderTokens } from '../federation/connector.ts';
import { ownKeysOf } from '../federation/own-keys.ts';
import { faultOf } from './faults.ts';
import { type ProviderFetch, providerFetch } from './fetch.ts';
import { presetOf } from './presets.rules.ts';

/** What this server sends to a provider as its client, and how it authenticates at the token endpoint. */

const VERIFIER_BYTES = 32;

/** RFC 7636 section 4.1. */
export function newVerifier({ random }: Pick<Services, 'random'>): string {
  return random.bytes(VERIFIER_BYTES).toString('base64url');
}

export function challengeOf(verifier: string) {
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { code_challenge: challenge, code_challenge_method: 'S256' };
}

/** Parameters that the address has already stay (RFC 6749 section 3.1). */
export function addressWith(endpoint: URL, parameters: Readonly<Record<string, string | undefined>>): string {
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') endpoint.searchParams.set(name, value);
  }
  return endpoint.href;
}

/** Each parameter that came; one that came twice is told by the library. */
export function searchParams(answer: Params): URLSearchParams {
  const names = ['code', 'state', 'iss', 'error', 'error_description', 'id_token', 'response'];
  return new URLSearchParams(names.flatMap(name => answer.all(name).map(value => [name, value])));
}

export function requestOptions(fetch: ProviderFetch) {
  return {
    [oauth.customFetch]: fetch as never,
    // The guard of platform/outbound decides: plain http reaches only what the operator allows.
    [oauth.allowInsecureRequests]: true,
  };
}

const CLOCK_TOLERANCE_SECONDS = 30;

export function clientOf({ client_id = '' }: ConnectedProvider): oauth.Client {
  return { client_id, [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
}

export async function authenticationOf(services: Services, provider: ConnectedProvider): Promise<oauth.ClientAuth> {
  const { secrets, type } = provider;
  const secret = type === 'apple' ? appleSecret(services, provider) : secrets.client_secret;
  const method = provider.token_endpoint_auth_method ?? presetOf(provider).authMethod;
  if (method === 'private_key_jwt') return byOwnKey(services, provider);
  if (method === 'none' || secret === undefined) return oauth.None();
  return method === 'client_secret_post' ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
}

/** RFC 7523 section 2.2, with the first of the keys at /login/provider/{id}/jwks. */
async function byOwnKey(services: Services, provider: ConnectedProvider): Promise<oauth.ClientAuth> {
  const [{ privateKey, publicKey }] = await ownKeysOf(services, provider);
  const key = await crypto.subtle.importKey(
    'pkcs8',
    privateKey.export({ type: 'pkcs8', format: 'der' }),
    { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  return oauth.PrivateKeyJwt({ key, kid: thumbprintOf(publicKey) });
}

/** RFC 7638: of an RSA key. */
export function thumbprintOf(publicKey: KeyObject): string {
  const { e, kty, n } = publicKey.export({ format: 'jwk' });
  return createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url');
}

const APPLE = 'https://appleid.apple.com';
const APPLE_SECRET_SECONDS = 300;

/** Sign in with Apple, "Creating a client secret": a JWT that the key of the team has signed; a secret that is none of these is sent as it is. */
function appleSecret(
  { clock }: Services,
  { client_id, team_id, key_id, secrets }: ConnectedProvider,
): string | undefined {
  const { client_secret: secret } = secrets;
  if (secret === undefined || !secret.includes('PRIVATE KEY')) return secret;
  const now = clock.now();
  const header = { alg: 'ES256', kid: key_id };
  const claims = { iss: team_id, iat: now, exp: now + APPLE_SECRET_SECONDS, aud: APPLE, sub: client_id };
  const text = [header, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const key = createPrivateKey(secret);
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** For those that are kept (`keep_tokens`). A token that is bound to a key of this server would be of no use to others. */
export function tokensOf(
  { access_token, expires_in, scope, refresh_token, token_type }: oauth.TokenEndpointResponse,
  now: number,
): ProviderTokens | undefined {
  if (token_type !== 'bearer') return undefined;
  return {
    accessToken: access_token,
    ...(expires_in === undefined ? {} : { expiresAt: now + expires_in }),
    ...(scope === undefined ? {} : { scope }),
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
  };
}

/** RFC 6749 section 6. Undefined where the provider refuses or does not answer: the person signs in there again. */
export async function renewTokens(
  services: Services,
  provider: ConnectedProvider,
  as: oauth.AuthorizationServer,
  refreshToken: string,
): Promise<ProviderTokens | undefined> {
  const client = clientOf(provider);
  const options = requestOptions(providerFetch(services, provider));
  try {
    const authentication = await authenticationOf(services, provider);
    const response = await oauth.refreshTokenGrantRequest(as, client, authentication, refreshToken, options);
    return tokensOf(await oauth.processRefreshTokenResponse(as, client, response), services.clock.now());
  } catch (error) {
    const { reason } = faultOf(error);
    services.log.info('provider.tokens.lost', { provider: provider.id, reason });
    return undefined;
  }
}
