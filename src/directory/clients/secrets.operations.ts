import { createHash } from 'node:crypto';
import { z } from 'zod';
import { actOf, operation } from '../../operators/api/operation.ts';
import { conflict, done, unknown } from '../../operators/api/outcome.ts';
import { isoTime, timeField } from '../../operators/api/times.ts';
import { change, clientParams, newSecret } from './operations.ts';
import { type Client, hasSecret, type PreviousSecret } from './rules.ts';
import { storedSecret } from './secrets.ts';

/** …/clients/{client_id}/secrets: a client has a current secret, and those it replaced for as long as they stay valid. */

const MAX_PREVIOUS = 5;
const MAX_OVERLAP_SECONDS = 90 * 86_400;

const secretView = z.object({
  id: z.string(),
  created_at: timeField.optional(),
  expires_at: timeField.optional().meta({ description: 'Absent: the current secret.' }),
});
type SecretView = z.output<typeof secretView>;

export const listClientSecrets = operation({
  summary: 'List the secrets of a client, without their values.',
  role: 'auditor',
  reach: 'application',
  params: clientParams,
  result: z.object({ items: z.array(secretView), next: z.null() }),
  async run({ services }, { params: { code, client_id } }) {
    const application = await services.store.findApplication(code);
    const client = application && (await services.store.findClient(code, client_id));
    return client ? done({ items: secretsOf(client, services.clock.now()), next: null }) : unknown('client');
  },
});

export const createClientSecret = operation({
  summary:
    'Make a new secret. It is in this answer and in no other. Former ones stay valid for previous_valid_for seconds.',
  role: 'operator',
  reach: 'application',
  params: clientParams,
  body: z
    .strictObject({
      previous_valid_for: z.int('must be a whole number of seconds').min(0).max(MAX_OVERLAP_SECONDS).default(0),
    })
    .default({ previous_valid_for: 0 }),
  result: secretView.extend({ client_secret: z.string() }),
  status: 201,
  example: { previous_valid_for: 3600 },
  async run(context, { params: { code, client_id: clientId }, body }) {
    const { services } = context;
    if (!(await services.store.findApplication(code))) return unknown('client');
    const now = services.clock.now();
    const secret = newSecret(services);
    return change(context, code, clientId, current => {
      if (!current) return { result: unknown('client') };
      const method = current.token_endpoint_auth_method;
      if (method === 'none') return { result: conflict('A public client has no secret.') };
      if (!hasSecret(method)) return { result: conflict('The client has no secret: it signs with its key.') };
      const previous_secrets = replaced(current, now, now + body.previous_valid_for);
      if (previous_secrets.length > MAX_PREVIOUS) {
        return { result: conflict(`At most ${MAX_PREVIOUS} former secrets can be valid at the same time.`) };
      }
      const stored = storedSecret(services.ring, code, clientId, secret, method);
      const client: Client = { ...current, ...stored, secret_created_at: now, previous_secrets };
      const id = secretId(stored.secret_hash);
      const result = { id, created_at: isoTime(now), client_secret: secret };
      const act = actOf(context, { type: 'client.secret.created', app: code, clientId, subject: id }, result);
      return { result: done(result), write: { value: { kind: 'put', client, keys: [] }, act } };
    });
  },
});

export const deleteClientSecret = operation({
  summary: 'End a former secret at once.',
  role: 'operator',
  reach: 'application',
  params: clientParams.extend({ id: z.string() }),
  async run(context, { params: { code, client_id: clientId, id } }) {
    const { services } = context;
    if (!(await services.store.findApplication(code))) return unknown('secret');
    return change(context, code, clientId, current => {
      if (!current?.secret_hash) return { result: unknown('secret') };
      if (secretId(current.secret_hash) === id) {
        return { result: conflict('This is the current secret. Make a new one: it replaces this one.') };
      }
      const kept = (current.previous_secrets ?? []).filter(({ hash }) => secretId(hash) !== id);
      if (kept.length === (current.previous_secrets ?? []).length) return { result: unknown('secret') };
      const client = { ...current, previous_secrets: kept };
      const act = actOf(context, { type: 'client.secret.deleted', app: code, clientId, subject: id });
      return { result: done(undefined), write: { value: { kind: 'put', client, keys: [] }, act } };
    });
  },
});

/** The former secrets, once the current one is replaced. None of them stays valid for longer than `until`. */
function replaced(client: Client, now: number, until: number): PreviousSecret[] {
  const { secret_hash: hash, sealed_secret, secret_created_at: created_at, previous_secrets = [] } = client;
  const sealed = sealed_secret === undefined ? {} : { sealed: sealed_secret };
  const last = hash === undefined ? [] : [{ hash, ...sealed, created_at, expires_at: until }];
  const all: readonly PreviousSecret[] = [...previous_secrets, ...last];
  return all
    .map(secret => ({ ...secret, expires_at: Math.min(secret.expires_at, until) }))
    .filter(({ expires_at }) => expires_at > now);
}

function secretsOf({ secret_hash, secret_created_at, previous_secrets = [] }: Client, now: number): SecretView[] {
  const current = secret_hash === undefined ? [] : [{ id: secretId(secret_hash), ...createdAt(secret_created_at) }];
  const former = previous_secrets
    .filter(({ expires_at }) => expires_at > now)
    .map(({ hash, created_at, expires_at }) => ({
      id: secretId(hash),
      ...createdAt(created_at),
      expires_at: isoTime(expires_at),
    }));
  return [...current, ...former.reverse()];
}

/** Unknown for a secret of an apply file. */
function createdAt(seconds: number | undefined): { created_at?: string } {
  return seconds === undefined ? {} : { created_at: isoTime(seconds) };
}

/** Made from the stored hash, which never leaves the server: the id tells nothing about the secret. */
function secretId(hash: string): string {
  return `sec_${createHash('sha256').update(hash).digest('hex').slice(0, 20)}`;
}
