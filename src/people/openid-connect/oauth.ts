import * as oauth from 'oauth4webapi';
import type { Params } from '../../platform/http/params.rules.ts';
import { isText } from '../../platform/text/text.rules.ts';
import type { Asked, Begun, ConnectedProvider, Connector, Finished, Kept } from '../federation/connector.ts';
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
import { type ProviderFetch, providerFetch } from './fetch.ts';
import { presetOf } from './presets.rules.ts';

/**
 * Providers that speak OAuth 2.0 alone (RFC 6749), such as GitHub: there is no ID token, so the access token that comes for the code opens a
 * document about the person. It comes over a connection of this server to the provider alone, and never from the browser: an access token
 * that somebody brings may be one for another client.
 */
export const oauthProvider: Connector = { begin, finish, renew };

const GITHUB = {
  authorization_endpoint: 'https://github.com/login/oauth/authorize',
  token_endpoint: 'https://github.com/login/oauth/access_token',
  userinfo_endpoint: 'https://api.github.com/user',
};
const MAX_SUBJECT_LENGTH = 255;

function addressesOf(provider: ConnectedProvider) {
  const known = provider.type === 'github' ? GITHUB : {};
  const { authorization_endpoint = '', token_endpoint = '', userinfo_endpoint = '' } = { ...known, ...given(provider) };
  return { authorization_endpoint, token_endpoint, userinfo_endpoint };
}

function given({ authorization_endpoint, token_endpoint, userinfo_endpoint }: ConnectedProvider) {
  const named = Object.entries({ authorization_endpoint, token_endpoint, userinfo_endpoint });
  return Object.fromEntries(named.filter(([, address]) => address !== undefined)) as Partial<typeof GITHUB>;
}

async function begin({ services, provider, callback, state, loginHint, prompt }: Asked): Promise<Begun> {
  const endpoint = URL.parse(addressesOf(provider).authorization_endpoint);
  if (!endpoint) return invalid('there is no authorization_endpoint');
  const verifier = newVerifier(services);
  const url = addressWith(endpoint, {
    client_id: provider.client_id,
    response_type: 'code',
    redirect_uri: callback,
    scope: (provider.scope ?? presetOf(provider).scope).join(' '),
    state,
    ...challengeOf(verifier),
    // GitHub has a parameter of its own for it.
    ...(provider.type === 'github' ? { login: loginHint } : {}),
    prompt,
  });
  return { kind: 'redirect', url, kept: { verifier } };
}

async function finish(asked: Pick<Asked, 'services' | 'provider' | 'callback'>, answer: Params, kept: Kept) {
  try {
    return await identify(asked, answer, kept);
  } catch (error) {
    return { kind: 'failed', fault: faultOf(error) } as const;
  }
}

async function identify(
  { services, provider, callback }: Pick<Asked, 'services' | 'provider' | 'callback'>,
  answer: Params,
  { verifier }: Kept,
): Promise<Finished> {
  const { token_endpoint, userinfo_endpoint } = addressesOf(provider);
  const as = { issuer: provider.issuer ?? callback, token_endpoint };
  const client = clientOf(provider);
  const send = providerFetch(services, provider);
  const options = requestOptions(errorsAsErrors(send, token_endpoint));
  const said = searchParams(answer);
  // RFC 9207 names an issuer. A provider that has none here is told apart by its redirect URI.
  if (provider.issuer === undefined) said.delete('iss');
  const params = oauth.validateAuthResponse(as, client, said, oauth.skipStateCheck);
  const authentication = await authenticationOf(services, provider);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    authentication,
    params,
    callback,
    String(verifier),
    options,
  );
  const issued = await oauth.processAuthorizationCodeResponse(as, client, response);
  const { access_token: token } = issued;
  const person = await documentAt(send, userinfo_endpoint, token);
  if (!isObject(person)) return invalid('what userinfo_endpoint answers is no JSON object');
  const emails = provider.type === 'github' ? await githubEmail(send, `${userinfo_endpoint}/emails`, token) : {};
  const claims = { ...person, ...emails };
  const subject = subjectIn(claims, provider.subject_claim ?? (provider.type === 'github' ? 'id' : 'sub'));
  if (subject === undefined) return invalid('the person has no subject: subject_claim names the field that has it');
  return {
    kind: 'identified',
    identity: {
      subject,
      claims: presetOf(provider).claims?.(claims, name => answer.get(name)) ?? claims,
      session: { tokens: tokensOf(issued, services.clock.now()) },
    },
  };
}

async function renew({ services, provider }: Pick<Asked, 'services' | 'provider'>, refreshToken: string) {
  const { token_endpoint } = addressesOf(provider);
  return renewTokens(services, provider, { issuer: provider.issuer ?? token_endpoint, token_endpoint }, refreshToken);
}

/** GitHub answers errors of the token endpoint with 200 ("Troubleshooting OAuth app access token request errors"). */
function errorsAsErrors(send: ProviderFetch, endpoint: string): ProviderFetch {
  return async (url, options) => {
    const response = await send(url, options);
    if (url !== endpoint || response.status !== 200) return response;
    const text = await response.text();
    const { headers } = response;
    return new Response(text, { status: hasError(text) ? 400 : 200, headers });
  };
}

function hasError(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.error === 'string';
  } catch {
    return false;
  }
}

/** RFC 6750 section 2.1. GitHub refuses requests without a user agent. */
async function documentAt(send: ProviderFetch, url: string, token: string): Promise<unknown> {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}`, 'user-agent': 'Gatehouse' };
  const response = await send(url, { method: 'GET', headers });
  if (response.status !== 200) return undefined;
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

/** GitHub, "List email addresses for the authenticated user": that of the profile may be hidden, and does not say that it is verified. */
async function githubEmail(send: ProviderFetch, url: string, token: string) {
  const all = await documentAt(send, url, token);
  const primary = Array.isArray(all) ? all.find(each => isObject(each) && each.primary === true) : undefined;
  if (!isObject(primary)) return { email_verified: false };
  return { email: primary.email, email_verified: primary.verified === true };
}

/** Some services count their people. */
function subjectIn(claims: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= MAX_SUBJECT_LENGTH && isText(text)
    ? text
    : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(reason: string) {
  return { kind: 'failed', fault: { kind: 'invalid', reason } } as const;
}
