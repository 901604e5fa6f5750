import { z } from 'zod';
import { applicationField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';

export const emailFields: DeclaredFields = {
  application: [
    applicationField('require_verified_email', {
      schema: z.boolean().default(false),
      meaning: 'Users whose e-mail address is not verified must enter a code from an e-mail. Needs `MAIL_URL`.',
      section: 'signIn',
      text: {
        en: [
          'Require a verified e-mail address',
          'People whose address is not verified must enter a code from an e-mail before they can sign in.',
        ],
        zh: ['要求已验证的邮箱', '邮箱未验证的用户须先输入邮件中的验证码才能登录。'],
      },
    }),
  ],
};
