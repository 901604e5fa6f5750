import type { Act } from '../../audit/acts/store.ts';
import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import { failure } from '../../failures.ts';
import { noticeTo } from '../../notify/mail/notices.ts';
import type { Answer, Reply } from '../../platform/http/message.ts';
import { relyingPartyOf } from '../passkey/rules.ts';
import {
  attemptCode,
  type Claimant,
  claimantOf,
  digestOf,
  exhausted,
  nothingToAsk,
} from '../second-factor/second-factor.ts';
import type { AttemptedUser } from '../second-factor/store.ts';
import type { LiveSession } from '../sessions/store.ts';
import type { ShownFactor } from '../sign-in/current-user.rules.ts';
import { nextStep } from '../sign-in/next-step.rules.ts';
import { advanceSignIn, redirectToStep, resume, type SignIn } from '../sign-in/progress.ts';
import { cancel, goOnAs } from '../sign-in/session.ts';
import { brandFor, expired, namesOf, type StepPage, sessionOf, type Visit } from '../sign-in/visit.ts';
import { recoveryCodesPage } from './enrol.html.ts';
import { enrolTotpPage } from './enrol-step.html.ts';
import { type ConfirmedTotp, confirmTotpKey, newTotpKey } from './enrolment.ts';

/**
 * /login/enrol: a second factor is required, and the user has none. The key of the authenticator app is made when the page is first
 * opened, and stays the same when it is opened again; it travels in the sealed progress.
 */
export const enrolTotp: StepPage = {
  actions: ['cancel'],
  show: async (visit, session) => {
    const claimant = enrolling(visit, session);
    if (!claimant) return nothingToAsk(visit);
    const { services, signIn } = visit;
    if (enrolmentOf(signIn, claimant)) return render(visit, claimant, signIn.progress.enrolment?.key ?? '');
    const enrolment = { sub: claimant.sub, key: newTotpKey(services.random) };
    return redirectToStep(
      services.config.baseUrl,
      '/login/enrol',
      advanceSignIn(services, signIn, { enrolment }).sealed,
    );
  },
  submit: async (visit, form) => {
    if (form.get('action') === 'cancel') return cancel(visit);
    const claimant = enrolling(visit, await sessionOf(visit));
    const enrolment = claimant && enrolmentOf(visit.signIn, claimant);
    if (!claimant || !enrolment) return nothingToAsk(visit);
    const { sub, first } = claimant;
    // Counted like the codes of a second factor: at most five are compared in one sign-in, on all nodes together.
    const held = await attemptCode(visit, sub);
    if (held === 'exhausted') return exhausted(visit, sub);
    if (first?.method === 'pwd' && digestOf(held.passwordHash) !== first.passwordDigest) {
      return expired({ kind: 'changed' }, visit);
    }
    if (held.totp || (held.hasPasskey && visit.demands.passkeys)) {
      return askForFactor(visit, claimant, held, { hasTotp: held.totp !== undefined, hasPasskey: held.hasPasskey });
    }
    const confirmed = confirmTotpKey(visit.services, enrolment, form.get('code') ?? '');
    if (confirmed) return enrol(visit, claimant, held, confirmed);
    const page = await render(visit, claimant, enrolment.key, true);
    return { ...page, refusal: { failure: failure('codeWrong'), ...namesOf(visit), sub } };
  },
};

/** Undefined: this step is not due. The page cannot be used to add a factor without the proofs that people/sign-in/next-step.rules.ts demands. */
function enrolling(visit: Visit, session: LiveSession | undefined): Claimant | undefined {
  const { services, demands, signIn } = visit;
  const state = { session, progress: signIn.progress, now: services.clock.now() };
  const next = nextStep(services.tables.steps, demands, state);
  if (next.kind !== 'ask' || next.step !== 'enrol-totp') return undefined;
  return claimantOf(visit, session, { isDue: () => true });
}

