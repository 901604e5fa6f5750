import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Provider } from '../../directory/providers/rules.ts';
import { failure } from '../../failures.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import { type Answer, redirect, userAgentOf } from '../../platform/http/message.ts';
import { withinRequest } from '../../platform/store/request-time.ts';
import { backWithFault, type LinkFault } from '../federation/fault.ts';
import { allDirectories } from '../federation/offered.ts';
import { newBrowserEntry } from '../known-browsers/deferred-mail.ts';
import { linkPerson } from '../linking/link-person.ts';
import { nameKept } from '../provider-sessions/keep.ts';
import { sessionEndedEvent } from '../sessions/session-ended.ts';
import { openSession } from '../sessions/sessions.ts';
import type { EndedSession, LiveSession, LoginEvents } from '../sessions/store.ts';
import { amrOf } from './acr.rules.ts';
import { methodsOf, type Outcomes, passkeysOf, type ShownFactor } from './current-user.rules.ts';
import { type NextStep, opensSession } from './next-step.rules.ts';
import { advanceSignIn, redirectToStep, resume, type SignIn } from './progress.ts';
import { expired, namesOf, nextStepOf, type Visit } from './visit.ts';

/** Records the outcome of a step and redirects the browser to the endpoint that answers the request (row 26). */
export function goOn({ services, signIn }: Visit, outcome: Partial<Outcomes>): Answer {
  return resume(services.config.baseUrl, advanceSignIn(services, signIn, outcome));
}

/** The user has done what a step asks that keeps nothing else. */
export function passStep(visit: Visit, step: string, sub: string): Answer {
  return goOn(visit, { passed: { ...visit.signIn.progress.passed, [step]: sub } });
}

export function cancel(visit: Visit): Answer {
  // No client waits for an answer, and the account page would only ask again.
  if (!visit.target) return redirect(`${visit.services.config.baseUrl}/logout`, 303);
  return goOn(visit, { cancelled: true });
}

/**
 * Records a proof of the user's identity. When no further proof is needed, the session is opened and replaces the proofs. A pending
 * request opens one session, so a form that is sent again is refused. `present`: the session that a second factor steps up.
 */
export async function goOnAs(
  visit: Visit,
  proof: ShownFactor,
  passwordHash: string | undefined,
  present?: LiveSession,
): Promise<Answer> {
  return goOnWith(visit, proof.sub, [...otherProofs(visit.signIn, proof), proof], passwordHash, present);
}

/** The same with the proofs as they are, after something else that the sign-in waited for. */
export async function goOnWith(
  visit: Visit,
  sub: string,
  proofs: readonly ShownFactor[],
  passwordHash: string | undefined,
  present?: LiveSession,
): Promise<Answer> {
  const { services, request } = visit;
  const proved = advanceSignIn(services, visit.signIn, { proofs, confirming: undefined });
  const next = await nextStepOf({ ...visit, signIn: proved }, present);
  if (!opensSession(next)) return toNext(visit, proved, next);
  // A second click cancels the first request. If the first opened the session, the second would be refused as a replay.
  if (request.abandoned()) return expired({ kind: 'changed' }, visit);
  const refused = await linkProved(visit, proved, sub);
  if (refused) return refused;
  const open = () => openFor(visit, proved, { sub, passwordHash, proofs }, present);
  const asked = present ? [] : await directoriesBut(visit, proofs);
  if (asked.length === 0) return open();
  const { findGoneFrom } = await import('../federation/recheck.ts');
  const gone = await findGoneFrom(services, sub, asked);
  // The time of the directory is not that of the database.
  return withinRequest(performance.now(), async () => {
    if (!gone) return open();
    const anew = advanceSignIn(services, proved, { proofs: [] });
    const fault = { kind: 'gone', reason: `${gone.reason}: ${WHEN_GONE}` } as const;
    return backWithFault({ ...visit, signIn: anew }, { id: gone.provider }, fault);
  });
}

const WHEN_GONE = 'enable the entry there, or remove the link of the user to it';

/** Who has left a directory does not come in by a password or passkey of this server either. Those that have just answered are not asked. */
async function directoriesBut({ services }: Visit, proofs: readonly ShownFactor[]): Promise<readonly Provider[]> {
  const isProved = (id: string) => proofs.some(({ link }) => link?.provider === id);
  return (await allDirectories(services)).filter(({ id }) => !isProved(id));
}

interface Proved {
  readonly sub: string;
  readonly passwordHash: string | undefined;
  readonly proofs: readonly ShownFactor[];
}

