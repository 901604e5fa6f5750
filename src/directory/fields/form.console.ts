import { z } from 'zod';
import type { Faults } from '../../operators/console-frame/page.ts';
import { jsonOrText, type Field as LabelledField, field as labelled } from '../../operators/console-frame/parts.ts';
import { rows } from '../../operators/console-frame/setting-rows.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { Tables } from '../../services.ts';
import { fieldsText } from './console.text.ts';
import type { Control, Field } from './declaration.fields.ts';

/** Of an object, by the names of the admin API. */
export type Values = Readonly<Record<string, unknown>>;

/** A form that is made from fields: from the values of the admin API to controls, and back to the body of an operation. */
export interface FieldForm {
  readonly values: Values;
  readonly faults: Faults;
  /** The object as it is, where the form changes one. */
  readonly stored?: Values | undefined;
  /** What a field offers here, where its schema does not tell. */
  readonly offered?: Offered;
  /** The secrets that the object has: a form does not show them, and leaves them as they are where it is empty. */
  readonly held?: readonly string[] | undefined;
  /** Fields that this object needs, though others can be without. */
  readonly needed?: readonly string[] | undefined;
}

export type Offered = Readonly<Record<string, readonly (readonly [value: string, name: string])[]>>;

/** A control that a capability draws and reads itself. */
export interface FieldControl {
  show(locale: OperatorLocale, field: Field, form: FieldForm): Html | false;
  /** Nothing where the form does not have it: the setting stays as it is. */
  read(form: Params): Values;
}

export type Controls = ReadonlyMap<string, FieldControl>;

export async function controlsOf({ controls }: Pick<Tables, 'controls'>): Promise<Controls> {
  return new Map(await Promise.all([...controls].map(async ([name, load]) => [name, await load()] as const)));
}

/** The fields of a section, in the order of the form. What cannot be changed is in the form of a new object alone. */
export function fieldsOfSection<F extends Field>(
  fields: readonly F[],
  section: F['section'],
  isNew: boolean,
): readonly F[] {
  const [first, ...rest] = fields.filter(each => each.section === section && !each.isFixed);
  const fixed = fields.filter(each => each.section === section && each.isFixed && isNew);
  return [...(first ? [first] : []), ...fixed, ...rest];
}

/** The faults of fields that this form does not show are told above it, by the names of the fields. */
export function toldAbove(
  locale: OperatorLocale,
  faults: Faults,
  shown: readonly Field[],
  all: readonly Field[],
): Faults {
  const fieldOf = (fields: readonly Field[], place: string) => fields.find(({ name }) => name === place.split('.')[0]);
  const elsewhere = [...faults].flatMap(([place, fault]) => {
    const field = fieldOf(shown, place) ? undefined : fieldOf(all, place);
    return field ? [`${field.text[locale][0]}: ${fault}`] : [];
  });
  return elsewhere.length === 0 ? faults : new Map([...faults, ['', elsewhere.join(' · ')]]);
}

/** A row for each field; false where nothing of them is shown here. */
export function fieldRows(
  locale: OperatorLocale,
  fields: readonly Field[],
  form: FieldForm,
  controls: Controls = new Map(),
): Html | false {
  const shown = fields.map(each => show(locale, each, form, controls));
  return shown.some(each => each !== false) && rows(...shown);
}

function show(locale: OperatorLocale, field: Field, form: FieldForm, controls: Controls): Html | false {
  const control = controlOf(field);
  if (control === 'custom') return controls.get(field.name)?.show(locale, field, form) ?? false;
  const options = optionsOf(locale, field, form.offered);
  if (control === 'none' || (control === 'boxes' && options.length === 0)) return false;
  return control === 'boxes' ? boxes(locale, field, form, options) : fieldIn(locale, field, form, options);
}

/** A labelled control of the field. */
export function fieldIn(
  locale: OperatorLocale,
  field: Field,
  { values, faults, held = [], needed = [] }: FieldForm,
  options: Offered[string] = [],
): Html {
  const { name, schema, text } = field;
  const control = controlOf(field);
  const [label, hint] = text[locale];
  const isHeld = held.includes(name);
  const isNeeded = needed.includes(name);
  const empty = isNeeded ? undefined : whatEmptyMeans(locale, field, control);
  const placeholder = isHeld ? fieldsText[locale].held : empty;
  // A secret of several lines, such as a private key, has a large field.
  const isSecret = control === 'password' || ('isSecret' in field && field.isSecret === true);
  const value = isSecret ? undefined : shownValue(control, values[name]);
  const required = isNeeded || !schema.safeParse(undefined).success;
  const autocomplete = isSecret ? 'new-password' : 'off';
  const kind = KINDS[control] ?? { options };
  return labelled(
    { name, label, hint, value, kind, required, autocomplete, placeholder },
    withFaultsInside(name, faults),
  );
}

/** The default, in the empty control. A required field has none. */
function whatEmptyMeans(locale: OperatorLocale, { schema, whenEmpty }: Field, control: Control): string | undefined {
  if (whenEmpty) return whenEmpty[locale];
  const absent = schema.safeParse(undefined);
  return absent.success ? shownValue(control, absent.data) || fieldsText[locale].notSet : undefined;
}

/** A fault of a part of the value, such as `jwks.keys`, is one of the field. */
function withFaultsInside(name: string, faults: Faults): Faults {
  const [, inside] = [...faults].find(([each]) => each.startsWith(`${name}.`)) ?? [];
  return inside === undefined || faults.has(name) ? faults : new Map([...faults, [name, inside]]);
}

const KINDS: Partial<Record<Control, NonNullable<LabelledField['kind']>>> = {
  check: 'check',
  number: 'number',
  text: 'text',
  custom: 'text',
  words: 'text',
  password: 'password',
  area: 'lines',
  lines: 'lines',
  json: 'lines',
};

