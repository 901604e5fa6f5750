import { z } from 'zod';
import { MIN_PASSWORD_LENGTH } from '../../directory/applications/rules.ts';
import { applicationField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';

/** A greater one would demand more than people can type. */
const MAX_PASSWORD_MIN_LENGTH = 64;

export const passwordFields: DeclaredFields = {
  application: [
    applicationField('password_min_length', {
      schema: z
        .int('must be a whole number of characters')
        .min(MIN_PASSWORD_LENGTH, `must be at least ${MIN_PASSWORD_LENGTH}`)
        .max(MAX_PASSWORD_MIN_LENGTH, `must be at most ${MAX_PASSWORD_MIN_LENGTH}`)
        .default(MIN_PASSWORD_LENGTH),
      meaning: `The shortest password that people can set through this application, in characters: at most ${MAX_PASSWORD_MIN_LENGTH}.`,
      section: 'signIn',
      text: {
        en: ['Minimum password length', 'For passwords that people set through this application.'],
        zh: ['密码最短长度（字符）', '适用于用户通过此应用设置的密码。'],
      },
    }),
  ],
};
