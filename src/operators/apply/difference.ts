import { isDeepStrictEqual } from 'node:util';

/** One object that the files and the store disagree on, and what apply does about it. */
export interface Difference {
  readonly action: Action;
  readonly object: ObjectName;
  /** The fields that change; empty for an object that is created or deleted. */
  readonly fields: readonly FieldChange[];
  /** The client secret that apply generates. It is shown once, by apply alone. */
  readonly generatedSecret?: string;
}

/** `restore`: the application was deleted less than 30 days ago, and comes back with its clients, keys and tokens. */
export type Action = 'create' | 'update' | 'restore' | 'delete';

export type ObjectName = OwnObject | Part;

/** What is stored, and recorded in the audit log, on its own. */
export type OwnObject =
  | { readonly type: 'application'; readonly application: string }
  | { readonly type: 'provider'; readonly id: string }
  | { readonly type: 'client'; readonly application: string; readonly client_id: string }
  | { readonly type: 'user'; readonly username: string; readonly sub: string }
  | LinkName
  | { readonly type: 'user_attribute'; readonly name: string };

/** Told where it is removed; a new one is a field of the user. */
interface LinkName {
  readonly type: 'link';
  readonly username: string;
  readonly sub: string;
  readonly provider: string;
  readonly subject: string;
}

/** A thing in a list of its application. It is told where it is removed; what else changes is a field of the application. */
type Part =
  | { readonly type: 'api'; readonly application: string; readonly identifier: string }
  | { readonly type: 'token_exchange'; readonly application: string; readonly from: string; readonly to: string };

/** A field by its name in the apply file, with the stored and the new value. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Its values are not printed. */
  readonly secret?: boolean;
}

/** The fields that differ, in the order of the file. */
export function changedFields(before: object, after: object, secrets: readonly string[] = []): FieldChange[] {
  const [old, wanted] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...wanted.keys(), ...old.keys()])]
    .map(field => ({ field, before: old.get(field), after: wanted.get(field), secret: secrets.includes(field) }))
    .filter(change => !isDeepStrictEqual(change.before, change.after));
}

/** What apply prints after it has changed the store. */
export function appliedLines({ action, object, fields, generatedSecret }: Difference): string[] {
  const label = labelOf(object);
  const line = `${label}: ${[...DONE[action](object), ...fields.map(describeField)].join(', ')}`;
  if (generatedSecret === undefined) return [line];
  return [line, `${label}: client_secret ${generatedSecret} (generated, shown only now)`];
}

const DONE: Readonly<Record<Action, (object: ObjectName) => string[]>> = {
  create: () => ['created'],
  update: () => [],
  restore: () => ['restored'],
  delete: ({ type }) => [type === 'application' ? 'deleted, kept for 30 days' : 'deleted'],
};

/** What diff prints: `+ client shop/web`, `~ user alice: email "a@example.com" → "b@example.com"`, `- application old`. */
export function plannedLine({ action, object, fields }: Difference): string {
  const rest = [...(action === 'restore' ? ['restored'] : []), ...fields.map(describeField)];
  return `${SIGN[action]} ${labelOf(object)}${rest.length === 0 ? '' : `: ${rest.join(', ')}`}`;
}

const SIGN: Readonly<Record<Action, string>> = { create: '+', update: '~', restore: '+', delete: '-' };

/** The form of `--json`. The values of secrets are left out, but for one that this very command has generated. */
export function toJson({ action, object, fields, generatedSecret }: Difference, shows: 'no secret' | 'new secrets') {
  return {
    action,
    ...object,
    fields: fields.map(({ field, before, after, secret }) =>
      secret ? { field } : { field, before: before ?? null, after: after ?? null },
    ),
    ...(shows === 'new secrets' && generatedSecret !== undefined ? { client_secret: generatedSecret } : {}),
  };
}

function labelOf(object: ObjectName): string {
  switch (object.type) {
    case 'application':
      return `application ${object.application}`;
    case 'client':
      return `client ${object.application}/${object.client_id}`;
    case 'api':
      return `api ${object.application}/${object.identifier}`;
    case 'token_exchange':
      return `token_exchange ${object.application}/${object.from} to ${object.to}`;
    case 'provider':
      return `provider ${object.id}`;
    case 'user':
      return `user ${object.username}`;
    case 'link':
      return `link ${object.username}/${object.provider}:${object.subject}`;
    case 'user_attribute':
      return `user_attribute ${object.name}`;
  }
}

function describeField({ field, before, after, secret }: FieldChange): string {
  if (!secret) return `${field} ${shown(before)} → ${shown(after)}`;
  if (before === undefined) return `${field} set`;
  return `${field} ${after === undefined ? 'removed' : 'changed'}`;
}

/** A logo is longer, and no other text. */
const MAX_SHOWN_LENGTH = 1000;
const SHORTENED_LENGTH = 40;

/** As JSON, so that the value is quoted and cannot contain a line break. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return 'unset';
  if (typeof value !== 'string' || value.length <= MAX_SHOWN_LENGTH) return JSON.stringify(value);
  return `${JSON.stringify(`${value.slice(0, SHORTENED_LENGTH)}…`)} (${value.length} characters)`;
}
