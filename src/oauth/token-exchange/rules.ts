import { type Api, findApi, hasScope, type WithApis } from '../../directory/apis/rules.ts';
import { issuesAssertions, type WithAssertionPolicies } from '../identity-assertions/issue.rules.ts';
import { isWellFormed, type Scope } from '../token/scope.rules.ts';

/**
 * Token exchange (RFC 8693): which tokens may be exchanged for which, and what the new token may do. Pure. The policies of the
 * application are the only permission; docs/decisions/token-exchange.md has the reasons.
 */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** The types of tokens that can be presented and requested (RFC 8693 section 3). */
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token';
export const JWT_TYPE = 'urn:ietf:params:oauth:token-type:jwt';
export const exchangeTokenTypes: readonly string[] = [ACCESS_TOKEN_TYPE, JWT_TYPE];

/** A policy of an application. */
export interface ExchangePolicy {
  /** The API that the subject token is for, or the client that exchanges it. */
  readonly from: string;
  /** The API that the new token is for. */
  readonly to: string;
  /** All that the new token may have. */
  readonly scopes: readonly Scope[];
}

/** An application, as far as exchanges matter. */
export interface WithExchange extends WithApis, WithAssertionPolicies {
  readonly token_exchange?: readonly ExchangePolicy[] | undefined;
  /** The identity providers that it offers: of these it can get tokens. */
  readonly providers?: readonly string[] | undefined;
}

/** Who acts for the subject (RFC 8693 section 4.1); `act`: who acted before. */
export interface Actor {
  readonly sub: string;
  readonly client_id: string;
  readonly act?: Actor | undefined;
}

/** What is stored with an exchanged token. */
export interface ExchangeFacts {
  /** How often a token was exchanged to get to this one. */
  readonly depth: number;
  /** Scopes that an API on the way has, and its token had not. No later exchange gives them back. */
  readonly withheld?: readonly Scope[] | undefined;
  readonly act?: Actor | undefined;
}

/** A chain of services that is longer than this is a loop. */
export const MAX_EXCHANGE_DEPTH = 5;

/** The client that asks for an exchange. */
export interface Exchanger {
  readonly client_id: string;
  readonly apis?: readonly string[] | undefined;
}

/** The token that it presents. */
export interface SubjectToken {
  readonly clientId: string;
  /** Undefined: the issuer itself. */
  readonly audience?: string | undefined;
  readonly scope: readonly Scope[];
  /** Undefined: it was not exchanged itself. */
  readonly exchange?: ExchangeFacts | undefined;
}

export interface RequestedExchange {
  /** The values of `resource` and `audience`. */
  readonly targets: readonly string[];
  /** Undefined: the request has none. */
  readonly scope: readonly Scope[] | undefined;
  /** Undefined: the client acts as the subject (impersonation). */
  readonly actor?: Omit<Actor, 'act'> | undefined;
}

export type ExchangeDecision =
  | {
      readonly kind: 'granted';
      readonly api: Api;
      readonly scope: readonly Scope[];
      readonly exchange: ExchangeFacts;
    }
  /** It is neither a token of the client nor one for an API of the client: the client must not learn more about it. */
  | { readonly kind: 'notHeld' }
  | { readonly kind: 'tooDeep' }
  /** `resource`: the refused target. Undefined: the request names none or several. */
  | { readonly kind: 'targetInvalid'; readonly resource: string | undefined }
  | { readonly kind: 'scopeInvalid'; readonly scope: Scope };

/** The name of a provider where a policy or a request names an API. */
const PROVIDER_PREFIX = 'urn:gatehouse:provider:';

/** The id of the provider whose token is asked for. Undefined: the target is an API. */
export function providerTarget(application: WithApis, targets: readonly string[]): string | undefined {
  const [target, ...others] = new Set(targets);
  const isProvider = others.length === 0 && target?.startsWith(PROVIDER_PREFIX) && !findApi(application, target);
  return isProvider ? target?.slice(PROVIDER_PREFIX.length) : undefined;
}

/** A policy leads from the subject token, or from this client, to the provider. */
export function mayHandOut(
  application: WithExchange,
  client: Exchanger,
  subject: SubjectToken,
  provider: string,
): 'allowed' | 'notHeld' | 'notAllowed' {
  if (!holds(client, subject)) return 'notHeld';
  const to = `${PROVIDER_PREFIX}${provider}`;
  return policiesFor(application, client, subject).some(policy => policy.to === to) ? 'allowed' : 'notAllowed';
}

