import { z } from 'zod';
import type { Change } from '../../audit/acts/store.ts';
import { orderedId } from '../../audit/events/ordered-id.ts';
import type { Fields as DeclaredFields } from '../../directory/fields/sum.fields.ts';
import { registrationFault } from '../../oauth/authorize/redirect-uri.rules.ts';
import { type Caller, mayAccess } from '../../operators/api/caller.ts';
import { pageAfter, pageOf, pageQuery, toPage } from '../../operators/api/list.ts';
import { actOf, isStale, type OperationContext, operation } from '../../operators/api/operation.ts';
import { conflict, done, invalid, type Outcome, type Problem, unknown } from '../../operators/api/outcome.ts';
import { isoTime, timeField } from '../../operators/api/times.ts';
import { mergePatch, validate } from '../../operators/api/validate.ts';
import { unreachable } from '../../platform/outbound/reach.ts';
import { checkName } from '../../platform/text/readable-name.rules.ts';
import { hostOf, MAX_WEBHOOKS } from './rules.ts';
import { newWebhookSecrets, rotateWebhookSecrets } from './secrets.ts';
import type { Webhook, WebhookFacts } from './store.ts';

/**
 * /webhooks: subscriptions to events. A caller that is limited to applications sees those of its applications.
 *
 *   active   deliveries are sent
 *   paused   by an operator (operator), after a day of failures (failing), or after an answer 410 (gone); PATCH makes it active again
 */

const ALL_TYPES = '*';
const MAX_URL_LENGTH = 2000;
const DAY_SECONDS = 86_400;
const MAX_OVERLAP_SECONDS = 90 * DAY_SECONDS;

const url = z
  .string()
  .max(MAX_URL_LENGTH, `must have at most ${MAX_URL_LENGTH} characters`)
  .superRefine((text, context) => {
    const fault = registrationFault(text);
    if (fault !== undefined) context.addIssue(fault);
    else if (!/^https?:/i.test(text)) context.addIssue('must be an https address');
  });

const typesIn = ({ eventTypes }: DeclaredFields) =>
  z
    .array(z.enum([...eventTypes, ALL_TYPES], 'must be a type of event, or * for all'))
    .min(1, 'must name a type of event, or * for all')
    .max(eventTypes.length, 'must name each type once')
    .refine(list => list.length === 1 || !list.includes(ALL_TYPES), '* means all types: leave out the others')
    .refine(list => new Set(list).size === list.length, 'must name each type once');

const fieldsIn = (declared: DeclaredFields) =>
  z.strictObject({
    url,
    application: z.string().optional().meta({ description: 'Absent: events of all applications.' }),
    description: z.string().max(200, 'must have at most 200 characters').superRefine(checkName).default(''),
    event_types: typesIn(declared).default([ALL_TYPES]),
    ordered: z.boolean().default(false).meta({ description: 'One delivery at a time, in the order of the events.' }),
    state: z.enum(['active', 'paused'], 'must be active or paused').default('active'),
  });
type Fields = z.output<ReturnType<typeof fieldsIn>>;

const viewIn = (declared: DeclaredFields) =>
  fieldsIn(declared).extend({
    id: z.string(),
    pause_reason: z.enum(['operator', 'failing', 'gone']).optional(),
    failing_since: timeField.optional().meta({ description: 'The first failure since the last success.' }),
    created_at: timeField,
  });
type WebhookView = z.output<ReturnType<typeof viewIn>>;

const secretField = { secret: z.string().meta({ description: 'Shown only in this answer.' }) };
const idParam = z.object({ id: z.string() });

export const listWebhooks = operation({
  summary: 'List webhooks.',
  role: 'auditor',
  reach: 'filtered',
  query: z.strictObject(pageQuery),
  result: declared => pageOf(viewIn(declared)),
  async run({ services, caller }, { query }) {
    const page = { ...pageAfter(query), among: caller.applications };
    const found = await services.store.listWebhooks(page);
    return done(toPage(found, query, ({ id }) => id, viewOf));
  },
});

