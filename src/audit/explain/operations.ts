import { z } from 'zod';
import { mayAccess } from '../../operators/api/caller.ts';
import { operation } from '../../operators/api/operation.ts';
import { done, unknown } from '../../operators/api/outcome.ts';
import { timeField } from '../../operators/api/times.ts';
import { explainRequest } from './explained.ts';

/** /refusals/{request_id}: why a request was refused. */

const difference = z.object({
  kinds: z
    .array(z.string())
    .meta({ description: 'Words to compare, such as trailing-slash, expired, another-client.' }),
  text: z.string(),
  expected: z.string().optional(),
  received: z.string().optional(),
  at: z.int().optional().meta({ description: 'The first character of received that differs.' }),
});

const call = z.object({
  summary: z.string(),
  method: z.enum(['PATCH', 'POST']),
  path: z.string().meta({ description: 'Below /api/v1/admin.' }),
  body: z.record(z.string(), z.unknown()),
  command: z.string(),
});

const refusal = z.object({
  request_id: z.string(),
  time: timeField,
  application: z.string().optional(),
  client: z.string().optional(),
  user: z.string().optional(),
  route: z.string().optional(),
  method: z.string(),
  status: z.int(),
  error: z.string(),
  error_description: z.string(),
  reason: z.string().meta({ description: 'The row of the error catalogue.' }),
  rule: z.object({ text: z.string(), reference: z.string() }),
  expected: z.string(),
  received: z.string(),
  difference: difference.optional(),
  fix: z.string(),
  call: call.optional().meta({ description: 'The change that makes the request work, where it is safe.' }),
  progress: z.array(z.object({ phase: z.string(), state: z.enum(['passed', 'failed', 'not reached']) })),
  parameters: z.record(z.string(), z.string()).meta({ description: 'What was received, secrets masked.' }),
});

export const getRefusal = operation({
  summary: 'Explain why a request was refused, for seven days. The id is the X-Request-Id of its response.',
  role: 'auditor',
  reach: 'filtered',
  params: z.strictObject({ request_id: z.string() }),
  result: refusal,
  async run({ services, caller }, { params: { request_id } }) {
    // The refusal may be the last request of this process, and wait to be written.
    await services.refusals.flush();
    const mayName = (app: string) => mayAccess(caller, app);
    const explained = await explainRequest(services, request_id, mayName);
    return explained ? done(explained as never) : unknown('refusal');
  },
});
