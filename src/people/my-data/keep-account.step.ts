import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { noticeTo } from '../../notify/mail/notices.ts';
import type { Answer } from '../../platform/http/message.ts';
import { digestOf, nothingToAsk } from '../second-factor/second-factor.ts';
import { hasTwoFactors } from '../sign-in/acr.rules.ts';
import { currentUser, firstFactor, passwordFactor, type User } from '../sign-in/current-user.rules.ts';
import { nextStep } from '../sign-in/next-step.rules.ts';
import { beginSignIn, redirectToStep } from '../sign-in/progress.ts';
import { cancel, goOnWith } from '../sign-in/session.ts';
import { brandFor, expired, type StepPage, type Visit } from '../sign-in/visit.ts';
import { keepAccountPage } from './keep-account.html.ts';

/**
 * The user has asked to delete the account, and signs in within the days of grace. The account is disabled until the user says here to
 * keep it: a right password alone, or opening the page, changes nothing. Users who have a second factor have proved it before.
 */
export const keepAccount: StepPage = {
  actions: ['keep', 'cancel'],
  show: async visit => {
    const { dueAt } = leavingOf(visit) ?? {};
    if (dueAt === undefined) return nothingToAsk(visit);
    return keepAccountPage({
      locale: visit.locale,
      brand: brandFor(visit),
      pending: visit.signIn.sealed,
      redirectUri: visit.target?.request.redirectUri,
      dueAt,
    });
  },
  submit: async (visit, form) => {
    if (form.get('action') !== 'keep') return cancel(visit);
    const leaving = leavingOf(visit);
    if (!leaving) return nothingToAsk(visit);
    const { user } = leaving;
    return user.hasPasskey && !hasTwoFactors(user.amr) ? askForPasskey(visit) : keep(visit, user);
  },
};

/** Undefined: the page has nothing to ask. The account cannot be kept without the proofs that people/sign-in/next-step.rules.ts demands before. */
function leavingOf({ services, signIn, demands }: Visit): { readonly user: User; readonly dueAt: number } | undefined {
  const { progress } = signIn;
  const state = { session: undefined, progress, now: services.clock.now() };
  const next = nextStep(services.tables.steps, demands, state);
  const user = currentUser(state);
  const dueAt = firstFactor(progress.proofs)?.deletionDue;
  if (next.kind !== 'ask' || next.step !== 'keep-account' || !user || dueAt === undefined) return undefined;
  return { user, dueAt };
}

/** This application takes no passkeys. The account page does, and there the user can keep the account. */
function askForPasskey({ services, request, signIn }: Visit): Answer {
  const { proofs } = signIn.progress;
  const { sealed, cookies } = beginSignIn(services, request, undefined, undefined, { proofs });
  return redirectToStep(services.config.baseUrl, '/login/passkey', sealed, cookies);
}

async function keep(visit: Visit, { sub }: User): Promise<Answer> {
  const { services, request, locale, signIn } = visit;
  const { store, clock, log } = services;
  const { proofs } = signIn.progress;
  const typed = passwordFactor(proofs);
  const user = await store.findUser(sub);
  // Deleted in the meantime.
  if (!user) return expired({ kind: 'changed' }, visit);
  const event = requestEvent(services, request, {
    type: 'user.enabled',
    outcome: 'success',
    actor: userActor(sub),
    subject: sub,
    details: { reason: 'kept' },
  });
  const mail = noticeTo(services, user, { kind: 'accountKept' }, locale);
  let passwordHash: string | undefined;
  const isCurrent = (stored: string | undefined) => {
    passwordHash = stored;
    return typed === undefined || digestOf(stored) === typed.passwordDigest;
  };
  const isKept = await store.keepAccount(sub, isCurrent, clock.now(), { event, mail });
  // Another password, or an operator has decided meanwhile.
  if (!isKept) return expired({ kind: 'changed' }, visit);
  log.info('deletion.cancelled', { request: request.id, sub, address: request.address });
  const kept = proofs.map(({ deletionDue: _, ...proof }) => proof);
  return goOnWith(visit, sub, kept, typed && passwordHash);
}
