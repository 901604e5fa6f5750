import { z } from 'zod';
import { applicationField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';

export const trustedBrowsersFields: DeclaredFields = {
  application: [
    applicationField('trusted_browsers', {
      schema: z.boolean().default(false),
      meaning: 'Users may skip the second factor for 30 days in a browser of theirs.',
      section: 'signIn',
      text: {
        en: ['Trusted browsers', 'People can choose to skip the second factor in the same browser for 30 days.'],
        zh: ['受信任的浏览器', '用户可以选择在同一浏览器中 30 天内不再进行双重验证。'],
      },
    }),
  ],
};
