import { openSession } from '../accounts/sessions.ts';
import { requestEvent, userActor } from '../events/request-event.ts';
import type { Answer } from '../message.ts';
import { failure } from '../protocol/errors.ts';
import type { LoginEvents } from '../store/sessions.ts';
import { nextStep, type Outcomes, opensSession, type Proof } from './next-step.ts';
import { advanceSignIn, resume, type SignIn } from './progress.ts';
import { expired, namesOf, type Visit } from './visit.ts';

/** Records the outcome of a step and redirects the browser to the endpoint that answers the request (row 26). */
export function goOn({ services, signIn }: Visit, outcome: Partial<Outcomes>): Answer {
  return resume(services.config.baseUrl, advanceSignIn(services, signIn, outcome));
}

/**
 * Records a proof of the user's identity. When no further proof is needed, the session is opened and replaces the proofs. A pending
 * request opens one session, so a form that is sent again is refused.
 */
export async function goOnAs(visit: Visit, proof: Proof, passwordHash: string | undefined): Promise<Answer> {
  const { services, request, demands } = visit;
  const proved = advanceSignIn(services, visit.signIn, { proofs: [...otherProofs(visit.signIn, proof), proof] });
  const next = nextStep(demands, { session: undefined, progress: proved.progress, now: services.clock.now() });
  if (!opensSession(next)) return resume(services.config.baseUrl, proved);
  // A second click cancels the first request. If the first opened the session, the second would be refused as a replay.
  if (request.abandoned()) return expired({ kind: 'changed' }, visit);
  const login = { sub: proof.sub, passwordHash, ...authenticationOf(proved.progress.proofs) };
  const events = loginEvents(visit, proof.sub, login.amr);
  const session = await openSession(services, request, login, proved.progress.id, events);
  if (session.kind === 'replayed') return { failure: failure('formReplayed'), ...namesOf(visit) };
  const { id, address } = request;
  services.statistics.loginSucceeded(visit.target?.app);
  services.log.info('login.succeeded', { request: id, ...namesOf(visit), sub: proof.sub, address });
  return resume(services.config.baseUrl, advanceSignIn(services, proved, { proofs: [] }), [session.cookie]);
}

function loginEvents({ services, request, target }: Visit, sub: string, amr: readonly string[]): LoginEvents {
  const place = {
    app: target?.app,
    clientId: target?.client.client_id,
    outcome: 'success',
    actor: userActor(sub),
  } as const;
  return {
    succeeded: sid =>
      requestEvent(services, request, { ...place, type: 'user.login.succeeded', subject: sub, details: { sid, amr } }),
    replaced: former =>
      requestEvent(services, request, {
        ...place,
        type: 'session.ended',
        subject: former.sub,
        details: { sid: former.sid, reason: 'replaced' },
      }),
  };
}

/** Proofs of another user do not count for this one, and a method is proved once: the last time counts. */
function otherProofs({ progress }: SignIn, { sub, method }: Proof): Proof[] {
  return progress.proofs.filter(proof => proof.sub === sub && proof.method !== method);
}

/** `auth_time` and `amr` of OIDC Core section 2: when the user last proved something, and by which methods. */
function authenticationOf(proofs: readonly Proof[]): { readonly authTime: number; readonly amr: readonly string[] } {
  return {
    authTime: Math.max(...proofs.map(({ at }) => at)),
    amr: [...new Set(proofs.map(({ method }) => method))],
  };
}
