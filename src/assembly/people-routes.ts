import type { StepPath } from '../people/sign-in/next-step.ts';
import { form, noBody, type PageRoute, page, type Route } from '../platform/http/route.ts';
import type { Page } from '../services.ts';

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

const signIn = () => import('../people/sign-in/steps.ts');
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
    () => import('../people/sign-up/page.ts'),
    ({ showSignUp }) => showSignUp,
    ({ submitSignUp }) => submitSignUp,
  ),
  people(
    '/confirm-email',
    () => import('../people/email/confirm.page.ts'),
    ({ showConfirmEmail }) => showConfirmEmail,
    ({ submitConfirmEmail }) => submitConfirmEmail,
  ),
  people(
    '/device',
    () => import('../oauth/device/page.ts'),
    ({ showDevice }) => showDevice,
    ({ submitDevice }) => submitDevice,
  ),
  people(
    '/undo-email',
    () => import('../people/email/undo.page.ts'),
    ({ showUndoEmail }) => showUndoEmail,
    ({ submitUndoEmail }) => submitUndoEmail,
  ),
  people(
    '/logout',
    () => import('../oauth/logout/page.ts'),
    ({ showLogout }) => showLogout,
    ({ submitLogout }) => submitLogout,
  ),
  people(
    '/forgot-password',
    () => import('../people/password/forgot.page.ts'),
    ({ showForgotPassword }) => showForgotPassword,
    ({ submitForgotPassword }) => submitForgotPassword,
  ),
  people(
    '/reset-password',
    () => import('../people/password/reset.page.ts'),
    ({ showResetPassword }) => showResetPassword,
    ({ submitResetPassword }) => submitResetPassword,
  ),
  people(
    '/account/email',
    () => import('../people/email/page.ts'),
    ({ showEmail }) => showEmail,
    ({ submitEmail }) => submitEmail,
  ),
  page('/account', {
    GET: noBody(
      visited(
        () => import('../people/profile/page.ts'),
        ({ showProfile }) => showProfile,
      ),
    ),
    POST: form(
      visited(
        () => import('../people/account/former-forms.page.ts'),
        ({ submitAccount }) => submitAccount,
      ),
    ),
  }),
  people(
    '/account/profile',
    () => import('../people/profile/page.ts'),
    ({ showEditProfile }) => showEditProfile,
    ({ submitEditProfile }) => submitEditProfile,
  ),
  people(
    '/account/sessions',
    () => import('../people/sessions/page.ts'),
    ({ showSessions }) => showSessions,
    ({ submitSessions }) => submitSessions,
  ),
  people(
    '/account/access',
    () => import('../people/consent/access.page.ts'),
    ({ showAccess }) => showAccess,
    ({ submitAccess }) => submitAccess,
  ),
  people(
    '/account/activity',
    () => import('../people/activity/page.ts'),
    ({ showActivity }) => showActivity,
  ),
  people(
    '/account/data',
    () => import('../people/my-data/page.ts'),
    ({ showData }) => showData,
    ({ submitData }) => submitData,
  ),
  people(
    '/account/data/delete',
    () => import('../people/my-data/delete-account.ts'),
    ({ showDeleteAccount }) => showDeleteAccount,
    ({ submitDeleteAccount }) => submitDeleteAccount,
  ),
  people(
    '/account/security',
    () => import('../people/second-factor/page.ts'),
    ({ showSecurity }) => showSecurity,
    ({ submitSecurity }) => submitSecurity,
  ),
  people(
    '/account/security/password',
    () => import('../people/password/change.page.ts'),
    ({ showChangePassword }) => showChangePassword,
    ({ submitChangePassword }) => submitChangePassword,
  ),
  people(
    '/account/security/passkeys',
    () => import('../people/passkey/page.ts'),
    ({ showPasskeys }) => showPasskeys,
    ({ submitPasskeys }) => submitPasskeys,
  ),
  people(
    '/account/security/totp',
    () => import('../people/totp/page.ts'),
    ({ showEnrolTotp }) => showEnrolTotp,
    ({ submitEnrolTotp }) => submitEnrolTotp,
  ),
];
