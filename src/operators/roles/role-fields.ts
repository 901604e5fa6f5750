import { z } from 'zod';
import { BUILT_IN_APPLICATION } from '../../directory/applications/built-in.rules.ts';
import type { OperationContext } from '../api/operation.ts';
import type { Problem } from '../api/outcome.ts';
import { ownerOfBuiltInText } from './console.text.ts';
import { type RoleGrant, roles } from './store.ts';

/** What operators and API keys have in common: a role, and the applications that it is limited to. */
export const roleFields = {
  role: z.enum(roles, `must be one of ${roles.join(', ')}`),
  applications: z
    .array(z.string().min(1))
    .min(1, 'must name an application; leave it out for all')
    .max(1000)
    .optional()
    .meta({ description: 'Limits the role to these applications.' }),
};

/** As they are shown. */
export const shownRoleFields = {
  ...roleFields,
  applications: z
    .array(z.string())
    .optional()
    .meta({ description: 'The role is limited to these applications; to none where all of them were removed.' }),
};

/** Those of the codes that name no application. A code that was typed wrong would give a role that reaches nothing. */
export async function unknownApplications(
  { services }: OperationContext,
  codes: readonly string[] = [],
): Promise<ReadonlySet<string>> {
  if (codes.length === 0) return new Set();
  const page = { after: undefined, limit: codes.length, among: codes, deleted: false };
  const found = await services.store.listApplications(page);
  // The built-in application is made with the first operator.
  const known = new Set([BUILT_IN_APPLICATION, ...found.map(({ application }) => application.code)]);
  return new Set(codes.filter(code => !known.has(code)));
}

/** Every code at fault; undefined: none is. */
export function faultsOfLimit(
  { role, applications = [] }: RoleGrant,
  isUnknown: (code: string) => boolean,
): Problem | undefined {
  const errors = applications.flatMap((code, at) => {
    const fault = role === 'owner' && code === BUILT_IN_APPLICATION ? OWNER_OF_BUILT_IN : NO_APPLICATION;
    return fault === OWNER_OF_BUILT_IN || isUnknown(code) ? [{ pointer: `/applications/${at}`, ...fault }] : [];
  });
  return errors.length === 0 ? undefined : { kind: 'invalid', errors };
}

const NO_APPLICATION = { detail: 'is the code of no application' };
/** Its clients get tokens of owners: such a limit would limit nothing (operators/api/perform.ts). */
const OWNER_OF_BUILT_IN = { detail: ownerOfBuiltInText.en, text: ownerOfBuiltInText };
