import { z } from 'zod';
import { newMail } from '../../notify/mail/queue.ts';
import { emptyBody, subParam } from '../../operators/api/input.ts';
import { actOf, type OperationContext, operation } from '../../operators/api/operation.ts';
import { conflict, done, type Problem } from '../../operators/api/outcome.ts';
import { newAccount } from '../../operators/apply/plan-user.ts';
import { INVITATION_SECONDS, newResetToken, resetTokenHash } from '../../people/password/reset-token.ts';
import type { NewInvitation } from '../../people/password/resets.store.ts';
import { chooseLocale } from '../../platform/ui/locale.rules.ts';
import type { Profile } from './claims.rules.ts';
import { userSchema } from './fields.ts';
import { changeableUser, changeUser } from './operations.ts';
import { invitationMail } from './operator-mails.ts';
import { userOf, userView, viewOf } from './view.operations.ts';

/** /invitations, /users/{sub}/invitation: a new user gets a link by mail, sets a password with it, and has a verified address then. */

const { password, password_hash, totp_secret, passkeys, email_verified, phone_number_verified, disabled, ...fields } =
  userSchema.shape;

/** Beside the rules for addresses of users: nothing that would be another recipient or header of a mail (RFC 5322 section 3.4). */
const ONE_ADDRESS = /^[^\s\p{Cc}@<>"(),:;\\]+@[^\s\p{Cc}@<>"(),:;\\]+$/u;

export const inviteUser = operation({
  summary: `Create a user without a password and send a link to set one, by mail. It works once, for ${INVITATION_SECONDS / 86_400} days.`,
  role: 'operator',
  reach: 'deployment',
  body: z.strictObject(fields).superRefine(({ email }, context) => {
    if (email && ONE_ADDRESS.test(email)) return;
    const message = email ? 'must be one e-mail address' : 'is missing: the link is sent there';
    context.addIssue({ code: 'custom', path: ['email'], message });
  }),
  result: userView,
  status: 201,
  example: { email: 'alice@example.com', name: 'Alice Example', locale: 'en' },
  async run(context, { body }) {
    const account = newAccount(context.services, body, undefined);
    const invitation = newInvitation(context, account);
    if ('kind' in invitation) return invitation;
    return changeUser(context, account.sub, () => {
      const result = viewOf(userOf(account));
      const event = { type: 'user.created', subject: account.sub, details: { invited: true } } as const;
      const act = actOf(context, event, result);
      return { result: done(result), write: { value: { kind: 'create', account, invitation }, act } };
    });
  },
});

export const resendInvitation = operation({
  summary: 'Send a new link to a user who has no password yet. The link before it ends.',
  role: 'operator',
  reach: 'deployment',
  params: subParam,
  body: emptyBody,
  result: userView,
  async run(context, { params: { sub } }) {
    return changeUser(context, sub, facts => {
      const current = changeableUser(context, facts);
      if ('kind' in current) return { result: current };
      if (current.hasPassword) return { result: conflict('The user has a password already.') };
      if (current.disabled) return { result: conflict('The user is disabled.') };
      const invitation = newInvitation(context, current);
      if ('kind' in invitation) return { result: invitation };
      const result = viewOf(current);
      const act = actOf(context, { type: 'user.invited', subject: sub }, result);
      return { result: done(result), write: { value: { kind: 'invite', invitation }, act } };
    });
  },
});

/** In the language of the user, where the profile has one. */
function newInvitation({ services }: OperationContext, user: Profile): NewInvitation | Problem {
  const { config, random, clock } = services;
  const { username, email } = user;
  if (!config.mail) return conflict(NO_MAIL);
  if (email === undefined || !ONE_ADDRESS.test(email)) return conflict('The user has no e-mail address.');
  const token = newResetToken(random);
  const locale = chooseLocale(user.standardClaims?.locale?.replace('_', '-'), undefined);
  const content = invitationMail({ locale, username, baseUrl: config.baseUrl }, token);
  return {
    tokenHash: resetTokenHash(token),
    expiresAt: clock.now() + INVITATION_SECONDS,
    mail: newMail(services, { ...content, name: 'invitation', to: email }),
  };
}

const NO_MAIL =
  'The server sends no mail. Set MAIL_URL, such as smtp://user:password@mail.example.com:587, and start it again.';