function enrolmentOf({ progress }: SignIn, { sub }: Claimant) {
  return progress.enrolment?.sub === sub ? progress.enrolment : undefined;
}

/** The store adds the key once. The first code was a proof too, so the session is opened as after /login/totp. */
async function enrol(
  visit: Visit,
  claimant: Claimant,
  held: AttemptedUser,
  { totp, recoveryCodes }: ConfirmedTotp,
): Promise<Answer> {
  const { services } = visit;
  const { sub, first, session } = claimant;
  const now = services.clock.now();
  const added = await services.store.addTotp(sub, totp, now, await actOf(visit, claimant));
  if (!added) return askForFactor(visit, claimant, held, { hasTotp: true });
  const proof: ShownFactor = { sub, method: 'otp', at: now, stepsUp: !first };
  const confirmed = { ...visit, signIn: advanceSignIn(services, visit.signIn, { enrolment: undefined }) };
  const on = await goOnAs(confirmed, proof, provedHash(claimant, held), session);
  return added.withRecoveryCodes ? showCodes(confirmed, recoveryCodes, on) : on;
}

/** The event, and the mail that tells the user. */
async function actOf(visit: Visit, claimant: Claimant): Promise<Act> {
  const { services, request, target, locale } = visit;
  const { sub } = claimant;
  const event = requestEvent(services, request, {
    type: 'factor.added',
    outcome: 'success',
    actor: userActor(sub),
    subject: sub,
    app: target?.app,
    clientId: target?.client.client_id,
    details: { factor: 'totp' },
  });
  const user = await profileOf(visit, claimant);
  return { event, mail: user && noticeTo(services, user, { kind: 'factorAdded', factor: 'totp' }, locale) };
}

async function profileOf({ services }: Visit, { sub, session }: Claimant): Promise<Profile | undefined> {
  return session?.user ?? services.store.findUser(sub);
}

/** The password that was proved, for the session that is opened. */
function provedHash({ first }: Claimant, { passwordHash }: AttemptedUser): string | undefined {
  return first?.method === 'pwd' ? passwordHash : undefined;
}

/** Set up elsewhere meanwhile, such as in another tab: this sign-in goes on with that factor. */
function askForFactor(
  visit: Visit,
  claimant: Claimant,
  held: AttemptedUser,
  has: Pick<ShownFactor, 'hasTotp' | 'hasPasskey'>,
): Promise<Answer> | Answer {
  const { first } = claimant;
  return first ? goOnAs(visit, { ...first, ...has }, provedHash(claimant, held)) : nothingToAsk(visit);
}

/** The codes are shown also if the sign-in cannot go on: the key counts from now on, and they are not shown again. */
function showCodes(visit: Visit, codes: readonly string[], on: Answer): Reply {
  const { services, signIn, locale, target } = visit;
  const next = 'failure' in on ? resume(services.config.baseUrl, signIn) : on;
  const document = { locale, brand: brandFor(visit), formTarget: target?.request.redirectUri, inPopup: true };
  const page = recoveryCodesPage({ document, codes, next: String(next.headers.location) });
  const cookies = next.headers['set-cookie'];
  return cookies === undefined ? page : { ...page, headers: { ...page.headers, 'set-cookie': cookies } };
}

async function render(visit: Visit, claimant: Claimant, key: string, isWrong = false): Promise<Reply> {
  const { services, signIn, locale, target } = visit;
  const username = (await profileOf(visit, claimant))?.username ?? '';
  return enrolTotpPage({
    document: { locale, brand: brandFor(visit), formTarget: target?.request.redirectUri, inPopup: true },
    key,
    issuer: new URL(services.config.baseUrl).host,
    username,
    pending: signIn.sealed,
    // Where the session is open already: the operator goes to the account page, and opens the console again.
    offersPasskey:
      signIn.progress.ownPage?.requiresMfa === true && relyingPartyOf(services.config.baseUrl) !== undefined,
    isWrong,
  });
}
