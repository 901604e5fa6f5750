import { createHash, hash } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Services } from '../../services.ts';
import type {
  Asked,
  Begun,
  ConnectedProvider,
  Connector,
  Finished,
  Kept,
  ProviderFault,
} from '../federation/connector.ts';
import { faultOf } from './faults.ts';
import { providerFetch } from './fetch.ts';

/**
 * OpenID Connect providers (OIDC Core section 3.1): code flow with PKCE, `state`, `nonce`, and `iss` of RFC 9207. The library checks the
 * answer and the claims of the ID token; algorithms, signature and `at_hash` are demanded here, for every token.
 */
export const openidConnect: Connector = { begin, finish };

const DEFAULT_SCOPE = ['openid', 'profile', 'email'];
const VERIFIER_BYTES = 32;
const NONCE_BYTES = 16;

/** Signatures alone: a MAC with the client's secret is one that this server could have made (RFC 8725 section 3.1). */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

async function begin(asked: Asked): Promise<Begun> {
  const { services, provider } = asked;
  const read = await metadataOf(services, provider);
  if (read.kind === 'failed') return read;
  const endpoint = URL.parse(read.as.authorization_endpoint ?? '');
  if (!endpoint || !/^https?:$/.test(endpoint.protocol)) return invalid('the metadata have no authorization_endpoint');
  const verifier = services.random.bytes(VERIFIER_BYTES).toString('base64url');
  const nonce = services.random.bytes(NONCE_BYTES).toString('base64url');
  for (const [name, value] of Object.entries(parametersOf(asked, verifier, nonce))) {
    if (value !== undefined) endpoint.searchParams.set(name, value);
  }
  return { kind: 'redirect', url: endpoint.href, kept: { nonce, verifier, maxAge: asked.maxAge } };
}

function parametersOf({ provider, callback, state, ...asked }: Asked, verifier: string, nonce: string) {
  return {
    client_id: provider.client_id,
    response_type: 'code',
    redirect_uri: callback,
    scope: (provider.scope ?? DEFAULT_SCOPE).join(' '),
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    login_hint: asked.loginHint,
    prompt: asked.prompt,
    max_age: asked.maxAge === undefined ? undefined : String(asked.maxAge),
    ui_locales: asked.uiLocales,
    acr_values: provider.acr_map && Object.keys(provider.acr_map).join(' '),
  };
}

async function finish(
  asked: Pick<Asked, 'services' | 'provider' | 'callback'>,
  answer: Params,
  kept: Kept,
): Promise<Finished> {
  const { services, provider } = asked;
  const read = await metadataOf(services, provider);
  if (read.kind === 'failed') return read;
  try {
    return await identify(asked, read.as, answer, kept);
  } catch (error) {
    return { kind: 'failed', fault: faultOf(error) };
  }
}

async function identify(
  { services, provider, callback }: Pick<Asked, 'services' | 'provider' | 'callback'>,
  as: oauth.AuthorizationServer,
  answer: Params,
  { nonce, verifier, maxAge }: Kept,
): Promise<Finished> {
  const client = clientOf(provider);
  const options = {
    [oauth.customFetch]: providerFetch(services.config.outboundAllowed) as never,
    // The guard of platform/outbound decides: plain http reaches only what the operator allows.
    [oauth.allowInsecureRequests]: true,
  };
  const params = oauth.validateAuthResponse(as, client, searchParams(answer), oauth.skipStateCheck);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    authenticationOf(provider),
    params,
    callback,
    String(verifier),
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
    expectedNonce: String(nonce),
    requireIdToken: true,
    ...(provider.max_age !== undefined && typeof maxAge === 'number' ? { maxAge } : {}),
  });
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (!claims || tokens.id_token === undefined) return invalid('there is no ID token');
  await oauth.validateApplicationLevelSignature(as, response, options);
  const fault = faultIn(claims, tokens.id_token, tokens.access_token, provider);
  if (fault !== undefined) return invalid(fault);
  const said = await userinfoOf(as, client, tokens.access_token, claims.sub, options);
  return {
    kind: 'identified',
    identity: {
      subject: claims.sub,
      claims: { ...said, ...claims },
      acr: typeof claims.acr === 'string' ? claims.acr : undefined,
      session: { idToken: tokens.id_token },
    },
  };
}

/** What is not in the ID token; a provider without this endpoint has all of it there. */
async function userinfoOf(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  accessToken: string,
  subject: string,
  options: object,
): Promise<Readonly<Record<string, unknown>>> {
  if (as.userinfo_endpoint === undefined) return {};
  const response = await oauth.userInfoRequest(as, client, accessToken, options);
  return oauth.processUserInfoResponse(as, client, subject, response);
}

const MAX_SUBJECT_LENGTH = 255;

/** OIDC Core sections 2, 3.1.3.7 and 3.1.3.8, beside what the library has checked. */
function faultIn(
  claims: oauth.IDToken,
  idToken: string,
  accessToken: string,
  { client_id }: ConnectedProvider,
): string | undefined {
  const { alg } = JSON.parse(Buffer.from(idToken.split('.')[0] ?? '', 'base64url').toString()) as { alg: string };
  if (!ALGORITHMS.includes(alg)) return 'the algorithm of the ID token is none of those that are taken';
  if (claims.azp !== undefined && claims.azp !== client_id) return 'azp of the ID token names another client';
  if (claims.sub === '' || claims.sub.length > MAX_SUBJECT_LENGTH) return 'sub of the ID token is no subject';
  if (claims.at_hash !== undefined && claims.at_hash !== leftHalf(accessToken, alg)) {
    return 'at_hash of the ID token belongs to another access token';
  }
  return undefined;
}

/** OIDC Core section 3.1.3.6: with the hash of the signature; SHA-512 for Ed25519. */
function leftHalf(token: string, alg: string): string {
  const bits = /\d+$/.exec(alg)?.[0] ?? '';
  const digest = hash(['256', '384', '512'].includes(bits) ? `sha${bits}` : 'sha512', token, 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

/** Each parameter that came; one that came twice is told by the library. */
function searchParams(answer: Params): URLSearchParams {
  const names = ['code', 'state', 'iss', 'error', 'error_description', 'id_token', 'response'];
  return new URLSearchParams(names.flatMap(name => answer.all(name).map(value => [name, value])));
}

const CLOCK_TOLERANCE_SECONDS = 30;

function clientOf({ client_id = '' }: ConnectedProvider): oauth.Client {
  return { client_id, [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
}

function authenticationOf({ token_endpoint_auth_method: method, secrets }: ConnectedProvider): oauth.ClientAuth {
  const { client_secret: secret } = secrets;
  if (method === 'none' || secret === undefined) return oauth.None();
  return method === 'client_secret_post' ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
}

type ReadMetadata =
  | { readonly kind: 'read'; readonly as: oauth.AuthorizationServer }
  | { readonly kind: 'failed'; readonly fault: ProviderFault };

/** The library keeps the keys beside this object, for as long as the cache has it. */
async function metadataOf({ providerMetadata }: Services, { issuer = '' }: ConnectedProvider): Promise<ReadMetadata> {
  const read = await providerMetadata.read(issuer);
  if (read.kind === 'read') return { kind: 'read', as: read.document as unknown as oauth.AuthorizationServer };
  return { kind: 'failed', fault: { kind: 'unavailable', reason: read.reason } };
}

function invalid(reason: string) {
  return { kind: 'failed', fault: { kind: 'invalid', reason } } as const;
}
