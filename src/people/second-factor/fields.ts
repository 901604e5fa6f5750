import { DEFAULT_MFA, mfaPolicies } from '../../directory/applications/rules.ts';
import { applicationField, type DeclaredFields, oneOf } from '../../directory/fields/declaration.fields.ts';

export const secondFactorFields: DeclaredFields = {
  application: [
    applicationField('mfa', {
      schema: oneOf(mfaPolicies).default(DEFAULT_MFA),
      meaning:
        'The second factor: `off` (never asked), `optional` (asked of users who have one), `required` (asked of all; who has none sets one up in the sign-in).',
      section: 'signIn',
      text: {
        en: ['Second factor', 'off: never asked. optional: asked of people who have one. required: asked of all.'],
        zh: ['双重验证', 'off：从不要求。optional：要求已设置的用户。required：要求所有用户。'],
      },
    }),
  ],
};
