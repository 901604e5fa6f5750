import { authenticatePassword } from '../accounts/authenticate.ts';
import { currentSession, openSession } from '../accounts/sessions.ts';
import { type Answer, type Request, redirect } from '../message.ts';
import { type LoginError, loginPage } from '../pages/login-page.ts';
import { selectAccountPage } from '../pages/select-account-page.ts';
import { textFor } from '../pages/text.ts';
import type { Pending } from '../pending-request.ts';
import type { Application } from '../protocol/client.ts';
import { failure } from '../protocol/errors.ts';
import { encodeParams, type Params, parseParams } from '../protocol/params.ts';
import type { Page, Services } from '../services.ts';
import { refuseForeignForm } from './own-form.ts';
import { EXPIRED, type OpenedPage, openPage, resume } from './pending-page.ts';

/** /login: GET shows the form, POST decides, then the browser goes back to where it was going. */
export const showLogin: Page = async (services, request) => {
  const query = parseParams(request.query);
  const opened = openPage(services, request, query.get('pending'), 'authorize', 'account');
  if (!opened) return EXPIRED;
  return (await offerPresentUser(services, request, query, opened)) ?? render(services, request, opened);
};

export const submitLogin: Page = async (services, request) => {
  const foreign = refuseForeignForm(services.config, request);
  if (foreign) return foreign;
  const form = parseParams(request.body);
  const opened = openPage(services, request, form.get('pending'), 'authorize', 'account');
  if (!opened) return EXPIRED;
  switch (form.get('action')) {
    case 'cancel':
      // Nobody waits for an answer to this one, and the account page would only ask again.
      if (opened.pending.purpose === 'account') return redirect(`${services.config.baseUrl}/logout`, 303);
      return resume(services, opened.pending, services.pending.advance(opened.pending, { cancelled: true }));
    case 'continue':
      return continueAsPresentUser(services, request, opened);
    case 'another':
      return redirect(
        `${services.config.baseUrl}/login?${encodeParams([
          ['pending', opened.sealed],
          ['another', '1'],
        ])}`,
        303,
      );
    default:
      return signIn(services, request, form, opened);
  }
};

async function signIn(services: Services, request: Request, form: Params, opened: OpenedPage): Promise<Answer> {
  const username = form.get('username');
  const password = form.get('password');
  if (username === undefined || password === undefined)
    return render(services, request, opened, username, { kind: 'missing' });
  const { id, address, receivedAt } = request;
  const outcome = await authenticatePassword(services, { username, password, address }, receivedAt);
  const who = { app: opened.pending.app, client: opened.asked.get('client_id') };
  if (outcome.kind !== 'right') {
    // Not the name that was typed: people type passwords into that field.
    const { kind, sub } = outcome;
    services.log.info('login.refused', { request: id, ...who, sub, address, reason: kind });
    return render(services, request, opened, username, outcome);
  }
  // A second click cancels the first request; were it to open the session, the second would be refused as a replay.
  if (request.abandoned()) return EXPIRED;
  const session = await openSession(services, request, outcome.user, opened.pending.id);
  if (session.kind === 'replayed') return { failure: failure('formReplayed'), ...who };
  services.log.info('login.succeeded', { request: id, ...who, sub: outcome.user.sub, address });
  return resume(services, opened.pending, opened.sealed, [session.cookie]);
}

/** `prompt=select_account` while somebody is signed in: go on as they, or as somebody else? */
async function offerPresentUser(
  services: Services,
  request: Request,
  query: Params,
  { pending, sealed, asked, locale }: OpenedPage,
): Promise<Answer | undefined> {
  const wanted = asked.get('prompt')?.split(' ').includes('select_account');
  if (!wanted || pending.chosenBy !== undefined || query.get('another') !== undefined) return undefined;
  const session = await currentSession(services, request);
  const application = await applicationOf(services, request, pending);
  if (!session || !application) return undefined;
  return selectAccountPage({
    locale,
    application: application.name,
    pending: sealed,
    username: session.user.username,
    redirectUri: asked.get('redirect_uri') ?? '',
  });
}

async function continueAsPresentUser(services: Services, request: Request, opened: OpenedPage): Promise<Answer> {
  const session = await currentSession(services, request);
  const chosenBy = session?.user.sub;
  return resume(services, opened.pending, services.pending.advance(opened.pending, { chosenBy }));
}

async function applicationOf(
  { registry }: Services,
  { receivedAt }: Request,
  { app }: Pending,
): Promise<Application | undefined> {
  return app === undefined ? undefined : registry.application(app, receivedAt);
}

async function render(
  services: Services,
  request: Request,
  { sealed, pending, asked, locale }: OpenedPage,
  username?: string,
  error?: LoginError,
): Promise<Answer> {
  const application = await applicationOf(services, request, pending);
  if (pending.app !== undefined && !application) return { failure: failure('applicationUnknown') };
  return loginPage({
    locale,
    application: application?.name ?? textFor(locale).yourAccount,
    pending: sealed,
    username: username ?? asked.get('login_hint') ?? '',
    redirectUri: asked.get('redirect_uri'),
    ...(error ? { error } : {}),
  });
}
