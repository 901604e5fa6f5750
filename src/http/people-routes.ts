import type { Page } from '../services.ts';
import type { StepPath } from '../sign-in/next-step.ts';
import { form, noBody, type PageRoute, page, type Route } from './route.ts';

/**
 * The pages of people: signing in, and the account. Each is loaded with its first visitor, so that a node pays only for what it serves
 * (docs/decisions/http.md).
 */
function visited<Module>(load: () => Promise<Module>, handler: (module: Module) => Page): Page {
  return async (services, request) => handler(await load())(services, request);
}

function people<Module>(
  pattern: string,
  load: () => Promise<Module>,
  show: (module: Module) => Page,
  submit?: (module: Module) => Page,
): Route {
  const methods: PageRoute['methods'] = { GET: noBody(visited(load, show)) };
  return page(pattern, submit ? { ...methods, POST: form(visited(load, submit)) } : methods);
}

const signIn = () => import('../sign-in/steps.ts');
const step = (path: StepPath) =>
  people(
    path,
    signIn,
    ({ showStep }) => showStep(path),
    ({ submitStep }) => submitStep(path),
  );

const STEPS: readonly StepPath[] = [
  '/consent',
  '/login',
  '/login/enrol',
  '/login/keep-account',
  '/login/new-password',
  '/login/no-access',
  '/login/passkey',
  '/login/recovery',
  '/login/totp',
  '/login/verify-email',
];

export const peopleRoutes: readonly Route[] = [
  ...STEPS.map(step),
  people(
    '/signup',
    () => import('../sign-in/sign-up.ts'),
    ({ showSignUp }) => showSignUp,
    ({ submitSignUp }) => submitSignUp,
  ),
  people(
    '/confirm-email',
    () => import('../sign-in/confirm-email.ts'),
    ({ showConfirmEmail }) => showConfirmEmail,
    ({ submitConfirmEmail }) => submitConfirmEmail,
  ),
  people(
    '/device',
    () => import('../sign-in/device.ts'),
    ({ showDevice }) => showDevice,
    ({ submitDevice }) => submitDevice,
  ),
  people(
    '/undo-email',
    () => import('../account/undo-email.ts'),
    ({ showUndoEmail }) => showUndoEmail,
    ({ submitUndoEmail }) => submitUndoEmail,
  ),
  people(
    '/logout',
    () => import('../account/logout.ts'),
    ({ showLogout }) => showLogout,
    ({ submitLogout }) => submitLogout,
  ),
  people(
    '/forgot-password',
    () => import('../account/forgot-password.ts'),
    ({ showForgotPassword }) => showForgotPassword,
    ({ submitForgotPassword }) => submitForgotPassword,
  ),
  people(
    '/reset-password',
    () => import('../account/reset-password.ts'),
    ({ showResetPassword }) => showResetPassword,
    ({ submitResetPassword }) => submitResetPassword,
  ),
  people(
    '/account/email',
    () => import('../account/email.ts'),
    ({ showEmail }) => showEmail,
    ({ submitEmail }) => submitEmail,
  ),
  page('/account', {
    GET: noBody(
      visited(
        () => import('../account/profile.ts'),
        ({ showProfile }) => showProfile,
      ),
    ),
    POST: form(
      visited(
        () => import('../account/account.ts'),
        ({ submitAccount }) => submitAccount,
      ),
    ),
  }),
  people(
    '/account/profile',
    () => import('../account/profile.ts'),
    ({ showEditProfile }) => showEditProfile,
    ({ submitEditProfile }) => submitEditProfile,
  ),
  people(
    '/account/sessions',
    () => import('../account/sessions.ts'),
    ({ showSessions }) => showSessions,
    ({ submitSessions }) => submitSessions,
  ),
  people(
    '/account/access',
    () => import('../account/access.ts'),
    ({ showAccess }) => showAccess,
    ({ submitAccess }) => submitAccess,
  ),
  people(
    '/account/activity',
    () => import('../account/activity.ts'),
    ({ showActivity }) => showActivity,
  ),
  people(
    '/account/data',
    () => import('../account/data.ts'),
    ({ showData }) => showData,
    ({ submitData }) => submitData,
  ),
  people(
    '/account/data/delete',
    () => import('../account/delete-account.ts'),
    ({ showDeleteAccount }) => showDeleteAccount,
    ({ submitDeleteAccount }) => submitDeleteAccount,
  ),
  people(
    '/account/security',
    () => import('../account/security.ts'),
    ({ showSecurity }) => showSecurity,
    ({ submitSecurity }) => submitSecurity,
  ),
  people(
    '/account/security/password',
    () => import('../account/change-password.ts'),
    ({ showChangePassword }) => showChangePassword,
    ({ submitChangePassword }) => submitChangePassword,
  ),
  people(
    '/account/security/passkeys',
    () => import('../account/passkeys.ts'),
    ({ showPasskeys }) => showPasskeys,
    ({ submitPasskeys }) => submitPasskeys,
  ),
  people(
    '/account/security/totp',
    () => import('../account/enrol-totp.ts'),
    ({ showEnrolTotp }) => showEnrolTotp,
    ({ submitEnrolTotp }) => submitEnrolTotp,
  ),
];
