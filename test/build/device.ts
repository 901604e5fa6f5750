import assert from 'node:assert/strict';
import { DEVICE_GRANT } from '../../src/oauth/device/rules.ts';
import { type Answered, post, type Sending, token } from './client.ts';
import { aClient, aPublicClient, type ClientInput } from './fixture.ts';
import { logIn, press } from './people.ts';
import type { ServerAddress } from './test-server.ts';
import { type Fields, formWith, type Seen, Visitor } from './visitor.ts';

/** A television, without a secret, and a box with one. */
export const TV = 'tv';
export function aTv(over: ClientInput = {}): ClientInput {
  const grant_types = [DEVICE_GRANT, 'refresh_token'] as const;
  return aPublicClient({
    client_id: TV,
    client_name: 'Living room TV',
    redirect_uris: [],
    grant_types: [...grant_types],
    ...over,
  });
}
export function aBox(over: ClientInput = {}): ClientInput {
  return aClient({ client_id: 'box', redirect_uris: [], grant_types: [DEVICE_GRANT, 'refresh_token'], ...over });
}

export const requestDevice = (server: ServerAddress, fields: Fields = {}, sending: Sending = {}, app?: string) =>
  post(`${server.at(app)}/device_authorization`, { client_id: TV, ...fields }, sending);

export interface WaitingDevice {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** A device that shows its code. */
export async function aWaitingDevice(
  server: ServerAddress,
  fields: Fields = {},
  sending: Sending = {},
  app?: string,
): Promise<WaitingDevice> {
  const answered = await requestDevice(server, { scope: 'openid', ...fields }, sending, app);
  assert.equal(answered.status, 200, answered.text);
  return answered.json;
}

export const pollFor = (
  server: ServerAddress,
  { device_code }: Pick<WaitingDevice, 'device_code'>,
  fields: Fields = {},
  sending: Sending = {},
  app?: string,
): Promise<Answered> =>
  token(server, { grant_type: DEVICE_GRANT, device_code, client_id: TV, ...fields }, sending, app);

/** One whose person has allowed it. */
export async function anAllowedDevice(
  server: ServerAddress,
  fields?: Fields,
  sending?: Sending,
  app?: string,
): Promise<WaitingDevice> {
  const device = await aWaitingDevice(server, fields, sending, app);
  await decide(server, device.user_code, 'allow');
  return device;
}

/** One whose person stands before the question whether it may be connected. */
export async function anAskedDevice(server: ServerAddress, username?: string) {
  const device = await aWaitingDevice(server);
  const visitor = new Visitor(server.base);
  return { device, visitor, question: await theQuestion(server, device.user_code, visitor, username) };
}

/** Types the code; the page that comes is the sign-in, or the question if the browser is signed in. */
export async function typeCode(
  server: ServerAddress,
  userCode: string,
  visitor = new Visitor(server.base),
): Promise<Seen> {
  const page = await visitor.follow(`${server.base}/device`);
  return visitor.send(formWith(page, 'user_code'), { user_code: userCode });
}

/** Until the page that asks whether the device may be connected. */
export async function theQuestion(
  server: ServerAddress,
  userCode: string,
  visitor = new Visitor(server.base),
  username = 'alice',
): Promise<Seen> {
  const seen = await typeCode(server, userCode, visitor);
  return seen.text.includes('name="password"') ? logIn(visitor, seen, username) : seen;
}

/** The whole way of a person, from typing the code to the answer. */
export async function decide(
  server: ServerAddress,
  userCode: string,
  action: 'allow' | 'deny',
  visitor = new Visitor(server.base),
  username = 'alice',
): Promise<Seen> {
  return press(visitor, await theQuestion(server, userCode, visitor, username), action);
}
