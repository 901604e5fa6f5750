import { z } from 'zod';
import { ended, isUser, roleProblem } from '../../directory/users/holdings.operations.ts';
import { subParam } from '../../operators/api/input.ts';
import { actOf, operation } from '../../operators/api/operation.ts';
import { conflict, done, invalid, unknown } from '../../operators/api/outcome.ts';
import { isoTime, timeField } from '../../operators/api/times.ts';
import { keyOf, linkIdOf, subjectField } from './fields.ts';
import type { Link } from './store.ts';

/** /users/{sub}/links: which people of identity providers sign in to the account. The id of one is `provider:subject`. */

const view = z.object({
  id: z.string(),
  provider: z.string(),
  subject: z.string(),
  label: z.string().optional().meta({ description: 'What the person was called there at the last sign-in.' }),
  created_at: timeField,
  last_used_at: timeField.optional(),
});

export const listUserLinks = operation({
  summary: 'List the identity providers that a user signs in with.',
  role: 'auditor',
  reach: 'deployment',
  params: subParam,
  result: z.object({ items: z.array(view), next: z.null() }),
  async run(context, { params: { sub } }) {
    const found = await context.services.store.linksOf(sub);
    if (found.length === 0 && !(await isUser(context, sub))) return unknown('user');
    return done({ items: found.map(viewOf), next: null });
  },
});

export const linkUser = operation({
  summary: 'Link a person of an identity provider to a user, who signs in by it from then on.',
  role: 'operator',
  reach: 'deployment',
  params: subParam,
  body: z.strictObject({
    provider: z.string(),
    subject: subjectField,
  }),
  result: view,
  status: 201,
  example: { provider: 'corp', subject: '00u1' },
  async run(context, { params: { sub }, body }) {
    const { store, clock } = context.services;
    if (!(await isUser(context, sub))) return unknown('user');
    const refused = await roleProblem(context, sub);
    if (refused) return refused;
    const known = (await store.listProviders()).some(({ id }) => id === body.provider);
    if (!known) return invalid('/provider', 'there is no such provider');
    const link = { ...body, sub, label: undefined, createdAt: clock.now() };
    const result = viewOf({ ...link, lastUsedAt: undefined });
    const event = { type: 'user.linked', subject: sub, details: { provider: body.provider } } as const;
    switch (await store.linkUser(link, actOf(context, event, result))) {
      case 'linked':
      case 'present':
        return done(result);
      case 'taken':
        return conflict('This person is linked to another user.');
      case 'full':
        return conflict('The user has as many links as one can have.');
      case 'gone':
        return conflict('The user is disabled, or the provider was removed.');
    }
  },
});

export const unlinkUser = operation({
  summary: 'Remove a link. The sessions that it opened continue.',
  role: 'operator',
  reach: 'deployment',
  params: subParam.extend({ id: z.string() }),
  async run(context, { params: { sub, id } }) {
    const key = keyOf(id);
    const refused = await roleProblem(context, sub);
    if (refused || !key) return refused ?? unknown('link');
    const act = actOf(context, { type: 'user.unlinked', subject: sub, details: { provider: key.provider } });
    const outcome = context.services.store.unlinkUser(sub, key, false, act).then(each => each === 'unlinked');
    return ended('link', outcome);
  },
});

function viewOf(link: Link): z.output<typeof view> {
  const { provider, subject, label, createdAt, lastUsedAt } = link;
  return {
    id: linkIdOf(link),
    provider,
    subject,
    ...(label === undefined ? {} : { label }),
    created_at: isoTime(createdAt),
    ...(lastUsedAt === undefined ? {} : { last_used_at: isoTime(lastUsedAt) }),
  };
}
