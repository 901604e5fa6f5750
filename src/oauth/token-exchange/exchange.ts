import { clientActor, requestEvent } from '../../audit/events/request-event.ts';
import { isRestricted, mayEnter } from '../../directory/access/rules.ts';
import { type Api, identifierOf } from '../../directory/apis/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { exchangeFailure, exchangeScopeFailure, failure, parameterFailure } from '../../failures.ts';
import { actorOf, agentActor } from '../../people/agents/rules.ts';
import { partIn } from '../../platform/crypto/credential.ts';
import { hasProofOf } from '../proof-of-possession/binding.ts';
import {
  type GrantCall,
  type GrantResult,
  proofMissing,
  type RefusedGrant,
  refused,
  required,
} from '../token/grant.ts';
import { type ExchangedIssue, lacksProof, planAccessToken } from '../token/issue.ts';
import { findLiveToken, type Located, locateJwt, locateOpaque } from '../token/lookup.ts';
import { grantedScope, type Scope } from '../token/scope.rules.ts';
import type { LiveToken } from '../token/store.ts';
import { isSubjectClient } from '../token/subject.rules.ts';
import {
  ACCESS_TOKEN_TYPE,
  type Actor,
  decideExchange,
  type ExchangeDecision,
  exchangeTokenTypes,
  JWT_TYPE,
  providerTarget,
  readExchangeScope,
} from './rules.ts';

type ExchangeCall = GrantCall<'authenticated'>;

/** A live access token of the application, and where the store has it. */
interface Presented {
  readonly located: Located;
  readonly live: LiveToken;
}

/**
 * The order of the checks: the types of the tokens, subject token, actor token, then what the policies allow (rules.ts).
 * The store checks once more, together with the write, that the subject token is live.
 */
export async function exchangeToken(call: ExchangeCall): Promise<GrantResult<ExchangedIssue>> {
  const fault = typeFault(call);
  if (fault) return fault;
  const subject = await presentedSubject(call);
  if ('failure' in subject) return subject;
  const shown = await presentedActor(call);
  if (shown && 'failure' in shown) return shown;
  const holder = await call.services.registry.client(call.application.code, subject.live.clientId);
  // An agent says so itself, once.
  const actor = shown ?? (holder === call.caller.client ? undefined : agentActor(call.caller.client));

  const named = [...call.params.all('resource'), ...call.params.all('audience')];
  const provider = providerTarget(call.application, named);
  if (provider !== undefined) {
    return (await import('./provider-token.ts')).handOutProviderToken(call, subject.live, provider);
  }
  const text = call.params.get('scope');
  const scope = text === undefined ? undefined : readExchangeScope(text);
  if (scope && 'refused' in scope) return { kind: 'refused', failure: exchangeScopeFailure(scope.refused) };
  const decision = decide(call, subject.live, scope?.scope, {
    actor,
    before: actorOf(holder, subject.live.exchange?.act),
  });
  if (decision.kind !== 'granted') return refusedExchange(call, decision);
  return issue(call, subject, decision, actor);
}

/** RFC 8693 section 2.1. */
function typeFault({ params }: ExchangeCall): RefusedGrant | undefined {
  const invalid = (name: string): RefusedGrant => ({ kind: 'refused', failure: failure('parameterInvalid', name) });
  for (const name of ['subject_token_type', 'actor_token_type', 'requested_token_type']) {
    const type = params.get(name);
    if (type !== undefined && !exchangeTokenTypes.includes(type)) return invalid(name);
  }
  const audience = params.fault(['audience']);
  if (audience?.kind === 'malformed') return { kind: 'refused', failure: parameterFailure(audience) };
  const hasActor = params.get('actor_token') !== undefined;
  if (hasActor === (params.get('actor_token_type') !== undefined)) return undefined;
  // The type is required with the token, and must not come without it.
  return hasActor
    ? { kind: 'refused', failure: failure('parameterMissing', 'actor_token_type') }
    : invalid('actor_token_type');
}

/** A token that is declared a JWT must be one; an access token may be either. */
async function findToken({ services, application }: ExchangeCall, token: string, type: string) {
  const opaque = type === JWT_TYPE ? undefined : locateOpaque(token);
  const located = opaque ?? (await locateJwt(services, application, token));
  if (located?.kind !== 'access') return undefined;
  const live = await findLiveToken(services, application, located);
  return live && { located, live };
}

/** One answer for whatever is wrong with the token: the client must not learn of tokens that are not its own. */
async function presentedSubject(call: ExchangeCall): Promise<Presented | RefusedGrant> {
  const found = await findToken(call, required(call, 'subject_token'), required(call, 'subject_token_type'));
  if (!found) return refused('subjectTokenInvalid');
  // The single place that decides about bound subject tokens: without the proof, no token comes of them.
  if (!hasProofOf(call.binding, found.located.confirmation)) return refused('subjectTokenBound');
  if (!(await isAdmitted(call, found))) return { ...refused('subjectNotAllowed'), sub: found.live.sub };
  return found;
}

