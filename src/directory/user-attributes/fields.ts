import { z } from 'zod';
import { isWellFormed, operatorScopes } from '../../oauth/token/scope.rules.ts';
import { checkName } from '../../platform/text/readable-name.rules.ts';
import {
  attributeEditors,
  attributeNameFault,
  attributeTypes,
  MAX_ATTRIBUTES,
  MAX_LABEL_LENGTH,
  MAX_SCOPE_LENGTH,
  type UserAttribute,
} from './rules.ts';

/** Definitions of users' own fields, and the field of a user that has their values. */

/** Every client has these, or they say nothing of a user. */
const NO_SCOPE_OF_CLAIMS: readonly string[] = ['openid', 'offline_access', ...operatorScopes];

const name = z
  .string('must be a text')
  .superRefine((text, context) => {
    const fault = attributeNameFault(text);
    if (fault !== undefined) context.addIssue(fault);
  })
  .meta({ description: 'Also the name of the claim. It cannot be changed, and none of a standard claim.' });

const type = z.enum(attributeTypes, `must be one of ${attributeTypes.join(', ')}`).meta({
  description:
    'Of its values. A `date` is a text such as `2026-01-31`, a `list` a list of texts. It cannot be changed.',
});

const label = z
  .string('must be a text')
  .min(1, 'must not be empty')
  .max(MAX_LABEL_LENGTH, `must have at most ${MAX_LABEL_LENGTH} characters`)
  .superRefine(checkName)
  .meta({ description: 'What people read, on the account page, the consent page and in the console.' });

const editedBy = z
  .enum(attributeEditors, `must be ${attributeEditors.join(' or ')}`)
  .meta({ description: '`user`: the user too, on the account page. `operator`: the user only reads it.' });

const scope = z
  .string('must be a text')
  .max(MAX_SCOPE_LENGTH, `must have at most ${MAX_SCOPE_LENGTH} characters`)
  .refine(isWellFormed, 'must be a scope-token: visible ASCII characters other than quotes and backslashes')
  .refine(text => !NO_SCOPE_OF_CLAIMS.includes(text), 'must not be a scope that stands for no claims')
  .meta({
    description:
      'The scope whose ID tokens and userinfo answers have the claim: a standard one such as `profile`, or one of your own. Left out, no client gets it.',
  });

/** A definition as it is stored, and as an operator writes a new one. */
export const attributeSchema = z.strictObject({
  name,
  type: type.default('string'),
  label,
  editable_by: editedBy.default('operator'),
  scope: scope.optional(),
});

/** In an apply file, what an entry leaves out stays as it is, and null gives it its default. */
const attributeEntry = z.strictObject({
  name,
  type: type.optional(),
  label: label.optional(),
  editable_by: editedBy.nullable().optional(),
  scope: scope.nullable().optional(),
});
export type GivenAttribute = z.output<typeof attributeEntry>;

export const attributeEntries = z
  .array(attributeEntry)
  .max(MAX_ATTRIBUTES, `must have at most ${MAX_ATTRIBUTES} entries`);

export function attributeOf({ scope: shownBy, ...rest }: z.output<typeof attributeSchema>): UserAttribute {
  return { ...rest, ...(shownBy === undefined ? {} : { scope: shownBy }) };
}

/** The form alone: what the definitions allow (`attributeFaults`) is in the store. */
const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()], {
  error: 'must be a text, a number, true, false, or a list of texts',
});

/** The field `attributes` of a user. */
export const attributesField = z
  .record(z.string(), value, 'must be values by the names of user_attributes')
  .refine(values => Object.keys(values).length <= MAX_ATTRIBUTES, `must have at most ${MAX_ATTRIBUTES} entries`)
  .nullable()
  .optional()
  .meta({
    description:
      'Values of your own fields (`user_attributes`) by their names. A field that is not named stays as it is; null clears it, or all of them.',
  });
