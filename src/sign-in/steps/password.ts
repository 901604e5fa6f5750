import { authenticatePassword } from '../../accounts/authenticate.ts';
import { noteLoginFailed } from '../../events/login-failed.ts';
import type { Answer, Reply } from '../../message.ts';
import { type FailureName, failure } from '../../protocol/errors.ts';
import { digestOf } from '../second-factor.ts';
import { cancel, goOnAs } from '../session.ts';
import { brandFor, namesOf, type StepPage, type Visit } from '../visit.ts';
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

async function check(visit: Visit, username?: string, typed?: string): Promise<Answer> {
  const { services, request } = visit;
  if (username === undefined || typed === undefined) {
    const page = render(visit, username ?? visit.target?.request.loginHint ?? '', { kind: 'missing' });
    const missing = failure('parameterMissing', username === undefined ? 'username' : 'password');
    return { ...page, refusal: { failure: missing, ...namesOf(visit) } };
  }
  const { id, address, receivedAt } = request;
  const outcome = await authenticatePassword(services, { username, password: typed, address }, receivedAt);
  if (outcome.kind !== 'right') {
    // Not the name that was typed: people type passwords into that field.
    const { kind, sub } = outcome;
    services.log.info('login.refused', { request: id, ...namesOf(visit), sub, address, reason: kind });
    const { app, client } = namesOf(visit);
    noteLoginFailed(services, request, outcome, { app, clientId: client });
    const refusal = { failure: failure(FAILURES[kind]), ...namesOf(visit), sub };
    const retry = outcome.kind === 'wrong' ? {} : { retryAfter: outcome.retryAfter };
    return { ...render(visit, username, outcome), refusal: { ...refusal, ...retry } };
  }
  const { sub, passwordHash, totp, requiresMfa } = outcome.user;
  const proved = { hasTotp: totp !== undefined, requiresMfa, passwordDigest: digestOf(passwordHash) };
  return goOnAs(visit, { sub, method: 'pwd', at: services.clock.now(), ...proved }, passwordHash);
}

/** The page asks again; the explanation says the same as for the password grant. */
const FAILURES = {
  wrong: 'credentialsWrong',
  throttled: 'tooManyAttempts',
  busy: 'hashQueueFull',
} as const satisfies Record<string, FailureName>;

function render(visit: Visit, username: string, error?: LoginError): Reply {
  const { services, signIn, target, locale } = visit;
  return loginPage({
    locale,
    brand: brandFor(visit),
    pending: signIn.sealed,
    username,
    redirectUri: target?.request.redirectUri,
    offersReset: services.config.mail !== undefined,
    ...(error ? { error } : {}),
  });
}
