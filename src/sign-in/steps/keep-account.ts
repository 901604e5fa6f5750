import { requestEvent, userActor } from '../../events/request-event.ts';
import { noticeTo } from '../../mail/notices.ts';
import type { Answer } from '../../message.ts';
import { isFirstFactor } from '../../protocol/acr.ts';
import type { Proof } from '../current-user.ts';
import { digestOf, nothingToAsk } from '../second-factor.ts';
import { cancel, goOnAs } from '../session.ts';
import { brandFor, expired, type StepPage, type Visit } from '../visit.ts';
import { keepAccountPage } from './keep-account-page.ts';

/**
 * The user has asked to delete the account, and signs in within the days of grace. The account is disabled until the user says here to
 * keep it: a right password alone, or opening the page, changes nothing.
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
    return leaving ? keep(visit, leaving.proof) : nothingToAsk(visit);
  },
};

/** Undefined: the page has nothing to ask. */
function leavingOf({ signIn }: Visit): { readonly proof: Proof; readonly dueAt: number } | undefined {
  const proof = signIn.progress.proofs.find(({ method }) => isFirstFactor(method));
  return proof?.deletionDue === undefined ? undefined : { proof, dueAt: proof.deletionDue };
}

async function keep(visit: Visit, proof: Proof): Promise<Answer> {
  const { services, request, locale } = visit;
  const { store, clock, log } = services;
  const { sub } = proof;
  const user = await store.findUser(sub, request.receivedAt);
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
    return proof.passwordDigest === undefined || digestOf(stored) === proof.passwordDigest;
  };
  const isKept = await store.keepAccount(sub, isCurrent, clock.now(), { event, mail }, request.receivedAt);
  // Another password, or an operator has decided meanwhile.
  if (!isKept) return expired({ kind: 'changed' }, visit);
  log.info('deletion.cancelled', { request: request.id, sub, address: request.address });
  const { deletionDue: _, ...proved } = proof;
  return goOnAs(visit, proved, proof.passwordDigest === undefined ? undefined : passwordHash);
}
