import { ended, roleProblem } from '../../directory/users/holdings.operations.ts';
import { factorsResetMail } from '../../directory/users/operator-mails.ts';
import type { User } from '../../directory/users/store.ts';
import { newMail } from '../../notify/mail/queue.ts';
import { subParam } from '../../operators/api/input.ts';
import { actOf, type OperationContext, operation } from '../../operators/api/operation.ts';
import { unknown } from '../../operators/api/outcome.ts';
import { chooseLocale } from '../../platform/ui/locale.rules.ts';

/** DELETE /users/{sub}/factors, for a user who has lost phone and recovery codes. An operator can always do this. */
export const resetUserFactors = operation({
  summary:
    'Remove every second factor of a user, with passkeys and recovery codes. The password and the sessions stay.',
  role: 'operator',
  reach: 'deployment',
  params: subParam,
  async run(context, { params: { sub } }) {
    const { store, clock } = context.services;
    const refused = await roleProblem(context, sub);
    if (refused) return refused;
    const user = await store.findUser(sub);
    if (!user) return unknown('user');
    const event = { type: 'factor.removed', subject: sub, details: { factor: 'all' } } as const;
    const act = actOf(context, event, undefined, mailTo(context, user));
    return ended('factor', store.resetUserFactors(sub, clock.now(), act));
  },
});

/** Only a verified address is known to be the user's. */
function mailTo({ services }: OperationContext, { username, email, emailVerified, standardClaims }: User) {
  const { mail, baseUrl } = services.config;
  if (!mail || email === undefined || !emailVerified) return undefined;
  const locale = chooseLocale(standardClaims?.locale?.replace('_', '-'), undefined);
  return newMail(services, { ...factorsResetMail({ locale, username, baseUrl }), name: 'factors reset', to: email });
}
