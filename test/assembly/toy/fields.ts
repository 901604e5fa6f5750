import { z } from 'zod';
import {
  applicationField,
  clientField,
  type DeclaredFields,
} from '../../../src/directory/fields/declaration.fields.ts';

declare module '../../../src/directory/clients/rules.ts' {
  interface Client {
    /** Undefined: it was stored before there was a guest book. */
    readonly guest_book?: 'open' | 'closed' | undefined;
  }
}

declare module '../../../src/directory/applications/rules.ts' {
  interface Application {
    readonly guests_shown?: number | undefined;
  }
}

export const guestBookFields: DeclaredFields = {
  client: [
    clientField('guest_book', {
      schema: z.enum(['open', 'closed'], 'must be open or closed').default('open'),
      meaning: 'Whether guests of the client sign the book.',
      own: 'value',
      section: 'access',
      text: { en: ['Guest book', 'Whether guests sign it.'], zh: ['留言簿', '访客是否留言。'] },
      choices: { en: { open: 'Open', closed: 'Closed' }, zh: { open: '开放', closed: '关闭' } },
    }),
  ],
  application: [
    applicationField('guests_shown', {
      schema: z.int('must be a whole number').min(1, 'must be at least 1').default(10),
      meaning: 'How many guests the book shows.',
      section: 'signIn',
      text: { en: ['Guests shown', 'The first of the book.'], zh: ['显示的访客数', '留言簿中最先的几位。'] },
    }),
  ],
};
