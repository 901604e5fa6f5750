import { z } from 'zod';
import type { Change } from '../../audit/acts/store.ts';
import { pageAfter, pageOf, pageQuery, toPage } from '../../operators/api/list.ts';
import { actOf, isStale, type OperationContext, operation } from '../../operators/api/operation.ts';
import { conflict, done, invalid, type Outcome, type Problem, unknown } from '../../operators/api/outcome.ts';
import { mergePatch, validate } from '../../operators/api/validate.ts';
import { unreachable } from '../../platform/outbound/reach.ts';
import type { Services } from '../../services.ts';
import { readOwnChange } from '../applications/operations.ts';
import type { Fields } from '../fields/sum.fields.ts';
import { followingSecrets, GIVE_AGAIN } from './destination.ts';
import { entryOfProvider, providerOfEntry, shownProvider } from './entry.ts';
import type { ProviderFields } from './fields.ts';
import { callbackOf, MAX_PROVIDERS, type Provider } from './rules.ts';
import type { ProviderFacts } from './store.ts';

/**
 * /providers: identity providers of the deployment. Secrets go in and never come out; a change that names none keeps them. They belong
 * to no application, so a caller that is limited to applications sees none.
 */

const idParam = z.object({ id: z.string() });

type ProviderView = Readonly<Record<string, unknown>> & { readonly id: string };

const view = ({ provider: { declared, shape } }: Fields) =>
  z.looseObject({
    ...Object.fromEntries(
      declared.flatMap(({ name, isSecret }) => (isSecret ? [] : [[name, z.optional(shape[name] as z.ZodType)]])),
    ),
    callback_url: z.string().meta({ description: 'The redirect URI to register at the provider.' }),
    secrets: z.array(z.string()).meta({ description: 'The names of the secrets that it has.' }),
  }) as unknown as z.ZodType<ProviderView>;

export const listProviders = operation({
  summary: 'List identity providers.',
  role: 'auditor',
  reach: 'deployment',
  query: z.strictObject(pageQuery),
  result: fields => pageOf(view(fields)),
  async run({ services }, { query }) {
    const { provider: fields } = await services.tables.fields();
    const { after = '', limit } = pageAfter(query);
    const found = (await services.store.listProviders()).filter(({ id }) => id > after).slice(0, limit);
    return done(
      toPage(
        found,
        query,
        ({ id }) => id,
        each => viewOf(services, fields, each),
      ),
    );
  },
});

export const getProvider = operation({
  summary: 'Get one identity provider.',
  role: 'auditor',
  reach: 'deployment',
  params: idParam,
  result: view,
  async run({ services }, { params: { id } }) {
    const { provider: fields } = await services.tables.fields();
    const found = (await services.store.listProviders()).find(each => each.id === id);
    return found ? done(viewOf(services, fields, found)) : unknown('provider');
  },
});

export const createProvider = operation({
  summary: 'Register an identity provider. Applications offer it once they name it.',
  role: 'owner',
  reach: 'deployment',
  body: ({ provider }) => provider.schema,
  result: view,
  status: 201,
  example: {
    id: 'corp',
    type: 'oidc',
    name: 'Corp',
    issuer: 'https://login.corp.example',
    client_id: 'gatehouse',
    client_secret: 'the secret that Corp gave you',
  },
  async run(context, { body }) {
    const refused = await refusedAddress(context, body);
    if (refused) return refused;
    const { provider: fields } = await context.services.tables.fields();
    const provider = providerOfEntry(context.services, fields, body);
    const result = viewOf(context.services, fields, provider);
    return change(context, provider.id, ({ current, count }) => {
      if (current) return { result: conflict('There is a provider with this id.') };
      if (count >= MAX_PROVIDERS) return { result: conflict(`There are ${MAX_PROVIDERS} providers already.`) };
      return write(context, 'provider.created', provider, result);
    });
  },
});

export const updateProvider = operation({
  summary: 'Change fields of an identity provider (RFC 7396). Secrets that are not named stay.',
  role: 'owner',
  reach: 'deployment',
  params: idParam,
  body: z.looseObject({}),
  changes: ({ provider }) => provider.schema,
  result: view,
  example: { trusts_email: true },
  async run(context, { params: { id }, body }) {
    const { services } = context;
    const { provider: fields } = await services.tables.fields();
    const refused = await refusedAddress(context, body);
    if (refused) return refused;
    // What the answer has beside the fields may come back with a change.
    const { callback_url: _, secrets: __, ...patch } = body;
    return change(context, id, ({ current }) => {
      if (!current) return { result: unknown('provider') };
      if (isStale(context, viewOf(services, fields, current))) return { result: { kind: 'changed' } };
      const before = entryOfProvider(services, current);
      const merged = validate(fields.schema, mergePatch(before, patch));
      if (merged.kind === 'invalid') return { result: merged };
      if (merged.value.id !== id || merged.value.type !== current.type) return { result: FIXED };
      const [following] = followingSecrets(before, merged.value, patch);
      if (following) return { result: invalid(`/${following}`, GIVE_AGAIN) };
      const provider = providerOfEntry(services, fields, merged.value, current);
      const result = viewOf(services, fields, provider);
      return write(context, 'provider.updated', provider, result, { fields: Object.keys(patch) });
    });
  },
});

export const deleteProvider = operation({
  summary: 'Delete an identity provider with the links of people to it. No application may offer it any more.',
  role: 'owner',
  reach: 'deployment',
  params: idParam,
  async run(context, { params: { id } }) {
    const { provider: fields } = await context.services.tables.fields();
    return change(context, id, ({ current, offeredBy }) => {
      if (!current) return { result: unknown('provider') };
      if (isStale(context, viewOf(context.services, fields, current))) return { result: { kind: 'changed' } };
      if (offeredBy.length > 0) return { result: conflict(`It is offered by ${offeredBy.join(', ')}.`) };
      const act = actOf(context, { type: 'provider.deleted', subject: id });
      return { result: done(undefined), write: { value: null, act } };
    });
  },
});

async function change<T>(
  { services }: OperationContext,
  id: string,
  decide: (facts: ProviderFacts) => Change<Provider | null, Outcome<T>>,
): Promise<Outcome<T>> {
  const outcome = await services.store.changeProvider(id, decide);
  await readOwnChange(services);
  return outcome;
}

function write<T>(
  context: OperationContext,
  type: 'provider.created' | 'provider.updated',
  provider: Provider,
  result: T,
  details: Readonly<Record<string, unknown>> = {},
): Change<Provider | null, Outcome<T>> {
  const act = actOf(context, { type, subject: provider.id, details }, result);
  return { result: done(result), write: { value: provider, act } };
}

const FIXED = conflict('The id and the type of a provider cannot be changed.');

function viewOf(services: Services, fields: ProviderFields, provider: Provider): ProviderView {
  return {
    ...shownProvider(services, fields, provider),
    callback_url: callbackOf(services.config.baseUrl, provider.id),
  };
}

/** What this server asks itself. */
const FETCHED = ['issuer', 'metadata_url', 'token_endpoint', 'userinfo_endpoint'] as const;

/** Told in time; what a request does is decided on its own connection. */
async function refusedAddress(
  { services }: OperationContext,
  body: Readonly<Partial<Record<(typeof FETCHED)[number], unknown>>>,
): Promise<Problem | undefined> {
  for (const name of FETCHED) {
    const address = body[name];
    if (typeof address !== 'string' || !URL.canParse(address)) continue;
    const fault = await unreachable(address, services.config.outbound);
    if (fault !== undefined) return invalid(`/${name}`, fault);
  }
  return undefined;
}
