import { z } from 'zod';
import { clientField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';

export const consentFields: DeclaredFields = {
  client: [
    clientField('require_consent', {
      schema: z.boolean().default(false),
      meaning: 'The user is asked once before the client gets access.',
      section: 'access',
      text: {
        en: ['Ask for consent', 'The user is asked once before the client gets access.'],
        zh: ['征求同意', '客户端获得访问权限前，会询问用户一次。'],
      },
    }),
  ],
};
