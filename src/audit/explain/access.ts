import type { Context, Topic } from './explanation.ts';
import { listText, paramText } from './wording.ts';

/** The setting `access` of an application: who may sign in to it. */

const FIX =
  'Give the user one of the groups or roles, list the user by name, or set access: everybody. Changes count for the next request.';

export const userNotAllowed: Topic = context => ({
  expected: admitted(context),
  received: 'a user who is signed in, and is none of these',
  difference: { kinds: ['no-access'], text: 'The application does not admit this user.' },
  fix: FIX,
});

export const passwordUserNotAllowed: Topic = context => ({
  expected: admitted(context),
  received: `${paramText(context.snapshot, 'username')}; ${paramText(context.snapshot, 'password')}`,
  difference: {
    kinds: ['no-access'],
    text: 'The password is right. The application does not admit this user.',
  },
  fix: `${FIX} The answer to the client never says that the password was right.`,
});

export const refreshUserNotAllowed: Topic = context => ({
  expected: admitted(context),
  received: paramText(context.snapshot, 'refresh_token'),
  difference: {
    kinds: ['no-access'],
    text: 'The refresh token is good. Its user has lost the access to the application since the login.',
  },
  fix: `${FIX} The refresh token was not used up.`,
});

export const subjectNotAllowed: Topic = context => ({
  expected: admitted(context),
  received: paramText(context.snapshot, 'subject_token'),
  difference: {
    kinds: ['no-access'],
    text: 'The subject_token is good. Its user has lost the access to the application since the login.',
  },
  fix: FIX,
});

export const deviceUserNotAllowed: Topic = context => ({
  expected: admitted(context),
  received: paramText(context.snapshot, 'device_code'),
  difference: {
    kinds: ['no-access'],
    text: 'The device was approved. Its user has lost the access to the application since.',
  },
  fix: `${FIX} The device code was not used up.`,
});

export const approvalUserNotAllowed: Topic = context => ({
  expected: admitted(context),
  received: paramText(context.snapshot, 'auth_req_id'),
  difference: {
    kinds: ['no-access'],
    text: 'The request was approved. Its user has lost the access to the application since.',
  },
  fix: `${FIX} The auth_req_id was not used up.`,
});

/** As the setting was when it refused the request. User names are counted, not named: the explanation is kept. */
function admitted({ snapshot, app }: Context): string {
  const { groups = [], roles = [], users = 0 } = snapshot.application?.access ?? {};
  const ways = [
    ...(groups.length === 0 ? [] : [`in the group ${listText(groups, '', 'or')}`]),
    ...(roles.length === 0 ? [] : [`with the role ${listText(roles, '', 'or')} at ${app}`]),
    ...(users === 0 ? [] : [`among the ${users} listed by name`]),
  ];
  return `a user that access of the application ${app} admits: ${ways.join(', or ') || 'nobody'}`;
}
