import { z } from 'zod';
import { checkName } from '../../platform/text/readable-name.rules.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { ApplicationSettings } from '../applications/rules.ts';
import type { ClientEntry } from '../clients/rules.ts';
import type { ProviderEntry, ProviderType } from '../providers/rules.ts';

/**
 * A setting of a client or an application, declared once, in fields.ts of the capability that owns it. Apply file, export, admin API,
 * OpenAPI document, dynamic registration, the forms of the console and the tables of docs/configuration.md come from it.
 */
export interface Field {
  readonly name: string;
  /** With its default. What it makes of undefined is what an object has that does not name the field. */
  readonly schema: z.ZodType;
  /** For the OpenAPI document and docs/configuration.md, in Markdown. */
  readonly meaning: string;
  /** Where docs/ says more: a file, or a heading of docs/configuration.md such as `#strict_oidc`. */
  readonly see?: string;
  /** The default in words, where it depends on something else. */
  readonly byDefault?: string;
  /** Set when the object is made, and not changed like other fields. */
  readonly isFixed?: boolean;
  readonly section: string;
  /** In the forms of the console: its label, and what it means. */
  readonly text: ByLocale<readonly [label: string, hint: string]>;
  /** The names of its values, where the form offers them. */
  readonly choices?: ByLocale<Readonly<Record<string, string>>>;
  /** The choice that leaves it unset. */
  readonly unset?: ByLocale<string>;
  /** What an empty field stands for, where the default of the schema does not say it. */
  readonly whenEmpty?: ByLocale<string>;
  /** Only where the schema does not tell (form.console.ts). */
  readonly control?: Control;
}

type ByLocale<Words> = Readonly<Record<OperatorLocale, Words>>;

export type Control =
  | 'check'
  | 'number'
  | 'text'
  | 'password'
  /** One value of several lines, such as XML or PEM. */
  | 'area'
  /** One value on each line. */
  | 'lines'
  /** Values in one line, in the order of preference. */
  | 'words'
  | 'json'
  /** One of several. */
  | 'options'
  /** Some of several. */
  | 'boxes'
  /** The capability draws and reads it itself (`controls` of its declaration). */
  | 'custom'
  /** It has a page of its own. */
  | 'none';

export interface ClientField extends Field {
  readonly name: keyof ClientEntry;
  readonly section: ClientSection;
  /**
   * Whether a client that registers itself sets it (RFC 7591 section 2); the others are for operators alone, because they widen what a
   * client may do, or skip a question to the user. What an operator's value means for such a client: `list`, it may have fewer of these;
   * `demand`, true cannot be taken back; `value`, it has this one.
   */
  readonly own?: 'list' | 'demand' | 'value';
}

/** A section is a card of the console, which is saved by itself. */
export const clientSections = ['identity', 'addresses', 'access', 'authentication', 'tokens'] as const;
export type ClientSection = (typeof clientSections)[number];

export interface ApplicationField extends Field {
  readonly name: keyof ApplicationSettings;
  readonly section: ApplicationSection;
}

export const applicationSections = [
  'identity',
  'look',
  'signIn',
  'access',
  'tokens',
  'exchange',
  'registration',
] as const;
export type ApplicationSection = (typeof applicationSections)[number];

export interface ProviderField extends Field {
  readonly name: string;
  readonly section: ProviderSection;
  /** The types that have it. Undefined: all. */
  readonly types?: readonly ProviderType[];
  /** Those of them that need it. */
  readonly neededBy?: readonly ProviderType[];
  /** The field that can stand in its place. */
  readonly insteadOf?: string;
  /** It is stored encrypted, and shown to nobody. */
  readonly isSecret?: true;
  /** What is wrong with its value beside the other fields, or for the type. Asked where it has one. */
  readonly fault?: (value: unknown, entry: Readonly<Record<string, unknown>>) => string | undefined;
}

export const providerSections = ['identity', 'connection', 'people', 'claims'] as const;
export type ProviderSection = (typeof providerSections)[number];

/** What the fields.ts of a capability exports for its declaration. */
export interface DeclaredFields {
  readonly provider?: readonly ProviderField[];
  readonly client?: readonly ClientField[];
  readonly application?: readonly ApplicationField[];
}

type Declared<F extends Field, Value> = Omit<F, 'name' | 'schema'> & { readonly schema: z.ZodType<Value> };

/** The compiler holds the schema against the type of the field (directory/clients/rules.ts). */
export function clientField<Name extends keyof ClientEntry>(
  name: Name,
  declared: Declared<ClientField, ClientEntry[Name]>,
): ClientField {
  return { name, ...declared };
}

/** The same for directory/applications/rules.ts. */
export function applicationField<Name extends keyof ApplicationSettings>(
  name: Name,
  declared: Declared<ApplicationField, ApplicationSettings[Name]>,
): ApplicationField {
  return { name, ...declared };
}

/** The same for directory/providers/rules.ts. */
export function providerField<Name extends keyof ProviderEntry>(
  name: Name,
  declared: Declared<ProviderField, ProviderEntry[Name]>,
): ProviderField {
  return { name, ...declared };
}

export type Shape = Readonly<Record<string, z.ZodType>>;

/**
 * The fields in the order of `known`; what further capabilities declare comes last. `known` has every
 * field that the types promise: it is a fault of the program if none declares it, or two do.
 */
export function inOrder<F extends Field>(what: string, known: readonly string[], declared: readonly F[]): readonly F[] {
  const names = declared.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two capabilities declare the field ${twice} of ${what}`);
  const missing = known.find(name => !names.includes(name));
  if (missing !== undefined) throw new Error(`no capability declares the field ${missing} of ${what}`);
  const placeOf = ({ name }: F) => (known.includes(name) ? known.indexOf(name) : known.length);
  return declared.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** Their schemas, with their meanings. */
export function shapeOf(fields: readonly Field[]): Shape {
  return Object.fromEntries(fields.map(({ name, schema, meaning }) => [name, schema.meta({ description: meaning })]));
}

/** Pieces of schemas that fields of several capabilities share. */

export const YEAR_SECONDS = 31_536_000;

export const seconds = (min: number, max: number) =>
  z.int('must be a whole number of seconds').min(min, `must be at least ${min}`).max(max, `must be at most ${max}`);

export const line = (maxLength: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .superRefine(checkName);

export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, `must be one of ${values.join(', ')}`);
}

export const checkedBy = (faultOf: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const fault = faultOf(text);
    if (fault !== undefined) context.addIssue(fault);
  });
