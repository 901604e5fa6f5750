import { keyOf } from '../../credentials.ts';
import type { PresentedCode } from '../../protocol/code-exchange.ts';
import type { FailureName } from '../../protocol/errors.ts';
import { challengeOf } from '../../protocol/pkce.ts';
import type { RedeemOutcome } from '../../store/codes.ts';
import { newGrantId, planAccessToken, planRefreshToken, type UserIssue } from '../issue.ts';
import { type GrantCall, type GrantHandler, type RefusedGrant, refused, required } from './grant.ts';

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
    const { services, application } = call;
    const { receivedAt } = call.request;
    const access = planAccessToken(services, application);
    const refresh = planRefreshToken(services, application);
    const outcome = await services.store.redeemCode(
      application.code,
      keyOf(required(call, 'code')),
      presentedCode(call),
      { grantId: newGrantId(services), issuedAt: access.issuedAt, access: access.stored, refresh: refresh.stored },
      receivedAt,
    );
    if (outcome.kind !== 'redeemed') return refusedCode(outcome);

    const { family, user, nonce, withRefresh } = outcome;
    const client = await services.registry.client(application.code, family.clientId, receivedAt);
    if (!client) return refused('codeInvalid');
    const { scope } = family;
    const refreshToken = withRefresh ? refresh.value : undefined;
    const issue: UserIssue = { subject: 'user', application, client, family, user, scope, access, refreshToken, nonce };
    return { kind: 'issued', issue };
  },
};

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

type RefusedCode = Exclude<RedeemOutcome, { kind: 'redeemed' }>;

function refusedCode(outcome: RefusedCode): RefusedGrant {
  const reason = failureOf(outcome);
  // The only reason to ask for credentials once the code is known.
  if (reason !== 'clientNotAuthenticated') return refused(reason);
  return { ...refused(reason), facts: { needsClientAuthentication: true } };
}

function failureOf(outcome: RefusedCode): FailureName {
  if (outcome.kind === 'unknown') return 'codeUnknown';
  switch (outcome.verdict) {
    case 'replayed':
      return 'codeReplayed';
    case 'expired':
      return 'codeExpired';
    case 'invalid':
      return 'codeInvalid';
    case 'clientAuthenticationRequired':
      return 'clientNotAuthenticated';
    default:
      return outcome.verdict;
  }
}