export function decideExchange(
  application: WithExchange,
  client: Exchanger,
  subject: SubjectToken,
  { targets, scope, actor }: RequestedExchange,
): ExchangeDecision {
  if (!holds(client, subject)) return { kind: 'notHeld' };
  const depth = (subject.exchange?.depth ?? 0) + 1;
  if (depth > MAX_EXCHANGE_DEPTH) return { kind: 'tooDeep' };
  const policies = policiesFor(application, client, subject);
  const target = selectTarget(policies, targets, scope);
  const api = target === undefined ? undefined : findApi(application, target);
  if (!api || !policies.some(({ to }) => to === api.identifier)) {
    return { kind: 'targetInvalid', resource: target };
  }
  const withheld = withheldScopes(application, subject);
  const allowed = allowedScopes(policies, withheld, api);
  const beyond = scope?.find(one => !allowed.includes(one));
  if (beyond !== undefined) return { kind: 'scopeInvalid', scope: beyond };
  const granted = scope ?? allowed;
  // A token without a scope is good for an API that has none.
  const isEmpty = granted.length === 0 && Object.keys(api.scopes).length > 0;
  if (isEmpty) return { kind: 'scopeInvalid', scope: '' };
  const act = actorChain(actor, subject.exchange);
  const exchange = { depth, ...(withheld.length > 0 && { withheld }), ...(act && { act }) };
  return { kind: 'granted', api, scope: granted, exchange };
}

/** The newest actor is outermost (RFC 8693 section 4.1). Without one, the actors before stay: an exchange hides nobody. */
function actorChain(actor: Omit<Actor, 'act'> | undefined, before: ExchangeFacts | undefined): Actor | undefined {
  if (!actor) return before?.act;
  return { sub: actor.sub, client_id: actor.client_id, ...(before?.act && { act: before.act }) };
}

/** A client holds the tokens that were issued to it, and those for the APIs that it is registered for, which callers bring to it. */
function holds({ client_id, apis = [] }: Exchanger, { clientId, audience }: SubjectToken): boolean {
  return clientId === client_id || (audience !== undefined && apis.includes(audience));
}

function policiesFor(
  application: WithExchange,
  { client_id }: Exchanger,
  { audience }: SubjectToken,
): readonly ExchangePolicy[] {
  // The identifier of an API is never taken for a client.
  const matches = (from: string) => (findApi(application, from) ? from === audience : from === client_id);
  return (application.token_exchange ?? []).filter(({ from }) => matches(from));
}

/** Without a target in the request: the only API that the policies lead to, or the only one that has all requested scopes. */
function selectTarget(
  policies: readonly ExchangePolicy[],
  targets: readonly string[],
  scope: readonly Scope[] | undefined,
): string | undefined {
  const named = [...new Set(targets)];
  if (named.length > 0) return named.length === 1 ? named[0] : undefined;
  const hasAll = (to: string) =>
    scope?.every(one => policies.some(policy => policy.to === to && policy.scopes.includes(one))) ?? true;
  const reachable = [...new Set(policies.map(({ to }) => to))];
  const candidates = reachable.length === 1 ? reachable : reachable.filter(hasAll);
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** What policies and API allow, and the way to this token has not left out. */
function allowedScopes(policies: readonly ExchangePolicy[], withheld: readonly Scope[], api: Api): readonly Scope[] {
  const named = policies.filter(({ to }) => to === api.identifier).flatMap(({ scopes }) => scopes);
  return [...new Set(named)].filter(one => hasScope(api, one) && !withheld.includes(one));
}

/** Those that the API of the subject token has, and the token has not: the user, or who asked for the token, left them out. */
function withheldScopes(application: WithExchange, { audience, scope, exchange }: SubjectToken): readonly Scope[] {
  const source = audience === undefined ? undefined : findApi(application, audience);
  const missing = Object.keys(source?.scopes ?? {}).filter(one => !scope.includes(one));
  return [...new Set([...(exchange?.withheld ?? []), ...missing])];
}

/** The requested scopes, each once. A malformed one is the result of its own. */
export function readExchangeScope(text: string): { readonly scope: readonly Scope[] } | { readonly refused: Scope } {
  const scope = [...new Set(text.split(' ').filter(one => one !== ''))];
  const malformed = scope.find(one => !isWellFormed(one));
  if (malformed !== undefined) return { refused: malformed };
  return scope.length === 0 ? { refused: '' } : { scope };
}

/** Assertions for other issuers come by the same grant. */
export function hasTokenExchange(application: WithExchange): boolean {
  return (application.token_exchange ?? []).length > 0 || issuesAssertions(application);
}