/** The setting access counts for the next request, as at a refresh. A client has no access to lose. */
async function isAdmitted(call: ExchangeCall, { located, live }: Presented): Promise<boolean> {
  const { services, application } = call;
  if (!isRestricted(application) || isOfClient(live)) return true;
  const now = services.clock.now();
  const found = await services.store.findTokenUser(application.code, located.hash, now);
  return found !== undefined && mayEnter(application, found.user);
}

/** Of an exchanged token its login says so, because its client is another one. */
function isOfClient(live: LiveToken): boolean {
  return isSubjectClient(live) || live.login === undefined;
}

/** The client proves for whom it acts by a token of its own. A token of somebody else, it could have received as an API. */
async function presentedActor(call: ExchangeCall): Promise<Omit<Actor, 'act'> | RefusedGrant | undefined> {
  const { params, caller, binding } = call;
  const token = params.get('actor_token');
  if (token === undefined) return undefined;
  const found = await findToken(call, token, params.get('actor_token_type') ?? '');
  const isOwn = found?.live.clientId === caller.client.client_id && found.live.exchange === undefined;
  if (!found || !isOwn || !hasProofOf(binding, found.located.confirmation)) return refused('actorTokenInvalid');
  return { sub: found.live.sub, client_id: found.live.clientId };
}

function decide(
  { application, params, caller }: ExchangeCall,
  { clientId, audience, scope: granted, exchange }: LiveToken,
  scope: readonly Scope[] | undefined,
  { actor, before }: { readonly actor: Omit<Actor, 'act'> | undefined; readonly before: Actor | undefined },
): ExchangeDecision {
  const named = [...params.all('resource'), ...params.all('audience')];
  const targets = named.map(target => identifierOf(application, target));
  const facts = before && { depth: 0, ...exchange, act: before };
  const subject = { clientId, audience, scope: grantedScope(granted), exchange: facts ?? exchange };
  return decideExchange(application, caller.client, subject, { targets, scope, actor });
}

function refusedExchange(
  { params }: ExchangeCall,
  decision: Exclude<ExchangeDecision, { kind: 'granted' }>,
): RefusedGrant {
  switch (decision.kind) {
    case 'notHeld':
      return refused('subjectTokenInvalid');
    case 'tooDeep':
      return refused('subjectTokenTooDeep');
    case 'scopeInvalid':
      return { kind: 'refused', failure: exchangeScopeFailure(decision.scope) };
    case 'targetInvalid': {
      const parameter =
        params.all('resource').length === 0 && params.all('audience').length > 0 ? 'audience' : 'resource';
      return { kind: 'refused', failure: exchangeFailure(decision.resource, parameter) };
    }
  }
}

async function issue(
  call: ExchangeCall,
  { located, live }: Presented,
  { api, scope, exchange }: Extract<ExchangeDecision, { kind: 'granted' }>,
  actor: Omit<Actor, 'act'> | undefined,
): Promise<GrantResult<ExchangedIssue>> {
  const { services, application, caller, params } = call;
  const { client } = caller;
  if (lacksProof({ api, scope }, call.binding)) return proofMissing(call.caller.client);
  const wantsJwt = params.get('requested_token_type') === JWT_TYPE;
  if (wantsJwt && api.access_token_format === 'opaque') {
    return { kind: 'refused', failure: failure('parameterInvalid', 'requested_token_type') };
  }
  // Never longer than the subject token: what ends with it must not outlive it by an exchange.
  const access = planAccessToken(
    services,
    application,
    call.binding,
    partIn(located.hash),
    { api, scope },
    live.expiresAt,
  );
  const { hash, expiresAt } = access.stored;
  const token = { hash, expiresAt, clientId: client.client_id, audience: api.identifier, scope };
  const outcome = await services.store.addExchangedToken(
    application.code,
    located.hash,
    { ...token, issuedAt: access.issuedAt, exchange },
    exchangeEvent(call, live, api, scope, actor),
  );
  if (outcome === 'clientGone') return refused('clientAuthenticationFailed');
  if (outcome === 'subjectGone') return refused('subjectTokenInvalid');
  const subject = { sub: live.sub, login: isOfClient(live) ? undefined : live.login, act: exchange.act };
  const form = { format: wantsJwt ? ('jwt' as const) : undefined, issuedTokenType: issuedType(wantsJwt) };
  return { kind: 'issued', issue: { subject: 'exchanged', application, client, scope, access, ...subject, ...form } };
}

function issuedType(wantsJwt: boolean): string {
  return wantsJwt ? JWT_TYPE : ACCESS_TOKEN_TYPE;
}

/** Somebody acts in the name of a user: each time is worth an event, unlike a refresh. */
function exchangeEvent(
  { services, request, application, caller }: ExchangeCall,
  live: LiveToken,
  { identifier }: Api,
  scope: readonly Scope[],
  actor: Omit<Actor, 'act'> | undefined,
) {
  const { client_id }: Client = caller.client;
  const details = { from: live.audience, to: identifier, scope, subject_client: live.clientId, actor: actor?.sub };
  return requestEvent(services, request, {
    ...{ type: 'token.exchanged', outcome: 'success', actor: clientActor(client_id), subject: live.sub },
    ...{ app: application.code, clientId: client_id, details },
  });
}
