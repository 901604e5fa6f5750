import { z } from 'zod';
import { actOf, operation } from '../api/operation.ts';
import { done } from '../api/outcome.ts';
import { isoTime, timeField } from '../api/times.ts';

export const recordBackup = operation({
  summary:
    'Record that a backup was made, as after pg_dump, or that another system makes them. The overview warns where no backup is known.',
  role: 'operator',
  reach: 'deployment',
  body: z.strictObject({
    kind: z.enum(['made', 'elsewhere']).meta({
      description: '`made`: one was made now. `elsewhere`: another system makes them, without notifying the server.',
    }),
  }),
  result: z.object({ kind: z.enum(['made', 'elsewhere']), at: timeField }),
  status: 201,
  example: { kind: 'made' },
  async run(context, { body: { kind } }) {
    const { event } = actOf(context, { type: `backup.${kind}` });
    await context.services.store.recordEvents([event]);
    return done({ kind, at: isoTime(event.time) });
  },
});
