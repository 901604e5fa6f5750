import { newEvent } from '../../src/audit/events/new-event.ts';
import { hashApiKey, newApiKey } from '../../src/operators/api-keys/api-key.ts';
import type { NewApiKey } from '../../src/operators/roles/store.ts';
import { type Answered, basic, send } from './client.ts';
import { CALLBACK } from './fixture.ts';
import { tokensFrom } from './people.ts';
import type { TestServer } from './test-server.ts';
import { signIn } from './visitor.ts';

/** A caller of the admin API with a key of its own. */
export interface OperatorClient {
  readonly key: string;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
}

export async function anOperatorClient(
  { base, services }: TestServer,
  { role = 'owner', applications, expiresAt }: Partial<Pick<NewApiKey, 'role' | 'applications' | 'expiresAt'>> = {},
): Promise<OperatorClient> {
  const key = newApiKey(services.random);
  const id = `key_${services.random.bytes(8).toString('hex')}`;
  const createdAt = services.clock.now();
  const value = { id, name: 'test', role, applications, createdAt, expiresAt, hash: hashApiKey(key) };
  const event = newEvent(services, { type: 'api_key.created', outcome: 'success', actor: { kind: 'system' } });
  await services.store.changeApiKey(id, () => ({ result: undefined, write: { value, act: { event } } }));
  return { key, ask: (...args) => ask(base, key, ...args) };
}

/** With no key: no Authorization header. */
export function ask(
  base: string,
  key: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  return send(`${base}/api/v1/admin${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

const DESK = {
  client_id: 'desk',
  client_secret: 'desk-secret-12',
  redirect_uris: [CALLBACK],
  scope: 'openid admin:read admin:write',
};

/** Of the client that `anOperatorToken` makes. */
export const DESK_AUTH = basic(DESK.client_id, DESK.client_secret);

/** An access token of the built-in application. It makes the client, and the user an owner, if need be. */
export async function anOperatorToken(
  server: TestServer,
  owner: OperatorClient,
  scope = DESK.scope,
  username = 'alice',
): Promise<string> {
  await owner.ask('POST', '/applications/gatehouse/clients', DESK);
  await owner.ask('POST', '/operators', { username, role: 'owner' });
  const seen = await signIn(server, { client_id: 'desk', scope }, { username, app: 'gatehouse' });
  return (await tokensFrom(server, seen, { app: 'gatehouse', sending: { auth: DESK_AUTH } })).access_token;
}
