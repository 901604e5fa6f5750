import { mayEnter } from '../../directory/access/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import { APPLICATION, sql } from '../../platform/store/sql.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { hasProofOf } from '../proof-of-possession/binding.ts';
import { verifyIdToken } from '../signing-keys/verifier.ts';
import { type GrantCall, required } from '../token/grant.ts';
import { findLiveRefreshToken, locateOpaque } from '../token/lookup.ts';
import { grantedScope, type Scope } from '../token/scope.rules.ts';
import type { FaultySubject } from './issue.rules.ts';

/** The sign-in of a person to the client that asks, which has not ended. */
export interface Login {
  readonly user: Profile;
  readonly authTime: number;
  readonly amr: readonly string[];
  /** What the person granted to the client. */
  readonly scope: readonly Scope[];
}

export const SUBJECT_TOKEN_TYPES = {
  idToken: 'urn:ietf:params:oauth:token-type:id_token',
  refreshToken: 'urn:ietf:params:oauth:token-type:refresh_token',
} as const;

type Call = GrantCall<'authenticated'>;
type Refused = FaultySubject & { readonly sub?: string };

/**
 * Section 4.3.3 of the draft. An ID token is good for an hour, whatever became of its sign-in: a token family of it must be alive, which ends
 * with the session, the consent, the refresh token, the password and the user.
 */
export async function findLogin(call: Call): Promise<Login | Refused> {
  const isRefresh = required(call, 'subject_token_type') === SUBJECT_TOKEN_TYPES.refreshToken;
  const family = await (isRefresh ? familyOfRefreshToken(call) : familyOfIdToken(call));
  if ('fault' in family) return family;
  const { services, application } = call;
  const { sub, authTime, amr, scope } = family;
  const user = await services.store.findUser(sub);
  if (!user || user.disabled) return { fault: 'disabled', sub };
  if (!mayEnter(application, user)) return { fault: 'notAllowed', sub };
  if (amr.includes('fed')) {
    const { findGone } = await import('../../people/federation/recheck.ts');
    if (await findGone(services, { sub, amr, authTime })) return { fault: 'gone', sub };
  }
  return { user, authTime, amr, scope };
}

interface Family extends Pick<Login, 'authTime' | 'amr' | 'scope'> {
  readonly sub: string;
}

async function familyOfIdToken(call: Call): Promise<Family | Refused> {
  const { services, application, caller } = call;
  const { client } = caller;
  const { code } = application;
  const issuer = issuerFor(services, application);
  const token = await verifyIdToken(services, code, issuer, required(call, 'subject_token'));
  if (!token) return { fault: 'notIdToken' };
  if (token.clientId !== client.client_id) return { fault: 'otherClient' };
  const meant = await services.subjects.meantBy(code, client, token);
  if (!meant) return { fault: 'notIdToken' };
  const { sub, sid, authTime } = meant;
  const found = await findFamily(call, sub, {
    condition: sql`auth_time = ${authTime} AND ${sid === undefined ? sql`sid IS NULL` : sql`sid = ${sid}`}`,
  });
  return found ?? { fault: 'ended', sub };
}

async function familyOfRefreshToken(call: Call): Promise<Family | Refused> {
  const { services, application, caller, binding } = call;
  const located = locateOpaque(required(call, 'subject_token'));
  if (located?.kind !== 'refresh' || !hasProofOf(binding, located.confirmation)) return { fault: 'notRefreshToken' };
  const token = await findLiveRefreshToken(services, application, located.hash);
  if (!token) return { fault: 'notRefreshToken' };
  if (token.clientId !== caller.client.client_id) return { fault: 'otherClient' };
  const { sub, familyStartedAt } = token;
  const found = await findFamily(call, sub, { condition: sql`started_at = ${familyStartedAt}` });
  return found ?? { fault: 'ended', sub };
}

/** The newest that is alive. */
async function findFamily(
  { services, application, caller }: Call,
  sub: string,
  { condition }: { readonly condition: ReturnType<typeof sql> },
): Promise<Family | undefined> {
  const [row] = await services.store.cold.read(
    sql`SELECT scope, auth_time, amr FROM grants WHERE sub = ${sub} AND ${APPLICATION} = ${application.code}
      AND client_id = ${caller.client.client_id} AND revoked_at IS NULL AND expires_at > ${services.clock.now()} AND ${condition}
      ORDER BY started_at DESC LIMIT 1`,
  );
  if (!row) return undefined;
  const words = (text: unknown) => grantedScope(text as string);
  return { sub, authTime: Number(row.auth_time), amr: words(row.amr), scope: words(row.scope) };
}
