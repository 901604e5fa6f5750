import { z } from 'zod';
import type { Change } from '../../audit/acts/store.ts';
import type { KeyAlg } from '../../oauth/signing-keys/algorithms.rules.ts';
import { signingAlg } from '../../oauth/signing-keys/fields.ts';
import { makeKey } from '../../oauth/signing-keys/signing-key.ts';
import type { SealedKey } from '../../oauth/signing-keys/store.ts';
import { emptyBody } from '../../operators/api/input.ts';
import { pageAfter, pageOf, pageQuery, toPage } from '../../operators/api/list.ts';
import { actOf, isStale, type OperationContext, operation } from '../../operators/api/operation.ts';
import { conflict, done, invalid, type Outcome, type Problem, unknown } from '../../operators/api/outcome.ts';
import { isoTime, timeField } from '../../operators/api/times.ts';
import { mergePatch, validate } from '../../operators/api/validate.ts';
import type { Services } from '../../services.ts';
import { findApi } from '../apis/rules.ts';
import type { Fields } from '../fields/sum.fields.ts';
import { oldSystemsIn, type Provider, passwordsNeeded } from '../providers/rules.ts';
import { assistantApi, BUILT_IN_APPLICATION } from './built-in.rules.ts';
import type { ApplicationFields } from './fields.ts';
import { type ApplicationSettings, RESTORABLE_SECONDS } from './rules.ts';
import type { StoredApplication } from './store.ts';

/** /applications: an application is one issuer with its own clients, keys and tokens. */

const RESTORE_DAYS = RESTORABLE_SECONDS / 86_400;

export const codeParam = z.object({ code: z.string() });
type ApplicationView = ApplicationSettings & { readonly deleted_at?: string };
const view = ({ application: { shape } }: Fields) =>
  z.looseObject({ ...shape, deleted_at: timeField.optional() }) as unknown as z.ZodType<ApplicationView>;

export const listApplications = operation({
  summary: 'List applications, without their logos.',
  role: 'auditor',
  reach: 'filtered',
  query: z.strictObject({
    ...pageQuery,
    deleted: z
      .enum(['true', 'false'])
      .default('false')
      .transform(text => text === 'true')
      .meta({ description: 'true: those that were deleted and can be restored.' }),
    q: z
      .string()
      .min(1, 'must not be empty')
      .max(255, 'must have at most 255 characters')
      .optional()
      .meta({ description: 'Only those whose code or name has this text.' }),
  }),
  result: fields => pageOf(view(fields)),
  async run({ services, caller }, { query }) {
    const page = { ...pageAfter(query), among: caller.applications, deleted: query.deleted, search: query.q };
    const found = await services.store.listApplications(page);
    const { application: fields } = await services.tables.fields();
    return done(
      toPage(
        found,
        query,
        ({ application }) => application.code,
        one => viewOf(fields, one),
      ),
    );
  },
});

export const getApplication = operation({
  summary: 'Get one application.',
  role: 'auditor',
  reach: 'application',
  params: codeParam,
  result: view,
  async run({ services }, { params }) {
    const found = await services.store.findStoredApplication(params.code);
    const { application: fields } = await services.tables.fields();
    return found && found.deletedAt === undefined ? done(viewOf(fields, found)) : unknown('application');
  },
});

export const createApplication = operation({
  summary: 'Create an application, with its first signing key.',
  role: 'operator',
  reach: 'deployment',
  body: ({ application }) => application.schema,
  result: view,
  status: 201,
  example: { code: 'shop', name: 'Shop' },
  async run(context, { body: application }) {
    const { application: fields } = await context.services.tables.fields();
    const present = await providersFor(context, application);
    const refused = refusedProviders(present, application.providers) ?? refusedAlone(present, application);
    if (refused) return refused;
    const keys = await firstKeys(context, application.code, [application.id_token_signed_response_alg]);
    return change(context, application.code, current => {
      if (current) return { result: conflict(taken(current)) };
      const created = { application, deletedAt: undefined };
      return write(context, 'application.created', { ...created, keys }, viewOf(fields, created));
    });
  },
});