export const getWebhook = operation({
  summary: 'Get one webhook.',
  role: 'auditor',
  reach: 'filtered',
  params: idParam,
  result: viewIn,
  async run({ services, caller }, { params: { id } }) {
    const found = visible(caller, await services.store.findWebhook(id));
    return found ? done(viewOf(found)) : unknown('webhook');
  },
});

export const createWebhook = operation({
  summary: 'Subscribe a URL to events. The secret that signs its deliveries is returned only in this response.',
  role: 'owner',
  reach: 'filtered',
  body: fieldsIn,
  result: declared => viewIn(declared).extend(secretField),
  status: 201,
  example: { url: 'https://crm.example/hooks', application: 'shop', event_types: ['user.created', 'user.deleted'] },
  async run(context, { body }) {
    const { services } = context;
    const refused = (await refusedApplication(context, body.application)) ?? (await refusedUrl(context, body.url));
    if (refused) return refused;
    const id = orderedId(services, 'whk');
    const { sealed, secret } = newWebhookSecrets(services, id);
    const createdAt = services.clock.now();
    const webhook = { ...fromFields(body), id, sealedSecrets: sealed, createdAt };
    return change(context, id, ({ subscriptions }) => {
      if (subscriptions >= MAX_WEBHOOKS) return { result: conflict(`There are ${MAX_WEBHOOKS} webhooks already.`) };
      const result = { ...viewOf(webhook), secret };
      return write(context, 'webhook.created', webhook, result, { event_types: result.event_types });
    });
  },
});

export const updateWebhook = operation({
  summary:
    'Change fields of a webhook (RFC 7396). The state "paused" stops it, "active" sends everything that waited. Another application deletes the deliveries of all other events.',
  role: 'owner',
  reach: 'filtered',
  params: idParam,
  body: z.looseObject({}),
  changes: fieldsIn,
  result: viewIn,
  example: { state: 'active' },
  async run(context, { params: { id }, body }) {
    const { application, url } = body;
    const refused =
      (typeof application === 'string' && (await refusedApplication(context, application))) ||
      (typeof url === 'string' && URL.canParse(url) && (await refusedUrl(context, url)));
    if (refused) return refused;
    const schema = fieldsIn(await context.services.tables.fields());
    return change(context, id, facts => {
      const current = visible(context.caller, facts.current);
      if (!current) return { result: unknown('webhook') };
      if (isStale(context, viewOf(current))) return { result: { kind: 'changed' } };
      const merged = validate(schema, mergePatch(toFields(current), body));
      if (merged.kind === 'invalid') return { result: merged };
      const webhook = { ...current, ...fromFields(merged.value, current) };
      if (!visible(context.caller, webhook)) return { result: invalid('/application', NOT_YOURS) };
      return write(context, 'webhook.updated', webhook, viewOf(webhook), { fields: Object.keys(body) });
    });
  },
});

export const deleteWebhook = operation({
  summary: 'Delete a webhook with its deliveries.',
  role: 'owner',
  reach: 'filtered',
  params: idParam,
  async run(context, { params: { id } }) {
    return change(context, id, facts => {
      const current = visible(context.caller, facts.current);
      if (!current) return { result: unknown('webhook') };
      if (isStale(context, viewOf(current))) return { result: { kind: 'changed' } };
      const { app } = current;
      const act = actOf(context, { type: 'webhook.deleted', subject: id, app, details: { host: hostOf(current) } });
      return { result: done(undefined), write: { value: null, act } };
    });
  },
});

