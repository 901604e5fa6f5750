import { authenticatePassword } from '../../accounts/authenticate.ts';
import { type Answer, redirect } from '../../message.ts';
import { textFor } from '../../pages/text.ts';
import { goOn, goOnAs } from '../session.ts';
import { namesOf, type StepPage, type Visit } from '../visit.ts';
import { type LoginError, loginPage } from './password-page.ts';

/** The user authenticates with user name and password. */
export const password: StepPage = {
  actions: ['cancel'],
  show: async visit => render(visit, visit.target?.request.loginHint ?? ''),
  submit: async (visit, form) => {
    if (form.get('action') === 'cancel') return cancel(visit);
    return check(visit, form.get('username'), form.get('password'));
  },
};

function cancel(visit: Visit): Answer {
  // No client waits for an answer, and the account page would only ask again.
  if (!visit.target) return redirect(`${visit.services.config.baseUrl}/logout`, 303);
  return goOn(visit, { cancelled: true });
}

async function check(visit: Visit, username?: string, typed?: string): Promise<Answer> {
  const { services, request } = visit;
  if (username === undefined || typed === undefined) {
    return render(visit, username ?? visit.target?.request.loginHint ?? '', { kind: 'missing' });
  }
  const { id, address, receivedAt } = request;
  const outcome = await authenticatePassword(services, { username, password: typed, address }, receivedAt);
  if (outcome.kind !== 'right') {
    // Not the name that was typed: people type passwords into that field.
    const { kind, sub } = outcome;
    services.log.info('login.refused', { request: id, ...namesOf(visit), sub, address, reason: kind });
    return render(visit, username, outcome);
  }
  const { sub, passwordHash } = outcome.user;
  return goOnAs(visit, { sub, method: 'pwd', at: services.clock.now() }, passwordHash);
}

function render({ signIn, target, locale }: Visit, username: string, error?: LoginError): Answer {
  return loginPage({
    locale,
    application: target?.application.name ?? textFor(locale).yourAccount,
    pending: signIn.sealed,
    username,
    redirectUri: target?.request.redirectUri,
    ...(error ? { error } : {}),
  });
}