export const updateApplication = operation({
  summary: 'Change fields of an application (RFC 7396).',
  role: 'operator',
  reach: 'application',
  params: codeParam,
  body: z.looseObject({}),
  changes: ({ application }) => application.schema,
  result: view,
  example: { access_token_ttl: 900 },
  async run(context, { params: { code }, body }) {
    const { application: fields } = await context.services.tables.fields();
    const present = await providersFor(context, body);
    const refused = refusedProviders(present, body.providers);
    if (refused) return refused;
    const { id_token_signed_response_alg: byDefault } = fields.defaults;
    const algs = signingAlg.default(byDefault).safeParse(body.id_token_signed_response_alg);
    const keys = await firstKeys(context, code, algs.success ? [algs.data] : []);
    return change(context, code, current => {
      if (!current || current.deletedAt !== undefined) return { result: unknown('application') };
      if (isStale(context, viewOf(fields, current))) return { result: { kind: 'changed' } };
      const merged = validate(fields.schema, mergePatch(viewOf(fields, current), body));
      if (merged.kind === 'invalid') return { result: merged };
      if (merged.value.code !== code) return { result: conflict('The code of an application cannot be changed.') };
      const alone = refusedAlone(present, merged.value);
      if (alone) return { result: alone };
      const updated = { application: merged.value, deletedAt: undefined };
      return write(context, 'application.updated', { ...updated, keys }, viewOf(fields, updated), Object.keys(body));
    });
  },
});

export const deleteApplication = operation({
  summary: `Delete an application: unreachable at once, restorable for ${RESTORE_DAYS} days.`,
  role: 'operator',
  reach: 'application',
  params: codeParam,
  async run(context, { params: { code } }) {
    const now = context.services.clock.now();
    const { application: fields } = await context.services.tables.fields();
    return change(context, code, current => {
      if (!current || current.deletedAt !== undefined) return { result: unknown('application') };
      if (isStale(context, viewOf(fields, current))) return { result: { kind: 'changed' } };
      return write(context, 'application.deleted', { ...current, deletedAt: now, keys: [] }, undefined);
    });
  },
});

export const restoreApplication = operation({
  summary: `Restore an application that was deleted less than ${RESTORE_DAYS} days ago.`,
  role: 'operator',
  reach: 'application',
  params: codeParam,
  body: emptyBody,
  result: view,
  async run(context, { params: { code } }) {
    const { application: fields } = await context.services.tables.fields();
    return change(context, code, current => {
      if (!current) return { result: unknown('application') };
      if (current.deletedAt === undefined) return { result: conflict('The application is not deleted.') };
      const restored = { ...current, deletedAt: undefined };
      return write(context, 'application.restored', { ...restored, keys: [] }, viewOf(fields, restored));
    });
  },
});

/** Of the deployment, where what is given concerns them. */
async function providersFor(
  { services }: OperationContext,
  { providers, local_sign_in }: { readonly providers?: unknown; readonly local_sign_in?: unknown },
): Promise<readonly Provider[]> {
  const isConcerned = (Array.isArray(providers) && providers.length > 0) || local_sign_in === false;
  return isConcerned ? services.store.listProviders() : [];
}

function refusedAlone(present: readonly Provider[], application: ApplicationSettings): Problem | undefined {
  const needed = passwordsNeeded(application, oldSystemsIn(present));
  return needed === undefined ? undefined : invalid('/local_sign_in', needed);
}

/** Those that are not there. What is no list is told by the schema. */
function refusedProviders(present: readonly Provider[], ids: unknown): Problem | undefined {
  if (!Array.isArray(ids) || ids.length === 0) return undefined;
  const known = new Set(present.map(({ id }) => id));
  const missing = ids.findIndex(id => !known.has(id));
  return missing < 0 ? undefined : invalid(`/providers/${missing}`, 'there is no such provider');
}

type Written = StoredApplication & { readonly keys: readonly SealedKey[] };

const BUILT_IN = conflict(
  `The application ${BUILT_IN_APPLICATION} is built in: it has clients, and cannot be changed or deleted.`,
);

async function change<T>(
  context: OperationContext,
  code: string,
  decide: (current: StoredApplication | undefined) => Change<Written, Outcome<T>>,
): Promise<Outcome<T>> {
  return code === BUILT_IN_APPLICATION ? BUILT_IN : changeAny(context, code, decide);
}

