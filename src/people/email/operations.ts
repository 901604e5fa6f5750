import { z } from 'zod';
import { isUser, roleProblem } from '../../directory/users/holdings.operations.ts';
import { noBody, noQuery, subParam } from '../../operators/api/input.ts';
import { actOf, operation } from '../../operators/api/operation.ts';
import { done, unknown } from '../../operators/api/outcome.ts';
import { isoTime, timeField } from '../../operators/api/times.ts';

/** /users/{sub}/email_undos: the changes of an e-mail address that a link to the former address can still undo. */
const ofUser = { reach: 'deployment', params: subParam, query: noQuery, body: noBody } as const;

export const listEmailUndos = operation({
  ...ofUser,
  summary: 'List the changes of the e-mail address that a link to the former address can still undo.',
  role: 'auditor',
  status: 200,
  result: z.object({
    items: z.array(z.object({ id: z.string(), email: z.string(), changed_at: timeField, expires_at: timeField })),
    next: z.null(),
  }),
  async run(context, { params: { sub } }) {
    const { services } = context;
    const found = await services.store.emailUndosOf(sub, services.clock.now());
    if (found.length === 0 && !(await isUser(context, sub))) return unknown('user');
    const items = found.map(({ id, email, changedAt, expiresAt }) => ({
      ...{ id, email, changed_at: isoTime(changedAt), expires_at: isoTime(expiresAt) },
    }));
    return done({ items, next: null });
  },
});

/** Without a link to revoke it succeeds too: afterwards there is none. */
export const revokeEmailUndos = operation({
  ...ofUser,
  summary: 'Revoke the links that undo a change of the e-mail address of a user.',
  role: 'operator',
  status: 204,
  result: z.undefined(),
  async run(context, { params: { sub } }) {
    const { services } = context;
    const refused = await roleProblem(context, sub);
    if (refused) return refused;
    if (!(await isUser(context, sub))) return unknown('user');
    const act = actOf(context, { type: 'user.email.undo_revoked', subject: sub });
    const revoked = await services.store.revokeEmailUndos(sub, services.clock.now(), act);
    return typeof revoked === 'object' ? revoked : done(undefined);
  },
});
