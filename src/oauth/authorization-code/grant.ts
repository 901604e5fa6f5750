import { clientActor, type EventFields, requestEvent, withOrigin } from '../../audit/events/request-event.ts';
import { clientOrNone, findClient } from '../../directory/client-id-metadata/find-client.ts';
import { isClientIdUrl } from '../../directory/client-id-metadata/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { FailureName } from '../../failures.ts';
import { provesItself } from '../../people/agents/rules.ts';
import { isBound, isCredential, keyOf, partIn, statedEnd, thumbprintIn } from '../../platform/crypto/credential.ts';
import { CODE_RETENTION_SECONDS } from '../../platform/store/retention.ts';
import { PARAMETER } from '../authorization-details/rules.ts';
import type { AuthorizationDetail } from '../authorization-details/schema.rules.ts';
import { claimedClient, refusedClaim, withoutCredentials } from '../client-authentication/public-client.ts';
import { lacksDemandedProof, refreshKey, UNBOUND } from '../proof-of-possession/binding.ts';
import {
  certificateMissing,
  type GrantCall,
  type GrantHandler,
  type GrantResult,
  proofMissing,
  type RefusedGrant,
  refused,
  refusedAccess,
  refusedKey,
  requestedDetails,
  required,
} from '../token/grant.ts';
import {
  newGrantId,
  type PlannedAccess,
  type PlannedRefresh,
  planAccessToken,
  planForRequest,
  planRefreshToken,
  type UserIssue,
} from '../token/issue.ts';
import { requestedResources } from '../token/requested-access.rules.ts';
import { challengeOf } from './pkce.rules.ts';
import type { CodeVerdict, PresentedCode } from './rules.ts';
import type { RedeemOutcome } from './store.ts';

type CodeCaller = 'authenticated' | 'verifier';

/** RFC 6749 section 4.1.3, RFC 7636 section 4.5. */
export const authorizationCode: GrantHandler<CodeCaller, UserIssue> = {
  required: ['code', 'redirect_uri'],
  optional: ['code_verifier', PARAMETER],
  callers: ['authenticated', 'verifier'],
  subject: 'user',
  refreshToken: true,

  async run(call) {
    const { services, application, params } = call;
    const details = requestedDetails(call);
    if (details && 'kind' in details) return details;
    const code = required(call, 'code');
    const otherKey = refusedKey(call, isCredential('code', code) ? thumbprintIn(code) : undefined, 'codeKeyDiffers');
    if (otherKey) return otherKey;
    const refusal = isClientIdUrl(params.get('client_id') ?? '') ? await refusedByDocument(call) : undefined;
    if (refusal) return refusal;
    const known = dependsOnClient(call) ? await knownClient(call) : undefined;
    const key = call.binding === UNBOUND ? undefined : refreshKey(call.binding, known);
    const attempt = await redeem(call, keyOf(code), isReadFirst(call, code, known) ? 'unread' : known, key, details);
    if (attempt.unread === undefined) return issueOf(call, attempt);
    // The code is not spent, and its verifier is right. Its client has to be read before there are tokens for an API, or encrypted ones.
    const named = await findClient(services, application, attempt.unread, call.request);
    if (!named) return refused('codeInvalid');
    if ('failure' in named) return { kind: 'refused', ...refusedClaim(named) };
    return (await unmetDemand(call, named)) ?? issueOf(call, await redeem(call, keyOf(code), named, key, details));
  },
};

interface Attempt {
  readonly outcome: RedeemOutcome;
  readonly access: PlannedAccess;
  readonly refresh: PlannedRefresh;
  /** The client of the code, where nothing was redeemed because it has to be read before. */
  readonly unread: string | undefined;
}

/** `client`: `unread` where nothing is redeemed before the client of the code is read. */
async function redeem(
  call: GrantCall<CodeCaller>,
  codeHash: Buffer,
  client: Client | undefined | 'unread',
  thumbprint: string | undefined,
  details: readonly AuthorizationDetail[] | undefined,
): Promise<Attempt> {
  const { services, application, params } = call;
  const part = partIn(codeHash);
  const access = planAccessToken(services, application, call.binding, part);
  const requested = { resources: requestedResources(params, application), scope: undefined, details };
  const isToRead = client === 'unread';
  const plan = planForRequest(services, application, requested, access, isToRead ? undefined : client);
  const refresh = planRefreshToken(services, application, part, thumbprint);
  let isRecorded = false;
  const outcome = await services.store.redeemCode(
    application.code,
    codeHash,
    presentedCode(call),
    {
      grantId: newGrantId(services),
      issuedAt: access.issuedAt,
      access: access.stored,
      refresh: refresh.stored,
      target: isToRead ? { ...plan.target, namesResource: true } : plan.target,
    },
    family => {
      isRecorded = true;
      const { clientId, sub, sid } = family;
      return requestEvent(services, call.request, {
        ...replayed(call, clientId, { sid, revoked: true }),
        subject: sub,
      });
    },
  );
  if (!isRecorded && outcome.kind === 'refused' && outcome.verdict === 'replayed') recordRepeatedReplay(call);
  const isUnread = outcome.kind === 'refused' && outcome.verdict === 'clientUnread';
  return { outcome, access: plan.written(), refresh, unread: isUnread ? plan.unread() : undefined };
}

