import { z } from 'zod';
import type { Change } from '../../audit/acts/store.ts';
import { withProfile } from '../../oauth/fapi/rules.ts';
import { keyAlg } from '../../oauth/signing-keys/fields.ts';
import { pageAfter, pageOf, pageQuery, toPage } from '../../operators/api/list.ts';
import { actOf, isStale, type OperationContext, operation } from '../../operators/api/operation.ts';
import { conflict, done, type Outcome, type Problem, unknown } from '../../operators/api/outcome.ts';
import { mergePatch, validate } from '../../operators/api/validate.ts';
import type { Services } from '../../services.ts';
import { BUILT_IN_APPLICATION } from '../applications/built-in.rules.ts';
import { codeParam, ensureBuiltInApplication, firstKeys, readOwnChange } from '../applications/operations.ts';
import type { Application } from '../applications/rules.ts';
import type { ClientWrite } from '../applications/store.ts';
import type { Shape } from '../fields/declaration.fields.ts';
import type { Fields } from '../fields/sum.fields.ts';
import { type ClientFields, clientOfEntry, misplacedFields } from './fields.ts';
import { hasOwnGrantsOnly } from './metadata.ts';
import { limitsAfter } from './operator-limits.ts';
import { type Client, type ClientEntry, hasSecret, keyAlgsOf, keyFields, type OperatorLimits } from './rules.ts';
import { storedSecret } from './secrets.ts';

/** /applications/{code}/clients. The names of the fields are those of RFC 7591. */

export const clientParams = codeParam.extend({ client_id: z.string() });

const origin = z.enum(['dynamic_registration', 'client_id_metadata']).optional().meta({
  description: 'By which setting of the application the client has registered itself. Absent: operators set it.',
});
const operator_limits = z.looseObject({}).optional().meta({
  description:
    'Of a client that has registered itself: what operators have set of the fields that it sets itself. Its own changes stay within them; null in a change lifts the limit of a field.',
});
type ClientView = Readonly<Record<string, unknown>> & { readonly client_id: string };
const view = ({ client: { shape } }: Fields, more: Shape = {}) => {
  const { client_secret: _, ...metadata } = shape;
  const fields = { ...metadata, scope: z.string(), origin, operator_limits, ...more };
  return z.looseObject(fields) as unknown as z.ZodType<ClientView>;
};
const client_secret = z.string().optional().meta({ description: 'Shown only in this answer.' });

export const listClients = operation({
  summary: 'List the clients of an application.',
  role: 'auditor',
  reach: 'application',
  params: codeParam,
  query: z.strictObject(pageQuery),
  result: fields => pageOf(view(fields)),
  async run({ services }, { params: { code }, query }) {
    if (!(await services.store.findApplication(code))) return unknown('application');
    const found = await services.store.listClients(code, pageAfter(query));
    const { client: fields } = await services.tables.fields();
    return done(
      toPage(
        found,
        query,
        client => client.client_id,
        client => viewOf(fields, client),
      ),
    );
  },
});

export const getClient = operation({
  summary: 'Get one client.',
  role: 'auditor',
  reach: 'application',
  params: clientParams,
  result: fields => view(fields),
  async run({ services }, { params: { code, client_id } }) {
    const application = await services.store.findApplication(code);
    const client = application && (await services.store.findClient(code, client_id));
    const { client: fields } = await services.tables.fields();
    return client ? done(viewOf(fields, client)) : unknown('client');
  },
});

export const createClient = operation({
  summary: 'Register a client. The secret, if it has one, is returned only in this response.',
  role: 'operator',
  reach: 'application',
  params: codeParam,
  body: ({ client }) => client.newSchema,
  result: fields => view(fields, { client_secret }),
  status: 201,
  example: {
    preset: 'web',
    client_id: 'shop-web',
    client_name: 'Shop',
    redirect_uris: ['https://shop.example/callback'],
  },
  async run(context, { params: { code }, body: entry }) {
    const { services } = context;
    const { client: fields } = await services.tables.fields();
    if (code === BUILT_IN_APPLICATION) await ensureBuiltInApplication(context);
    const application = await services.store.findApplication(code);
    if (!application) return unknown('application');
    const misplaced = refusedFields(application, entry);
    if (misplaced) return misplaced;
    const clientId = entry.client_id ?? services.random.bytes(12).toString('base64url');
    const method = entry.token_endpoint_auth_method;
    const secret = hasSecret(method) ? (entry.client_secret ?? newSecret(services)) : undefined;
    const stored = secret === undefined ? undefined : storedSecret(services.ring, code, clientId, secret, method);
    const client = { ...clientOfEntry(entry, clientId, stored), secret_created_at: services.clock.now() };
    const keys = await firstKeys(context, code, keyAlgsOf(application, client));
    return change(context, code, clientId, current => {
      if (current) return { result: conflict('The application has a client with this client_id.') };
      const result = { ...viewOf(fields, client), ...(secret === undefined ? {} : { client_secret: secret }) };
      const act = actOf(context, { type: 'client.created', app: code, clientId, subject: clientId }, result);
      return { result: done(result), write: { value: { kind: 'put', client, keys }, act } };
    });
  },
});

