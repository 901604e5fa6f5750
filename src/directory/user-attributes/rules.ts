import { nameFault } from '../../platform/text/readable-name.rules.ts';

/** Fields of users that operators define for a deployment, and their values. */

export const attributeTypes = ['string', 'number', 'boolean', 'date', 'list'] as const;
export type AttributeType = (typeof attributeTypes)[number];

export const attributeEditors = ['user', 'operator'] as const;

export interface UserAttribute {
  /** Also the name of the claim. */
  readonly name: string;
  readonly type: AttributeType;
  /** What people read. */
  readonly label: string;
  /** `user`: the user too, on the account page. */
  readonly editable_by: (typeof attributeEditors)[number];
  /** The scope whose ID tokens and userinfo answers have it. Undefined: no client gets it. */
  readonly scope?: string | undefined;
}

/** A date is a text such as `2026-01-31`. */
export type AttributeValue = string | number | boolean | readonly string[];

/** By the names of the fields. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Null clears a field; one that is not named stays as it is. */
export type AttributeChanges = Readonly<Record<string, AttributeValue | null>>;

/** All of them can be in one ID token, and are on one page. */
export const MAX_ATTRIBUTES = 50;
export const MAX_ATTRIBUTE_NAME_LENGTH = 40;
export const MAX_LABEL_LENGTH = 60;
export const MAX_SCOPE_LENGTH = 100;
const MAX_TEXT_LENGTH = 500;
const MAX_LIST_ENTRIES = 50;
const MAX_ENTRY_LENGTH = 100;
/** Of all values of one user as JSON: an ID token has to fit into what clients and proxies take of a header. */
const MAX_TOTAL_LENGTH = 8192;

/**
 * Claims with a meaning of their own: RFC 7519, OpenID Connect Core and its logout, RFC 7662, 7800, 8693, 9068, 9396 and 9493, and those
 * that say what a user may do here.
 */
const RESERVED = new Set(
  `iss sub aud exp nbf iat jti azp nonce auth_time acr amr sid at_hash c_hash s_hash sub_jwk sub_id events toe txn act may_act
  cnf client_id scope active token_type username authorization_details roles groups entitlements org_id org_name org_roles
  name given_name family_name middle_name nickname preferred_username profile picture website email email_verified gender
  birthdate zoneinfo locale phone_number phone_number_verified address updated_at verified_claims attributes`.split(
    /\s+/,
  ),
);

/** Compared without case: some libraries read claims so, and would take `Email` for `email`. */
export function attributeNameFault(name: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) return 'must begin with a letter, and have only letters, digits and _';
  if (name.length > MAX_ATTRIBUTE_NAME_LENGTH) return `must have at most ${MAX_ATTRIBUTE_NAME_LENGTH} characters`;
  // What every object of JavaScript has is no name for a member of the claims, which a client may read as one.
  if (RESERVED.has(name.toLowerCase()) || name in Object.prototype)
    return 'is the name of a claim with a meaning of its own';
  return undefined;
}

/** Why a text cannot be a value of this field. Undefined: it can. */
export function valueFault({ type }: Pick<UserAttribute, 'type'>, value: unknown): string | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? textFault(value, MAX_TEXT_LENGTH) : 'must be a text';
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? undefined : 'must be a number';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'date':
      return isDay(value) ? undefined : 'must be a date such as 2026-01-31';
    case 'list':
      return listFault(value);
  }
}

function textFault(text: string, most: number): string | undefined {
  if (text === '') return 'must not be empty';
  if (text.length > most) return `must have at most ${most} characters`;
  return nameFault(text);
}

function isDay(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const day = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
}

function listFault(value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every(one => typeof one === 'string')) return 'must be a list of texts';
  if (value.length === 0) return 'must not be empty';
  if (value.length > MAX_LIST_ENTRIES) return `must have at most ${MAX_LIST_ENTRIES} entries`;
  if (new Set(value).size < value.length) return 'must name each entry once';
  for (const one of value) {
    const fault = textFault(one, MAX_ENTRY_LENGTH);
    if (fault !== undefined) return `has the entry ${JSON.stringify(one.slice(0, MAX_ENTRY_LENGTH))}, which ${fault}`;
  }
  return undefined;
}

/** A user was not written: this attribute of its values is not defined any more. */
export interface AttributeGone {
  readonly kind: 'attributeGone';
  readonly name: string;
}

/** The same words wherever users are written: apply file, import, admin API. */
export const NOT_DEFINED = 'is not among user_attributes';

export interface AttributeFault {
  /** Undefined: all of them together. */
  readonly name: string | undefined;
  readonly message: string;
}

/** What of these changes the definitions do not allow. `before`: the values that stay where the changes do not name them. */
export function attributeFaults(
  defined: readonly UserAttribute[],
  changes: AttributeChanges | null | undefined,
  before?: Attributes | undefined,
): AttributeFault[] {
  if (!changes) return [];
  const faults = Object.entries(changes).flatMap(([name, value]): AttributeFault[] => {
    const attribute = defined.find(one => one.name === name);
    if (attribute === undefined) return [{ name, message: NOT_DEFINED }];
    const message = value === null ? undefined : valueFault(attribute, value);
    return message === undefined ? [] : [{ name, message }];
  });
  if (faults.length > 0 || JSON.stringify(changeAttributes(before, changes) ?? {}).length <= MAX_TOTAL_LENGTH)
    return faults;
  return [{ name: undefined, message: `must have at most ${MAX_TOTAL_LENGTH} characters as JSON` }];
}

/** The values after a change, in the order of their names; undefined where none is left. */
export function changeAttributes(
  before: Attributes | undefined,
  changes: AttributeChanges | null,
): Attributes | undefined {
  if (changes === null) return undefined;
  const after = Object.entries({ ...before, ...changes }).filter(
    (entry): entry is [string, AttributeValue] => entry[1] !== null,
  );
  if (after.length === 0) return undefined;
  return Object.fromEntries(after.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * The value of a field, where it is one of its type: the definition may have been deleted and made anew, with another type, while the
 * former values are still being deleted.
 */
export function attributeValue(attribute: UserAttribute, values: Attributes | undefined): AttributeValue | undefined {
  if (values === undefined || !Object.hasOwn(values, attribute.name)) return undefined;
  const value = values[attribute.name];
  return valueFault(attribute, value) === undefined ? value : undefined;
}

/** What an application shows of the fields: those with a scope. One that is the scope of an API of it belongs to the API alone. */
export function shownAttributes(
  defined: readonly UserAttribute[],
  apis: readonly { readonly scopes: Readonly<Record<string, string>> }[],
): readonly UserAttribute[] {
  return defined.filter(({ scope }) => scope !== undefined && !apis.some(({ scopes }) => Object.hasOwn(scopes, scope)));
}

/** Adds the claims of the granted scopes. A field without a value is left out. */
export function setAttributes(
  claims: Record<string, unknown>,
  shown: readonly UserAttribute[] | undefined,
  values: Attributes | undefined,
  granted: readonly string[],
): Record<string, unknown> {
  if (shown === undefined || values === undefined) return claims;
  for (const attribute of shown) {
    if (attribute.scope === undefined || !granted.includes(attribute.scope)) continue;
    const value = attributeValue(attribute, values);
    if (value !== undefined) claims[attribute.name] = value;
  }
  return claims;
}
