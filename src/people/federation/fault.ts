import { withOrigin } from '../../audit/events/request-event.ts';
import { type FailureName, failure } from '../../failures.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { FaultElsewhere } from '../password/authenticate.ts';
import { advanceSignIn, redirectToStep } from '../sign-in/progress.ts';
import { namesOf, type Visit } from '../sign-in/visit.ts';
import type { ConnectedProvider, ProviderFault } from './connector.ts';
import type { SignInPlace } from './resolve.ts';
import type { Verdict } from './rules.ts';

/** What the sign-in page tells the person about the provider; `reason` is for operators alone. */
export type SignInFault =
  | ProviderFault
  | {
      readonly kind: Extract<Verdict, { kind: 'refused' }>['reason'] | LinkFault | 'gone';
      readonly reason: string;
    };

/** Why a person who has proved an account is not linked to it. `otherAccount`: it is not the one that has the address. */
export type LinkFault = 'alreadyLinked' | 'tooManyLinks' | 'otherAccount';

export const FAULT_FAILURES = {
  cancelled: 'userCancelled',
  unavailable: 'providerUnavailable',
  refused: 'providerRefused',
  invalid: 'providerAnswerInvalid',
  disabled: 'providerPersonRefused',
  unknownPerson: 'providerPersonRefused',
  otherPerson: 'providerPersonRefused',
  alreadyLinked: 'providerPersonRefused',
  tooManyLinks: 'providerPersonRefused',
  otherAccount: 'providerPersonRefused',
  gone: 'providerPersonRefused',
} as const satisfies Record<SignInFault['kind'], FailureName>;

export function failureOf(kind: SignInFault['kind']): FailureName {
  return FAULT_FAILURES[kind];
}

/** Back to the sign-in page, which says what happened and offers every way; or to the account page, from where the person went. */
export function backWithFault(
  visit: Visit,
  { id, name }: Pick<ConnectedProvider, 'id' | 'name'>,
  fault: SignInFault,
  cookies: readonly string[] = [],
): Answer {
  const { services, request, signIn } = visit;
  note(visit, id, fault);
  const { kind } = fault;
  const told = advanceSignIn(services, signIn, { providerFault: { provider: id, kind }, linking: undefined });
  const reply = redirectToStep(services.config.baseUrl, pageOf(visit), told.sealed, [...cookies]);
  const seen = { ...reply, status: request.method === 'POST' ? 303 : reply.status };
  if (kind === 'cancelled') return seen;
  const facts = { provider: { id, name, reason: fault.reason } };
  return { ...seen, refusal: { failure: failure(FAULT_FAILURES[kind]), ...namesOf(visit), facts } };
}

function pageOf({ signIn: { progress } }: Visit): string {
  const { ownPage } = progress;
  return ownPage?.addsLinkTo === undefined ? '/login' : ownPage.path;
}

function note(visit: Visit, id: string, { kind, reason }: SignInFault): void {
  const { services, request } = visit;
  const { app, client } = namesOf(visit);
  services.log.info('provider.refused', {
    request: request.id,
    app,
    client,
    provider: id,
    reason: kind,
    detail: reason,
  });
  recordFailed(visit, id, kind, reason);
  if (kind !== 'cancelled') services.statistics.loginFailed(app);
}

/** A page, or the password grant. */
type NotedPlace = Pick<SignInPlace, 'services' | 'request' | 'target'>;

/** The sign-in itself is counted and recorded as a wrong password; this says what the provider had to do with it. */
export function noteFaultElsewhere(visit: NotedPlace, { id, kind, reason }: FaultElsewhere): void {
  if (kind !== 'wrong') {
    const { services, request } = visit;
    services.log.info('provider.refused', {
      request: request.id,
      ...namesOf(visit),
      provider: id,
      reason: kind,
      detail: reason,
    });
  }
  recordFailed(visit, id, kind, reason);
}

function recordFailed(visit: NotedPlace, id: string, kind: string, reason: string): void {
  const { services, request } = visit;
  const { app, client } = namesOf(visit);
  services.recorder.record(
    withOrigin(request, {
      type: 'provider.sign_in.failed',
      outcome: kind === 'cancelled' ? 'denied' : 'failure',
      actor: { kind: 'user', id: undefined },
      subject: id,
      app,
      clientId: client,
      details: { reason: kind, detail: reason },
    }),
  );
}
