import { z } from 'zod';
import {
  EVERY_APPLICATION,
  MAX_APPLICATIONS_WITH_ROLES,
  MAX_GROUPS,
  MAX_ROLES_PER_APPLICATION,
  membershipNameFault,
} from './rules.ts';

/** Groups and roles of users (rules.ts). */

const name = z.string('must be a text').superRefine((text, context) => {
  const fault = membershipNameFault(text);
  if (fault !== undefined) context.addIssue(fault);
});

/** Each once, in the order of the file. */
function nameList(most: number) {
  return z
    .array(name, 'must be a list of names')
    .max(most, `must have at most ${most} entries`)
    .overwrite(names => [...new Set(names)]);
}

const isApplication = (code: string) => code === EVERY_APPLICATION || /^[a-z0-9][a-z0-9_-]{0,62}$/.test(code);

const roles = z
  .record(z.string().refine(isApplication), nameList(MAX_ROLES_PER_APPLICATION), {
    error: ({ code }) =>
      code === 'invalid_key'
        ? `must be the code of an application, or ${EVERY_APPLICATION} for all`
        : 'must be lists of roles by the code of the application',
  })
  .refine(
    lists => Object.keys(lists).length <= MAX_APPLICATIONS_WITH_ROLES,
    `must have at most ${MAX_APPLICATIONS_WITH_ROLES} applications`,
  )
  .overwrite(lists => Object.fromEntries(Object.entries(lists).filter(([, names]) => names.length > 0)));

/** A field that an entry omits stays as it is; null clears it. */
export const membershipFields = {
  groups: nameList(MAX_GROUPS)
    .nullable()
    .optional()
    .meta({ description: 'The groups of the user, for the claim `groups` and the setting `access` of applications.' }),
  roles: roles
    .nullable()
    .optional()
    .meta({
      description: `The roles of the user by the code of the application, for the claim \`roles\` and the setting \`access\`. The key ${EVERY_APPLICATION} has those at every application.`,
    }),
};
