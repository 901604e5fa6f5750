import { hash } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { asymmetricAlgs } from '../../directory/clients/keys.rules.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { isText } from '../../platform/text/text.rules.ts';
import type { Services } from '../../services.ts';
import type {
  Asked,
  Begun,
  ConnectedProvider,
  Connector,
  Finished,
  Kept,
  ProviderFault,
  ProviderTokens,
  SignOut,
} from '../federation/connector.ts';
import {
  addressWith,
  authenticationOf,
  challengeOf,
  clientOf,
  newVerifier,
  renewTokens,
  requestOptions,
  searchParams,
  tokensOf,
} from './client.ts';
import { faultOf } from './faults.ts';
import { providerFetch } from './fetch.ts';
import { isIssuerOf, issuerOf, issuerOfToken, presetOf, subjectOf } from './presets.rules.ts';

/**
 * OpenID Connect providers (OIDC Core section 3.1): code flow with PKCE, `state`, `nonce`, and `iss` of RFC 9207. The library checks the
 * answer and the claims of the ID token; algorithms, signature and `at_hash` are demanded here, for every token.
 */
export const openidConnect: Connector = { begin, finish, signOut, renew };

const NONCE_BYTES = 16;

/** Signatures alone: a MAC with the client's secret is one that this server could have made (RFC 8725 section 3.1). */
const ALGORITHMS: readonly string[] = asymmetricAlgs;

async function begin(asked: Asked): Promise<Begun> {
  const { services, provider } = asked;
  const read = await metadataOf(services, provider);
  if (read.kind === 'failed') return read;
  const endpoint = URL.parse(read.as.authorization_endpoint ?? '');
  if (!endpoint || !/^https?:$/.test(endpoint.protocol)) return invalid('the metadata have no authorization_endpoint');
  const verifier = newVerifier(services);
  const nonce = services.random.bytes(NONCE_BYTES).toString('base64url');
  const url = addressWith(endpoint, parametersOf(asked, verifier, nonce));
  const since = asked.prompt === 'login' ? services.clock.now() : undefined;
  return { kind: 'redirect', url, kept: { nonce, verifier, maxAge: asked.maxAge, since } };
}

