import { credentialOf, keyOf, newStamp, stampOf } from '../../credentials.ts';
import { claimsWithin } from '../../protocol/claims-request.ts';
import type { Client } from '../../protocol/client.ts';
import { dialectOf, hasProfileInIdToken } from '../../protocol/dialect.ts';
import { type FailureName, scopeFailure } from '../../protocol/errors.ts';
import { isNarrower, parseScope, type Scope, scopes } from '../../protocol/scope.ts';
import type { Rotation } from '../../store/refresh-tokens.ts';
import type { TokenFamily } from '../../store/tokens.ts';
import { planAccessToken, tokenSet } from '../issue.ts';
import { type GrantCall, type GrantHandler, logFields, refused, required } from './grant.ts';

/** RFC 6749 section 6. */
export const refreshToken: GrantHandler = {
  required: ['refresh_token'],

  async run(call) {
    const { services, application, params } = call;
    const client = callingClient(call);
    const presented = required(call, 'refresh_token');
    const asked = params.get('scope');
    // Whatever is no scope at all is wider than every grant; the store compares the rest with this one.
    const read = asked === undefined ? undefined : parseScope(asked, scopes, dialectOf(application).unknownScopes);
    if (read?.kind === 'refused') return { kind: 'refused', failure: scopeFailure(read.token) };
    const scope = read?.scope;

    const access = planAccessToken(services, application);
    const successorExpiresAt = access.issuedAt + application.refresh_token_ttl;
    const successors = successorsOf(call, presented, newStamp(successorExpiresAt));
    const rotation: Rotation = {
      tokenHash: keyOf(presented),
      presented: {
        clientId: client.client_id,
        scope,
        rotation: client.refresh_token_rotation,
        grace: client.refresh_token_grace,
        familyTtl: application.refresh_family_ttl,
      },
      issuedAt: access.issuedAt,
      access: access.stored,
      successors: successors.map(({ hash }) => hash),
      successorExpiresAt,
      withUser: hasProfileInIdToken(application, client),
    };
    const outcome = await services.store.rotateRefreshToken(application.code, rotation, call.request.receivedAt);
    if (outcome.kind === 'reused') {
      services.log.warn('refresh.reused', logFields(call, client, outcome.sub));
      return refused('refreshTokenReused');
    }
    if (outcome.kind === 'scopeWider') {
      const wider = scope?.find(one => !outcome.granted.includes(one)) ?? '';
      return { kind: 'refused', failure: scopeFailure(wider) };
    }
    if (outcome.kind === 'refused') return refused(FAILURES[outcome.verdict]);

    const successor =
      outcome.kind === 'kept' ? presented : findSuccessor(call, presented, outcome.successor, successors);
    // A retry whose successor was made under a secret that is no longer listed cannot be answered.
    if (successor === undefined) return refused('refreshTokenInvalid');
    const { user } = outcome;
    const grant = within(outcome.grant, scope);
    if (outcome.kind === 'repeated') services.log.info('refresh.repeated', logFields(call, client, grant.sub));
    const issue = { application, client, grant, user, scope: scope ?? grant.scope, access, nonce: undefined };
    return { kind: 'issued', tokenSet: await tokenSet(services, { ...issue, refreshToken: successor }) };
  },
};

/** To the client they read the same (interface 7.1); the log tells them apart. */
const FAILURES = {
  invalid: 'refreshTokenInvalid',
  expired: 'refreshTokenExpired',
} as const satisfies Record<string, FailureName>;

/** A narrowed refresh narrows the claims that were asked for one by one as well; the store does so for userinfo. */
function within(grant: TokenFamily, scope: readonly Scope[] | undefined): TokenFamily {
  if (scope === undefined || !isNarrower(scope, grant.scope)) return grant;
  return { ...grant, claims: claimsWithin(grant.claims, scope) };
}

/** token.ts lets no caller reach this grant by a verifier alone. */
function callingClient({ caller }: GrantCall): Client {
  if (caller.kind === 'verifier') throw new Error('a verifier refreshes nothing');
  return caller.client;
}

interface Successor {
  readonly value: string;
  readonly hash: Buffer;
}

function successorsOf({ services, application }: GrantCall, presented: string, stamp: Buffer): Successor[] {
  return services.ring.successorsOf(application.code, presented).map(secret => {
    const value = credentialOf('refresh', stamp, secret);
    return { value, hash: keyOf(value) };
  });
}

/** The one that was written when the token was first rotated: just now, or a moment ago, and then its key has its stamp. */
function findSuccessor(
  call: GrantCall,
  presented: string,
  written: Uint8Array,
  planned: readonly Successor[],
): string | undefined {
  const isWritten = ({ hash }: Successor) => hash.equals(written);
  return (planned.find(isWritten) ?? successorsOf(call, presented, stampOf(written)).find(isWritten))?.value;
}
