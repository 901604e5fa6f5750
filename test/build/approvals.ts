import assert from 'node:assert/strict';
import { CIBA_GRANT } from '../../src/oauth/ciba/rules.ts';
import { type Answered, basic, post, type Sending, token } from './client.ts';
import { aClient, type ClientInput } from './fixture.ts';
import { logIn, press } from './people.ts';
import type { ServerAddress } from './test-server.ts';
import { type Fields, type Seen, Visitor } from './visitor.ts';

/** A desk that asks people through the backchannel (CIBA). */
export const DESK = 'desk';
const DESK_SECRET = 'desk-secret-1';
export const AS_DESK: Sending = { auth: basic(DESK, DESK_SECRET) };

export function aDesk(over: ClientInput = {}): ClientInput {
  return aClient({
    ...{ client_id: DESK, client_secret: DESK_SECRET, client_name: 'Help desk', redirect_uris: [] },
    ...{ grant_types: [CIBA_GRANT, 'refresh_token'], ...over },
  });
}

/** As another desk, with the same secret. */
export const asDesk = (clientId: string): Sending => ({ auth: basic(clientId, DESK_SECRET) });

export const askPerson = (server: ServerAddress, fields: Fields = {}, sending: Sending = AS_DESK, app?: string) =>
  post(`${server.at(app)}/bc-authorize`, { scope: 'openid', login_hint: 'alice', ...fields }, sending);

export interface WaitingRequest {
  readonly auth_req_id: string;
  readonly expires_in: number;
  readonly interval: number;
}

export async function aWaitingRequest(
  server: ServerAddress,
  fields: Fields = {},
  sending?: Sending,
  app?: string,
): Promise<WaitingRequest> {
  const answered = await askPerson(server, fields, sending, app);
  assert.equal(answered.status, 200, answered.text);
  return answered.json;
}

export const fetchTokens = (
  server: ServerAddress,
  { auth_req_id }: Pick<WaitingRequest, 'auth_req_id'>,
  fields: Fields = {},
  sending: Sending = AS_DESK,
  app?: string,
): Promise<Answered> => token(server, { grant_type: CIBA_GRANT, auth_req_id, ...fields }, sending, app);

/** The page with everything that waits for a person, who signs in if that is needed. */
export async function theApprovals(
  server: ServerAddress,
  visitor = new Visitor(server.base),
  username = 'alice',
): Promise<Seen> {
  const seen = await visitor.follow(`${server.base}/account/approvals`);
  return seen.text.includes('name="password"') ? logIn(visitor, seen, username) : seen;
}

/** Where the links of the list lead, from the newest on. */
export function linksIn({ text }: Seen): string[] {
  return [...text.matchAll(/href="(\/account\/approvals\?request=[^"]+)"/g)].map(([, path]) => path ?? '');
}

/** The question of the newest request. */
export async function theApproval(
  server: ServerAddress,
  visitor = new Visitor(server.base),
  username = 'alice',
): Promise<Seen> {
  const [path] = linksIn(await theApprovals(server, visitor, username));
  assert(path !== undefined, 'nothing waits');
  return visitor.follow(`${server.base}${path}`);
}

/** The newest request is decided. */
export async function decideRequest(
  server: ServerAddress,
  action: 'allow' | 'deny',
  visitor = new Visitor(server.base),
  username = 'alice',
): Promise<Seen> {
  return press(visitor, await theApproval(server, visitor, username), action);
}

export async function anAllowedRequest(
  server: ServerAddress,
  fields?: Fields,
  sending?: Sending,
  app?: string,
): Promise<WaitingRequest> {
  const request = await aWaitingRequest(server, fields, sending, app);
  await decideRequest(server, 'allow');
  return request;
}
