import { type Api, type DetailsType, mayAccess, type WithApis } from '../../directory/apis/rules.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { nameFault } from '../../platform/text/readable-name.rules.ts';
import type { Scope } from '../token/scope.rules.ts';
import { type AuthorizationDetail, isSame, valueFault } from './schema.rules.ts';

export const PARAMETER = 'authorization_details';
/** In characters: they are in the browser's address, sealed, while the user is on the pages. */
const MAX_LENGTH = 4096;
const MAX_DETAILS = 10;
/** Of a text that the consent page shows. */
const MAX_SHOWN_LENGTH = 200;

export type ReadDetails =
  | { readonly kind: 'read'; readonly details: readonly AuthorizationDetail[]; readonly apis: readonly string[] }
  | { readonly kind: 'invalid'; readonly reason: string };

const invalid = (reason: string): ReadDetails => ({ kind: 'invalid', reason });

/** An application without types does not know the parameter, and ignores it like every unknown one. */
export function knowsDetails({ apis = [] }: WithApis): boolean {
  return apis.some(api => api.authorization_details_types !== undefined);
}

export function detailsTypesOf({ apis = [] }: WithApis): string[] {
  return apis.flatMap(api => Object.keys(api.authorization_details_types ?? {}));
}

/** `allowed`: the scope that the client may have. */
function readDetails(text: string, application: WithApis, allowed: readonly Scope[]): ReadDetails {
  const details = parseDetails(text);
  return typeof details === 'string' ? invalid(details) : checkDetails(details, application, allowed);
}

/** Of a request. Undefined: it has none, or its application does not know the parameter. */
export function detailsIn(params: Params, application: WithApis, allowed: readonly Scope[]): ReadDetails | undefined {
  const text = params.get(PARAMETER);
  return text === undefined || !knowsDetails(application) ? undefined : readDetails(text, application, allowed);
}

/** The grant covers the APIs of its details too. */
export function withApisOf(
  apis: readonly string[] | undefined,
  resources: readonly string[] | undefined,
): readonly string[] | undefined {
  return apis ? [...new Set([...(resources ?? []), ...apis])] : resources;
}

/** Also of a request that was valid before: types and clients may have changed. */
export function checkDetails(
  details: readonly AuthorizationDetail[],
  application: WithApis,
  allowed: readonly Scope[],
): ReadDetails {
  const apis = new Set<string>();
  for (const detail of details) {
    const found = typeOf(application, detail.type);
    if (!found || !mayAccess(application, allowed, found.api.identifier)) return invalid('unknown type');
    const { type: _, ...rest } = detail;
    const fault = valueFault({ type: 'object', ...found.definition.schema }, rest);
    if (fault !== undefined) return invalid(`${detail.type}: ${fault}`);
    if (!canBeShown(found.definition, detail)) return invalid(`${detail.type}: cannot be shown`);
    apis.add(found.api.identifier);
  }
  return { kind: 'read', details, apis: [...apis] };
}

/** The list, or what is wrong with it. */
export function parseDetails(text: string): readonly AuthorizationDetail[] | string {
  if (text.length > MAX_LENGTH) return `more than ${MAX_LENGTH} characters`;
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return 'no JSON';
  }
  if (!Array.isArray(list) || list.length === 0) return 'no JSON array with an object';
  if (list.length > MAX_DETAILS) return `more than ${MAX_DETAILS} entries`;
  const isDetail = (one: unknown): one is AuthorizationDetail =>
    typeof one === 'object' && one !== null && typeof (one as { type?: unknown }).type === 'string';
  return list.every(isDetail) ? list : 'an entry without a type';
}

/** All of it, in the sentence or beside it: nobody agrees to what cannot be read. */
function canBeShown(definition: DetailsType, detail: AuthorizationDetail): boolean {
  if (sentenceParts(definition, detail) === undefined) return false;
  return restOf(definition, detail).every(texts => texts.every(text => nameFault(text) === undefined));
}

interface FoundType {
  readonly api: Api;
  readonly definition: DetailsType;
}

export function typeOf({ apis = [] }: WithApis, type: string): FoundType | undefined {
  for (const api of apis) {
    const types = api.authorization_details_types;
    const definition = types && Object.hasOwn(types, type) ? types[type] : undefined;
    if (definition) return { api, definition };
  }
  return undefined;
}

/** Those of a grant that one access token has: for its API, and no more than the token request names (section 6). */
export function detailsFor(
  application: WithApis,
  granted: readonly AuthorizationDetail[],
  requested: readonly AuthorizationDetail[] | undefined,
  api: Api | undefined,
): readonly AuthorizationDetail[] {
  const wanted = requested ? granted.filter(one => requested.some(each => isSame(each, one))) : granted;
  return wanted.filter(({ type }) => api !== undefined && typeOf(application, type)?.api === api);
}

/** Whether the token request names nothing that was not granted, word for word. */
export function isWithin(requested: readonly AuthorizationDetail[], granted: readonly AuthorizationDetail[]): boolean {
  return requested.every(each => granted.some(one => isSame(each, one)));
}

const PLACEHOLDER = /\{([\w.]+)\}/;

/** The sentence that the user reads. Undefined: a value of it is missing, too long, or has characters that nobody sees. */
export function sentenceParts(
  { display }: DetailsType,
  detail: AuthorizationDetail,
): readonly SentencePart[] | undefined {
  const parts: SentencePart[] = [];
  for (const [at, piece] of display.split(new RegExp(PLACEHOLDER, 'g')).entries()) {
    if (at % 2 === 0) {
      if (piece !== '') parts.push({ kind: 'text', text: piece });
      continue;
    }
    const text = shown(piece.split('.').reduce<unknown>(memberOf, detail));
    if (text === undefined) return undefined;
    parts.push({ kind: 'value', text });
  }
  return parts;
}

export interface SentencePart {
  /** `value`: in the words of the client. */
  readonly kind: 'text' | 'value';
  readonly text: string;
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function shown(value: unknown): string | undefined {
  const values = Array.isArray(value) ? value : [value];
  if (values.length === 0 || !values.every(one => ['string', 'number', 'boolean'].includes(typeof one)))
    return undefined;
  const text = values.join(', ');
  return text.trim() === '' || text.length > MAX_SHOWN_LENGTH || nameFault(text) !== undefined ? undefined : text;
}

/** What the sentence does not say, member by member: nobody agrees to what was not shown. */
export function restOf(
  { display }: DetailsType,
  { type: _, ...members }: AuthorizationDetail,
): readonly (readonly [path: string, text: string])[] {
  const said = new Set([...display.matchAll(new RegExp(PLACEHOLDER, 'g'))].map(([, path = '']) => path));
  const left = Object.entries(members).flatMap(([name, member]) => membersAt(segment(name), member));
  return left.filter(([path]) => !said.has(path));
}

/** Those inside of a value, or the value itself, which has this path. */
function membersAt(path: string, value: unknown): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]];
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const members = isObject ? Object.entries(value) : [];
  if (members.length === 0) return [[path, JSON.stringify(value)]];
  return members.flatMap(([name, member]) => membersAt(`${path}.${segment(name)}`, member));
}

/** A dot in a name is escaped: such a member would pass for one inside of another. */
function segment(name: string): string {
  return name.replaceAll('.', '\\.');
}
