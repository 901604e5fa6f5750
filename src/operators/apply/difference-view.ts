import { z } from 'zod';
import type { Action, Difference, FieldChange, ObjectName } from './difference.ts';

/** Differences in the answers of the admin API, and from them back on the command line that reads them. */

const object = z
  .looseObject({
    type: z.enum(['application', 'client', 'user', 'api', 'token_exchange', 'provider', 'link', 'user_attribute']),
  })
  .meta({
    description:
      'What it is and which: application, client_id, username and sub, identifier, from and to, id, or name.',
  });

const field = z.object({
  field: z.string().meta({ description: 'By its name in the apply file.' }),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  secret: z.enum(['set', 'changed', 'removed']).optional().meta({ description: 'Instead of the values of a secret.' }),
});

const actions = ['create', 'update', 'restore', 'delete'] as const satisfies readonly Action[];

export const differenceView = z.object({
  action: z.enum(actions),
  object,
  fields: z.array(field),
  client_secret: z.string().optional().meta({ description: 'Generated for a new client. It is in this answer alone.' }),
});
type DifferenceView = z.output<typeof differenceView>;

/** By their objects, such as a diff has shown them. */
export const confirmedRemovals = z.array(z.object({ object })).max(10_000);

export function viewOf({ action, object: { ...named }, fields, generatedSecret }: Difference): DifferenceView {
  return {
    action,
    object: named,
    fields: fields.map(fieldView),
    ...(generatedSecret === undefined ? {} : { client_secret: generatedSecret }),
  };
}

function fieldView({ field, before, after, secret }: FieldChange): DifferenceView['fields'][number] {
  if (!secret) return { field, before: before ?? null, after: after ?? null };
  return { field, secret: before === undefined ? 'set' : after === undefined ? 'removed' : 'changed' };
}

export function fromView({ action, object: named, fields, client_secret }: DifferenceView): Difference {
  return {
    action,
    object: named as unknown as ObjectName,
    fields: fields.map(({ field, before, after, secret }) =>
      secret === undefined
        ? { field, before, after }
        : {
            field,
            before: secret === 'set' ? undefined : true,
            after: secret === 'removed' ? undefined : true,
            secret: true,
          },
    ),
    ...(client_secret === undefined ? {} : { generatedSecret: client_secret }),
  };
}
