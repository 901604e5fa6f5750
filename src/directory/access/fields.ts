import { z } from 'zod';
import { usernameFault } from '../../platform/text/readable-name.rules.ts';
import { applicationField, type DeclaredFields } from '../fields/declaration.fields.ts';
import { loginName } from '../users/login-name.rules.ts';
import { EVERYBODY, membershipNameFault } from './rules.ts';

const MAX_LISTED = 100;
const MAX_LISTED_USERS = 1000;

function listedNameFault(text: string): string | undefined {
  return text.length > 254 || loginName(text) === undefined || usernameFault(text) !== undefined
    ? 'must be a user name'
    : undefined;
}

function listed(most: number, faultOf: (text: string) => string | undefined) {
  const name = z.string('must be a text').superRefine((text, context) => {
    const fault = faultOf(text);
    // A union tells the faults of an option only where its other checks could go on.
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault, continue: true });
  });
  return (
    z
      .array(name, 'must be a list of names')
      .max(most, `must have at most ${most} entries`)
      // No transform, which would not go on.
      .overwrite(names => [...new Set(names)])
      .default([])
  );
}

const lists = z.strictObject({
  groups: listed(MAX_LISTED, membershipNameFault),
  roles: listed(MAX_LISTED, membershipNameFault),
  users: listed(MAX_LISTED_USERS, listedNameFault),
});

/** Who may sign in to an application (rules.ts). */
export const accessFields: DeclaredFields = {
  application: [
    applicationField('access', {
      schema: z
        .union([z.literal(EVERYBODY), lists], `must be ${EVERYBODY}, or lists of groups, roles and users`)
        .default(EVERYBODY),
      meaning:
        'Who may sign in: `everybody`, or the users who are in one of the `groups`, have one of the `roles` at this application, or are listed by name (`users`).',
      section: 'access',
      control: 'custom',
      text: {
        en: ['Access', 'Everyone else sees a page that says so, and the client receives access_denied.'],
        zh: ['访问权限', '其他人会看到说明页面，客户端会收到 access_denied。'],
      },
    }),
  ],
};