export const updateClient = operation({
  summary: 'Change fields of a client (RFC 7396).',
  role: 'operator',
  reach: 'application',
  params: clientParams,
  body: z.looseObject({}),
  changes: ({ client }) => client.schema,
  result: fields => view(fields),
  example: { redirect_uris: ['https://shop.example/callback', 'https://shop.example/silent'] },
  async run(context, { params: { code, client_id: clientId }, body }) {
    const application = await context.services.store.findApplication(code);
    if (!application) return unknown('client');
    const { client: fields } = await context.services.tables.fields();
    const keys = await keysFor(context, application, withProfile(body) as typeof body);
    return change(context, code, clientId, current => {
      if (!current) return { result: unknown('client') };
      if (isStale(context, viewOf(fields, current))) return { result: { kind: 'changed' } };
      if (current.origin === 'client_id_metadata') return { result: conflict(PUBLISHED) };
      const present = fieldsOf(fields, current);
      const merged = validate(fields.schema, mergePatch(present, withProfile(body, present)));
      if (merged.kind === 'invalid') return { result: merged };
      const misplaced = refusedFields(application, merged.value, current);
      if (misplaced) return { result: misplaced };
      const refused = refusedChange(current, merged.value);
      if (refused !== undefined) return { result: conflict(refused) };
      const secrets = secretsAfter(current, merged.value);
      // Whoever gives it a grant that asks no user has vouched for it. Users are no sign of its use any more, so it is kept.
      const origin = hasOwnGrantsOnly(merged.value.grant_types, context.services.tables.grantTypes)
        ? current.origin
        : undefined;
      const changed: Client = { ...clientOfEntry(merged.value, clientId, secrets), ...secrets };
      const client = origin
        ? { ...changed, origin, operator_limits: limitsAfter(fields, current, changed, body) }
        : changed;
      const result = viewOf(fields, client);
      const details = { fields: Object.keys(body) };
      const act = actOf(context, { type: 'client.updated', app: code, clientId, subject: clientId, details }, result);
      return { result: done(result), write: { value: { kind: 'put', client, keys }, act } };
    });
  },
});

export const deleteClient = operation({
  summary: 'Delete a client and revoke its codes and tokens.',
  role: 'operator',
  reach: 'application',
  params: clientParams,
  async run(context, { params: { code, client_id: clientId } }) {
    const { services } = context;
    if (!(await services.store.findApplication(code))) return unknown('client');
    const { client: fields } = await services.tables.fields();
    return change(context, code, clientId, current => {
      if (!current) return { result: unknown('client') };
      if (isStale(context, viewOf(fields, current))) return { result: { kind: 'changed' } };
      const act = actOf(context, { type: 'client.deleted', app: code, clientId, subject: clientId });
      return { result: done(undefined), write: { value: { kind: 'delete', now: services.clock.now() }, act } };
    });
  },
});

const PUBLISHED = 'The client publishes its metadata itself, at the address that is its client_id.';

function refusedFields(application: Application, entry: ClientEntry, current?: Client): Problem | undefined {
  const misplaced = misplacedFields(application, entry, current);
  const errors = [...misplaced].map(([name, detail]) => ({ pointer: `/${name}`, detail }));
  return errors.length === 0 ? undefined : { kind: 'invalid', errors };
}

const SECRET_BYTES = 32;

export function newSecret({ random }: Pick<Services, 'random'>): string {
  return random.bytes(SECRET_BYTES).toString('base64url');
}

export async function change<T>(
  { services }: OperationContext,
  app: string,
  clientId: string,
  decide: (current: Client | undefined) => Change<ClientWrite, Outcome<T>>,
): Promise<Outcome<T>> {
  const outcome = await services.store.changeClient(app, clientId, decide);
  await readOwnChange(services);
  return outcome;
}

/** The first keys of the algorithms that the change asks for, unless the application has them. */
async function keysFor(
  context: OperationContext,
  application: Application,
  changes: { readonly [Name in (typeof keyFields)[number]]?: unknown },
) {
  const algs = keyFields.flatMap(name => keyAlg.safeParse(changes[name]).data ?? []);
  return algs.length > 0 ? firstKeys(context, application.code, algs) : [];
}

/** A client with a secret and one without are different things: what was issued to one must not pass for the other. */
function refusedChange(current: Client, { client_id, client_secret, token_endpoint_auth_method }: ClientEntry) {
  if (client_id !== current.client_id) return 'The client_id of a client cannot be changed.';
  if (client_secret !== undefined) return 'A new secret is made at …/secrets.';
  const [was, is] = [current.token_endpoint_auth_method, token_endpoint_auth_method];
  if ((was === 'none') !== (is === 'none'))
    return 'A client cannot become public or confidential: register another one.';
  return undefined;
}

/**
 * What a changed client keeps of its secrets: nothing if its method needs none, and without client_secret_jwt no sealed one. A client
 * that comes to client_secret_jwt needs a new secret, because the server has only the hash of the present one.
 */
function secretsAfter(current: Client, { token_endpoint_auth_method: method }: ClientEntry) {
  if (!hasSecret(method)) return { secret_hash: undefined };
  const { secret_hash, secret_created_at, sealed_secret, previous_secrets } = current;
  if (method === 'client_secret_jwt') return { secret_hash, secret_created_at, sealed_secret, previous_secrets };
  return { secret_hash, secret_created_at, previous_secrets: previous_secrets?.map(({ sealed: _, ...kept }) => kept) };
}

function viewOf(fields: ClientFields, client: Client): ClientView {
  const { origin, operator_limits: limits } = client;
  return {
    ...fieldsOf(fields, client),
    ...(origin === undefined ? {} : { origin }),
    ...(limits === undefined ? {} : { operator_limits: inWords(limits) }),
  };
}

/** In the form of the apply file, without the secret; fields that are not set are left out. */
function fieldsOf({ shape }: ClientFields, client: Client): ClientView {
  const values = Object.keys(shape).map(name => [name, client[name as keyof Client]] as const);
  return inWords(Object.fromEntries(values.filter(([, value]) => value !== undefined))) as ClientView;
}

function inWords(fields: OperatorLimits): Record<string, unknown> {
  return { ...fields, ...(fields.scope && { scope: fields.scope.join(' ') }) };
}
