import { z } from 'zod';
import { type DeclaredFields, providerField } from '../../directory/fields/declaration.fields.ts';

const MAX_USERS = 100_000_000;

/** The fields of a directory are those of people/ldap: an old system can be one. */
export const passwordCheckFields: DeclaredFields = {
  provider: [
    providerField('signing_secret', {
      schema: z
        .string()
        .min(16, 'must have at least 16 characters')
        .max(1000, 'must have at most 1000 characters')
        .optional(),
      meaning:
        'The key of the signature by which the old system knows this server. It is encrypted, and shown and exported nowhere.',
      types: ['password-check'],
      isSecret: true,
      section: 'connection',
      control: 'password',
      text: {
        en: ['Signing secret', 'Shared with the old system, which uses it to verify the signature of each request.'],
        zh: ['签名密钥', '双方共有。旧系统用它验证每个请求的签名。'],
      },
    }),
    providerField('expected_users', {
      schema: z.int('must be a whole number').min(1, 'must be at least 1').max(MAX_USERS).optional(),
      meaning: 'How many people the old system has, so that what is left can be counted.',
      types: ['password-check'],
      section: 'people',
      text: {
        en: ['People to move', 'How many people the old system has. Used to count who is left.'],
        zh: ['待迁移人数', '旧系统的用户总数，用于统计剩余人数。'],
      },
    }),
  ],
};
