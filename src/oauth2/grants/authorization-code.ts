import { keyOf } from '../../credentials.ts';
import type { PresentedCode } from '../../protocol/code-exchange.ts';
import type { FailureName } from '../../protocol/errors.ts';
import { challengeOf } from '../../protocol/pkce.ts';
import type { RedeemOutcome } from '../../store/codes.ts';
import { newGrantId, planAccessToken, planRefreshToken, tokenSet } from '../issue.ts';
import { type GrantCall, type GrantHandler, refused, required } from './grant.ts';

/** RFC 6749 section 4.1.3, RFC 7636 section 4.5. */
export const authorizationCode: GrantHandler = {
  required: ['code', 'redirect_uri'],

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
    if (outcome.kind !== 'redeemed') return refused(failureOf(outcome));

    const { grant, user, nonce, withRefresh } = outcome;
    const client = await services.registry.client(application.code, grant.clientId, receivedAt);
    if (!client) return refused('codeInvalid');
    const refreshToken = withRefresh ? refresh.value : undefined;
    const issue = { application, client, grant, user, scope: grant.scope, access, refreshToken, nonce };
    return { kind: 'issued', tokenSet: await tokenSet(services, issue) };
  },
};

function presentedCode(call: GrantCall): PresentedCode {
  const { caller, params } = call;
  const verifier = params.get('code_verifier');
  return {
    clientId: caller.kind === 'verifier' ? caller.claimedClientId : caller.client.client_id,
    clientAuthenticated: caller.kind === 'authenticated',
    redirectUri: required(call, 'redirect_uri'),
    challenge: verifier === undefined ? undefined : challengeOf(verifier),
  };
}

function failureOf(outcome: Exclude<RedeemOutcome, { kind: 'redeemed' }>): FailureName {
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
