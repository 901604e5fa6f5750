import { z } from 'zod';
import { noBody, noParams, noQuery } from '../../../src/operators/api/input.ts';
import { operation } from '../../../src/operators/api/operation.ts';
import { done } from '../../../src/operators/api/outcome.ts';
import { guests } from './guests.ts';

export const getGuestBook = operation({
  summary: 'Read the guest book.',
  role: 'auditor',
  reach: 'deployment',
  params: noParams,
  query: noQuery,
  body: noBody,
  result: z.object({ guests: z.array(z.string()) }),
  status: 200,
  run: async () => done({ guests: guests.names }),
});

export const clearGuestBook = operation({
  summary: 'Clear the guest book.',
  role: 'owner',
  reach: 'deployment',
  params: noParams,
  query: noQuery,
  body: noBody,
  result: z.undefined(),
  status: 204,
  async run() {
    guests.names.length = 0;
    return done(undefined);
  },
});