async function changeAny<T>(
  { services }: OperationContext,
  code: string,
  decide: (current: StoredApplication | undefined) => Change<Written, Outcome<T>>,
): Promise<Outcome<T>> {
  const outcome = await services.store.changeApplication(code, decide);
  await readOwnChange(services);
  return outcome;
}

/** This process reads its own change at once; the others hear of it (registry.ts). */
export async function readOwnChange({ registry, signer }: Services): Promise<void> {
  await registry.refresh();
  signer.invalidate();
}

function write<T>(
  context: OperationContext,
  type: 'application.created' | 'application.updated' | 'application.deleted' | 'application.restored',
  value: Written,
  result: T,
  changed?: readonly string[],
): Change<Written, Outcome<T>> {
  const { code } = value.application;
  const details = changed && { fields: changed };
  return {
    result: done(result),
    write: { value, act: actOf(context, { type, app: code, subject: code, details }, result) },
  };
}

/** Tokens of operators have short lifetimes, because a stolen one gives access to everything. */
const HOUR_SECONDS = 3600;
const builtIn = ({ defaults }: ApplicationFields): ApplicationSettings => ({
  ...defaults,
  code: BUILT_IN_APPLICATION,
  name: 'Gatehouse',
  strict_oidc: true,
  access_token_ttl: HOUR_SECONDS / 6,
  id_token_ttl: HOUR_SECONDS / 6,
  refresh_token_ttl: HOUR_SECONDS,
  refresh_family_ttl: 12 * HOUR_SECONDS,
});

/**
 * Creates the built-in application with the first operator or client of it, or gives it the API for assistants, whose identifier follows
 * BASE_URL. A deployment with API keys alone has none.
 */
export async function ensureBuiltInApplication(context: OperationContext): Promise<void> {
  const { store } = context.services;
  const api = assistantApi(context.services.config.baseUrl);
  const found = await store.findApplication(BUILT_IN_APPLICATION);
  if (found && findApi(found, api.identifier)) return;
  const application = { ...builtIn((await context.services.tables.fields()).application), apis: [api] };
  const keys = await firstKeys(context, BUILT_IN_APPLICATION, [application.id_token_signed_response_alg]);
  await changeAny({ ...context, answerFor: undefined }, BUILT_IN_APPLICATION, current => {
    if (current && findApi(current.application, api.identifier)) return { result: done(undefined) };
    if (current) {
      const changed = { application: { ...current.application, apis: [api] }, deletedAt: undefined, keys };
      return write({ ...context, answerFor: undefined }, 'application.updated', changed, undefined, ['apis']);
    }
    const made = { application, deletedAt: undefined, keys };
    return write({ ...context, answerFor: undefined }, 'application.created', made, undefined);
  });
}

/** Made before the transaction: generating an RSA key takes longer than a transaction may. */
export async function firstKeys(
  { services }: OperationContext,
  app: string,
  algs: readonly KeyAlg[],
): Promise<SealedKey[]> {
  const now = services.clock.now();
  const present = await services.store.signingKeys(app);
  const missing = algs.filter(alg => !present.some(key => key.alg === alg && key.retiredAt === undefined));
  return Promise.all(missing.map(alg => makeKey(services, app, alg, { now, signFrom: now })));
}

function taken({ deletedAt }: StoredApplication): string {
  return deletedAt === undefined
    ? 'There is an application with this code.'
    : 'An application with this code was deleted and can be restored.';
}

function viewOf(fields: ApplicationFields, { application, deletedAt }: StoredApplication): ApplicationView {
  const settings = ordered(fields, application);
  return deletedAt === undefined ? settings : { ...settings, deleted_at: isoTime(deletedAt) };
}

/** In the order of the schema, so that the same application always has the same ETag. */
function ordered({ shape, defaults }: ApplicationFields, application: ApplicationSettings): ApplicationSettings {
  const values = new Map(Object.entries({ ...defaults, ...application }));
  return Object.fromEntries(Object.keys(shape).map(name => [name, values.get(name)])) as unknown as ApplicationSettings;
}
