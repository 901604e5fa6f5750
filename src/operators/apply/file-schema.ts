import { z } from 'zod';
import { apiFields, checkIdentifiers, MAX_APIS } from '../../directory/apis/fields.ts';
import type { Api } from '../../directory/apis/rules.ts';
import type { ApplicationSettings } from '../../directory/applications/rules.ts';
import type { Preset } from '../../directory/clients/presets.fields.ts';
import type { ClientEntry } from '../../directory/clients/rules.ts';
import type { Shape } from '../../directory/fields/declaration.fields.ts';
import type { Fields } from '../../directory/fields/sum.fields.ts';
import { MAX_PROVIDERS, type ProviderEntry } from '../../directory/providers/rules.ts';
import { attributeEntries, type GivenAttribute } from '../../directory/user-attributes/fields.ts';
import { type UserEntry, userSchema } from '../../directory/users/fields.ts';
import { checkPolicyKeys, MAX_POLICIES, policyFields } from '../../oauth/token-exchange/fields.ts';
import type { ExchangePolicy } from '../../oauth/token-exchange/rules.ts';

/** What the entries of an apply file say. A field that is left out stays as it is; null gives it its default, or clears it. */
export type Given<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

export type GivenApi = Given<Omit<Api, 'identifier'>> & Pick<Api, 'identifier'>;
export type GivenPolicy = Given<Pick<ExchangePolicy, 'scopes'>> & Pick<ExchangePolicy, 'from' | 'to'>;
export type GivenClient = Given<Omit<ClientEntry, 'client_id' | 'client_secret'>> &
  Pick<ClientEntry, 'client_id' | 'client_secret'> & {
    /** Of a new client: what it has where the entry says nothing. */
    readonly preset?: Preset | null | undefined;
  };

/** Its lists of things with an identity of their own: one that is null or empty removes them all. */
interface GivenLists {
  readonly apis?: readonly GivenApi[] | null | undefined;
  readonly token_exchange?: readonly GivenPolicy[] | null | undefined;
  readonly clients?: readonly GivenClient[] | null | undefined;
}

export type GivenApplication = Given<Omit<ApplicationSettings, 'code' | 'name' | keyof GivenLists>> &
  GivenLists & { readonly code: string; readonly name?: string | undefined };

const given = (field: z.ZodType): z.ZodType => withoutDefault(field).nullable().optional();

function withoutDefault(field: z.ZodType): z.ZodType {
  const isWrapped = field instanceof z.ZodDefault || field instanceof z.ZodOptional;
  return isWrapped ? withoutDefault(field.unwrap() as z.ZodType) : field;
}

/** Fields that have no default cannot be null, and those that name the thing cannot be left out. */
function givenFields(shape: Shape, own: Shape) {
  const fields = Object.entries(shape).map(([name, field]) => [name, given(field)] as const);
  return z.strictObject({ ...Object.fromEntries(fields), ...own });
}

const { identifier, name: apiName } = apiFields.shape;
const api = givenFields(apiFields.shape, { identifier, name: apiName.optional() }) as unknown as z.ZodType<GivenApi>;

const { from, to } = policyFields.shape;
const policy = givenFields(policyFields.shape, { from, to }) as unknown as z.ZodType<GivenPolicy>;

const apis = z
  .array(api)
  .max(MAX_APIS, `must have at most ${MAX_APIS} entries`)
  .superRefine(checkIdentifiers)
  .nullable()
  .optional();
const token_exchange = z
  .array(policy)
  .max(MAX_POLICIES, `must have at most ${MAX_POLICIES} entries`)
  .superRefine(checkPolicyKeys)
  .nullable()
  .optional();

/** A secret that is left out stays. */
export type GivenProvider = Given<Omit<ProviderEntry, 'id' | 'type'>> &
  Pick<ProviderEntry, 'id'> & {
    readonly type?: ProviderEntry['type'] | undefined;
  };

export interface ApplyFile {
  /** Left out, providers and definitions stay as they are, also with `--prune`. */
  readonly providers?: readonly GivenProvider[] | undefined;
  readonly user_attributes?: readonly GivenAttribute[] | undefined;
  readonly applications: readonly GivenApplication[];
  readonly users: readonly UserEntry[];
}

const schemas = new WeakMap<Fields, z.ZodType<ApplyFile>>();

/** The file of `gatehouse apply` (docs/configuration.md). What fits together only the store can tell: complete-application.ts. */
export function applyFileSchema(fields: Fields): z.ZodType<ApplyFile> {
  const made = schemas.get(fields) ?? makeSchema(fields);
  schemas.set(fields, made);
  return made;
}

function makeSchema({ client: { newShape }, application: { shape }, provider }: Fields): z.ZodType<ApplyFile> {
  const { client_id, client_secret } = newShape;
  const client = givenFields(newShape, { ...(client_id && { client_id }), ...(client_secret && { client_secret }) });
  const { code, name } = shape;
  const clients = z.array(client).nullable().optional();
  const named = { ...(code && { code }), ...(name && { name: name.optional() }) };
  const application = givenFields(shape, { ...named, apis, token_exchange, clients });
  const { id, type } = provider.shape;
  const ofProvider = givenFields(provider.shape, { ...(id && { id }), ...(type && { type: type.optional() }) });
  const file = z.strictObject({
    providers: z.array(ofProvider).max(MAX_PROVIDERS, `must have at most ${MAX_PROVIDERS} entries`).optional(),
    user_attributes: attributeEntries.optional(),
    applications: z.array(application).default([]),
    users: z.array(userSchema).default([]),
  });
  return file as unknown as z.ZodType<ApplyFile>;
}
