import { hash, timingSafeEqual } from 'node:crypto';
import { requestEvent } from '../../audit/events/request-event.ts';
import { challengeOf } from '../../oauth/authorization-code/pkce.rules.ts';
import type { ProofSigner } from '../../oauth/dpop/proof-signer.ts';
import type { SigningAlg } from '../../oauth/signing-keys/algorithms.rules.ts';
import { verifyIdTokenHint } from '../../oauth/signing-keys/verifier.ts';
import { token } from '../../oauth/token/endpoint.ts';
import { locateJwt, locateOpaque } from '../../oauth/token/lookup.ts';
import { userinfo } from '../../oauth/userinfo/endpoint.ts';
import type { ConsoleContext } from '../../operators/console-frame/page.ts';
import { isRefusal, type Refusal, type Reply, type Request } from '../../platform/http/message.ts';
import { encodeParams, NO_PARAMS, type Params, parseParams } from '../../platform/http/params.rules.ts';
import type { Services } from '../../services.ts';
import { type Application, issuerOf } from '../applications/rules.ts';
import type { Values } from '../fields/form.console.ts';
import { leftHalfHash } from '../users/claims.rules.ts';
import { redirectUrisOf } from './frame.console.ts';

/**
 * A login that an operator tries with a client, on a callback page of the console. The browser keeps what belongs to it in a sealed
 * cookie: an authorization response that this browser did not ask for is not taken. The code is exchanged within the process by the
 * token endpoint itself. A PKCE verifier is enough for that (row 34), unless the client requires its secret: then the operator types it.
 * All tokens are revoked before they are shown.
 */
export interface Trial {
  readonly app: string;
  readonly clientId: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly expiresAt: number;
}

const COOKIE = 'gatehouse_console_try';
const LIFETIME_SECONDS = 600;
/** Distinguishes the cookie from that of the session, which has the same key. */
const SEALED_AS = 'try';

export function callbackOf(services: Services): string {
  return `${services.config.baseUrl}/console/try/callback`;
}

/** The change that ends what was registered for a trial. */
export function withoutCallback(services: Services, client: Values): Values {
  return { redirect_uris: redirectUrisOf(client).filter(uri => uri !== callbackOf(services)) };
}

/** The authorization request of the trial, and the cookie that it is remembered by. */
export function beginTrial(services: Services, app: string, clientId: string, asked: Readonly<Record<string, string>>) {
  const random = () => services.random.bytes(32).toString('base64url');
  const expiresAt = services.clock.now() + LIFETIME_SECONDS;
  const trial: Trial = { app, clientId, state: random(), nonce: random(), verifier: random(), expiresAt };
  const sealed = services.ring.seal('console session', Buffer.from(JSON.stringify(trial)), SEALED_AS);
  const query = encodeParams([
    ['client_id', clientId],
    ['response_type', 'code'],
    ['redirect_uri', callbackOf(services)],
    ['state', trial.state],
    ['nonce', trial.nonce],
    ['code_challenge', challengeOf(trial.verifier)],
    ['code_challenge_method', 'S256'],
    ...Object.entries(asked),
  ]);
  return {
    location: `${issuerOf(services.config.baseUrl, app)}/auth?${query}`,
    cookie: services.cookies.write(COOKIE, sealed.toString('base64url'), LIFETIME_SECONDS),
  };
}

/** The trial that this response belongs to: same browser, same `state`, and the `iss` of its application (RFC 9207). */
export function trialOf({ services, request }: ConsoleContext, response: Params): Trial | undefined {
  const { cookies, ring, clock, config } = services;
  const sealed = cookies.read(request, COOKIE);
  const plain = sealed && ring.open('console session', Buffer.from(sealed, 'base64url'), SEALED_AS);
  if (!plain) return undefined;
  const trial = JSON.parse(plain.toString()) as Trial;
  if (clock.now() >= trial.expiresAt || !isSame(response.get('state') ?? '', trial.state)) return undefined;
  const iss = response.get('iss');
  return iss === undefined || iss === issuerOf(config.baseUrl, trial.app) ? trial : undefined;
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}

export interface TokenSet {
  readonly access_token: string;
  readonly token_type: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
  readonly scope?: string;
  readonly expires_in?: number;
}

/** By the token endpoint, as the client would do it. */
export async function exchange(
  { services, request }: ConsoleContext,
  application: Application,
  trial: Trial,
  code: string,
  client: { readonly method: unknown; readonly secret: string | undefined; readonly prove: ProofSigner | undefined },
): Promise<TokenSet | Refusal> {
  const { clientId, verifier } = trial;
  const isBasic = client.secret !== undefined && client.method === 'client_secret_basic';
  const body = encodeParams([
    ['grant_type', 'authorization_code'],
    ['code', code],
    ['redirect_uri', callbackOf(services)],
    ['code_verifier', verifier],
    ['client_id', isBasic ? undefined : clientId],
    ['client_secret', isBasic ? undefined : client.secret],
  ]);
  const credentials = [clientId, client.secret ?? ''].map(encodeURIComponent).join(':');
  const authorization = isBasic ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } : {};
  const path = pathOf(application, 'token');
  const proof = proofHeader(client.prove, 'POST', services.config.baseUrl + path);
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...authorization, ...proof };
  const answer = await token(
    services,
    clientRequest(request, trial.app, { method: 'POST', path, headers, body }),
    application,
  );
  return isRefusal(answer) ? answer : (bodyOf(answer) as TokenSet);
}

