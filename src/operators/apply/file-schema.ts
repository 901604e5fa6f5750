import { z } from 'zod';
import { apiFields, checkIdentifiers, MAX_APIS } from '../../directory/apis/fields.ts';
import type { Api } from '../../directory/apis/rules.ts';
import type { ApplicationSettings } from '../../directory/applications/rules.ts';
import { applicationFields, type ClientEntry, newClientFields } from '../../directory/clients/fields.ts';
import type { Preset } from '../../directory/clients/presets.fields.ts';
import { userSchema } from '../../directory/users/fields.ts';
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
function givenFields(shape: Readonly<Record<string, z.ZodType>>, own: Readonly<Record<string, z.ZodType>>) {
  const fields = Object.entries(shape).map(([name, field]) => [name, given(field)] as const);
  return z.strictObject({ ...Object.fromEntries(fields), ...own });
}

const { identifier, name: apiName } = apiFields.shape;
const api = givenFields(apiFields.shape, { identifier, name: apiName.optional() }) as unknown as z.ZodType<GivenApi>;

const { from, to } = policyFields.shape;
const policy = givenFields(policyFields.shape, { from, to }) as unknown as z.ZodType<GivenPolicy>;

const { client_id, client_secret } = newClientFields.shape;
const client = givenFields(newClientFields.shape, { client_id, client_secret });

const { code, name } = applicationFields.shape;
const application = givenFields(applicationFields.shape, {
  code,
  name: name.optional(),
  apis: z
    .array(api)
    .max(MAX_APIS, `must have at most ${MAX_APIS} entries`)
    .superRefine(checkIdentifiers)
    .nullable()
    .optional(),
  token_exchange: z
    .array(policy)
    .max(MAX_POLICIES, `must have at most ${MAX_POLICIES} entries`)
    .superRefine(checkPolicyKeys)
    .nullable()
    .optional(),
  clients: z.array(client).nullable().optional(),
}) as unknown as z.ZodType<GivenApplication>;

/** The file of `gatehouse apply` (docs/configuration.md). What fits together only the store can tell: complete-application.ts. */
export const applyFileSchema = z.strictObject({
  applications: z.array(application).default([]),
  users: z.array(userSchema).default([]),
});

export type ApplyFile = z.output<typeof applyFileSchema>;