/** A set of boxes that make one list. */
function boxes(
  locale: OperatorLocale,
  { name, text }: Field,
  { values, faults }: FieldForm,
  options: Offered[string],
): Html {
  const [label, hint] = text[locale];
  const chosen = listIn(values[name]);
  const fault = faults.get(name);
  const described = fault === undefined ? `${name}-hint` : `${name}-hint ${name}-fault`;
  const atFault = fault !== undefined && html` aria-invalid="true" aria-describedby="${name}-fault"`;
  const all = options.map(([each, title]) => {
    const box = `${name}.${each}`;
    const id = box.replaceAll(' ', '+'); // an id has no space (HTML standard section 3.2.6)
    return html`<div class="check"><input type="checkbox" id="${id}" name="${box}" value="true"${chosen.includes(each) && html` checked`}${atFault}><label for="${id}">${title}</label></div>\n`;
  });
  return html`<div class="field" role="group" aria-labelledby="${name}-name" aria-describedby="${described}"><div class="name" id="${name}-name">${label}</div><div class="control choices">
${all}</div>${fault !== undefined && html`<p class="fault" id="${name}-fault">${fault}</p>`}<p class="hint" id="${name}-hint">${hint}</p></div>
`;
}

function optionsOf(
  locale: OperatorLocale,
  { name, schema, choices, unset }: Field,
  offered: Offered = {},
): Offered[string] {
  const known = offered[name] ?? valuesOf(schema).map(value => [value, choices?.[locale][value] ?? value] as const);
  return unset ? [['', unset[locale]], ...known] : known;
}

/** What the schema tells, unless the field says another. */
function controlOf({ schema, control }: Field): Control {
  if (control !== undefined) return control;
  const bare = unwrapped(schema);
  if (bare instanceof z.ZodBoolean) return 'check';
  if (bare instanceof z.ZodNumber) return 'number';
  if (bare instanceof z.ZodEnum) return 'options';
  if (bare instanceof z.ZodArray) return bare.element instanceof z.ZodEnum ? 'boxes' : 'lines';
  return 'text';
}

function valuesOf(schema: z.ZodType): readonly string[] {
  const bare = unwrapped(schema);
  if (bare instanceof z.ZodEnum) return bare.options.map(String);
  return bare instanceof z.ZodArray ? valuesOf(bare.element as z.ZodType) : [];
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodDefault || schema instanceof z.ZodOptional;
  return isWrapped ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}

function shownValue(control: Control, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (control === 'json' && typeof value === 'object') return JSON.stringify(value, null, 2);
  return Array.isArray(value) ? value.join(control === 'lines' ? '\n' : ' ') : String(value);
}

function listIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : String(value ?? '').split(' ');
}

/** What the form says. A field that was left empty is null, which resets it to its default (RFC 7396), if it can be left out. */
export function typedValues(
  fields: readonly Field[],
  form: Params,
  { offered = {}, controls = new Map() }: { readonly offered?: Offered; readonly controls?: Controls } = {},
): Values {
  const typed = fields.map(field => {
    const control = controlOf(field);
    if (control === 'custom') return controls.get(field.name)?.read(form) ?? {};
    return control === 'none' ? {} : { [field.name]: typedValue(field, control, form, offered) };
  });
  return Object.assign({}, ...typed);
}

function typedValue({ name, schema }: Field, control: Control, form: Params, offered: Offered): unknown {
  const typed = form.get(name)?.trim() ?? '';
  const absent = schema.safeParse(undefined);
  const empty = absent.success ? null : '';
  switch (control) {
    case 'check':
      return typed === 'true';
    case 'boxes': {
      const known = offered[name]?.map(([value]) => value) ?? valuesOf(schema);
      const chosen = known.filter(each => form.get(`${name}.${each}`) === 'true');
      if (absent.data === undefined && chosen.length === 0) return null;
      return unwrapped(schema) instanceof z.ZodArray ? chosen : chosen.join(' ');
    }
    case 'lines':
      return typed.split(/\s+/).filter(line => line !== '');
    case 'words':
      return typed === '' ? null : typed.split(/\s+/);
    case 'json':
      return typed === '' ? null : jsonOrText(typed);
    case 'password':
      return form.get(name) ?? null;
    default:
      return typed === '' ? empty : control === 'number' ? asNumber(typed) : typed;
  }
}

/** What is no number stays as it was typed, so that the operation says what is wrong with it. */
function asNumber(typed: string): number | string {
  return /^\d{1,15}$/.test(typed) ? Number(typed) : typed;
}

/** The body that makes an object: what was left empty is not in it. */
export function newBody(typed: Values): Values {
  return Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== null));
}

/** The fields that differ from the object: the event then names what was changed, and nothing else. */
export function changesTo(fields: readonly Field[], current: Values, typed: Values): Values {
  const isSame = (field: Field) => comparable(field, typed[field.name]) === comparable(field, current[field.name]);
  const changed = fields.filter(field => field.name in typed && !isSame(field));
  return Object.fromEntries(changed.map(({ name }) => [name, typed[name]]));
}

/** The order of boxes means nothing. */
function comparable(field: Field, value: unknown): string {
  const control = controlOf(field);
  // A box without a tick is what leaves an optional setting unset.
  if (control === 'check') return String(value ?? field.schema.safeParse(undefined).data ?? false);
  // One line is what a list of one is; nothing, what an empty list is.
  if (control === 'lines') return [value ?? []].flat().join('\n');
  if (control === 'boxes') return listIn(value).toSorted().join(' ');
  return JSON.stringify(value ?? null);
}
