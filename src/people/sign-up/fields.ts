import { z } from 'zod';
import { applicationField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';

export const signUpFields: DeclaredFields = {
  application: [
    applicationField('sign_up', {
      schema: z.boolean().default(false),
      meaning:
        'People can create an account on the login page, once their e-mail address is confirmed. Needs `MAIL_URL`.',
      section: 'signIn',
      text: {
        en: ['Allow sign-up', 'The sign-in page offers to create an account. The e-mail address is confirmed first.'],
        zh: ['允许用户注册', '登录页面提供创建账户的选项，须先确认电子邮箱。'],
      },
    }),
  ],
};