async function issueOf(
  call: GrantCall<CodeCaller>,
  { outcome, access, refresh }: Attempt,
): Promise<GrantResult<UserIssue>> {
  if (outcome.kind !== 'redeemed') return refusedCode(call, outcome);
  const { services, application } = call;
  const { family, user, nonce, withRefresh } = outcome;
  const client = clientOrNone(await findClient(services, application, family.clientId, call.request));
  if (!client) return refused('codeInvalid');
  // Where nothing else depended on the client, this is known only after the code is spent.
  const late = await unmetDemand(call, client);
  if (late) return late;
  const owner = { subject: 'user', application, client, family, user } as const;
  const refreshToken = withRefresh ? refresh.value : undefined;
  return { kind: 'issued', issue: { ...owner, scope: family.scope, access, refreshToken, nonce } };
}

/**
 * The document of the client cannot be had at the moment, or demands more since the code was issued. The code is not spent, so that the
 * client can try again.
 */
async function refusedByDocument(call: GrantCall<CodeCaller>): Promise<RefusedGrant | undefined> {
  const { services, request, application, params } = call;
  const client = await claimedClient(services, request, application, params);
  if (!client) return undefined;
  return 'failure' in client ? { kind: 'refused', ...refusedClaim(client) } : unmetDemand(call, client);
}

/** What the client demands now. The code has what it demanded before, and of a client that authenticates all is known by now. */
async function unmetDemand(
  { services, caller, binding }: GrantCall<CodeCaller>,
  client: Client,
): Promise<RefusedGrant | undefined> {
  if (caller.kind === 'authenticated') return undefined;
  if (provesItself(client)) return notAuthenticated(client);
  const lacking = lacksDemandedProof(binding, client);
  if (lacking !== undefined) return lacking === 'certificate' ? certificateMissing() : proofMissing(client);
  if (client.id_token_encrypted_response_alg === undefined) return undefined;
  return (await services.encryption.to(client, 'id_token')) ? undefined : refused('encryptionKeyMissing');
}

/** `client`: undefined where the request does not name it. */
function notAuthenticated(client: Client | undefined): RefusedGrant {
  return { kind: 'refused', failure: withoutCredentials(client).failure, facts: { needsClientAuthentication: true } };
}

/** The key of a refresh token and the scopes at an API do; nearly every request has neither, and waits for nothing. */
function dependsOnClient({ application, binding }: GrantCall<CodeCaller>): boolean {
  return binding !== UNBOUND || (application.apis?.length ?? 0) > 0;
}

/**
 * Whether a key of the client to encrypt to is needed, and the endpoint has not asked for it: it does so where the client is proved. A code
 * that is bound to a DPoP key says no more than that.
 */
function isReadFirst({ caller }: GrantCall<CodeCaller>, code: string, known: Client | undefined): boolean {
  if (caller.kind === 'authenticated') return false;
  return known ? known.id_token_encrypted_response_alg !== undefined : isBound(code);
}

/** By a verifier alone and without its client_id, a client counts as public: only the code names it. */
async function knownClient({ services, request, application, params, caller }: GrantCall<CodeCaller>) {
  if (caller.kind !== 'verifier') return caller.client;
  return clientOrNone(await claimedClient(services, request, application, params));
}

function presentedCode(call: GrantCall<CodeCaller>): PresentedCode {
  const { caller, params } = call;
  const verifier = params.get('code_verifier');
  return {
    clientId: caller.kind === 'verifier' ? caller.claimedClientId : caller.client.client_id,
    clientAuthenticated: caller.kind === 'authenticated',
    redirectUri: required(call, 'redirect_uri'),
    challenge: verifier === undefined ? undefined : challengeOf(verifier),
  };
}

function replayed(
  call: GrantCall<CodeCaller>,
  clientId: string | undefined,
  details: EventFields['details'],
): EventFields {
  const actor = clientId === undefined ? ({ kind: 'client' } as const) : clientActor(clientId);
  return { type: 'code.replayed', outcome: 'denied', actor, app: call.application.code, clientId, details };
}

/** The family was revoked before: nothing changes, so there is no transaction for the event, and the recorder bounds their number. */
function recordRepeatedReplay(call: GrantCall<CodeCaller>): void {
  const { caller, services, request } = call;
  const clientId = caller.kind === 'authenticated' ? caller.client.client_id : undefined;
  services.recorder.record(withOrigin(request, replayed(call, clientId, { revoked: false })));
}

type RefusedCode = Exclude<RedeemOutcome, { kind: 'redeemed' }>;

async function refusedCode(call: GrantCall<CodeCaller>, outcome: RefusedCode): Promise<RefusedGrant> {
  if (outcome.kind === 'unknown') return refused(isPurged(call) ? 'codeExpired' : 'codeUnknown');
  const { verdict } = outcome;
  if (
    verdict === 'targetInvalid' ||
    verdict === 'detailsInvalid' ||
    verdict === 'proofMissing' ||
    verdict === 'clientUnread'
  )
    return refusedAccess(call, verdict);
  if (verdict === 'clientAuthenticationRequired') return notAuthenticated(await knownClient(call));
  return refused(failureOf(verdict));
}

/** The answer does not depend on when the purge ran. Nobody can tell any more whether a code of this form was issued. */
function isPurged(call: GrantCall<CodeCaller>): boolean {
  const end = statedEnd('code', required(call, 'code'));
  return end !== undefined && call.services.clock.now() - end > CODE_RETENTION_SECONDS;
}

function failureOf(verdict: Exclude<CodeVerdict, 'redeem' | 'clientAuthenticationRequired'>): FailureName {
  switch (verdict) {
    case 'replayed':
      return 'codeReplayed';
    case 'expired':
      return 'codeExpired';
    case 'invalid':
      return 'codeInvalid';
    default:
      return verdict;
  }
}