/** From the operator's browser, but to an endpoint of the application: with none of its cookies, and nothing of its query. */
function clientRequest(
  request: Request,
  app: string,
  sent: Pick<Request, 'method' | 'path' | 'headers' | 'body'>,
): Request {
  const { id, receivedAt, address } = request;
  const abandoned = () => request.abandoned();
  const form = parseParams(sent.body);
  const read = { params: { app }, query: '', queryParams: NO_PARAMS, form, json: undefined };
  return { id, receivedAt, address, certificate: undefined, abandoned, ...read, ...sent };
}

function pathOf({ code }: Application, endpoint: string): string {
  return `${issuerOf('', code)}/${endpoint}`;
}

function proofHeader(prove: ProofSigner | undefined, ...request: Parameters<ProofSigner>): { readonly dpop?: string } {
  return prove ? { dpop: prove(...request) } : {};
}

function bodyOf({ body }: Reply): unknown {
  return JSON.parse(body.toString());
}

/** The claims that userinfo has for the token; undefined if it refuses. */
export async function askUserinfo(
  { services, request }: ConsoleContext,
  application: Application,
  { access_token, token_type }: TokenSet,
  prove: ProofSigner | undefined,
) {
  const path = pathOf(application, 'userinfo');
  const proof = proofHeader(prove, 'GET', services.config.baseUrl + path, access_token);
  const headers = { authorization: `${token_type} ${access_token}`, ...proof };
  const asking = clientRequest(request, application.code, { method: 'GET', path, headers, body: '' });
  const answer = await userinfo(services, asking, application);
  return isRefusal(answer) ? undefined : bodyOf(answer);
}

export interface Decoded {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

export type CheckName = 'signature' | 'iss' | 'aud' | 'nonce' | 'exp' | 'at_hash';
export type Checks = readonly (readonly [name: CheckName, passed: boolean])[];

/** OIDC Core section 3.1.3.7: what a client checks. */
export async function checkIdToken(
  services: Services,
  trial: Trial,
  tokens: TokenSet,
  idToken: string,
): Promise<Checks> {
  const issuer = issuerOf(services.config.baseUrl, trial.app);
  const { header, payload } = decode(idToken);
  const verified = await verifyIdTokenHint(services, trial.app, issuer, idToken);
  const atHash = leftHalfHash(tokens.access_token, header.alg as SigningAlg);
  return [
    ['signature', verified !== undefined],
    ['iss', payload.iss === issuer],
    ['aud', payload.aud === trial.clientId],
    ['nonce', payload.nonce === trial.nonce],
    ['exp', Number(payload.exp) > services.clock.now()],
    ['at_hash', payload.at_hash === atHash],
  ];
}

/** RFC 9068 section 4. Undefined for an opaque token, of which only the server knows more. */
export async function checkAccessToken(
  services: Services,
  trial: Trial,
  accessToken: string,
): Promise<Checks | undefined> {
  if (!isJwt(accessToken)) return undefined;
  const application = await services.registry.application(trial.app);
  const located = application && (await locateJwt(services, application, accessToken));
  return [['signature', located !== undefined]];
}

export function isJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}

export function decode(jwt: string): Decoded {
  const [header, payload] = jwt
    .split('.')
    .slice(0, 2)
    .map(part => JSON.parse(Buffer.from(part, 'base64url').toString()));
  return { header, payload };
}

/** What was issued for the trial ends with it: nothing that the page shows is of use to anyone. */
export async function revokeTokens(
  context: ConsoleContext,
  application: Application,
  { clientId }: Trial,
  tokens: TokenSet,
) {
  const { services, request, operator } = context;
  const { store, clock } = services;
  const { code: app } = application;
  for (const value of [tokens.refresh_token, tokens.access_token]) {
    if (value === undefined) continue;
    const located = locateOpaque(value) ?? (await locateJwt(services, application, value));
    if (!located) continue;
    const details = { token: located.kind === 'access' ? 'access_token' : 'refresh_token' };
    const actor = { kind: 'operator', id: operator.sub } as const;
    const event = requestEvent(services, request, {
      type: 'token.revoked',
      outcome: 'success',
      actor,
      app,
      clientId,
      details,
    });
    if (located.kind === 'access') await store.revokeAccessToken(app, located.hash, clientId, event);
    else await store.revokeRefreshToken(app, located.hash, clientId, clock.now(), event);
  }
}
