import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { noticeTo } from '../../notify/mail/notices.ts';
import type { Answer, Reply, Request } from '../../platform/http/message.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { refuseMailsOfUser } from '../email/request-confirmation.ts';
import { freshSession, localeOf, toSecurity } from '../second-factor/page.ts';
import { openSession } from '../sessions/sessions.ts';
import type { LiveSession } from '../sessions/store.ts';
import { changePasswordPage } from './change.html.ts';
import { type Confirmed, confirmPassword } from './confirm.ts';

/** /account/security/password: another password, or the first one of a user who signs in without. */
const PATH = '/account/security/password';

export const showChangePassword: Handler = async (services, request) => {
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  return changePasswordPage({ ...(await viewOf(services, request, session)) });
};

export const submitChangePassword: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  const view = await viewOf(services, request, session);
  const form = request.form;
  const current = form.get('current_password');
  const confirmed: Confirmed = view.hasPassword
    ? await confirmPassword(services, request, session, 'current_password', current)
    : { kind: 'right', passwordHash: undefined };
  if (confirmed.kind !== 'right') {
    return { ...changePasswordPage({ ...view, currentFault: confirmed }), refusal: confirmed.refusal };
  }
  const password = form.get('password') ?? '';
  const { username, email } = session.user;
  const fault = await services.newPasswords.check(password, { username, email });
  if (fault) return changePasswordPage({ ...view, fault });
  const flood = await refuseMailsOfUser(services, session.user.sub, 'password');
  return flood ?? change(services, request, session, confirmed.passwordHash, password);
};

async function viewOf({ store }: Services, request: Request, { user: { sub, username } }: LiveSession) {
  const user = await store.findUser(sub);
  return { locale: localeOf(request), username, hasPassword: user?.hasPassword === true };
}

async function change(
  services: Services,
  request: Request,
  session: LiveSession,
  from: string | undefined,
  password: string,
): Promise<Answer> {
  const { store, clock, log } = services;
  const { user } = session;
  const { sub } = user;
  const to = await services.passwords.hashInTurn(password);
  const who = { outcome: 'success', actor: userActor(sub), subject: sub } as const;
  const event = requestEvent(services, request, { type: 'user.password.changed', ...who });
  const mail = noticeTo(services, user, { kind: 'passwordChanged' }, localeOf(request));
  // Another change was faster, and has ended this session too.
  if (!(await store.replacePassword(sub, { from, to }, clock.now(), { event, mail }))) {
    return toSecurity(services);
  }
  log.info('password.changed', { request: request.id, sub, address: request.address });
  return reopened(services, request, session, to);
}

/**
 * The change has ended every session, this one too: whoever holds a copy of its cookie is signed out. The user, who has just proved to
 * be the one, gets a new one. It belongs to the new password, so a still later change ends it.
 */
async function reopened(
  services: Services,
  request: Request,
  { user: { sub }, authTime, amr }: LiveSession,
  passwordHash: string,
): Promise<Reply> {
  const login = { sub, passwordHash, authTime, amr, stepsUp: false };
  const id = services.random.bytes(16).toString('base64url');
  const opened = await openSession(services, request, login, id, undefined);
  return toSecurity(services, opened.kind === 'opened' ? opened.cookies : []);
}
