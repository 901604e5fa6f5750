import { z } from 'zod';
import { noBody, noParams, noQuery } from '../../../src/operators/api/input.ts';
import { actOf, operation } from '../../../src/operators/api/operation.ts';
import { done } from '../../../src/operators/api/outcome.ts';
import { coldGuests } from './queries.ts';

export const getGuestBook = operation({
  summary: 'Read the guest book.',
  role: 'auditor',
  reach: 'deployment',
  params: noParams,
  query: noQuery,
  body: noBody,
  result: z.object({ guests: z.array(z.string()) }),
  status: 200,
  run: async ({ services }) => done({ guests: await coldGuests(services.store.cold).names() }),
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
  async run(context) {
    const { store } = context.services;
    await coldGuests(store.cold).clear();
    await store.recordEvents([actOf(context, { type: 'guest_book.cleared' }).event]);
    return done(undefined);
  },
});
