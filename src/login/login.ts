import { authenticatePassword } from '../accounts/authenticate.ts';
import { openSession } from '../accounts/sessions.ts';
import { type Answer, header, isForm, type Request, redirect } from '../message.ts';
import { type Pending, RESUME } from '../pending-request.ts';
import { issuerOf } from '../protocol/client.ts';
import { failure } from '../protocol/errors.ts';
import { parseParams } from '../protocol/params.ts';
import type { Page, Services } from '../services.ts';
import { chooseLocale } from '../views/locale.ts';
import { type LoginError, loginPage } from '../views/login-page.ts';
import { sentFromOurPage } from './own-form.ts';

/** /login: GET shows the form, POST decides, then the browser goes back to the authorization endpoint. */
export const showLogin: Page = async (services, request) => {
  const opened = openPending(services, request, parseParams(request.query).get('pending'));
  return opened ? render(services, request, opened) : EXPIRED;
};

export const submitLogin: Page = async (services, request) => {
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  if (!sentFromOurPage(services.config, request)) return { failure: failure('formFromElsewhere') };
  const form = parseParams(request.body);
  const opened = openPending(services, request, form.get('pending'));
  if (!opened) return EXPIRED;
  if (form.get('action') === 'cancel') {
    return resume(services, opened.pending, services.pending.cancel(opened.pending));
  }

  const username = form.get('username');
  const password = form.get('password');
  if (username === undefined || password === undefined) {
    return render(services, request, opened, username, { kind: 'missing' });
  }
  const outcome = await authenticatePassword(services, { username, password, address: request.address });
  if (outcome.kind !== 'right') {
    services.log.info('login.refused', { request: request.id, app: opened.pending.app, reason: outcome.kind });
    return render(services, request, opened, username, outcome);
  }
  const session = await openSession(services, request, outcome.user, opened.pending.id);
  if (session.kind === 'replayed') return { failure: failure('formReplayed') };
  return resume(services, opened.pending, opened.sealed, [session.cookie]);
};

const EXPIRED: Answer = { failure: failure('pendingRequestExpired') };

interface Opened {
  readonly sealed: string;
  readonly pending: Pending;
}

function openPending({ pending }: Services, request: Request, sealed: string | undefined): Opened | undefined {
  const opened = sealed === undefined ? undefined : pending.open(request, sealed);
  return sealed === undefined || opened === undefined ? undefined : { sealed, pending: opened };
}

/** Back to the authorization endpoint, which alone answers the client. */
function resume({ config }: Services, { app }: Pending, sealed: string, cookies: string[] = []): Answer {
  return redirect(`${issuerOf(config.baseUrl, app)}/auth?${RESUME}=${sealed}`, 303, cookies);
}

async function render(
  services: Services,
  request: Request,
  { sealed, pending }: Opened,
  username?: string,
  error?: LoginError,
): Promise<Answer> {
  const application = await services.registry.application(pending.app);
  if (!application) return { failure: failure('applicationUnknown') };
  // Sealed by us after every check of the authorization endpoint: its values can be trusted.
  const asked = parseParams(pending.request);
  return loginPage({
    locale: chooseLocale(asked.get('ui_locales'), header(request, 'accept-language')),
    application: application.name,
    pending: sealed,
    username: username ?? asked.get('login_hint') ?? '',
    redirectUri: asked.get('redirect_uri') ?? '',
    ...(error ? { error } : {}),
  });
}
