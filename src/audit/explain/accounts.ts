import type { Topic } from './explanation.ts';
import { paramText } from './wording.ts';

/** Sign-up, e-mail addresses, and what the password grant cannot ask for. */

export const signUpNotAllowed: Topic = ({ app }) => ({
  expected: 'a pending request of an application with sign_up: true, on a server that sends mail',
  received: app === '' ? 'a sign-in for a page of this server' : `a request of the application ${app}`,
  difference: { kinds: ['sign-up-off'], text: 'The application does not let people sign up, or MAIL_URL is not set.' },
  fix: 'Set sign_up: true for the application, and MAIL_URL for the server, if people may make accounts. Otherwise an operator creates them.',
});

export const mailLinkInvalid: Topic = ({ snapshot }) => ({
  expected: 'the link of the newest mail, within its time, not used before',
  received: paramText(snapshot, 'token'),
  difference: {
    kinds: ['used-or-expired'],
    text: 'It was used, replaced by a newer one, cut, or is too old, or the address belongs to another user meanwhile.',
  },
  fix: 'Begin again, and use the newest mail. An operator can set and verify the address too.',
});

export const emailNotVerifiable: Topic = () => ({
  expected: 'a user with a verified e-mail address, or a server that can send a code',
  received: 'a user without one, and no MAIL_URL',
  difference: { kinds: ['no-mail'], text: 'The address cannot be verified by mail.' },
  fix: 'Set MAIL_URL, verify the address as an operator, or set require_verified_email: false.',
});

const SIGN_IN_ON_PAGES =
  'Send the user through an authorization request. The answer to the client never says that the password was right.';

export const passwordChangeNeeded: Topic = ({ snapshot }) => ({
  expected: 'a user whose password need not be changed',
  received: `${paramText(snapshot, 'username')}; ${paramText(snapshot, 'password')}`,
  difference: {
    kinds: ['new-password'],
    text: 'The password is right. The user has require_password_change, and this grant cannot ask for a new one.',
  },
  fix: SIGN_IN_ON_PAGES,
});

export const emailUnverified: Topic = ({ snapshot }) => ({
  expected: 'a user with a verified e-mail address',
  received: `${paramText(snapshot, 'username')}; ${paramText(snapshot, 'password')}`,
  difference: {
    kinds: ['unverified-email'],
    text: 'The password is right. The application has require_verified_email: true, and the address of the user is not verified.',
  },
  fix: SIGN_IN_ON_PAGES,
});