async function openFor(
  visit: Visit,
  proved: SignIn,
  { sub, passwordHash, proofs }: Proved,
  present: LiveSession | undefined,
): Promise<Answer> {
  const { services, request } = visit;
  const authentication = authenticationOf(proved.progress.proofs, present);
  const passkeys = passkeysOf(proofs);
  const login = { sub, passwordHash, passkeys, ...authentication, stepsUp: present !== undefined };
  const recorded = loginEvents(visit, sub, login.amr);
  let sid: string | undefined;
  const events: LoginEvents = {
    ...recorded,
    succeeded: opened => {
      sid = opened;
      return recorded.succeeded(opened);
    },
  };
  const mail = services.config.mail && (() => mailOf(visit, sub));
  const session = await openSession(services, request, login, proved.progress.id, events, mail);
  if (session.kind === 'replayed') return { failure: failure('formReplayed'), ...namesOf(visit) };
  if (session.kind === 'ended') return expired({ kind: 'changed' }, visit);
  const leavesSession = proofs.some(proof => proof.leavesSession);
  if (sid !== undefined && leavesSession && !(await nameKept(services, proved.progress.id, sid))) {
    // The provider has ended it while a second factor was asked for.
    const event = sessionEndedEvent(services, request, { reason: 'provider' });
    await services.store.endSession({ sub, sid }, services.clock.now(), event);
    return expired({ kind: 'changed' }, visit);
  }
  const { id, address } = request;
  services.statistics.loginSucceeded(visit.target?.app);
  services.log.info('login.succeeded', { request: id, ...namesOf(visit), sub, address });
  return resume(
    services.config.baseUrl,
    advanceSignIn(services, proved, { proofs: [], linking: undefined }),
    session.cookies,
  );
}

/** The person of a provider whose address led to this account has proved it, completely. */
async function linkProved(visit: Visit, proved: SignIn, sub: string): Promise<Answer | undefined> {
  const { linking } = proved.progress;
  if (!linking) return undefined;
  const { provider, subject, email } = linking;
  const refuse = (kind: LinkFault) => {
    const anew = advanceSignIn(visit.services, proved, { proofs: [] });
    return backWithFault({ ...visit, signIn: anew }, { id: provider }, { kind, reason: kind });
  };
  // Who owns the address may take its person, and nobody else: the page has named that account alone.
  if (sub !== linking.sub) return refuse('otherAccount');
  const user = await visit.services.store.findUser(sub);
  if (!user) return undefined;
  const link = { provider, subject, sub, label: email, createdAt: visit.services.clock.now() };
  const outcome = await linkPerson(visit, user, link);
  if (outcome === 'taken') return refuse('alreadyLinked');
  return outcome === 'full' ? refuse('tooManyLinks') : undefined;
}

/** A page of this server knows nothing of a sign-in that is in progress, so its next step is opened from here. */
function toNext({ services, target }: Visit, proved: SignIn, next: NextStep): Answer {
  const { baseUrl } = services.config;
  if (!target && next.kind === 'ask') return redirectToStep(baseUrl, next.path, proved.sealed);
  return resume(baseUrl, proved);
}

/** Only queued: people/known-browsers/deferred-mail.ts finds out whether the user is to be told. */
function mailOf({ services, request, locale }: Visit, sub: string): NewMail {
  const userAgent = userAgentOf(request);
  return newBrowserEntry(services, { sub, locale, address: request.address, userAgent, time: services.clock.now() });
}

function loginEvents({ services, request, target }: Visit, sub: string, amr: readonly string[]): LoginEvents {
  const place = {
    app: target?.app,
    clientId: target?.client.client_id,
    outcome: 'success',
    actor: userActor(sub),
  } as const;
  const ended =
    (reason: 'replaced' | 'limit') =>
    ({ sub: subject, sid }: EndedSession) =>
      requestEvent(services, request, { ...place, type: 'session.ended', subject, details: { sid, reason } });
  return {
    succeeded: sid =>
      requestEvent(services, request, { ...place, type: 'user.login.succeeded', subject: sub, details: { sid, amr } }),
    replaced: ended('replaced'),
    outnumbered: ended('limit'),
  };
}

/** Proofs of another user do not count for this one, and a method is proved once: the last time counts. */
function otherProofs({ progress }: SignIn, { sub, method }: ShownFactor): ShownFactor[] {
  return progress.proofs.filter(proof => proof.sub === sub && proof.method !== method);
}

/**
 * `auth_time` and `amr` of OIDC Core section 2: when the user last proved something, and by which methods. What the session that is
 * stepped up has proved stays proved.
 */
function authenticationOf(
  proofs: readonly ShownFactor[],
  present: LiveSession | undefined,
): { readonly authTime: number; readonly amr: readonly string[] } {
  return {
    authTime: Math.max(...proofs.map(({ at, authTime = at }) => authTime)),
    amr: amrOf([...(present?.amr ?? []), ...methodsOf(proofs)]),
  };
}
