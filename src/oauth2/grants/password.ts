import { authenticatePassword, type PasswordOutcome } from '../../accounts/authenticate.ts';
import { readScope } from '../../protocol/auth-request.ts';
import { NO_CLAIMS } from '../../protocol/claims-request.ts';
import { canRefresh } from '../../protocol/client.ts';
import { dialectOf } from '../../protocol/dialect.ts';
import { scopeFailure } from '../../protocol/errors.ts';
import type { TokenFamily } from '../../store/tokens.ts';
import { newGrantId, planAccessToken, planRefreshToken, tokenSet } from '../issue.ts';
import { type GrantHandler, type GrantResult, logFields, refused, required } from './grant.ts';

/** RFC 6749 section 4.3. Off unless the client lists it: the application sees the password. */
export const password: GrantHandler = {
  required: ['username', 'password'],

  async run(call) {
    const { services, application, params, caller, request } = call;
    if (caller.kind !== 'authenticated') return refused('clientNotAuthenticated');
    const { client } = caller;
    const read = readScope(params.get('scope'), client, dialectOf(application));
    if (read.kind === 'refused') return { kind: 'refused', failure: scopeFailure(read.token) };
    const { scope } = read;

    const { address, receivedAt } = request;
    const typed = { username: required(call, 'username'), password: required(call, 'password'), address };
    const outcome = await authenticatePassword(services, typed, receivedAt);
    if (outcome.kind !== 'right') return refusedLogin(outcome);

    const access = planAccessToken(services, application);
    const refresh = canRefresh(client) ? planRefreshToken(services, application) : undefined;
    const { user } = outcome;
    const grant: TokenFamily = {
      clientId: client.client_id,
      sub: user.sub,
      scope,
      authTime: access.issuedAt,
      amr: ['pwd'],
      sid: undefined,
      claims: NO_CLAIMS,
    };
    const tokens = {
      grantId: newGrantId(services),
      issuedAt: access.issuedAt,
      access: access.stored,
      refresh: refresh?.stored,
    };
    const { passwordHash } = user;
    const given = await services.store.addGrant(application.code, grant, tokens, passwordHash, receivedAt);
    if (given === 'clientGone') return refused('clientAuthenticationFailed');
    services.log.info('login.succeeded', logFields(call, client, user.sub));
    const issue = { application, client, grant, user, scope, access, refreshToken: refresh?.value, nonce: undefined };
    return { kind: 'issued', tokenSet: await tokenSet(services, issue) };
  },
};

function refusedLogin(outcome: Exclude<PasswordOutcome, { kind: 'right' }>): GrantResult {
  const { sub } = outcome;
  switch (outcome.kind) {
    case 'throttled':
      return { ...refused('tooManyAttempts', outcome.retryAfter), sub };
    case 'busy':
      return { ...refused('hashQueueFull', outcome.retryAfter), sub };
    case 'wrong':
      return { ...refused('credentialsWrong'), sub };
  }
}
