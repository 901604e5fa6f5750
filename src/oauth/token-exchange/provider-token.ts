import { clientActor, requestEvent } from '../../audit/events/request-event.ts';
import { exchangeFailure, failure } from '../../failures.ts';
import { liveProviderTokens } from '../../people/provider-sessions/tokens.ts';
import { type GrantCall, type GrantResult, refused } from '../token/grant.ts';
import type { ExchangedIssue } from '../token/issue.ts';
import { grantedScope } from '../token/scope.rules.ts';
import type { LiveToken } from '../token/store.ts';
import { isSubjectClient } from '../token/subject.rules.ts';
import { ACCESS_TOKEN_TYPE, mayHandOut } from './rules.ts';

/**
 * The access token that an identity provider has issued for the user of the subject token (`keep_tokens`): an API calls the provider in the
 * name of the user. A policy of the application allows it, as any other exchange; nothing else hands it out.
 */
export async function handOutProviderToken(
  { services, request, application, caller, params }: GrantCall<'authenticated'>,
  live: LiveToken,
  provider: string,
): Promise<GrantResult<ExchangedIssue>> {
  const { client } = caller;
  const { clientId, audience, scope, exchange } = live;
  const allowed = mayHandOut(
    application,
    client,
    { clientId, audience, scope: grantedScope(scope), exchange },
    provider,
  );
  if (allowed === 'notHeld') return refused('subjectTokenInvalid');
  for (const name of ['actor_token', 'scope']) {
    if (params.get(name) !== undefined) return { kind: 'refused', failure: failure('parameterInvalid', name) };
  }
  const wanted = params.get('requested_token_type') ?? ACCESS_TOKEN_TYPE;
  if (wanted !== ACCESS_TOKEN_TYPE) {
    return { kind: 'refused', failure: failure('parameterInvalid', 'requested_token_type') };
  }
  const isPossible = allowed === 'allowed' && !isSubjectClient(live);
  const tokens = isPossible ? await liveProviderTokens(services, provider, live.sub) : undefined;
  const target = `urn:gatehouse:provider:${provider}`;
  // The same where no policy leads there: the client must not learn who has signed in with what.
  if (!tokens)
    return { kind: 'refused', failure: exchangeFailure(target, params.get('audience') ? 'audience' : 'resource') };
  const details = { from: audience, to: target, scope: [], subject_client: clientId };
  services.recorder.record(
    requestEvent(services, request, {
      ...{ type: 'token.exchanged', outcome: 'success', actor: clientActor(client.client_id), subject: live.sub },
      ...{ app: application.code, clientId: client.client_id, details },
    }),
  );
  const { accessToken, expiresAt, scope: theirs } = tokens;
  return {
    kind: 'handedOut',
    set: {
      access_token: accessToken,
      issued_token_type: ACCESS_TOKEN_TYPE,
      token_type: 'Bearer',
      ...(expiresAt === undefined ? {} : { expires_in: expiresAt - services.clock.now() }),
      ...(theirs === undefined ? {} : { scope: theirs }),
    },
  };
}
