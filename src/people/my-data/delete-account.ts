import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { noticeTo } from '../../notify/mail/notices.ts';
import type { Answer, Request } from '../../platform/http/message.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { toPlace } from '../account/frame.ts';
import { refuseMailsOfUser } from '../email/request-confirmation.ts';
import { confirmPassword } from '../password/confirm.ts';
import { freshSession, localeOf } from '../second-factor/page.ts';
import { eraseSession } from '../sessions/sessions.ts';
import type { LiveSession } from '../sessions/store.ts';
import { accountLeftPage, deleteAccountPage } from './html.ts';

/**
 * /account/data/delete: the user is disabled at once and deleted after some days (job.ts). Until then, signing in
 * leads to the choice to keep the account (keep-account.step.ts).
 */
const PATH = '/account/data/delete';

export const GRACE_DAYS = 14;

export const showDeleteAccount: Handler = async (services, request) => {
  const session = await freshSession(services, request, PATH);
  return 'status' in session ? session : deleteAccountPage(await viewOf(services, request, session));
};

export const submitDeleteAccount: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  const view = await viewOf(services, request, session);
  if (view.hasPassword) {
    const password = request.form.get('password');
    const confirmed = await confirmPassword(services, request, session, 'password', password);
    if (confirmed.kind !== 'right') {
      return { ...deleteAccountPage({ ...view, fault: confirmed }), refusal: confirmed.refusal };
    }
  }
  const flood = await refuseMailsOfUser(services, session.user.sub);
  if (flood) return flood;
  const dueAt = services.clock.now() + GRACE_DAYS * 86_400;
  const outcome = await schedule(services, request, session, dueAt);
  if (outcome === 'lastOwner') return deleteAccountPage({ ...view, fault: 'lastOwner' });
  // Disabled meanwhile, by an operator or by the same form, sent twice.
  return outcome === 'done' ? left(services, request, dueAt) : toPlace(services, '/account');
};

async function viewOf({ store }: Services, request: Request, { user: { sub, username } }: LiveSession) {
  const user = await store.findUser(sub);
  const hasPassword = user?.hasPassword === true;
  return { locale: localeOf(request), username, hasPassword, graceDays: GRACE_DAYS };
}

async function schedule(
  services: Services,
  request: Request,
  { user }: LiveSession,
  dueAt: number,
): Promise<'done' | 'gone' | 'lastOwner'> {
  const { store, clock, log } = services;
  const { sub } = user;
  const event = requestEvent(services, request, {
    type: 'user.disabled',
    outcome: 'success',
    actor: userActor(sub),
    subject: sub,
    details: { reason: 'deletion', due: new Date(dueAt * 1000).toISOString() },
  });
  const mail = noticeTo(services, user, { kind: 'deletionScheduled', dueAt }, localeOf(request));
  const outcome = await store.scheduleDeletion(sub, dueAt, clock.now(), { event, mail });
  if (typeof outcome === 'object') return 'lastOwner';
  if (outcome) log.info('deletion.scheduled', { request: request.id, sub, address: request.address, due: dueAt });
  return outcome ? 'done' : 'gone';
}

function left({ cookies }: Services, request: Request, dueAt: number): Answer {
  const page = accountLeftPage(localeOf(request), dueAt);
  return { ...page, headers: { ...page.headers, 'set-cookie': eraseSession({ cookies }) } };
}
