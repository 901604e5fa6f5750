import { z } from 'zod';
import { operation } from '../../operators/api/operation.ts';
import { done, unknown } from '../../operators/api/outcome.ts';
import { isoTime, timeField } from '../../operators/api/times.ts';
import { countMoved } from './queries.ts';

/** /provider_moves: how far people have come from an old system that is asked for their passwords. */

export const MAX_COUNTED = 1_000_000;
const counted = z.int().meta({ description: `Counted up to ${MAX_COUNTED}.` });

const view = z.object({
  id: z.string(),
  moved: counted.meta({ description: 'People whose password is here now.' }),
  left: counted.meta({ description: 'People who are linked to the old system, and have not signed in here yet.' }),
  waiting: counted.meta({
    description: 'Accounts without any way in. Whoever has the name there can get one by a first sign-in.',
  }),
  expected: z.int().optional().meta({ description: 'How many people the old system has (expected_users).' }),
  last_moved_at: timeField.optional(),
  can_be_switched_off: z.boolean().meta({ description: 'Nobody needs the old system to sign in here any more.' }),
});
export type MoveView = z.output<typeof view>;

export const getMove = operation({
  summary: 'Get how many people have moved from an old system, and who is left.',
  role: 'auditor',
  reach: 'deployment',
  params: z.object({ id: z.string() }),
  result: view,
  async run({ services }, { params: { id } }) {
    const { store } = services;
    const found = (await store.listProviders()).find(each => each.id === id && each.type === 'password-check');
    if (!found) return unknown('provider');
    const { moved, left, waiting, lastAt } = await countMoved(store.cold, id, MAX_COUNTED);
    const { expected_users: expected } = found;
    const isComplete = left === 0 && waiting === 0 && moved >= (expected ?? 1);
    return done({
      id,
      moved,
      left,
      waiting,
      ...(expected === undefined ? {} : { expected }),
      ...(lastAt === undefined ? {} : { last_moved_at: isoTime(lastAt) }),
      can_be_switched_off: isComplete,
    });
  },
});
