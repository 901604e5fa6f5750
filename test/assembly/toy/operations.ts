import { z } from 'zod';
import { actOf, operation } from '../../../src/operators/api/operation.ts';
import { done } from '../../../src/operators/api/outcome.ts';
import { coldGuests } from './queries.ts';

export const getGuestBook = operation({
  summary: 'Read the guest book.',
  role: 'auditor',
  reach: 'deployment',
  result: z.object({ guests: z.array(z.string()) }),
  run: async ({ services }) => done({ guests: await coldGuests(services.store.cold).names() }),
});

export const clearGuestBook = operation({
  summary: 'Clear the guest book.',
  role: 'owner',
  reach: 'deployment',
  async run(context) {
    const { store } = context.services;
    await coldGuests(store.cold).clear();
    await store.recordEvents([actOf(context, { type: 'guest_book.cleared' }).event]);
    return done(undefined);
  },
});
