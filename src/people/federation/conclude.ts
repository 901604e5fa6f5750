import { withOrigin } from '../../audit/events/request-event.ts';
import { hasVerifiedEmail } from '../../directory/users/claims.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import type { Answer } from '../../platform/http/message.ts';
import { keepProviderSession, keptOf } from '../provider-sessions/keep.ts';
import { advanceSignIn, redirectToStep } from '../sign-in/progress.ts';
import { goOnAs } from '../sign-in/session.ts';
import { namesOf, type Visit } from '../sign-in/visit.ts';
import { addLink } from './add-link.ts';
import type { ConnectedProvider, Identity } from './connector.ts';
import { backWithFault } from './fault.ts';
import { amrOfClass, classOf } from './person.rules.ts';
import { noteUse, type Resolved, resolvePerson, type SignInPlace } from './resolve.ts';

/**
 * What a sign-in becomes once a provider has said who the person is, whatever its type: an account with its link, a proof that one has to
 * give first, or a refusal on the sign-in page.
 */
export async function concludeSignIn(visit: Visit, provider: ConnectedProvider, identity: Identity): Promise<Answer> {
  const { signIn } = visit;
  if (signIn.progress.ownPage?.addsLinkTo !== undefined) return addLink(visit, provider, identity);
  return concludeResolved(visit, provider, identity, await resolvePerson(visit, provider, identity));
}

/** The same for somebody whose account is known already. */
export async function concludeResolved(
  visit: Visit,
  provider: ConnectedProvider,
  identity: Identity,
  resolved: Resolved,
): Promise<Answer> {
  const { services, signIn } = visit;
  if (resolved.kind === 'refused') {
    return backWithFault(visit, provider, { kind: resolved.reason, reason: resolved.reason });
  }
  if (resolved.kind === 'prove') {
    const { sub, email } = resolved;
    const linking = { provider: provider.id, subject: identity.subject, sub, email };
    const waiting = advanceSignIn(services, signIn, { linking, providerFault: undefined });
    return redirectToStep(services.config.baseUrl, '/login/link', waiting.sealed);
  }
  const { account } = resolved;
  noteSucceeded(visit, provider, account);
  const kept = keptOf(provider, identity.session);
  if (kept) await keepProviderSession(services, signIn.progress.id, provider, account.sub, kept);
  const proof = { ...proofOf(visit, provider, identity, account), ...(kept && { leavesSession: true }) };
  const [answer] = await Promise.all([goOnAs(visit, proof, undefined), noteUse(visit, resolved)]);
  return answer;
}

export function noteSucceeded(
  visit: Pick<SignInPlace, 'services' | 'request' | 'target'>,
  { id }: ConnectedProvider,
  { sub }: Account,
): void {
  const { services, request } = visit;
  const { app, client } = namesOf(visit);
  services.recorder.record(
    withOrigin(request, {
      type: 'provider.sign_in.succeeded',
      outcome: 'success',
      actor: { kind: 'user', id: sub },
      subject: sub,
      app,
      clientId: client,
      details: { provider: id },
    }),
  );
}

function proofOf({ services }: Visit, provider: ConnectedProvider, identity: Identity, account: Account) {
  const { subject, acr, authTime } = identity;
  const now = services.clock.now();
  return {
    sub: account.sub,
    method: 'fed',
    at: now,
    // A clock that is ahead there makes nobody's sign-in younger. It may have parts of a second (RFC 7519 section 2).
    authTime: authTime === undefined ? undefined : Math.floor(Math.min(authTime, now)),
    link: { provider: provider.id, subject },
    federatedAmr: amrOfClass(classOf(provider, acr)),
    hasTotp: account.totp !== undefined,
    hasPasskey: account.hasPasskey === true,
    hasPassword: account.passwordHash !== undefined,
    requiresMfa: account.requiresMfa,
    hasEmail: account.email !== undefined,
    hasVerifiedEmail: hasVerifiedEmail(account),
    deletionDue: account.deletionDue,
  } as const;
}
