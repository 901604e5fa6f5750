import { clientOrNone, findClient } from '../../applications/find-client.ts';
import { isCredential, keyOf, partIn, thumbprintIn } from '../../credentials.ts';
import { clientActor, type EventFields, requestEvent, withOrigin } from '../../events/request-event.ts';
import { isClientIdUrl } from '../../protocol/client-id-url.ts';
import type { CodeVerdict, PresentedCode } from '../../protocol/code-exchange.ts';
import type { FailureName } from '../../protocol/errors.ts';
import { challengeOf } from '../../protocol/pkce.ts';
import { requestedResources } from '../../protocol/requested-access.ts';
import type { RedeemOutcome } from '../../store/codes.ts';
import { claimedClient, refusedClaim } from '../client-auth/none.ts';
import { newGrantId, planAccessToken, planForRequest, planRefreshToken, type UserIssue } from '../issue.ts';
import { keyOfBinding, refreshKey } from '../proof/binding.ts';
import type { TokenRequest } from './caller.ts';
import {
  type GrantCall,
  type GrantHandler,
  type RefusedGrant,
  refused,
  refusedAccess,
  refusedKey,
  required,
} from './grant.ts';

type CodeCaller = 'authenticated' | 'verifier';

/** RFC 6749 section 4.1.3, RFC 7636 section 4.5. */
export const authorizationCode: GrantHandler<CodeCaller, UserIssue> = {
  grantType: 'authorization_code',
  required: ['code', 'redirect_uri'],
  optional: ['code_verifier'],
  callers: ['authenticated', 'verifier'],
  subject: 'user',
  refreshToken: true,

  async run(call) {
    const { services, application, params } = call;
    const { receivedAt } = call.request;
    const code = required(call, 'code');
    const otherKey = refusedKey(call, isCredential('code', code) ? thumbprintIn(code) : undefined, 'codeKeyDiffers');
    if (otherKey) return otherKey;
    const unread = isClientIdUrl(params.get('client_id') ?? '') ? await unreadDocument(call) : undefined;
    if (unread) return unread;
    const codeHash = keyOf(code);
    const part = partIn(codeHash);
    const access = planAccessToken(services, application, call.binding, part);
    const requested = { resources: requestedResources(params, application), scope: undefined };
    const plan = planForRequest(services, application, requested, access);
    const key = keyOfBinding(call.binding) === undefined ? undefined : await keyOfRefresh(call);
    const refresh = planRefreshToken(services, application, part, key);
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
        target: plan.target,
      },
      family => {
        isRecorded = true;
        const { clientId, sub, sid } = family;
        return requestEvent(services, call.request, {
          ...replayed(call, clientId, { sid, revoked: true }),
          subject: sub,
        });
      },
      receivedAt,
    );
    if (outcome.kind !== 'redeemed') {
      if (!isRecorded && outcome.kind === 'refused' && outcome.verdict === 'replayed') recordRepeatedReplay(call);
      return refusedCode(call, outcome);
    }

    const { family, user, nonce, withRefresh } = outcome;
    const client = clientOrNone(await findClient(services, application, family.clientId, call.request));
    if (!client) return refused('codeInvalid');
    const { scope } = family;
    const refreshToken = withRefresh ? refresh.value : undefined;
    const issued = { access: plan.written(), refreshToken, nonce };
    const issue: UserIssue = { subject: 'user', application, client, family, user, scope, ...issued };
    return { kind: 'issued', issue };
  },
};

/** The document of the client cannot be had at the moment: the code is not spent, so that the client can try again. */
async function unreadDocument({
  services,
  request,
  application,
  params,
}: TokenRequest): Promise<RefusedGrant | undefined> {
  const client = await claimedClient(services, request, application, params);
  return client && 'failure' in client ? { kind: 'refused', ...refusedClaim(client) } : undefined;
}

/** By a verifier alone and without its client_id, a client counts as public: only the code names it. */
async function keyOfRefresh({ services, request, application, params, caller, binding }: GrantCall<CodeCaller>) {
  const client =
    caller.kind === 'verifier'
      ? clientOrNone(await claimedClient(services, request, application, params))
      : caller.client;
  return refreshKey(binding, client);
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

function refusedCode(call: GrantCall<CodeCaller>, outcome: RefusedCode): RefusedGrant {
  if (outcome.kind === 'unknown') return refused('codeUnknown');
  const { verdict } = outcome;
  if (verdict === 'targetInvalid' || verdict === 'proofMissing') return refusedAccess(call, verdict);
  const reason = failureOf(verdict);
  // The only reason to ask for credentials once the code is known.
  if (reason !== 'clientNotAuthenticated') return refused(reason);
  return { ...refused(reason), facts: { needsClientAuthentication: true } };
}

function failureOf(verdict: Exclude<CodeVerdict, 'redeem'>): FailureName {
  switch (verdict) {
    case 'replayed':
      return 'codeReplayed';
    case 'expired':
      return 'codeExpired';
    case 'invalid':
      return 'codeInvalid';
    case 'clientAuthenticationRequired':
      return 'clientNotAuthenticated';
    default:
      return verdict;
  }
}