function parametersOf({ provider, callback, state, ...asked }: Asked, verifier: string, nonce: string) {
  return {
    client_id: provider.client_id,
    response_type: 'code',
    redirect_uri: callback,
    scope: (provider.scope ?? presetOf(provider).scope).join(' '),
    state,
    nonce,
    ...challengeOf(verifier),
    login_hint: asked.loginHint,
    prompt: asked.prompt,
    max_age: asked.maxAge === undefined ? undefined : String(asked.maxAge),
    ui_locales: asked.uiLocales,
    acr_values: provider.acr_map && Object.keys(provider.acr_map).join(' '),
    ...presetOf(provider).parameters,
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
  { nonce, verifier, maxAge, since }: Kept,
): Promise<Finished> {
  const client = clientOf(provider);
  const options = requestOptions(providerFetch(services, provider));
  const params = oauth.validateAuthResponse(as, client, searchParams(answer), oauth.skipStateCheck);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    await authenticationOf(services, provider),
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
  if (maxAge !== undefined && isOlder(claims.auth_time, Number(maxAge), services.clock.now())) {
    return invalid('the person has authenticated too long ago (auth_time)');
  }
  // Who was asked for with prompt=login: a session that was there before is no answer to that.
  if (since !== undefined && isOlder(claims.auth_time, 0, Number(since))) {
    return invalid('the person did not authenticate anew (auth_time)');
  }
  const said = { ...(await userinfoOf(as, client, tokens.access_token, claims.sub, options)), ...claims };
  return {
    kind: 'identified',
    identity: {
      subject: subjectOf(provider, as.issuer, claims),
      claims: presetOf(provider).claims?.(said, name => answer.get(name)) ?? said,
      acr: typeof claims.acr === 'string' ? claims.acr : undefined,
      authTime: claims.auth_time,
      session: { idToken: tokens.id_token, tokens: tokensOf(tokens, services.clock.now()) },
    },
  };
}

async function renew(
  { services, provider }: Pick<Asked, 'services' | 'provider'>,
  refreshToken: string,
): Promise<ProviderTokens | undefined> {
  const read = await metadataOf(services, provider);
  return read.kind === 'read' ? renewTokens(services, provider, read.as, refreshToken) : undefined;
}

/** OpenID Connect RP-Initiated Logout section 2. */
async function signOut({ services, provider, returnTo, state, session }: SignOut): Promise<string | undefined> {
  const read = await metadataOf(services, provider);
  const endpoint = read.kind === 'read' ? URL.parse(read.as.end_session_endpoint ?? '') : null;
  if (!endpoint || !/^https?:$/.test(endpoint.protocol)) return undefined;
  return addressWith(endpoint, {
    id_token_hint: session.idToken,
    client_id: provider.client_id,
    post_logout_redirect_uri: returnTo,
    state,
  });
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
  const { sub } = claims;
  if (sub === '' || sub.length > MAX_SUBJECT_LENGTH || !isText(sub)) return 'sub of the ID token is no subject';
  if (claims.at_hash !== undefined && claims.at_hash !== leftHalf(accessToken, alg)) {
    return 'at_hash of the ID token belongs to another access token';
  }
  return undefined;
}

/** A provider that says when, and did not ask again though it was asked to (OIDC Core section 3.1.2.1, `max_age`). */
function isOlder(authTime: number | undefined, maxAge: number, now: number): boolean {
  return authTime !== undefined && now - authTime > maxAge + CLOCK_TOLERANCE_SECONDS;
}

const CLOCK_TOLERANCE_SECONDS = 30;

/** OIDC Core section 3.1.3.6: with the hash of the signature; SHA-512 for Ed25519. */
function leftHalf(token: string, alg: string): string {
  const bits = /\d+$/.exec(alg)?.[0] ?? '';
  const digest = hash(['256', '384', '512'].includes(bits) ? `sha${bits}` : 'sha512', token, 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

type ReadMetadata =
  | { readonly kind: 'read'; readonly as: oauth.AuthorizationServer }
  | { readonly kind: 'failed'; readonly fault: ProviderFault };

async function metadataOf({ providerMetadata }: Services, provider: ConnectedProvider): Promise<ReadMetadata> {
  const read = await providerMetadata.read(issuerOf(provider));
  if (read.kind === 'failed') return { kind: 'failed', fault: { kind: 'unavailable', reason: read.reason } };
  if (!isIssuerOf(provider, read.document.issuer)) return invalid('the metadata name another issuer');
  const { token_endpoint, jwks_uri, userinfo_endpoint = '', end_session_endpoint = '' } = read.document;
  const hasAddresses = [token_endpoint, jwks_uri, userinfo_endpoint, end_session_endpoint].every(
    each => typeof each === 'string',
  );
  if (!hasAddresses) return invalid('the metadata lack token_endpoint or jwks_uri');
  return { kind: 'read', as: asFor(provider, read.document) };
}

/** The library keeps the keys beside this object, so it is the same for as long as the cache has the document. */
const servers = new WeakMap<object, oauth.AuthorizationServer>();

function asFor(provider: ConnectedProvider, document: Readonly<Record<string, unknown>>): oauth.AuthorizationServer {
  const present = servers.get(document);
  if (present) return present;
  const { issuer } = document as { readonly issuer: string };
  const made = {
    ...document,
    issuer,
    // What the library has for the issuers of Microsoft's tenants.
    [EXPECTED_ISSUER]: ({ claims }: { readonly claims: { readonly tid?: unknown } }) =>
      issuerOfToken(provider, issuer, claims.tid),
  };
  servers.set(document, made);
  return made;
}

const EXPECTED_ISSUER = (oauth as unknown as { readonly _expectedIssuer: symbol })._expectedIssuer;

function invalid(reason: string) {
  return { kind: 'failed', fault: { kind: 'invalid', reason } } as const;
}
