import { compilePattern, MAX_PATTERN_LENGTH, MAX_PATTERN_STEPS, matchPattern, type Pattern } from './pattern.rules.ts';

/** What a client wants to do, down to the amount and the account (RFC 9396 section 2). */
export interface AuthorizationDetail {
  readonly type: string;
  readonly [member: string]: unknown;
}

/**
 * The part of JSON Schema (draft 2020-12) in which operators say what a type of authorization details has. Every other keyword is refused
 * when it is registered: one that is ignored would let pass what it was written against.
 */
export type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 5;
const MAX_MEMBERS = 50;
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean'];

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;

/** What each keyword may be. */
const KEYWORDS: Readonly<Record<string, (value: unknown, depth: number) => boolean>> = {
  title: value => typeof value === 'string',
  description: value => typeof value === 'string',
  type: value => TYPES.includes(value as string),
  enum: value => Array.isArray(value) && value.length > 0 && value.length <= MAX_MEMBERS,
  const: () => true,
  properties: (value, depth) =>
    isObject(value) &&
    Object.keys(value).length <= MAX_MEMBERS &&
    Object.values(value).every(each => schemaFault(each, depth + 1) === undefined),
  required: value => Array.isArray(value) && value.every(each => typeof each === 'string'),
  additionalProperties: value => typeof value === 'boolean',
  items: (value, depth) => schemaFault(value, depth + 1) === undefined,
  minItems: isCount,
  maxItems: isCount,
  minLength: isCount,
  maxLength: isCount,
  pattern: isPattern,
  minimum: value => typeof value === 'number',
  maximum: value => typeof value === 'number',
};

function isPattern(value: unknown): boolean {
  return typeof value === 'string' && compilePattern(value) !== undefined;
}

const PATTERN_RULE = `: a regular expression of at most ${MAX_PATTERN_LENGTH} characters, written out at most ${MAX_PATTERN_STEPS} steps, without back references, lookahead and lookbehind`;

/** Why a schema cannot be used; undefined: it can. */
export function schemaFault(schema: unknown, depth = 0): string | undefined {
  if (!isObject(schema)) return 'must be a JSON Schema: an object';
  if (depth > MAX_DEPTH) return `must have at most ${MAX_DEPTH} levels`;
  for (const [keyword, value] of Object.entries(schema)) {
    const isValid = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    if (!isValid) return `has the keyword ${keyword}, which is not supported`;
    if (!isValid(value, depth)) return `has no valid ${keyword}${keyword === 'pattern' ? PATTERN_RULE : ''}`;
  }
  return undefined;
}

/** A longer text is compared with no pattern: it is refused. */
const MAX_MATCHED_LENGTH = 500;

/** What of a value does not hold, with its place; undefined: all of it does. Members that no schema names are refused. */
export function valueFault(schema: Schema, value: unknown, place = ''): string | undefined {
  const fault = (text: string) => (place === '' ? text : `${place} ${text}`);
  const { type, enum: choices, const: constant } = schema;
  if (typeof type === 'string' && !isOfType(value, type)) return fault(`must be of type ${type}`);
  if (constant !== undefined && !isSame(value, constant)) return fault('has another value than the only one');
  if (Array.isArray(choices) && !choices.some(one => isSame(value, one))) return fault('is none of the allowed values');
  // An object that is one of them has all that it may have.
  if (isObject(value) && (constant !== undefined || choices !== undefined)) return undefined;
  if (typeof value === 'string') return textFault(schema, value, fault);
  if (typeof value === 'number') return numberFault(schema, value, fault);
  if (Array.isArray(value)) return listFault(schema, value, place, fault);
  return isObject(value) ? objectFault(schema, value, place, fault) : undefined;
}

type Placed = (text: string) => string;

function textFault(schema: Schema, value: string, fault: Placed): string | undefined {
  const { minLength, maxLength, pattern } = schema;
  if (value.length < Number(minLength ?? 0) || value.length > Number(maxLength ?? Number.POSITIVE_INFINITY)) {
    return fault('has not the allowed length');
  }
  if (typeof pattern !== 'string') return undefined;
  return value.length <= MAX_MATCHED_LENGTH && matches(schema, pattern, value)
    ? undefined
    : fault('does not match its pattern');
}

/** A schema is compiled once, however many entries of a list it is for. */
const compiled = new WeakMap<Schema, { readonly pattern: Pattern | undefined }>();

function matches(schema: Schema, source: string, value: string): boolean {
  const { pattern } = compiled.get(schema) ?? { pattern: compilePattern(source) };
  compiled.set(schema, { pattern });
  return pattern !== undefined && matchPattern(pattern, value).isMatch;
}

function numberFault({ minimum, maximum }: Schema, value: number, fault: Placed): string | undefined {
  const isWithin =
    value >= Number(minimum ?? Number.NEGATIVE_INFINITY) && value <= Number(maximum ?? Number.POSITIVE_INFINITY);
  return isWithin ? undefined : fault('is not within its limits');
}

function listFault(schema: Schema, value: readonly unknown[], place: string, fault: Placed): string | undefined {
  const { items, minItems, maxItems } = schema;
  if (value.length < Number(minItems ?? 0) || value.length > Number(maxItems ?? Number.POSITIVE_INFINITY)) {
    return fault('has not the allowed number of entries');
  }
  return isObject(items) ? first(value.map((each, at) => valueFault(items, each, `${place}[${at}]`))) : undefined;
}

function objectFault(schema: Schema, value: Schema, place: string, fault: Placed): string | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  const known = properties as Readonly<Record<string, Schema>>;
  const missing = (required as readonly string[]).find(name => !Object.hasOwn(value, name));
  if (missing !== undefined) return fault(`must have ${missing}`);
  const names = Object.keys(value);
  const isUnknown = (name: string) => !Object.hasOwn(known, name);
  // Unlike JSON Schema: nobody agrees to what nobody has described.
  if (additionalProperties !== true && names.some(isUnknown)) return fault('has a member that its type does not have');
  const inner = (name: string) => (place === '' ? name : `${place}.${name}`);
  return first(
    names.map(name => (isUnknown(name) ? undefined : valueFault(known[name] as Schema, value[name], inner(name)))),
  );
}

function first(faults: readonly (string | undefined)[]): string | undefined {
  return faults.find(fault => fault !== undefined);
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

/** Whether two JSON values are equal, whatever the order of their members. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((each, at) => isSame(each, other[at]));
  }
  if (!isObject(one)) return one === other;
  if (!isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(name => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
}