export const rotateWebhookSecret = operation({
  summary:
    'Make a new secret. It is returned only in this response. The previous one also signs for previous_valid_for seconds.',
  role: 'owner',
  reach: 'filtered',
  params: idParam,
  body: z
    .strictObject({
      previous_valid_for: z
        .int('must be a whole number of seconds')
        .min(0)
        .max(MAX_OVERLAP_SECONDS)
        .default(DAY_SECONDS),
    })
    .default({ previous_valid_for: DAY_SECONDS }),
  result: z.object(secretField),
  status: 201,
  example: { previous_valid_for: 86_400 },
  async run(context, { params: { id }, body }) {
    const { services } = context;
    const now = services.clock.now();
    return change(context, id, facts => {
      const current = visible(context.caller, facts.current);
      if (!current) return { result: unknown('webhook') };
      const validUntil = now + body.previous_valid_for;
      const { sealed, secret } = rotateWebhookSecrets(services, id, current.sealedSecrets, now, validUntil);
      const webhook = { ...current, sealedSecrets: sealed };
      return write(context, 'webhook.updated', webhook, { secret }, { fields: ['secret'] });
    });
  },
});

const NOT_YOURS = 'must be an application that you have access to';

/** A limited caller has no access to what belongs to all applications. */
export function visible(caller: Caller, webhook: Webhook | undefined): Webhook | undefined {
  if (webhook === undefined || caller.applications === undefined) return webhook;
  return webhook.app !== undefined && mayAccess(caller, webhook.app) ? webhook : undefined;
}

async function refusedApplication(
  { services, caller }: OperationContext,
  app: string | undefined,
): Promise<Problem | undefined> {
  if (app === undefined) return caller.applications === undefined ? undefined : invalid('/application', NOT_YOURS);
  const exists = mayAccess(caller, app) && (await services.store.findApplication(app));
  return exists ? undefined : invalid('/application', 'there is no such application');
}

async function refusedUrl({ services }: OperationContext, url: string): Promise<Problem | undefined> {
  const fault = await unreachable(url, services.config.outbound);
  return fault === undefined ? undefined : invalid('/url', fault);
}

function change<T>(
  { services }: OperationContext,
  id: string,
  decide: (facts: WebhookFacts) => Change<Webhook | null, Outcome<T>>,
): Promise<Outcome<T>> {
  return services.store.changeWebhook(id, decide, services.clock.now());
}

function write<T>(
  context: OperationContext,
  type: 'webhook.created' | 'webhook.updated',
  webhook: Webhook,
  result: T,
  details: Readonly<Record<string, unknown>>,
): Change<Webhook | null, Outcome<T>> {
  const { id, app } = webhook;
  const event = { type, subject: id, app, details: { ...details, host: hostOf(webhook) } };
  return { result: done(result), write: { value: webhook, act: actOf(context, event, result) } };
}

/** A webhook that is paused already keeps its reason; one that is resumed has no failures. */
function fromFields(
  { url, application, description, event_types, ordered, state }: Fields,
  current?: Webhook,
): Omit<Webhook, 'id' | 'sealedSecrets' | 'createdAt'> {
  const isResumed = state === 'active' && current?.pauseReason !== undefined;
  return {
    url,
    app: application,
    description,
    eventTypes: event_types.includes(ALL_TYPES) ? undefined : event_types,
    ordered,
    pauseReason: state === 'paused' ? (current?.pauseReason ?? 'operator') : undefined,
    failingSince: isResumed ? undefined : current?.failingSince,
  };
}

function toFields({ url, app, description, eventTypes, ordered, pauseReason }: Webhook): Fields {
  return {
    url,
    ...(app === undefined ? {} : { application: app }),
    description,
    event_types: [...(eventTypes ?? [ALL_TYPES])],
    ordered,
    state: pauseReason === undefined ? 'active' : 'paused',
  };
}

function viewOf(webhook: Webhook): WebhookView {
  const { id, pauseReason, failingSince, createdAt } = webhook;
  return {
    id,
    ...toFields(webhook),
    ...(pauseReason === undefined ? {} : { pause_reason: pauseReason }),
    ...(failingSince === undefined ? {} : { failing_since: isoTime(failingSince) }),
    created_at: isoTime(createdAt),
  };
}
